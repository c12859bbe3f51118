"""The gallery is well formed, its backend correct, and some of it is caught; the whole is `nox -s mutants`."""

from __future__ import annotations

from fnmatch import fnmatchcase

import numpy as np
import pytest
from engine_faults import TESTS, EngineFault, all_engine_faults, noticed, place_of
from faulty_split.faults import all_faults, fault_named
from faulty_split.split import Split
from hunt import all_checks, checks_for, failed_node_test, first_catch, node_tests

from conformance.adapter import Rejected
from conformance.spec.broken_clause import BrokenClauseError
from conformance.spec.build_request import request_for
from conformance.spec.case import call_arguments
from conformance.spec.check import Check
from conformance.spec.form import Form
from conformance.spec.reference import evaluate
from conformance.spec.verdict import Verdict
from conformance.values.tensor import Tensor, array_from_tensor, tensor_from_array

FAULTS = all_faults()


def test_gallery_has_more_than_200_mutants_of_different_names() -> None:
    assert len({fault.name for fault in FAULTS}) == len(FAULTS) > 200


def test_every_mutant_says_in_one_line_what_is_wrong() -> None:
    assert [fault.name for fault in FAULTS if not fault.says.endswith(".") or "\n" in fault.says] == []


def test_every_mutant_replaces_a_step_of_a_correct_split() -> None:
    assert [fault.name for fault in FAULTS if not callable(getattr(Split, fault.step, None))] == []


def test_every_mutant_concerns_an_operator() -> None:
    operators = {check.case.operator.id for check in all_checks()}
    assert [fault.name for fault in FAULTS if not any(fnmatchcase(name, fault.operators) for name in operators)] == []


@pytest.mark.parametrize("check", all_checks()[:3000:30], ids=lambda check: f"{check.case.id}({check.form.value})")
def test_unmutated_backend_agrees_with_the_reference(check: Check) -> None:
    request = request_for(Check(check.case, Form.CONSTANT))
    inputs = {name: array_from_tensor(tensor) for name, tensor in request.runs[-1].items()}
    try:
        expected = evaluate(check.case.operator.id, call_arguments(check.case), check.case.declared_outputs)
    except BrokenClauseError:
        with pytest.raises(Rejected):
            Split(request.call, {}).run(inputs)
    else:
        assert [_bits(tensor_from_array(item)) for item in Split(request.call, {}).run(inputs)] == [
            _bits(tensor) for tensor in expected
        ]


@pytest.mark.parametrize(
    "name",
    ["outputs_are_reversed", "minus_one_is_refused", "lengths_may_leave_something", "empty_part_in_the_middle_aborts"],
)
def test_mutant_is_caught_through_the_real_engine(name: str) -> None:
    fault = fault_named(name)
    caught = first_catch(name, checks_for(fault)[:500])
    assert caught is not None
    assert caught.verdict is not Verdict.HARNESS_ERROR


def test_node_tests_of_onnx_are_asked_as_onnx_judges_them() -> None:
    assert len(node_tests()) >= 16
    assert failed_node_test("none") is None
    assert failed_node_test("outputs_are_reversed") == "test_split_equal_parts_1d_opset13"
    assert failed_node_test("int64_becomes_int32") is None


def test_faults_of_the_engine_have_different_names_and_say_what_is_wrong() -> None:
    faults = all_engine_faults()
    assert len({fault.name for fault in faults}) == len(faults) >= 15
    assert all(fault.says.endswith(".") for fault in faults)


@pytest.mark.parametrize("fault", all_engine_faults(), ids=lambda fault: fault.name)
def test_fault_of_the_engine_replaces_what_a_test_looks_at(fault: EngineFault) -> None:
    owner, name = place_of(fault)
    assert callable(getattr(owner, name))
    assert (TESTS / fault.tests.partition("::")[0]).is_file()


def test_fault_of_the_engine_is_noticed_by_its_test() -> None:
    (fault,) = [fault for fault in all_engine_faults() if fault.name == "time_out_passes"]
    (result,) = noticed([fault], jobs=1)
    assert result.test.startswith("unit/test_judge.py::")


def _bits(tensor: Tensor) -> tuple[str, tuple[int, ...], bytes]:
    return tensor.dtype, tuple(tensor.shape), np.frombuffer(bytes(tensor.data), np.uint8).tobytes()
