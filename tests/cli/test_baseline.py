from __future__ import annotations

from pathlib import Path

import pytest
from command import Conformance, run_to
from gallery import LIARS, Copied, put_liar, write_liar
from lxml import etree

CASES = ("--cases-folder", str(LIARS / "cases"), "--case", "*/first", "--case", "*/bait")
RUN = ("run", "--target", "./toy", *CASES)


def pretend(folder: Path, liar: str) -> None:
    """Make the target of the runs behave as another liar does."""
    put_liar(liar, folder / "toy")


def run_of_liar(folder: Path) -> None:
    write_liar(folder, "swaps_outputs", alias="toy")
    run_to(folder, *RUN, "--output", "main", code=1)


@pytest.fixture
def baseline(copied: Copied) -> None:
    """A log `main` of a target that swaps outputs."""
    copied("baseline", run_of_liar)


@pytest.mark.slow
@pytest.mark.usefixtures("baseline")
def test_what_was_broken_before_is_reported_and_does_not_fail(conformance: Conformance) -> None:
    done = conformance(*RUN, "--baseline", "main", "--output", "out")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Broken before: " in done.stdout
    assert "The target deviates only as recorded or as before. (exit code 0)" in done.stdout
    assert "; none of them passes now." in done.stdout


@pytest.mark.slow
@pytest.mark.usefixtures("baseline")
def test_new_breakage_fails(conformance: Conformance, tmp_path: Path) -> None:
    pretend(tmp_path, "rejects_everything")
    done = conformance(*RUN, "--baseline", "main", "--output", "out")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "rejected a valid call [1] " in done.stdout
    assert "Broken before: " in done.stdout


@pytest.mark.slow
@pytest.mark.usefixtures("baseline")
def test_what_is_mended_is_reported(conformance: Conformance, tmp_path: Path) -> None:
    pretend(tmp_path, "returns_a_generator")
    done = conformance(*RUN, "--baseline", "main", "--output", "out")
    assert done.returncode == 0, done.stdout + done.stderr
    printed = done.stdout.splitlines()[0].split()
    assert printed[0] == printed[6] != "none", printed


@pytest.mark.slow
@pytest.mark.usefixtures("baseline")
def test_the_last_log_can_be_its_own_successors_baseline(conformance: Conformance) -> None:
    done = conformance(*RUN, "--baseline", "main", "--output", "main")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.usefixtures("baseline")
def test_the_log_and_a_report_without_the_baseline_still_fail(conformance: Conformance) -> None:
    conformance(*RUN, "--baseline", "main", "--output", "out")
    assert conformance("report", "out/run.jsonl").returncode == 1
    assert conformance("report", "out/run.jsonl", "--baseline", "main").returncode == 0


@pytest.mark.usefixtures("baseline")
def test_junit_skips_what_was_broken_before(conformance: Conformance, tmp_path: Path) -> None:
    conformance("report", "main/run.jsonl", "--baseline", "main", "--junit", "junit.xml")
    suite = etree.parse(tmp_path / "junit.xml").find("testsuite")
    assert suite is not None
    assert (suite.get("failures"), suite.get("errors")) == ("0", "0")
    assert suite.findall(".//skipped[@type='broken before']")


@pytest.mark.slow
@pytest.mark.usefixtures("baseline")
def test_a_merge_knows_baselines_too(conformance: Conformance) -> None:
    for number in (1, 2):
        conformance(*RUN, "--shard", f"{number}/2", "--output", str(number))
    assert conformance("merge", "1", "2", "--output", "out").returncode == 1
    assert conformance("merge", "1", "2", "--output", "out", "--baseline", "main").returncode == 0


@pytest.mark.slow
@pytest.mark.usefixtures("baseline")
def test_a_log_that_was_cut_off_is_no_baseline(conformance: Conformance, tmp_path: Path) -> None:
    log = tmp_path / "main" / "run.jsonl"
    log.write_text("".join(log.read_text().splitlines(keepends=True)[:-1]))
    done = conformance(*RUN, "--baseline", "main", "--output", "out")
    assert (done.returncode, done.stderr) == (
        2,
        "main/run.jsonl: is not complete, so it cannot be a baseline\n  fix:  name the log of a complete run\n",
    )
    assert not (tmp_path / "out" / "run.jsonl").exists()
