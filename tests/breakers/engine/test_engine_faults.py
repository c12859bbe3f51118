"""The faults of the engine fit it, and one is noticed; the whole is `nox -s mutants`."""

from __future__ import annotations

import pytest
from engine_faults import TESTS, EngineFault, all_engine_faults, noticed, place_of


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
    assert result.test.startswith("unit/judging/test_judge.py::")
