"""What is claimed of a recorded check is what is claimed of the check itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest
from bundled import cases_of_operators

from conformance.border.form import Form
from conformance.border.outcome import Crashed
from conformance.language.case import Disputed
from conformance.language.check import Check
from conformance.log.build_record import record_of
from conformance.log.record import CheckRecord, TargetEntry, tensor_entry
from conformance.planning.selection import Selection, checks_of, families_selected
from conformance.scripts.demonstration import demonstration_of
from conformance.scripts.recorded import demonstration_of_record
from conformance.values.tensor import Tensor

TARGET = TargetEntry(name="toy@1.0", adapter="toy", framework="Toy", version="1.0")
EVERY = 7
"""Of the checks of the suite, one of so many."""


def recorded(operator: str) -> Iterator[tuple[Check, CheckRecord]]:
    suite, selection = (
        cases_of_operators(operator.rpartition("-")[0]),
        Selection(operators=(operator,)),
    )
    for number, check in enumerate(checks_of(families_selected(suite, selection), selection)):
        if number % EVERY == 0 and not isinstance(check.case.expectation, Disputed):
            yield check, record_of(check, TARGET.name, Crashed(death="SIGSEGV"), [])


def bits(runs: Sequence[Sequence[Tensor]] | None) -> list[list[tuple[object, ...]]] | None:
    return None if runs is None else [[(item.dtype, item.shape, bytes(item.data)) for item in run] for run in runs]


@pytest.mark.parametrize("operator", ["openvino.VariadicSplit-1", "openvino.Split-1", "onnx.Split-1", "onnx.Split-18"])
def test_question_and_answer_are_those_of_the_check(operator: str) -> None:
    found = 0
    for check, record in recorded(operator):
        claim = demonstration_of_record(record, TARGET, {})
        if claim is None:
            continue
        wanted = demonstration_of(check, check.request, "Toy 1.0")
        assert (claim.request, claim.title, claim.dtype) == (wanted.request, wanted.title, wanted.dtype)
        assert [bits(reading.runs) for reading in claim.interpretations] == [
            bits(reading.runs) for reading in wanted.interpretations
        ]
        found += 1
    assert found > 10


def test_a_check_of_which_the_log_holds_a_stretch_only_claims_nothing() -> None:
    selection = Selection(cases=("onnx.Split-13/hundreds-of-equal-parts[cut=257]",))
    check = next(checks_of(families_selected(cases_of_operators("onnx.Split"), selection), selection))
    assert demonstration_of_record(record_of(check, TARGET.name, Crashed(death="SIGSEGV"), []), TARGET, {}) is None


@pytest.mark.parametrize("change", ["constant data", "complex data", "no input"])
def test_a_log_that_puts_a_relu_in_front_of_anything_is_read(change: str) -> None:
    selection = Selection(operators=("onnx.Split-18",), cases=("*/made*",), forms=(Form.AFTER_RELU,))
    check = next(iter(checks_of(families_selected(cases_of_operators("onnx.Split"), selection), selection)))
    record = record_of(check, TARGET.name, Crashed(death="SIGSEGV"), [])
    assert record.call is not None
    data, *others = record.call.inputs
    if change == "complex data":
        shown = tensor_entry(Tensor("complex128", (4,), bytes(64)))
        data = replace(data, dtype="complex128", values=[shown, shown])
    elif change == "constant data":
        data = replace(data, constant=True)
    inputs = others if change == "no input" else [data, *others]
    demonstration_of_record(replace(record, call=replace(record.call, inputs=inputs)), TARGET, {})
