"""Readers that close a pipe, pipes as case files, and commands with a NUL give one sentence and the right exit code."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from gallery import LIARS
from report_records import header, record, target

from conformance.log.log_file import RunLogWriter
from conformance.spec.verdict import Verdict

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="pipes, devices and limits of Unix")

COMMAND = [sys.executable, "-m", "conformance"]
FIRST = ["--cases-folder", str(LIARS / "cases"), "--case", "*/first"]
RUN = [*COMMAND, "run", "-t", "numpy", *FIRST, "--output", "out"]


def in_shell(command: list[str], redirection: str, folder: Path) -> subprocess.CompletedProcess[str]:
    script = f'"$@" {redirection}'
    return subprocess.run(
        ["bash", "-c", script, "bash", *command], cwd=folder, capture_output=True, text=True, check=False, timeout=120
    )


@pytest.mark.slow
def test_a_list_whose_reader_closes_the_pipe_ends_with_0(tmp_path: Path) -> None:
    done = in_shell([*COMMAND, "list", "--set", "full"], "| head -1; exit ${PIPESTATUS[0]}", tmp_path)
    assert (done.returncode, done.stderr, done.stdout.count("\n")) == (0, "", 1)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["pipe", "device"])
def test_a_case_file_that_is_none_is_not_waited_for(kind: str, tmp_path: Path) -> None:
    cases = shutil.copytree(LIARS / "cases", tmp_path / "cases")
    odd = cases / "openvino" / "VariadicSplit" / "odd.yaml"
    os.mkfifo(odd) if kind == "pipe" else odd.symlink_to("/dev/zero")
    done = in_shell([*COMMAND, "list", "--cases-folder", "cases"], "", tmp_path)
    assert (done.returncode, done.stderr) == (
        2,
        (
            "cases/openvino/VariadicSplit/odd.yaml: is not a regular file\n"
            "  fix:  name a file, not a folder, a device or a pipe\n1 problem in cases\n"
        ),
    )


@pytest.mark.slow
def test_a_command_with_a_nul_is_one_that_cannot_be_started(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "adapter.yaml").write_text('name: mine\nsummary: s\ncommand: ["a\\0b"]\n')
    done = in_shell([*RUN, "--quiet", "-t", "./mine"], "", tmp_path)
    assert done.returncode == 3
    assert "adapter: the command 'a\\x00b' cannot be started: embedded null byte\n  fix:  " in done.stderr


COMMANDS_OF_CI = " ".join(f"{'x' * length} ::error::{'y' * length} ##[warning]z" for length in range(30))


@pytest.mark.slow
@pytest.mark.parametrize("columns", [20, 40, 57, 80, 121, 200])
@pytest.mark.parametrize("command", [("report", "a.jsonl"), ("compare", "a.jsonl", "b.jsonl")])
def test_no_line_that_is_printed_of_a_log_is_a_command_to_a_ci(
    columns: int, command: tuple[str, ...], tmp_path: Path
) -> None:
    for name, verdict in (("a", Verdict.CRASHED), ("b", Verdict.PASS)):
        with (tmp_path / f"{name}.jsonl").open("wb", buffering=0) as stream:
            log = RunLogWriter(stream, {})
            log.header(header(target(problem=COMMANDS_OF_CI), planned=1))
            log.check(record(verdict, message=COMMANDS_OF_CI, explanation=f"\n{COMMANDS_OF_CI}"))
            log.footer(COMMANDS_OF_CI)
    variables = {**os.environ, "COLUMNS": str(columns)}
    done = subprocess.run(
        [*COMMAND, *command], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120, env=variables
    )
    printed = [*done.stdout.splitlines(), *done.stderr.splitlines()]
    assert [line for line in printed if line.lstrip().startswith("::") or "##[" in line] == []
    assert "error" in done.stdout + done.stderr


@pytest.mark.parametrize("limit", [60_000, 150_000, 600_000])
def test_an_address_space_too_small_to_start_in_is_one_message(limit: int, tmp_path: Path) -> None:
    script = f'ulimit -v {limit}; exec "$@"'
    command = ["bash", "-c", script, "bash", *COMMAND, "list", "--operator", "onnx.Split-1"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.splitlines() == [
        f"conformance: the limit of the address space, {limit / 1024:.0f} MiB, is too small to start in",
        "  fix:  raise it to 700 MiB or more, as with `ulimit -v unlimited`",
    ]
