"""ONNX's own node tests of a family as checks of this engine, judged by ONNX's own comparison.

They put lengths, indices and so on in as inputs of the graph, so each is asked in the form `runtime`. Node tests of
other operators that happen to have the operator inside are left out, and so are those that compute.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from families import Family
from onnx import AttributeProto, helper
from onnx.backend.test.case import node as node_tests
from onnx.backend.test.case.test_case import TestCase
from onnx.backend.test.runner import Runner

from conformance.protocol.form import Form
from conformance.protocol.outcome import Outcome, Produced
from conformance.spec.broken_clause import UncoveredCallError
from conformance.spec.case import Argument, Case, Literals, Value, call_arguments
from conformance.spec.check import Check
from conformance.spec.operator import Operator, Role
from conformance.spec.reference import evaluate
from conformance.tensors.tensor import array_from_tensor, tensor_from_array

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeTest:
    """One node test: the check that asks it, and what ONNX compares the answer with."""

    check: Check
    outputs: tuple[Array, ...]
    rtol: float
    atol: float

    @property
    def name(self) -> str:
        return self.check.case.id

    def is_passed_by(self, outcome: Outcome) -> bool:
        """Whether ONNX's test runner would be content."""
        if not isinstance(outcome, Produced):
            return False
        outputs = [array_from_tensor(tensor) for tensor in outcome.runs[0]]
        try:
            Runner.assert_similar_outputs(self.outputs, outputs, self.rtol, self.atol)
        except AssertionError:
            return False
        return True


def node_tests_of(family: Family, operators: Iterable[Operator]) -> tuple[NodeTest, ...]:
    """All node tests of the family's ONNX operator that the installed onnx has, of every opset."""
    name = next(operator.partition(".")[2] for operator in family.operators if operator.startswith("onnx."))
    versions = {operator.version: operator for operator in operators if operator.id.startswith(f"onnx.{name}-")}
    # `load_model_tests` would compute the tests of all operators, which takes half a minute.
    importlib.import_module(f"{node_tests.__name__}.{family.node_tests}")
    tests: Sequence[TestCase] = node_tests._NodeTestCases
    found = (test for test in tests if [node.op_type for node in test.model.graph.node] == [name])
    return tuple(filter(_is_covered, (_node_test(test, versions) for test in found)))


def _is_covered(test: NodeTest) -> bool:
    """Whether the call only moves elements."""
    case = test.check.case
    try:
        evaluate(case.operator.id, call_arguments(case), case.declared_outputs)
    except UncoveredCallError:
        return False
    return True


def _node_test(test: TestCase, versions: dict[int, Operator]) -> NodeTest:
    ((inputs, outputs),) = test.data_sets
    (node,) = test.model.graph.node
    opset = next(entry.version for entry in test.model.opset_import if entry.domain == "")
    operator = versions[max(version for version in versions if version <= opset)]
    given = zip(_argument_names(operator, node.input), inputs, strict=True)
    case = Case(
        id=test.name,
        operator=operator,
        clauses=(),
        arguments=(
            *(Argument(name, Role.INPUT, _value(array)) for name, array in given),
            *(Argument(item.name, Role.ATTRIBUTE, _attribute(item)) for item in node.attribute),
        ),
        declared_outputs=len(node.output),
        expectation=Literals(tuple(_value(array) for array in outputs)),
        where="onnx.backend.test",
    )
    return NodeTest(check=Check(case, Form.RUNTIME), outputs=tuple(outputs), rtol=test.rtol, atol=test.atol)


def _attribute(item: AttributeProto) -> Any:
    value = helper.get_attribute_value(item)
    return value.decode() if isinstance(value, bytes) else value


def _argument_names(operator: Operator, written: Sequence[str]) -> list[str]:
    """The page's names of the inputs that a node has, whatever its graph calls them."""
    *single, last = operator.inputs
    names = [parameter.name for parameter in single]
    more = len(written) - len(single)
    names += [f"{last.name}_{number}" for number in range(more)] if last.is_variadic else [last.name] * more
    return [name for name, given in zip(names, written, strict=False) if given]


def _value(array: Array) -> Value:
    tensor = tensor_from_array(array)
    return Value(dtype=tensor.dtype, shape=tensor.shape, data=bytes(tensor.data))
