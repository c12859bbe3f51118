"""After every fault no record is lost, no process and no file is left, and the exit code is right."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from gallery import MadeOnce

if sys.platform != "linux":
    pytest.skip("looks at /proc, and sets limits of a living process", allow_module_level=True)

from run_faults import FAULTS, KILLED, Fault, Log
from staged_run import StagedRun, facts, wait_until

pytestmark = pytest.mark.slow

LOCKS = (".lock", ".owner")
"""What a process that was killed leaves in its folder."""


@pytest.fixture(scope="session")
def undisturbed(made_once: MadeOnce) -> Log:
    """The records of a run to which nothing was done."""

    def run_in(folder: Path) -> None:
        assert StagedRun(folder).again() == 0

    return facts(made_once("undisturbed-run", run_in) / "out" / "run.jsonl")


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_loses_no_record_and_leaves_nothing(fault: Fault, tmp_path: Path, undisturbed: Log) -> None:
    run = StagedRun(tmp_path)
    try:
        fault.cause(run)
        run.end()
        assert (run.code, "Traceback" in run.stderr, fault.says in run.stderr) == (fault.code, False, True), run.stderr
        assert {path: path.read_bytes() for path in run.kept} == run.kept
        assert wait_until(lambda: not run.living()), run.living()
        assert wait_until(lambda: not [*run.scratch.iterdir()]), [*run.scratch.rglob("*")]
        assert (run.code or 0) < 0 or not hidden_files(run.out)
        run.go_on()
        fault.sequel(run, fault, undisturbed)
        assert not [
            path for path in hidden_files(run.out) if path.name not in (".lock", ".owner") or run.code != KILLED
        ]
    finally:
        run.clean_up()


def hidden_files(folder: Path) -> list[Path]:
    """What a command writes beside its results while it works."""
    return [*folder.glob(".*")]


def test_there_are_many_faults_of_different_names() -> None:
    assert len({fault.name for fault in FAULTS}) == len(FAULTS) >= 30
