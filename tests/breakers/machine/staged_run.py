"""A real run in a process of its own, to which a fault can be done at a known point, and what there is to see of it
afterwards.
"""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import signal
import subprocess
import sys
import uuid
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import yaml
from command import hear_hangup
from gallery import LIARS

from conformance.cli.main import main

HERE = Path(__file__).parent
NUM_CHECKS = 19
MIDDLE = 10
SELECTION = ["--case", "*/many[shape=s?]", "--case", "*/many[shape=s1?]", "--form", "constant"]
TIMES = {"started", "ended", "prepare_ns", "run_ns", "cpu_ns", "peak_bytes"}
LIMIT_S = 60.0

_MARK = "OPCONFORM_TEST_OF_FAULTS"
_PR_CAPBSET_DROP = 24
_CAPABILITIES_OVER_FILES = (1, 2, 3)


def wait_until(condition: Callable[[], object], limit_s: float = LIMIT_S) -> bool:
    """Whether it comes true in time."""
    deadline = monotonic() + limit_s
    while not condition():
        if monotonic() > deadline:
            return False
        sleep(0.01)
    return True


def whole_lines(log: Path) -> bytes:
    """A log without a line that is cut off; empty where there is none."""
    data = log.read_bytes() if log.is_file() else b""
    return data[: data.rfind(b"\n") + 1]


def facts(log: Path) -> list[dict[str, Any]]:
    """The records of a log, but for times."""
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    return [
        {name: value for name, value in line.items() if name not in TIMES} for line in lines if line["type"] == "check"
    ]


def _begin(preparation: Callable[[], None] | None) -> None:
    hear_hangup()
    if preparation is not None:
        preparation()


def obey_permissions() -> None:
    """Let root be refused what files and folders refuse to others; to be called before a program is started."""
    for capability in _CAPABILITIES_OVER_FILES:
        ctypes.CDLL(None).prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0)


class StagedRun:
    """`conformance run` of an adapter that waits where it is to.

    Attributes:
        before: the whole lines of the log when the fault was done.
        kept: files that the fault must leave as they are.
        code: how the process ended, and `stderr` what it said.
    """

    def __init__(self, room: Path) -> None:
        self.room, self.out, self.scratch = room, room / "out", room / "scratch"
        self.log, self.report = self.out / "run.jsonl", self.out / "report.html"
        self.subject = room / "subject"
        self.before = b""
        self.kept: dict[Path, bytes] = {}
        self.command: Sequence[str] = ()
        self.code: int | None = None
        self._mark = f"{_MARK}={uuid.uuid4().hex}"
        self._process: subprocess.Popen[bytes] | None = None
        for name in ("operator", "many", "timing"):
            path = Path("openvino", "VariadicSplit", f"{name}.yaml")
            (room / "cases" / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(LIARS / "cases" / path, room / "cases" / path)
        self.subject.mkdir()
        self.scratch.mkdir()
        shutil.copy(HERE / "subject.py", self.subject / "adapter.py")
        shutil.copy(LIARS / "honest.py", self.subject)
        manifest = {"name": "subject", "summary": "waits where it is to"}
        (self.subject / "adapter.yaml").write_text(yaml.safe_dump(manifest))

    @property
    def engine(self) -> int:
        """The number of its process."""
        assert self._process is not None
        return self._process.pid

    @property
    def stderr(self) -> str:
        """What it said there so far."""
        path = self.room / "stderr"
        return path.read_text() if path.is_file() else ""

    def arguments(self, *options: str) -> list[str]:
        """Those of the run, for a process or for this one."""
        where = ["--target", str(self.subject), "--output", str(self.out), "--cases-folder", str(self.room / "cases")]
        return ["run", "--quiet", "--jobs", "1", *where, *SELECTION, *options]

    def do_at(self, point: str, misdeed: str) -> None:
        """Let the adapter do something, once, when it comes to a point."""
        (self.subject / f"do-at-{point}.py").write_text(misdeed)

    def keep(self, path: Path, text: str) -> None:
        """Write a file that the fault must leave as it is."""
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        self.kept[path] = path.read_bytes()

    def start(  # noqa: PLR0913  (a process has many sides)
        self,
        *options: str,
        command: Sequence[str] = (),
        shell: str = "",
        variables: Mapping[str, str] | None = None,
        signal_at: tuple[str, str, int] | None = None,
        preparation: Callable[[], None] | None = None,
        stdout: Path | int = subprocess.DEVNULL,
    ) -> None:
        """Start the run, or another command, perhaps by a shell that is given it as `"$@"`.

        `signal_at` names an event of Python's audit, a pattern of one of its arguments, and the signal that the process
        is sent there.
        """
        given = {_MARK: self._mark.partition("=")[2], "TMPDIR": str(self.scratch), **(variables or {})}
        if signal_at is not None:
            paths = [str(HERE / "hook"), os.environ.get("PYTHONPATH", "")]
            given |= {"FAULT_AT": json.dumps(signal_at), "PYTHONPATH": os.pathsep.join(filter(None, paths))}
        self.command = command or [sys.executable, "-P", "-m", "conformance", *self.arguments(*options)]
        with (self.room / "stderr").open("ab") as stderr:
            self._process = subprocess.Popen(
                ["bash", "-c", shell, "bash", *self.command] if shell else self.command,
                cwd=self.room,
                env={**os.environ, **given},
                stdin=subprocess.DEVNULL,
                stdout=stdout,  # type: ignore[arg-type]
                stderr=stderr,
                preexec_fn=partial(_begin, preparation),  # noqa: PLW1509  (two system calls)
                start_new_session=True,
            )

    def reach(self, point: str | int, *options: str) -> int:
        """Start the run, unless it was started, and wait until its worker, whose number this is, waits at a point or at
        the check of that number.
        """
        name = f"check-{point}" if isinstance(point, int) else point
        (self.subject / f"hold-at-{name}").touch()
        if self._process is None:
            self.start(*options)
        assert wait_until(lambda: [*self.subject.glob(f"at-{name}-*")]), self.stderr
        if isinstance(point, int):
            assert wait_until(lambda: whole_lines(self.log).count(b"\n") >= point), self.stderr
        self.before = whole_lines(self.log)
        (place,) = self.subject.glob(f"at-{name}-*")
        place.unlink()
        return int(place.name.rpartition("-")[2])

    def go_on(self) -> None:
        """Let the worker, and those after it, wait no more."""
        for path in self.subject.glob("hold-at-*"):
            path.unlink()

    def send(self, number: int) -> None:
        """Send the engine a signal."""
        os.kill(self.engine, number)

    def end(self) -> None:
        """Wait for the end of the process."""
        assert self._process is not None
        self.code = self._process.wait(LIMIT_S)

    def again(self, *options: str) -> int:
        """The exit code of the same run with further options, in this process, undisturbed."""
        self.go_on()
        return main(self.arguments(*options))

    def reset(self) -> None:
        """Forget a process that has ended, for another one."""
        self.end()
        self._process = None

    def living(self) -> list[int]:
        """The processes that were started by the command, by what that started, and so on."""
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                if self._mark.encode() in (folder / "environ").read_bytes().split(b"\0"):
                    found.append(int(folder.name))
            except OSError:
                continue
        return found

    def clean_up(self) -> None:
        """Leave no process of it, whatever the test has found."""
        for number in self.living():
            os.kill(number, signal.SIGKILL)
        if self._process is not None:
            self._process.wait(LIMIT_S)
