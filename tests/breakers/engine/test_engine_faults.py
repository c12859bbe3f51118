"""The faults of the engine fit it, and each names a fast test that notices it; `nox -s mutants` proves that it does."""

from __future__ import annotations

from inspect import Parameter, signature

import pytest
from engine_faults import NOTICED_BY, EngineFault, all_engine_faults, failures, node_of, place_of

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


def test_every_fault_names_a_test_that_is_there_and_not_slow() -> None:
    assert list(NOTICED_BY) == [fault.name for fault in FAULTS]
    nodes = [node_of(test) for test in sorted({*NOTICED_BY.values()})]
    with pytest.raises(RuntimeError, match="pytest ended with 5"):  # no test is selected
        failures(None, nodes, "--collect-only", "-m", "slow")


def test_a_fault_of_the_engine_is_noticed_by_its_test() -> None:
    (fault,) = [fault for fault in FAULTS if fault.name == "time_out_passes"]
    assert failures(fault, [node_of(NOTICED_BY[fault.name])]) != []
