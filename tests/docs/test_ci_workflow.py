"""The workflows in docs/ci.md: their steps are run in their order, as far as they are ours."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from gallery import count_again

pytestmark = pytest.mark.slow

GUIDE = Path(__file__).parents[2] / "docs" / "ci.md"
SHIMS = {
    "pip": "exit 0",
    "gh": "exit 1",
    "conformance": f'more=; if [ "$1" = run ]; then more="--case onnx.Split-11/axis*"; fi\n'
    f'exec {sys.executable} -P -m conformance "$@" $more',
}


WORKFLOWS = re.findall(r"^`\.github/workflows/(\S+)`\n\n```yaml\n(.*?)```", GUIDE.read_text(), re.DOTALL | re.MULTILINE)
PARSED: dict[str, dict[str, Any]] = {name: yaml.safe_load(text) for name, text in WORKFLOWS}


@pytest.fixture(scope="module")
def workflow() -> dict[str, Any]:
    return PARSED["conformance.yml"]


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """A path on which `conformance` is this one, with few cases, and nothing is installed or fetched."""
    folder = tmp_path_factory.mktemp("bin")
    for name, script in SHIMS.items():
        (folder / name).write_text(f"#!/bin/sh\n{script}\n")
        (folder / name).chmod(0o755)
    path = f"{folder}{os.pathsep}{os.environ['PATH']}"
    return {**os.environ, "PATH": path, "TARGET": "numpy", "GITHUB_STEP_SUMMARY": "job-summary.md"}


@pytest.fixture(scope="module")
def finished(workflow: dict[str, Any], environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder in which all jobs ran for the first time, without a baseline."""
    folder = tmp_path_factory.mktemp("workflow")
    jobs = workflow["jobs"]
    for shard in jobs["shard"]["strategy"]["matrix"]["shard"]:
        run_job(jobs["shard"], shard, folder, environment)
    run_job(jobs["conformance"], 0, folder, environment)
    return folder


def run_job(job: dict[str, Any], shard: int, folder: Path, environment: dict[str, str]) -> None:
    for step in job["steps"]:
        if "run" in step:
            script = step["run"].replace("${{ matrix.shard }}", str(shard))
            command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script]
            done = subprocess.run(
                command, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=300
            )
            assert done.returncode == 0, f"{script}\n{done.stdout}{done.stderr}"


def test_all_shards_merge_to_a_whole_run_with_its_reports(finished: Path) -> None:
    assert (finished / "job-summary.md").read_text().startswith("## Conformance report: The target conforms.")
    names = {"run.jsonl", "report.html", "junit.xml", "summary.md"}
    assert {path.name for path in (finished / "results").iterdir()} == names


def test_only_what_the_log_of_the_main_branch_did_not_fail_on_is_red(
    finished: Path, workflow: dict[str, Any], environment: dict[str, str], tmp_path: Path
) -> None:
    for log in finished.glob("shard-*/run.jsonl"):
        (tmp_path / log.parent.name).mkdir()
        broken = log.read_text().replace('"verdict":"pass"', '"verdict":"wrong result"', 1)
        (tmp_path / log.parent.name / "run.jsonl").write_text(broken)
        count_again(tmp_path / log.parent.name / "run.jsonl")
    with pytest.raises(AssertionError, match=r"does not conform: .* 4 new"):
        run_job(workflow["jobs"]["conformance"], 0, tmp_path, environment)
    (tmp_path / "results").rename(tmp_path / "main")
    run_job(workflow["jobs"]["conformance"], 0, tmp_path, environment)
    assert r"- broken before \[1\] 4 checks of onnx.Split-11" in (tmp_path / "job-summary.md").read_text()


def test_shards_and_the_merge_agree_on_their_number(workflow: dict[str, Any]) -> None:
    jobs = workflow["jobs"]
    shards = jobs["shard"]["strategy"]["matrix"]["shard"]
    (run,) = (step["run"] for step in jobs["shard"]["steps"] if "--shard" in step.get("run", ""))
    assert f'/{len(shards)}"' in run
    assert jobs["conformance"]["needs"] == "shard"


def broken(log: Path) -> None:
    log.write_text(
        log.read_text().replace('"verdict":"pass","judged":"pass"', '"verdict":"crashed","judged":"crashed"', 1)
    )
    count_again(log)


def test_a_night_asks_what_is_new_and_opens_a_difference_as_a_page(environment: dict[str, str], tmp_path: Path) -> None:
    job = PARSED["releases.yml"]["jobs"]["releases"]
    night = tmp_path / "nightly"
    run_job(job, 0, tmp_path, environment)
    assert {path.name for path in night.glob("*.html")} == {"report.html", "changes.html"}
    assert '"reused"' not in (night / "run.jsonl").read_text()
    run_job(job, 0, tmp_path, environment)
    again = 1  # is asked again, to find out whether the earlier answers stand
    assert (night / "run.jsonl").read_text().count('"reused"') + again == (night / "previous.jsonl").read_text().count(
        '"check"'
    )
    assert "No check regressed" in (tmp_path / "job-summary.md").read_text()
    (night / "releases.sqlite").unlink()
    broken(night / "run.jsonl")
    run_job(job, 0, tmp_path, environment)  # it improved
    (night / "previous.jsonl").write_text((night / "run.jsonl").read_text())
    broken(night / "run.jsonl")
    compare = {"steps": job["steps"][-2:]}
    with pytest.raises(AssertionError):
        run_job(compare, 0, tmp_path, environment)
    assert "1 regressed" in (night / "difference.html").read_text()


@pytest.mark.parametrize("workflow", PARSED.values(), ids=PARSED.keys())
def test_actions_are_pinned_and_the_token_may_only_read(workflow: dict[str, Any]) -> None:
    used = [step["uses"] for job in workflow["jobs"].values() for step in job["steps"] if "uses" in step]
    assert all(re.fullmatch(r"actions/[a-z-]+@v\d+", action) for action in used), used
    assert set(workflow["permissions"].values()) == {"read"}
