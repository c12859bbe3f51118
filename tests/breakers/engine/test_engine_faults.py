"""The faults of the engine fit it, and what notices them is known; `nox -s mutants` proves it."""

from __future__ import annotations

from inspect import Parameter, signature

import pytest
from engine_faults import EngineFault, all_engine_faults, failures, place_of
from kill_matrix import fast_tests, node_of, read_matrix, stale

pytestmark = pytest.mark.slow

FAULTS = all_engine_faults()


def test_faults_of_the_engine_have_different_names_and_say_what_is_wrong() -> None:
    assert len({fault.name for fault in FAULTS}) == len(FAULTS) >= 50
    assert all(fault.says.endswith(".") for fault in FAULTS)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_fault_of_the_engine_takes_what_the_function_takes_that_it_replaces(fault: EngineFault) -> None:
    owner, name = place_of(fault)
    taken = signature(fault.function).parameters
    takes_any = any(parameter.kind is Parameter.VAR_POSITIONAL for parameter in taken.values())
    assert takes_any or len(taken) == 1 + len(signature(getattr(owner, name)).parameters)


def test_the_kill_matrix_is_as_measured_or_else_nox_remakes_it() -> None:
    rows = read_matrix()
    assert [fault.name for fault in stale(FAULTS, rows)] == [], "run `nox -s matrix`"
    assert list(rows) == [fault.name for fault in FAULTS]


def test_the_fast_tests_notice_every_recorded_fault() -> None:
    assert [name for name, row in read_matrix().items() if not fast_tests().intersection(row.noticed_by)] == []


def test_a_fault_of_the_engine_is_noticed_by_its_test() -> None:
    (fault,) = [fault for fault in FAULTS if fault.name == "time_out_passes"]
    assert failures(fault, [node_of()[read_matrix()[fault.name].noticed_by[0]]]) != []
