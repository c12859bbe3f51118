"""Cases by hand, for the tests of what judges them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate, pairwise
from typing import Any

from conformance.spec.case import Argument, Case, Parts, Rejection, Value
from conformance.spec.operator import Operator, OutputRule, Parameter, Role
from conformance.tensors.tensor import Tensor, pack_integers

VARIADIC = Operator(
    dialect="openvino",
    name="VariadicSplit",
    version=1,
    parameters=tuple(Parameter(name=name, role=Role.INPUT) for name in ("data", "axis", "split_lengths")),
    constraints={},
    clauses={},
    data=("data",),
    outputs=OutputRule(type_of="data", ranks=("rank(data)",)),
    split_axis="axis",
    default_axis=None,
    takes_negative_axis=True,
    lengths="split_lengths",
)
SPLIT_2 = replace(VARIADIC, dialect="onnx", name="Split", version=2, default_axis=0, takes_negative_axis=False)


def value_of(tensor: Tensor) -> Value:
    """The description of a tensor with these very elements."""
    return Value(dtype=tensor.dtype, shape=tensor.shape, data=bytes(tensor.data))


def integers(values: Sequence[int], shape: tuple[int, ...], dtype: str = "int64") -> Value:
    return value_of(pack_integers(list(values), dtype, shape))


def split_case(data: Value, lengths: Sequence[int], axis: int = 0, **changes: Any) -> Case:
    """A case of VariadicSplit-1 that cuts the data into parts of these lengths."""
    arguments = (
        Argument("data", Role.INPUT, data),
        Argument("axis", Role.INPUT, integers([axis], ())),
        Argument("split_lengths", Role.INPUT, integers(lengths, (len(lengths),))),
    )
    usual: dict[str, Any] = {
        "id": "openvino.VariadicSplit-1/a",
        "operator": VARIADIC,
        "clauses": ("split_lengths.sum",),
        "arguments": arguments,
        "declared_outputs": len(lengths),
        "expectation": Parts(tuple(pairwise([0, *accumulate(lengths)]))),
        "where": "a.yaml:1",
    }
    return Case(**{**usual, **changes})


PARTS = Parts(((0, 1), (1, 3)))


def variadic(**changes: Any) -> Case:
    arguments = (
        Argument("data", Role.INPUT, Value(dtype="int8", shape=(2, 3))),
        Argument("axis", Role.INPUT, integers([1], ())),
        Argument("split_lengths", Role.INPUT, integers([1, 2], (2,))),
    )
    usual: dict[str, Any] = {
        "id": "openvino.VariadicSplit-1/a",
        "operator": VARIADIC,
        "clauses": ("split_lengths.sum",),
        "arguments": arguments,
        "declared_outputs": 2,
        "expectation": PARTS,
        "where": "a.yaml:1",
    }
    return Case(**{**usual, **changes})


def refused(lengths: list[int]) -> Case:
    case = variadic(expectation=Rejection("split_lengths.sum"))
    return case.with_value("split_lengths", integers(lengths, (len(lengths),)))
