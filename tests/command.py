"""The command in some folder, in this process, so that it is imported once. Its engines and workers are processes.

Tests of faults, of labs, of interruptions and of streams start the command as a process of its own.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable
from contextlib import chdir, redirect_stderr, redirect_stdout
from io import BytesIO, TextIOWrapper
from pathlib import Path
from subprocess import CompletedProcess, run

from conformance.cli.main import main

Conformance = Callable[..., CompletedProcess[str]]
"""The command with these arguments, run in the folder of a test."""


def run_command(folder: Path, *arguments: str) -> CompletedProcess[str]:
    """`conformance` with these arguments, run in a folder."""
    out, err = BytesIO(), BytesIO()
    streams = TextIOWrapper(out, encoding="utf-8"), TextIOWrapper(err, encoding="utf-8")
    with chdir(folder), redirect_stdout(streams[0]), redirect_stderr(streams[1]):
        try:
            code = main(arguments)
        except SystemExit as ended:  # of the parser
            code = int(ended.code or 0)
    for stream in streams:
        stream.flush()
    return CompletedProcess(arguments, code, out.getvalue().decode(), err.getvalue().decode())


def run_to(folder: Path, *arguments: str, code: int = 0) -> None:
    """The command with these arguments, which ends with that exit code."""
    done = run_command(folder, *arguments)
    assert done.returncode == code, done.stdout + done.stderr


def run_python(folder: Path, *arguments: str) -> CompletedProcess[str]:
    """Python with these arguments, as a process of its own in a folder that is not on its path."""
    command = [sys.executable, "-P", *arguments]
    return run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=300)


def hear_hangup() -> None:
    """In a new process, before its program starts: hear that the terminal is closed, though `nohup` may have started
    the tests.
    """
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
