"""The gallery is well formed, its backend correct, and some of it is caught; the whole is `nox -s mutants`."""

from __future__ import annotations

from contextlib import suppress

import numpy as np
import pytest
from families import FAMILIES, Family, Mutant, all_mutants, mutant_named
from faulty_mover.mover import Mover
from faulty_split.split import Split
from hunt import all_checks, checks_in_order, failed_node_test, first_catch, node_tests

from conformance.adapter import Rejected
from conformance.protocol.form import Form
from conformance.spec.broken_clause import BrokenClauseError
from conformance.spec.case import call_arguments
from conformance.spec.check import Check
from conformance.spec.reference import evaluate
from conformance.spec.verdict import Verdict
from conformance.tensors.tensor import Tensor, array_from_tensor, tensor_from_array

pytestmark = pytest.mark.slow

MUTANTS = all_mutants()
SPLIT = mutant_named("Split.none").family


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_family_has_more_than_40_faults_of_different_names(family: Family) -> None:
    assert len({fault.name for fault in family.faults}) == len(family.faults) > 40


def test_every_fault_replaces_a_step_of_a_correct_backend() -> None:
    backends = {"faulty_split": Split, "faulty_mover": Mover}
    steps = {(mutant.family.backend.name, mutant.fault.step) for mutant in MUTANTS if mutant.fault is not None}
    assert [step for step in steps if not callable(getattr(backends[step[0]], step[1], None))] == []


def test_every_fault_concerns_an_operator() -> None:
    known = {mutant.fault.name for mutant in MUTANTS if mutant.fault is not None}
    every = {fault.name for family in FAMILIES for theme in family.themes for fault in theme.faults}
    assert every - known == set()


def test_unmutated_split_agrees_with_the_reference() -> None:
    """One process asks for all checks, since each has to plan them first."""
    assert [check.case.id for check in all_checks(SPLIT)[:3000:30] if not _agrees(check)] == []


def _agrees(check: Check) -> bool:
    """Whether the correct Split answers a call as the reference does, or rejects it as that does."""
    request = Check(check.case, Form.CONSTANT).request
    inputs = {name: array_from_tensor(tensor) for name, tensor in request.runs[-1].items()}
    try:
        expected = evaluate(check.case.operator.id, call_arguments(check.case), check.case.declared_outputs)
    except BrokenClauseError:
        with suppress(Rejected):
            Split(request.call, {}).run(inputs)
            return False
        return True
    outputs = Split(request.call, {}).run(inputs)
    return [_bits(tensor_from_array(item)) for item in outputs] == [_bits(tensor) for tensor in expected]


@pytest.mark.parametrize(
    "name",
    [
        "Split.outputs_are_reversed",
        "Split.minus_one_is_refused",
        "Split.lengths_may_leave_something",
        "Split.empty_part_in_the_middle_aborts",
        "Transpose.order_is_inverted",
        "Concat.tensors_come_in_reverse",
        "Slice.bounds_have_32_bits",
        "Gather.missing_indices_are_accepted",
        "Reshape.two_minus_ones_are_accepted",
        "Squeeze.axes_from_the_end_are_refused",
        "Unsqueeze.every_dim_is_inserted_at_the_end",
    ],
)
def test_mutant_is_caught_where_the_unmutated_backend_passes(name: str) -> None:
    """In one operator version: to plan the checks of all takes longer than to ask some."""
    mutant = mutant_named(name)
    checks = checks_in_order(mutant.versions[-1])[:200]
    assert first_catch(Mutant(family=mutant.family), checks) is None
    caught = first_catch(mutant, checks)
    assert caught is not None
    assert caught.verdict is not Verdict.HARNESS_ERROR


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_correct_backend_passes_the_node_tests_of_onnx(family: Family) -> None:
    assert len(node_tests(family)) >= 2
    assert failed_node_test(Mutant(family=family)) is None


def test_node_tests_of_onnx_run_as_onnx_judges_them() -> None:
    assert failed_node_test(mutant_named("Split.outputs_are_reversed")) == "test_split_equal_parts_1d_opset13"
    assert failed_node_test(mutant_named("Split.int64_becomes_int32")) is None


def _bits(tensor: Tensor) -> tuple[str, tuple[int, ...], bytes]:
    return tensor.dtype, tuple(tensor.shape), np.frombuffer(bytes(tensor.data), np.uint8).tobytes()
