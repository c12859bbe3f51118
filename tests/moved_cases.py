"""Cases by hand of an operator that puts the dims of its data in another order, and of one that joins tensors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from conformance.spec.case import Argument, Case, Elements, Expectation, Value
from conformance.spec.elements import Permuted, Places
from conformance.spec.operator import Operator, OutputRule, Parameter, Role

TRANSPOSE = Operator(
    dialect="onnx",
    name="Transpose",
    version=13,
    parameters=(Parameter(name="data", role=Role.INPUT), Parameter(name="perm", role=Role.ATTRIBUTE)),
    constraints={},
    clauses={},
    data=("data",),
    outputs=OutputRule(type_of="data", ranks=("rank(data)",)),
)
CONCAT = Operator(
    dialect="onnx",
    name="Concat",
    version=13,
    parameters=(
        Parameter(name="inputs", role=Role.INPUT, is_variadic=True),
        Parameter(name="axis", role=Role.ATTRIBUTE),
    ),
    constraints={},
    clauses={},
    data=("inputs",),
    outputs=OutputRule(type_of="inputs", ranks=("rank(inputs)",)),
)
RESHAPE = Operator(
    dialect="openvino",
    name="Reshape",
    version=1,
    parameters=(
        Parameter(name="data", role=Role.INPUT),
        Parameter(name="shape", role=Role.INPUT),
        Parameter(name="special_zero", role=Role.ATTRIBUTE),
    ),
    constraints={},
    clauses={},
    data=("data",),
    outputs=OutputRule(type_of="data"),
)


def transposed(shape: Sequence[int], order: Sequence[int], dtype: str = "float32", **changes: Any) -> Case:
    """A case of Transpose-13."""
    arguments = (
        Argument("data", Role.INPUT, Value(dtype=dtype, shape=tuple(shape))),
        Argument("perm", Role.ATTRIBUTE, list(order)),
    )
    return made(TRANSPOSE, arguments, **{"expectation": Elements((Permuted(tuple(order)),)), **changes})


def joined_rows(numbers: Sequence[int], dtype: str = "float32", **changes: Any) -> Case:
    """A case of Concat-13 that joins [1, 2] and [2, 2] along axis 0, with these elements as its output."""
    arguments = (
        Argument("inputs_0", Role.INPUT, Value(dtype=dtype, shape=(1, 2))),
        Argument("inputs_1", Role.INPUT, Value(dtype=dtype, shape=(2, 2), start=2)),
        Argument("axis", Role.ATTRIBUTE, 0),
    )
    return made(CONCAT, arguments, **{"expectation": Elements((Places((3, 2), tuple(numbers)),)), **changes})


def reshaped(shape: Sequence[int], lengths: Value | Sequence[int], *, special_zero: bool) -> Case:
    """A case of OpenVINO Reshape-1, whose lengths are an input or, as in ONNX Reshape-1, an attribute."""
    arguments = (
        Argument("data", Role.INPUT, Value(dtype="float32", shape=tuple(shape))),
        Argument("shape", Role.INPUT if isinstance(lengths, Value) else Role.ATTRIBUTE, lengths),
        Argument("special_zero", Role.ATTRIBUTE, special_zero),
    )
    return made(RESHAPE, arguments, Elements((Places((4,), (0, 1, 2, 3)),)))


def made(operator: Operator, arguments: Sequence[Argument], expectation: Expectation, **changes: Any) -> Case:
    case = Case(
        id=f"{operator.id}/a",
        operator=operator,
        clauses=("outputs.values",),
        arguments=tuple(arguments),
        declared_outputs=1,
        expectation=expectation,
        where="cases.yaml:1",
    )
    return replace(case, **changes)
