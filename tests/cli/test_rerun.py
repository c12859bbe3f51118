from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from command import Conformance, run_to
from gallery import LIARS, Copied, put_liar, write_liar

CASES = ("--cases-folder", str(LIARS / "cases"), "--case", "*/first", "--case", "*/bait")
RUN = ("run", "--quiet", "--output", "out", *CASES)
AGAIN = (*RUN, "--rerun", "failed")
ON_BOTH = ("-t", "./swaps_outputs", "-t", "numpy")


def run_with_liar(folder: Path) -> None:
    write_liar(folder, "swaps_outputs")
    run_to(folder, *RUN, *ON_BOTH, code=1)


@pytest.fixture
def failed(copied: Copied, tmp_path: Path) -> dict[str, Any]:
    """The numbers of a run in which a liar and an honest target took part."""
    copied("failed", run_with_liar)
    return verdicts(tmp_path)


def verdicts(folder: Path) -> dict[str, Any]:
    footer = json.loads((folder / "out" / "run.jsonl").read_text().splitlines()[-1])
    return {target.partition("@")[0]: counts for target, counts in footer["verdicts"].items()}


@pytest.mark.slow
def test_only_what_failed_runs_again_on_the_same_targets(
    failed: dict[str, Any], conformance: Conformance, tmp_path: Path
) -> None:
    done = conformance(*AGAIN, *ON_BOTH)
    assert done.returncode == 1, done.stdout + done.stderr
    count = failed["swaps_outputs"]["wrong result"]
    assert verdicts(tmp_path) == {"swaps_outputs": {"wrong result": count}, "numpy": {"pass": count}}
    assert "what failed in an earlier run were selected." in " ".join(done.stdout.split())


@pytest.mark.slow
@pytest.mark.usefixtures("failed")
def test_the_log_that_it_speaks_of_is_kept(conformance: Conformance, tmp_path: Path) -> None:
    before = (tmp_path / "out" / "run.jsonl").read_bytes()
    conformance(*AGAIN, *ON_BOTH)
    assert (tmp_path / "out" / "previous.jsonl").read_bytes() == before


@pytest.mark.usefixtures("failed")
def test_what_is_mended_conforms_and_then_there_is_nothing_to_run(conformance: Conformance, tmp_path: Path) -> None:
    put_liar("returns_a_generator", tmp_path / "swaps_outputs")
    assert conformance(*AGAIN, *ON_BOTH).returncode == 0
    done = conformance(*AGAIN)
    assert (done.returncode, done.stdout) == (0, "out/run.jsonl: nothing failed, so there is nothing to run again\n")


@pytest.mark.slow
@pytest.mark.usefixtures("failed")
def test_another_log_can_be_named(conformance: Conformance, tmp_path: Path) -> None:
    shutil.copytree(tmp_path / "out", tmp_path / "nightly")
    done = conformance(*AGAIN, "nightly", "--output", "elsewhere", "--target", "numpy")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.usefixtures("failed")
def test_a_log_of_other_cases_is_refused(conformance: Conformance) -> None:
    done = conformance("run", "--rerun", "failed", "--output", "out")
    assert (done.returncode, done.stderr) == (
        2,
        "out/run.jsonl: was made with other case files\n  fix:  run all cases again\n",
    )


@pytest.mark.usefixtures("failed")
def test_a_log_that_was_cut_off_is_refused(conformance: Conformance, tmp_path: Path) -> None:
    log = tmp_path / "out" / "run.jsonl"
    log.write_text("".join(log.read_text().splitlines(keepends=True)[:-1]))
    done = conformance(*AGAIN)
    assert (done.returncode, done.stderr) == (
        2,
        "out/run.jsonl: is not complete\n  fix:  finish it with --resume first\n",
    )


@pytest.mark.usefixtures("failed")
@pytest.mark.parametrize("named", ["swaps_outputs", "./swaps_outputs", "{folder}/swaps_outputs"])
def test_a_log_cannot_name_a_folder_whose_code_would_run(named: str, conformance: Conformance, tmp_path: Path) -> None:
    log = tmp_path / "out" / "run.jsonl"
    log.write_text(log.read_text().replace('"adapter":"swaps_outputs"', f'"adapter":"{named.format(folder=tmp_path)}"'))
    (tmp_path / "swaps_outputs" / "adapter.py").write_text("open('ran', 'w')")
    done = conformance(*AGAIN)
    assert done.returncode == 2
    assert "no adapter of that name is bundled or installed, and a log names no folders" in done.stderr
    assert not (tmp_path / "ran").exists()
    assert not (tmp_path / "swaps_outputs" / "ran").exists()


@pytest.mark.slow
@pytest.mark.frameworks
@pytest.mark.usefixtures("failed")
def test_a_bundled_target_runs_again_without_being_named(conformance: Conformance, tmp_path: Path) -> None:
    log = tmp_path / "out" / "run.jsonl"
    log.write_text(log.read_text().replace('"adapter":"swaps_outputs"', '"adapter":"onnxruntime"'))
    done = conformance(*AGAIN)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    assert [name.split("@")[0] for name in verdicts(tmp_path)] == ["numpy", "onnxruntime"]


@pytest.mark.parametrize("given", [["passed"], ["failed", "one", "two"]])
def test_anything_else_to_run_again_is_a_usage_error(given: list[str], conformance: Conformance) -> None:
    done = conformance("run", "-t", "numpy", "--rerun", *given)
    assert done.returncode == 2
    assert "fix:  write `--rerun failed` or `--rerun failed LOG`" in done.stderr
