"""Faults of process, disk and signal: each a small function that does one to a staged run, with the exit code of that
and what a later run finds.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from time import sleep

from staged_run import LIMIT_S, MIDDLE, NUM_CHECKS, StagedRun, facts, obey_permissions, wait_until, whole_lines

from conformance.cli.main import main
from conformance.spec.verdict import ExitCode, Verdict

Cause = Callable[[StagedRun], None]
Log = list[dict[str, object]]
Sequel = Callable[[StagedRun, "Fault", Log], None]

CONFORMING, NOT_CONFORMING, USAGE, HARNESS, _ = map(int, ExitCode)
KILLED = -signal.SIGKILL
SHORT_LIMIT_S = 3.0
"""Of runs in which something stands still; the test itself may be kept waiting for a while, too."""
REPORT_BYTES = 40_000
"""More than the log of a staged run, and less than its report."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """What is done to a run, how that ends, and what is true of a later one.

    `departs` says which checks have another record than in an undisturbed run, by their numbers.
    """

    name: str
    cause: Cause
    code: int
    sequel: Sequel
    says: str
    departs: Mapping[int, Verdict] = field(default_factory=dict)


FAULTS: list[Fault] = []


def fault(
    code: int, sequel: Sequel, *, says: str = "", departs: Mapping[int, Verdict] | None = None
) -> Callable[[Cause], Cause]:
    """Registers a fault, after which the run ends with a code, and says something on standard error."""

    def register(cause: Cause) -> Cause:
        FAULTS.append(
            Fault(name=cause.__name__, cause=cause, code=code, sequel=sequel, says=says, departs=departs or {})
        )
        return cause

    return register


# What a later run finds


def it_is_resumed(run: StagedRun, fault: Fault, undisturbed: Log) -> None:
    """The log is not complete; `--resume` brings it to its end, and changes no line of it."""
    found = whole_lines(run.log)
    assert found.startswith(run.before)
    assert run.again("--resume") == CONFORMING
    assert whole_lines(run.log).startswith(found)
    agrees(run.log, fault, undisturbed)


def it_is_complete(run: StagedRun, fault: Fault, undisturbed: Log) -> None:
    """The log is whole, and so is its report; where the run could not write that, it can be written now."""
    found = whole_lines(run.log)
    assert found.startswith(run.before)
    assert json.loads(found.splitlines()[-1])["complete"]
    if fault.code not in (CONFORMING, NOT_CONFORMING):
        assert main(["report", str(run.log), "--html", str(run.report)]) in (CONFORMING, fault.code)
    assert run.report.read_text().rstrip().endswith("</html>")
    agrees(run.log, fault, undisturbed)


def it_is_run_anew(run: StagedRun, fault: Fault, undisturbed: Log) -> None:
    """There is no log to go on with; a new run is as any other."""
    assert run.again() == CONFORMING
    agrees(run.log, fault, undisturbed)


def the_command_is_repeated(run: StagedRun, fault: Fault, undisturbed: Log) -> None:
    """A command that writes one thing writes it the second time."""
    assert main(run.command[run.command.index("conformance") + 1 :]) == CONFORMING
    agrees(run.log, fault, undisturbed)


def agrees(log: Path, fault: Fault, undisturbed: Log) -> None:
    """Whether a log has the records of an undisturbed run, apart from those that depart."""
    found = facts(log)
    assert len(found) == len(undisturbed)
    for number, (record, expected) in enumerate(zip(found, undisturbed, strict=True), 1):
        verdict = fault.departs.get(number)
        assert record == expected if verdict is None else record["verdict"] == verdict.value, record


# Signals to the engine


def it_says_why_and_is_resumed(run: StagedRun, fault: Fault, undisturbed: Log) -> None:
    """The log has a closing line, which names the signal."""
    footer = json.loads(run.log.read_bytes().splitlines()[-1])
    name = next(name for name in ("SIGINT", "SIGTERM", "SIGHUP") if name in fault.name.upper())
    assert (footer["complete"], footer["reason"]) == (False, f"interrupted by {name}")
    it_is_resumed(run, fault, undisturbed)


@fault(HARNESS, it_says_why_and_is_resumed)
def the_engine_gets_sigint_in_the_middle(run: StagedRun) -> None:
    run.reach(MIDDLE)
    run.send(signal.SIGINT)


@fault(HARNESS, it_says_why_and_is_resumed)
def the_engine_gets_sigint_twice(run: StagedRun) -> None:
    run.reach(MIDDLE)
    run.send(signal.SIGINT)
    run.send(signal.SIGINT)


@fault(HARNESS, it_says_why_and_is_resumed)
def the_engine_gets_sigint_in_the_last_check(run: StagedRun) -> None:
    run.reach(NUM_CHECKS)
    run.send(signal.SIGINT)


@fault(HARNESS, it_says_why_and_is_resumed)
def the_engine_gets_sigterm_in_the_middle(run: StagedRun) -> None:
    run.reach(MIDDLE)
    run.send(signal.SIGTERM)


@fault(HARNESS, it_says_why_and_is_resumed)
def the_terminal_is_closed_in_the_middle_which_sends_sighup(run: StagedRun) -> None:
    run.reach(MIDDLE)
    os.killpg(run.engine, signal.SIGHUP)


@fault(CONFORMING, it_is_complete)
def the_terminal_of_a_run_under_nohup_is_closed(run: StagedRun) -> None:
    run.start(shell="trap '' HUP; exec \"$@\"")
    run.reach(MIDDLE)
    os.killpg(run.engine, signal.SIGHUP)
    run.go_on()


@fault(-signal.SIGQUIT, it_is_resumed)
def the_engine_is_quit_in_the_middle(run: StagedRun) -> None:
    run.start(shell='ulimit -c 0; exec "$@"')
    run.reach(MIDDLE)
    run.send(signal.SIGQUIT)


@fault(KILLED, it_is_resumed)
def the_engine_is_killed_in_the_middle(run: StagedRun) -> None:
    run.reach(MIDDLE)
    run.send(signal.SIGKILL)


@fault(KILLED, it_is_resumed)
def the_engine_is_killed_and_so_is_the_one_that_resumes(run: StagedRun) -> None:
    run.reach(5)
    run.send(signal.SIGKILL)
    run.reset()
    run.go_on()
    run.start("--resume")
    run.reach(MIDDLE)
    run.send(signal.SIGKILL)


@fault(HARNESS, it_is_run_anew, says="interrupted by SIGINT\n")
def the_engine_is_interrupted_while_python_imports_it(run: StagedRun) -> None:
    run.start(signal_at=("import", "conformance.tensors.errors", signal.SIGINT))


@fault(HARNESS, it_is_run_anew, says="interrupted by SIGTERM\n")
def the_engine_is_terminated_while_it_reads_the_cases(run: StagedRun) -> None:
    run.start(signal_at=("open", "*/many.yaml", signal.SIGTERM))


@fault(HARNESS, it_is_run_anew, says="run: interrupted by SIGINT before the first check\n")
def the_engine_is_interrupted_while_a_worker_starts(run: StagedRun) -> None:
    run.reach("start")
    run.send(signal.SIGINT)


@fault(KILLED, it_is_run_anew)
def the_engine_is_killed_while_a_worker_starts(run: StagedRun) -> None:
    run.reach("start")
    run.send(signal.SIGKILL)


@fault(HARNESS, it_is_complete, says="interrupted by SIGTERM\n")
def the_engine_is_terminated_while_it_writes_the_report(run: StagedRun) -> None:
    run.keep(run.report, "an earlier report")
    run.start(signal_at=("os.rename", "*/report.html", signal.SIGTERM))


@fault(KILLED, it_is_complete)
def the_engine_is_killed_while_it_writes_the_report(run: StagedRun) -> None:
    run.keep(run.report, "an earlier report")
    run.start(signal_at=("os.rename", "*/report.html", signal.SIGKILL))


@fault(CONFORMING, it_is_complete)
def engine_and_worker_stand_still_for_longer_than_the_time_limit(run: StagedRun) -> None:
    worker = run.reach(MIDDLE, "--timeout", str(SHORT_LIMIT_S))
    stopped = (run.engine, parent_of(worker), worker)
    for process in stopped:
        os.kill(process, signal.SIGSTOP)
    sleep(1.5 * SHORT_LIMIT_S)
    for process in stopped:
        os.kill(process, signal.SIGCONT)
    run.go_on()


TIMED = ("--timing", "quick", "--case", "*/time-*")


def times(log: bytes) -> list[object]:
    """The cases of which a log has times."""
    lines = map(json.loads, log.splitlines())
    return [line["case"].partition("/")[2] for line in lines if line["type"] == "timing"]


def its_times_are_resumed(run: StagedRun, fault: Fault, undisturbed: Log) -> None:
    """What was timed is not timed again."""
    found = whole_lines(run.log)
    assert found.startswith(run.before)
    assert times(found) == ["time-first"]
    assert run.again("--resume", *TIMED) == CONFORMING
    assert whole_lines(run.log).startswith(found)
    assert times(whole_lines(run.log)) == ["time-first", "time-bait", "time-last"]
    agrees(run.log, fault, undisturbed)


@fault(KILLED, its_times_are_resumed)
def the_engine_is_killed_while_it_times(run: StagedRun) -> None:
    run.reach("timed-2", *TIMED)
    run.send(signal.SIGKILL)


# Deaths and misdeeds of a worker


@fault(CONFORMING, it_is_complete)
def a_worker_is_killed_in_the_middle(run: StagedRun) -> None:
    os.kill(run.reach(MIDDLE), signal.SIGKILL)
    run.go_on()


@fault(NOT_CONFORMING, it_is_complete, departs={MIDDLE: Verdict.UNSTABLE})
def a_worker_is_aborted_in_the_middle(run: StagedRun) -> None:
    os.kill(run.reach(MIDDLE), signal.SIGABRT)
    run.go_on()


@fault(NOT_CONFORMING, it_is_complete, departs={MIDDLE: Verdict.UNSTABLE})
def a_worker_reads_from_an_address_that_is_none(run: StagedRun) -> None:
    run.do_at(f"check-{MIDDLE}", "import ctypes; ctypes.string_at(0)")
    run.start()


@fault(NOT_CONFORMING, it_is_complete, departs={MIDDLE: Verdict.UNSTABLE})
def a_worker_ends_in_the_middle_as_if_all_were_well(run: StagedRun) -> None:
    run.do_at(f"check-{MIDDLE}", "import os; os._exit(0)")
    run.start()


@fault(HARNESS, it_is_run_anew)
def a_worker_is_killed_while_it_starts(run: StagedRun) -> None:
    os.kill(run.reach("start"), signal.SIGKILL)


@fault(CONFORMING, it_is_complete)
def a_worker_is_killed_after_its_last_answer(run: StagedRun) -> None:
    os.kill(run.reach("end"), signal.SIGKILL)
    run.go_on()


@fault(CONFORMING, it_is_complete)
def a_worker_stands_still_for_less_than_the_time_limit(run: StagedRun) -> None:
    worker = run.reach(MIDDLE)
    os.kill(worker, signal.SIGSTOP)
    run.go_on()
    sleep(0.3)
    os.kill(worker, signal.SIGCONT)


@fault(NOT_CONFORMING, it_is_complete, departs={MIDDLE: Verdict.UNSTABLE})
def a_worker_stands_still_for_ever(run: StagedRun) -> None:
    os.kill(run.reach(MIDDLE, "--timeout", str(SHORT_LIMIT_S)), signal.SIGSTOP)
    run.go_on()


STREAM = """
import fcntl, os
pipes = [number for number in range(3, 10) if os.path.realpath(f"/proc/self/fd/{number}").count("/pipe:")]
(stream,) = [number for number in pipes if fcntl.fcntl(number, fcntl.F_GETFL) & os.O_WRONLY]
"""
"""Finds the stream of the protocol: beside standard error, the only pipe that is open for writing."""


@fault(NOT_CONFORMING, it_is_complete, departs={MIDDLE: Verdict.UNSTABLE})
def a_worker_sends_half_an_answer_and_hangs(run: StagedRun) -> None:
    half = 'struct.pack("<4sIQ", b"OPC1", 100, 0) + b"{"'
    run.do_at(f"check-{MIDDLE}", f"{STREAM}\nimport struct, time\nos.write(stream, {half})\ntime.sleep(600)")
    run.start("--timeout", str(SHORT_LIMIT_S))


@fault(HARNESS, it_is_run_anew)
def a_worker_writes_text_to_the_stream_of_the_protocol(run: StagedRun) -> None:
    run.do_at(f"check-{MIDDLE}", f"{STREAM}\nos.write(stream, b'Initialising the device ...')")
    run.start()
    run.end()
    assert "the stream has b'Initialising the' where a frame must start" in run.log.read_text()


@fault(CONFORMING, it_is_complete)
def a_worker_floods_standard_error(run: StagedRun) -> None:
    run.do_at(f"check-{MIDDLE}", "import os\nfor _ in range(1024):\n    os.write(2, b'o' * (32 << 10))")
    run.start()


@fault(NOT_CONFORMING, it_is_complete, departs={MIDDLE: Verdict.UNSTABLE})
def a_worker_gets_no_more_memory(run: StagedRun) -> None:
    run.do_at(f"check-{MIDDLE}", "import numpy\nnumpy.ones(1 << 30)")
    worker = run.reach(MIDDLE - 1)
    resource.prlimit(worker, resource.RLIMIT_AS, (2 << 30, 2 << 30))
    run.go_on()


@fault(HARNESS, it_is_complete, departs={MIDDLE: Verdict.HARNESS_ERROR})
def the_files_of_a_worker_do_not_fit_on_the_disk(run: StagedRun) -> None:
    place = "pathlib.Path(os.environ['CONFORMANCE_SCRATCH_FOLDER'], 'model')"
    run.do_at(f"check-{MIDDLE}", f"import os, pathlib\n{place}.write_bytes(bytes(9999))")
    worker = run.reach(MIDDLE - 1)
    resource.prlimit(worker, resource.RLIMIT_FSIZE, (5000, 5000))
    run.go_on()


@fault(CONFORMING, it_is_complete)
def a_worker_removes_the_folder_for_its_files(run: StagedRun) -> None:
    run.do_at(f"check-{MIDDLE}", "import os, shutil; shutil.rmtree(os.environ['CONFORMANCE_SCRATCH_FOLDER'])")
    run.start()


# What a worker leaves


LEAVE_FILES = """
import os, pathlib
folder = pathlib.Path(os.environ["CONFORMANCE_SCRATCH_FOLDER"], "models", "old")
folder.mkdir(parents=True)
(folder / "weights").write_bytes(bytes(100_000))
folder.chmod(0o500)
"""
DAEMON = """
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        (folder / "daemon").touch()
        time.sleep(600)
    os._exit(0)
"""
IGNORE_SIGNALS = """
import signal, subprocess, sys
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(number, signal.SIG_IGN)
subprocess.Popen([sys.executable, "-c", "while True: pass"])
"""


@fault(KILLED, it_is_resumed)
def the_engine_is_killed_while_a_worker_holds_files(run: StagedRun) -> None:
    run.do_at("check-5", LEAVE_FILES)
    run.reach(MIDDLE)
    run.send(signal.SIGKILL)


@fault(CONFORMING, it_is_complete)
def a_worker_starts_a_daemon_that_holds_its_pipes(run: StagedRun) -> None:
    run.do_at(f"check-{MIDDLE}", DAEMON)
    run.start()


@fault(KILLED, it_is_resumed)
def the_engine_is_killed_beside_a_daemon_of_its_worker(run: StagedRun) -> None:
    run.do_at("check-5", DAEMON)
    run.reach(MIDDLE)
    assert wait_until((run.subject / "daemon").exists)
    run.send(signal.SIGKILL)


@fault(HARNESS, it_is_resumed)
def the_engine_is_terminated_beside_a_worker_that_ignores_signals_and_a_busy_child(run: StagedRun) -> None:
    run.do_at("check-5", IGNORE_SIGNALS)
    run.reach(MIDDLE)
    run.send(signal.SIGTERM)


@fault(KILLED, it_is_resumed)
def the_engine_is_killed_beside_a_worker_that_ignores_signals_and_a_busy_child(run: StagedRun) -> None:
    run.do_at("check-5", IGNORE_SIGNALS)
    run.reach(MIDDLE)
    run.send(signal.SIGKILL)


def parent_of(process: int) -> int:
    """The number of a process's parent."""
    return int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])


def guardian_of(worker: int) -> int:
    """The other child of the child process that has the worker."""
    children = Path(f"/proc/{parent_of(worker)}/task").glob("*/children")
    (number,) = {int(child) for path in children for child in path.read_text().split()} - {worker}
    return number


@fault(HARNESS, it_is_resumed, says="a child process ended")
def an_engine_process_is_killed(run: StagedRun) -> None:
    os.kill(parent_of(run.reach(MIDDLE)), signal.SIGKILL)


@fault(CONFORMING, it_is_complete)
def the_guardian_is_killed(run: StagedRun) -> None:
    os.kill(guardian_of(run.reach(MIDDLE)), signal.SIGKILL)
    run.go_on()


@fault(KILLED, it_is_resumed)
def the_guardian_is_killed_then_a_worker_and_then_the_engine(run: StagedRun) -> None:
    run.do_at("check-5", IGNORE_SIGNALS)
    worker = run.reach(MIDDLE)
    os.kill(guardian_of(worker), signal.SIGKILL)
    (run.subject / "hold-at-check-11").touch()
    os.kill(worker, signal.SIGKILL)
    assert run.reach(MIDDLE) != worker
    run.send(signal.SIGKILL)


# Disks, files and folders


@fault(USAGE, it_is_resumed, says="out/run.jsonl: cannot be written: File too large\n")
def the_log_does_not_fit_on_the_disk(run: StagedRun) -> None:
    run.reach(MIDDLE)
    size = run.log.stat().st_size + 100
    resource.prlimit(run.engine, resource.RLIMIT_FSIZE, (size, size))
    run.go_on()


@fault(USAGE, it_is_run_anew, says="run.jsonl: is a link, or no regular file; nothing is written there\n")
def the_log_would_be_written_to_a_device(run: StagedRun) -> None:
    run.out.mkdir()
    run.log.symlink_to("/dev/full")
    run.start()
    run.end()
    run.log.unlink()


@fault(USAGE, it_is_complete, says="report.html: cannot be written: File too large\n")
def the_report_does_not_fit_on_the_disk(run: StagedRun) -> None:
    run.keep(run.report, "an earlier report")
    run.reach(MIDDLE)
    resource.prlimit(run.engine, resource.RLIMIT_FSIZE, (REPORT_BYTES, REPORT_BYTES))
    run.go_on()


@fault(USAGE, it_is_run_anew, says="run.jsonl")
def the_folder_of_the_run_is_removed_in_the_middle(run: StagedRun) -> None:
    run.reach(MIDDLE)
    shutil.rmtree(run.out)
    run.go_on()


@fault(USAGE, it_is_run_anew, says="run.jsonl: was removed or replaced while it was written\n")
def the_log_is_removed_in_the_middle(run: StagedRun) -> None:
    run.reach(MIDDLE)
    run.log.unlink()
    run.go_on()


@fault(USAGE, it_is_run_anew, says="run.jsonl: was removed or replaced while it was written\n")
def the_log_is_replaced_by_that_of_another_run(run: StagedRun) -> None:
    other = run.room / "other"
    assert run.again("--output", str(other)) == CONFORMING
    run.reach(MIDDLE)
    (other / "run.jsonl").replace(run.log)
    run.go_on()


@fault(USAGE, it_is_run_anew, says="run.jsonl:")
def the_log_is_emptied_in_the_middle(run: StagedRun) -> None:
    run.reach(MIDDLE)
    os.truncate(run.log, 0)
    run.go_on()


@fault(USAGE, it_is_run_anew, says="18 pass, 1 unstable, but the log holds subject@1.0: 19 pass\n")
def the_verdicts_in_the_log_are_mended_in_the_middle(run: StagedRun) -> None:
    run.do_at("check-5", "import os; os._exit(0)")
    run.reach(MIDDLE)
    mended = run.log.read_bytes().replace(b'"verdict":"unstable"', b'"verdict":"pass"    ')
    with run.log.open("r+b") as log:
        log.write(mended)
    run.go_on()


@fault(USAGE, it_is_complete, says="report.html: cannot be written: Permission denied\n")
def the_folder_of_the_run_is_made_read_only_in_the_middle(run: StagedRun) -> None:
    run.keep(run.report, "an earlier report")
    run.start(preparation=obey_permissions)
    run.reach(MIDDLE)
    run.out.chmod(0o500)
    run.go_on()
    run.end()
    run.out.chmod(0o700)
    for name in (".lock", ".owner"):
        (run.out / name).unlink()  # could not be removed


@fault(KILLED, it_is_resumed)
def the_last_line_of_the_log_is_cut_off(run: StagedRun) -> None:
    run.reach(MIDDLE)
    run.send(signal.SIGKILL)
    run.end()
    os.truncate(run.log, run.log.stat().st_size - 30)
    run.before = whole_lines(run.log)


@fault(CONFORMING, it_is_complete)
def another_run_starts_in_the_same_folder(run: StagedRun) -> None:
    run.reach(MIDDLE)
    other = subprocess.run(run.command, cwd=run.room, capture_output=True, text=True, check=False, timeout=LIMIT_S)
    assert other.returncode == USAGE
    assert f"another run is writing to it: process {run.engine} on {os.uname().nodename}" in other.stderr
    assert "name another folder with --output" in other.stderr
    run.go_on()


@fault(USAGE, it_is_run_anew, says="previous.jsonl")
def the_place_of_the_earlier_log_is_taken_by_a_folder(run: StagedRun) -> None:
    run.keep(run.log, "an earlier log\n")
    taken = run.out / "previous.jsonl"
    taken.mkdir()
    run.start()
    run.end()
    taken.rmdir()


@fault(USAGE, it_is_run_anew, says="report.html: is a link, or no regular file; nothing is written there\n")
def the_place_of_the_report_is_taken_by_a_folder(run: StagedRun) -> None:
    run.report.mkdir(parents=True)
    run.start()
    run.end()
    run.report.rmdir()


@fault(USAGE, it_is_run_anew, says="out: File exists\n")
def the_place_of_the_folder_is_taken_by_a_file(run: StagedRun) -> None:
    run.out.write_text("mine")
    run.start()
    run.end()
    assert run.out.read_text() == "mine"
    run.out.unlink()


# Streams, and what else the system gives


@fault(CONFORMING, it_is_complete)
def all_three_streams_are_closed(run: StagedRun) -> None:
    run.start(shell='exec "$@" <&- >&- 2>&-')


@fault(HARNESS, it_is_complete, says="standard output: No space left on device\n")
def standard_output_is_full(run: StagedRun) -> None:
    run.start(shell='exec "$@" >/dev/full')


@fault(CONFORMING, it_is_complete)
def the_reader_of_both_streams_goes_away(run: StagedRun) -> None:
    run.start(shell='"$@" 2>&1 | head -c 0; exit ${PIPESTATUS[0]}')


@fault(CONFORMING, it_is_complete)
def standard_error_is_full_while_progress_is_shown(run: StagedRun) -> None:
    run.start(command=without_quiet(run), shell='exec "$@" 2>/dev/full')


def without_quiet(run: StagedRun) -> list[str]:
    """The command of a run, with its bars."""
    quiet = [sys.executable, "-P", "-m", "conformance", *run.arguments()]
    return [part for part in quiet if part != "--quiet"]


@fault(CONFORMING, it_is_complete)
def the_folder_for_scratch_files_does_not_exist(run: StagedRun) -> None:
    run.start(variables={"TMPDIR": str(run.room / "nowhere")})


@fault(HARNESS, it_is_resumed, says="fix:  ")
def the_folder_for_scratch_files_is_removed_and_a_worker_dies(run: StagedRun) -> None:
    worker = run.reach(MIDDLE)
    shutil.rmtree(run.scratch)
    os.kill(worker, signal.SIGKILL)
    run.go_on()
    run.end()
    run.scratch.mkdir()


@fault(HARNESS, it_is_resumed, says="Too many open files")
def there_are_no_more_file_descriptors_when_a_worker_dies(run: StagedRun) -> None:
    worker = run.reach(MIDDLE)
    engine = parent_of(worker)
    used = max(int(path.name) for path in Path(f"/proc/{engine}/fd").iterdir())
    resource.prlimit(engine, resource.RLIMIT_NOFILE, (used + 3, used + 3))
    os.kill(worker, signal.SIGKILL)
    run.go_on()


@fault(HARNESS, it_is_run_anew, says="Too many open files")
def there_are_too_few_file_descriptors_for_a_worker(run: StagedRun) -> None:
    run.start(shell='ulimit -n 9; exec "$@"')


# Other commands


RECORDED = """
deviations:
  - id: hangs
    kind: plainly wrong
    operators: ["*"]
    when: "True"
    where: {versions: ">=1"}
    verdict: wrong result
    values: [outputs reversed]
    what: the parts are in another order
    why: so that a reproducer is run
    since: "2026-11-21"
    review: "2099-01-01"
    reproducer: hangs.py
"""


def write_shards(run: StagedRun) -> list[str]:
    """The folders of two shards of the run."""
    folders = [str(run.room / name) for name in ("first", "second")]
    for number, folder in enumerate(folders, 1):
        assert main(run.arguments("--shard", f"{number}/2", "--output", folder)) == CONFORMING
    return folders


def conformance(*arguments: str) -> list[str]:
    return [sys.executable, "-P", "-m", "conformance", *arguments]


@fault(KILLED, the_command_is_repeated)
def a_merge_is_killed_before_its_log_is_in_place(run: StagedRun) -> None:
    shards = write_shards(run)
    run.keep(run.log, "an earlier log\n")
    run.start(
        command=conformance("merge", *shards, "--output", str(run.out)),
        signal_at=("os.rename", "*/run.jsonl", signal.SIGKILL),
    )


@fault(HARNESS, the_command_is_repeated, says="interrupted by SIGTERM\n")
def a_merge_is_terminated_before_its_log_is_in_place(run: StagedRun) -> None:
    shards = write_shards(run)
    run.keep(run.log, "an earlier log\n")
    run.start(
        command=conformance("merge", *shards, "--output", str(run.out)),
        signal_at=("os.rename", "*/run.jsonl", signal.SIGTERM),
    )


@fault(KILLED, the_command_is_repeated)
def a_report_is_killed_before_its_file_is_in_place(run: StagedRun) -> None:
    assert run.again() == CONFORMING
    run.keep(run.report, "an earlier report")
    run.start(
        command=conformance("report", str(run.log), "--html", str(run.report)),
        signal_at=("os.rename", "*/report.html", signal.SIGKILL),
    )


@fault(HARNESS, the_command_is_repeated, says="interrupted by SIGHUP\n")
def the_terminal_of_a_comparison_is_closed_before_its_file_is_in_place(run: StagedRun) -> None:
    assert run.again() == CONFORMING
    run.keep(run.report, "an earlier comparison")
    run.start(
        command=conformance("compare", str(run.log), str(run.log), "--html", str(run.report)),
        signal_at=("os.rename", "*/report.html", signal.SIGHUP),
    )


HANGS = """
import pathlib, time
pathlib.Path({began!r}).touch()
time.sleep(600)
"""


def begin_reproducing(run: StagedRun) -> None:
    """`conformance repro --recorded --run` of a deviation whose script hangs."""
    recorded = run.subject / "deviations.yaml"
    recorded.write_text(RECORDED)
    (run.subject / "hangs.py").write_text(HANGS.format(began=str(run.subject / "began")))
    run.start(command=conformance("repro", "--recorded", "--run", "-t", str(recorded.parent)))
    assert wait_until((run.subject / "began").exists), run.stderr


def nothing_is_recorded(run: StagedRun, fault: Fault, undisturbed: Log) -> None:
    """A command that writes no file."""
    del fault, undisturbed
    assert not run.out.exists()


@fault(HARNESS, nothing_is_recorded, says="interrupted by SIGINT\n")
def reproducers_get_sigint_beside_one_that_hangs(run: StagedRun) -> None:
    begin_reproducing(run)
    run.send(signal.SIGINT)


@fault(KILLED, nothing_is_recorded)
def reproducers_are_killed_beside_one_that_hangs(run: StagedRun) -> None:
    begin_reproducing(run)
    run.send(signal.SIGKILL)


@fault(HARNESS, nothing_is_recorded, says="interrupted by SIGTERM\n")
def a_check_of_an_adapter_gets_sigterm_while_that_does_not_answer(run: StagedRun) -> None:
    run.start(command=conformance("adapter", "check", str(run.subject), "--cases-folder", str(run.room / "cases")))
    run.reach("start")
    run.send(signal.SIGTERM)


def it_is_certified(run: StagedRun, fault: Fault, undisturbed: Log) -> None:
    """There is no certificate, or the whole of one after the second time, which runs nothing again."""
    del fault, undisturbed
    assert not (run.out / "certificate").exists()
    assert whole_lines(run.out / "certificate.run" / "run.jsonl").endswith(b"}}\n")
    subprocess.run(run.command, check=True, timeout=LIMIT_S)
    assert {path.name for path in (run.out / "certificate").iterdir()} >= {"certificate.yaml", "run.jsonl.xz"}


@fault(KILLED, it_is_certified)
def the_engine_is_killed_before_a_certificate_is_in_place(run: StagedRun) -> None:
    run.start(
        command=[sys.executable, str(Path(__file__).parent / "certify_small_suite.py"), str(run.out)],
        signal_at=("os.rename", "*/certificate", signal.SIGKILL),
    )
