"""One adapter asked in processes of its own, and what could be seen of them from outside."""

from __future__ import annotations

import os
import platform
import sys
import threading
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import monotonic, sleep

from conformance.adapter import Description
from conformance.formats.adapter_file import TargetRequest
from conformance.formats.suite import Suite
from conformance.judging.deviation import Circumstances, Deviation
from conformance.records.build_record import record_of
from conformance.running.target import recorded_deviations
from conformance.selection.selection import Check
from conformance.spec.form import Form
from conformance.spec.verdict import Verdict
from conformance.values.dtypes import DTYPES
from conformance.values.errors import HarnessError
from conformance.vendor.adapter_check.answers import Answered
from conformance.vendor.adapter_check.requests import requests_of
from conformance.workers.guardian import guardian
from conformance.workers.session import Session

_MARK = "OPCONFORM_ADAPTER_CHECK"
_PROCESSES = Path("/proc")
_GOING_S = 1.0
_LOOK_EACH_S = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class Interview:
    """What an adapter said and did.

    `description` is None where it did not start; `broken_off` tells why it did not, or why no more could be asked.
    `answers` leave out those in `recorded`, which the adapter's deviations.yaml describes. `undeclared` are answers to
    what it says it does not take. `left_behind` are processes that were there after the end, as far as the system
    tells. `written` is the end of what came to standard error.
    """

    description: Description | None = None
    broken_off: str = ""
    answers: tuple[Answered, ...] = ()
    recorded: tuple[Answered, ...] = ()
    undeclared: tuple[Answered, ...] = ()
    start_s: float = 0.0
    end_s: float = 0.0
    left_behind: tuple[str, ...] = ()
    written: str = ""


@dataclass(slots=True)
class _Notes:
    """What is written down while one process is asked."""

    answers: list[Answered] = field(default_factory=list)
    broken_off: str = ""
    end_s: float = 0.0


def interview(target_request: TargetRequest, suite: Suite, limit_s: float) -> Interview:
    """Ask an adapter all that the probes look at; `limit_s` is the time that one request may take.

    Raises:
        ExceptionGroup: of `CaseFileError`: its deviations.yaml cannot be read.
    """
    deviations = recorded_deviations(target_request.adapter, suite)
    with _marked_processes() as mark:
        held = _interview(target_request, suite, limit_s, deviations)
        return replace(held, left_behind=_still_there(mark))


def _interview(
    target_request: TargetRequest, suite: Suite, limit_s: float, deviations: Sequence[Deviation]
) -> Interview:
    session = Session(target_request, limit_s, threading.Event())
    began = monotonic()
    try:
        description = session.start()
    except HarnessError as error:
        session.kill()
        return Interview(broken_off=str(error))
    start_s = monotonic() - began
    requests = requests_of(suite, description)
    notes = _asked(session, requests.declared)
    others = [] if notes.broken_off else _asked_all_the_same(target_request, limit_s, requests.undeclared)
    circumstances = Circumstances(
        version=description.version,
        options=target_request.all_options,
        instruction_set=description.instruction_set,
        devices=tuple(description.devices),
        system=platform.system(),
    )
    holding = [entry for entry in deviations if entry.conditions.hold(circumstances)]
    return Interview(
        description=description,
        broken_off=notes.broken_off,
        answers=tuple(item for item in notes.answers if not _is_known(item, holding)),
        recorded=tuple(item for item in notes.answers if _is_known(item, holding)),
        undeclared=tuple(others),
        start_s=start_s,
        end_s=notes.end_s,
        written=session.stderr_tail(),
    )


def _is_known(item: Answered, deviations: Sequence[Deviation]) -> bool:
    return record_of(item.check, "", item.outcome, deviations).verdict is Verdict.KNOWN


def _asked_all_the_same(target_request: TargetRequest, limit_s: float, checks: Sequence[Check]) -> list[Answered]:
    """What a second process does with requests that its description declines."""
    if not checks:
        return []
    session = Session(target_request, limit_s, threading.Event())
    try:
        described = session.start()
    except HarnessError:
        session.kill()
        return []
    every_form = tuple(form.value for form in Form)
    session.description = replace(described, operators=("*",), dtypes=tuple(DTYPES), forms=every_form)
    return _asked(session, checks).answers


def _asked(session: Session, checks: Sequence[Check]) -> _Notes:
    notes, last = _Notes(), monotonic()
    try:
        for check, outcome in session.answers(checks):
            notes.answers.append(Answered(check, outcome))
            last = monotonic()
    except HarnessError as error:
        notes.broken_off = str(error)
    finally:
        session.kill()
    notes.end_s = monotonic() - last
    return notes


@contextmanager
def _marked_processes() -> Iterator[str]:
    """All that is started meanwhile inherits a mark in its environment, even a daemon in a session of its own."""
    if sys.platform != "win32":
        guardian()  # the engine's own, which stays: started before the mark is set
    mark = os.environ[_MARK] = uuid.uuid4().hex
    try:
        yield mark
    finally:
        del os.environ[_MARK]


def _still_there(mark: str) -> tuple[str, ...]:
    """The processes that are there when those that were killed have had time to go."""
    deadline = monotonic() + _GOING_S
    while (found := _marked(mark)) and monotonic() < deadline:
        sleep(_LOOK_EACH_S)
    return found


def _marked(mark: str) -> tuple[str, ...]:
    """The processes with the mark, as `1234 python serve.py`; none where there is no /proc."""
    found = []
    for folder in _PROCESSES.glob("[0-9]*"):
        try:
            if f"{_MARK}={mark}".encode() in (folder / "environ").read_bytes().split(b"\0"):
                command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
                found.append(f"{folder.name} {command.strip()[:80]}")
        except OSError:  # it is another user's, or has ended meanwhile
            continue
    return tuple(found)
