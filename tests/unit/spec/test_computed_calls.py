"""Other calls whose outputs the reference computes: each is allowed, is another one, and runs in the same model."""

from __future__ import annotations

from functools import cache
from itertools import islice

import pytest
from bundled import cases_of_operators

from conformance.protocol.form import Form
from conformance.spec.broken_clause import BrokenClauseError
from conformance.spec.case import Case, Literals, Rejection, Value, call_arguments, due_outputs
from conformance.spec.check import forms_of
from conformance.spec.form_rules import with_computed_arguments, with_computed_data
from conformance.spec.reference import evaluate

MOVERS = ("Concat", "Gather", "Reshape", "Slice", "Squeeze", "Transpose", "Unsqueeze")
NAMES = [*(f"{dialect}.{name}" for dialect in ("onnx", "openvino") for name in MOVERS), "openvino.StridedSlice"]


@cache
@cache
def cases_of(operator: str) -> tuple[Case, ...]:
    """The first forty products of each family of the default set."""
    families = [family for family in cases_of_operators(operator).families if family.set.value == "default"]
    return tuple(case for family in families for case in islice(family.cases(), 40))


def kinds(case: Case) -> list[object]:
    """What a model fixes: attributes, and the types and ranks of inputs and outputs."""
    inputs = ((a.name, a.value.dtype, len(a.value.shape)) if isinstance(a.value, Value) else a for a in case.arguments)
    return [*inputs, *((output.dtype, len(output.shape)) for output in due_outputs(case))]


@pytest.mark.parametrize("name", NAMES)
def test_a_computed_call_runs_in_the_model_of_its_case(name: str) -> None:
    for case in cases_of(name):
        for call in filter(None, (with_computed_data(case), *with_computed_arguments(case))):
            assert kinds(call) == kinds(case)
            assert call.arguments != case.arguments


@pytest.mark.parametrize("name", [name for name in NAMES if "Concat" not in name])
def test_kept_arguments_show_in_the_outputs_of_the_other_call(name: str) -> None:
    calls = [(case, call) for case in cases_of(name) for call in with_computed_arguments(case)]
    for case, call in calls:
        kept = case.with_values(call.data_inputs)
        try:
            outputs = evaluate(case.operator.id, call_arguments(kept), case.declared_outputs)
        except BrokenClauseError:
            continue  # with the arguments of the case, the page forbids this data
        assert call.expectation != Literals(tuple(map(Value.of, outputs)))


@pytest.mark.parametrize("name", NAMES)
def test_every_operator_has_a_second_call(name: str) -> None:
    cases = cases_of(name)
    forms = {form for case in cases for form in forms_of(case)}
    assert Form.SECOND_CALL in forms


@pytest.mark.parametrize("name", NAMES)
def test_an_invalid_case_has_no_computed_call(name: str) -> None:
    invalid = [case for case in cases_of(name) if isinstance(case.expectation, Rejection)]
    assert invalid
    assert not any(with_computed_data(case) or with_computed_arguments(case) for case in invalid)
