"""Runs the checks on one adapter in processes of its own, and observes these processes from outside."""

from __future__ import annotations

import os
import sys
import threading
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from itertools import compress
from time import monotonic, sleep

from conformance.adapter_kit.adapter_check.answers import AnsweredCheck
from conformance.adapter_kit.adapter_check.requests import declared_checks, returns_special_data, undeclared_checks
from conformance.border.description import Description
from conformance.border.form import Form
from conformance.border.outcome import Crashed, TimedOut, Unstable
from conformance.formats.adapter_file import TargetRequest
from conformance.formats.suite import Suite
from conformance.judging.deviation import Deviation
from conformance.judging.deviation_file import deviations_of
from conformance.language.check import Check
from conformance.language.operator import is_named
from conformance.language.verdict import Section
from conformance.log.build_record import record_of
from conformance.planning.lint import refuse_wrong_cases
from conformance.running.target import start_target
from conformance.sessions.guardian import guardian
from conformance.sessions.session import Session
from conformance.values import procfs
from conformance.values.dtypes import DTYPES
from conformance.values.errors import HarnessError

_MARK = "OPCONFORM_ADAPTER_CHECK"
_GOING_S = 1.0
_LOOK_EACH_S = 0.05
_LOST_CALLS = 10
_LOST_S = 60.0
"""An adapter that survived no call is asked for so many calls, or for so long."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Interview:
    """What an adapter answered and did.

    `description` is None if it did not start; `broken_off` says why it did not, or which rule of the protocol it broke.
    `ended_early` says why it was not asked everything.
    `recorded` are the answers whose fault the adapter's deviations.yaml has; `answers` are all others. `undeclared` are
    answers to calls that its description rules out. `start_s` are the seconds that the process took to start;
    `was_killed` is whether it did not end with its input. `left_behind` are processes that survived the end; always
    empty without /proc. `written` is the end of its standard error.
    """

    description: Description | None = None
    broken_off: str = ""
    ended_early: str = ""
    answers: tuple[AnsweredCheck, ...] = ()
    recorded: tuple[AnsweredCheck, ...] = ()
    undeclared: tuple[AnsweredCheck, ...] = ()
    start_s: float = 0.0
    was_killed: bool = False
    left_behind: tuple[str, ...] = ()
    written: str = ""


OnProgress = Callable[[int, int], None]
"""Gets the number of calls that were answered, and of all calls."""


def interview(
    target_request: TargetRequest, suite: Suite, limit_s: float, on_progress: OnProgress = lambda *_: None
) -> Interview:
    """Run everything that the probes need on an adapter; `limit_s` is the time limit of one request in seconds.

    Raises:
        ExceptionGroup: of `CaseFileError`: its deviations.yaml cannot be read, or cases of an operator that it declares
            are wrong.
    """
    deviations = deviations_of(target_request.adapter.folder, suite)
    with _marked_processes() as mark:
        held = _interview(target_request, suite, limit_s, deviations, on_progress)
        return replace(held, left_behind=_still_there(mark))


def _interview(
    target_request: TargetRequest,
    suite: Suite,
    limit_s: float,
    deviations: Sequence[Deviation],
    on_progress: OnProgress,
) -> Interview:
    session = Session(target_request, limit_s, threading.Event())
    with ExitStack() as at_end:
        at_end.callback(session.kill)
        began = monotonic()
        started = start_target(target_request, session, deviations)
        if started.entry.problem or session.description is None:
            return Interview(broken_off=started.entry.problem)
        start_s, description = monotonic() - began, session.description
        declared = [item for item in suite.families if is_named(item.operator.id, description.operators)]
        refuse_wrong_cases(suite, declared)
        held = _answers_to(session, declared_checks(suite, description), on_progress)
    undeclared = [] if held.broken_off or held.ended_early else undeclared_checks(suite, description)
    others = _answers_to_undeclared(target_request, limit_s, undeclared, on_progress)
    recorded = [_is_recorded(item, started.deviations) for item in held.answers]
    return replace(
        held,
        description=description,
        answers=tuple(item for item, is_known in zip(held.answers, recorded, strict=True) if not is_known),
        recorded=tuple(compress(held.answers, recorded)),
        undeclared=others,
        start_s=start_s,
        written=session.stderr_tail(),
    )


def _is_recorded(item: AnsweredCheck, deviations: Sequence[Deviation]) -> bool:
    """Whether an entry covers the answer. No entry names the calls that only this check makes: one for the same
    operator with the same fault is enough for those.
    """
    record = record_of(item.check, "", item.outcome, deviations)
    is_likely = bool(record.looks_like) and returns_special_data(item.check.case)
    return record.verdict.meaning.section is Section.KNOWN or is_likely


def _answers_to_undeclared(
    target_request: TargetRequest, limit_s: float, checks: Sequence[Check], on_progress: OnProgress
) -> tuple[AnsweredCheck, ...]:
    """The answers of a second process to checks that its description rules out."""
    if not checks:
        return ()
    session = Session(target_request, limit_s, threading.Event())
    try:
        described = session.start()
    except HarnessError:
        session.kill()
        return ()
    every_form = tuple(form.value for form in Form)
    session.description = replace(described, operators=("*",), dtypes=tuple(DTYPES), forms=every_form)
    return _answers_to(session, checks, on_progress).answers


def _answers_to(session: Session, checks: Sequence[Check], on_progress: OnProgress = lambda *_: None) -> Interview:
    """The answers of one process, and how it ended. It ends early if the process survives no call."""
    answers: list[AnsweredCheck] = []
    broken_off, ended_early, began = "", "", monotonic()
    survived = was_killed = False
    try:
        on_progress(0, len(checks))
        for check, outcome in session.answers(checks):
            answers.append(AnsweredCheck(check, outcome))
            on_progress(len(answers), len(checks))
            survived = survived or not isinstance(outcome, Crashed | TimedOut | Unstable)
            if not survived and (len(answers) >= _LOST_CALLS or monotonic() - began > _LOST_S):
                ended_early = f"no call was survived, so {len(answers)} of {len(checks)} were made"
                break
        else:
            was_killed = not session.finish()
    except HarnessError as error:
        broken_off = str(error)
    finally:
        session.kill()
    return Interview(answers=tuple(answers), broken_off=broken_off, ended_early=ended_early, was_killed=was_killed)


@contextmanager
def _marked_processes() -> Iterator[str]:
    """Marks the environment, so that all processes started meanwhile inherit the mark, even detached daemons."""
    if sys.platform != "win32":
        guardian()  # the engine's own process, which stays: it must start before the mark is set
    mark = os.environ[_MARK] = uuid.uuid4().hex
    try:
        yield mark
    finally:
        del os.environ[_MARK]


def _still_there(mark: str) -> tuple[str, ...]:
    """The marked processes that still exist after killed ones have had _GOING_S seconds to end."""
    deadline = monotonic() + _GOING_S
    while (found := _marked(mark)) and monotonic() < deadline:
        sleep(_LOOK_EACH_S)
    return found


def _marked(mark: str) -> tuple[str, ...]:
    """The processes with the mark, as `1234 python serve.py`; none without /proc."""
    found = procfs.processes_with(f"{_MARK}={mark}\0".encode())
    return tuple(f"{number} {procfs.command_of(number)[:80]}" for number in found)
