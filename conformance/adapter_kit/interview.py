"""Runs the checks on one adapter in processes of its own, and observes these processes from outside."""

from __future__ import annotations

import os
import sys
import threading
import uuid
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from enum import Enum
from itertools import compress, islice
from math import prod
from time import monotonic, sleep

from conformance.authoring.lint import refuse_wrong_cases
from conformance.judge.deviation import Deviation, deviations_of
from conformance.judge.judge import acceptance_of, differences_of
from conformance.log.build_record import record_of
from conformance.protocol.form import Form
from conformance.protocol.outcome import Crashed, Description, Outcome, Produced, TimedOut, Unstable
from conformance.run.guardian import guardian
from conformance.run.selection import sets_included
from conformance.run.session import Session
from conformance.run.target import start_target
from conformance.spec.case import (
    Case,
    Elements,
    ExpectedOutputs,
    Lawful,
    MovedData,
    Parts,
    Rejection,
    Value,
    expected_outputs,
)
from conformance.spec.check import Check, forms_of
from conformance.spec.choices import CaseSet
from conformance.spec.operator import Operator, is_named
from conformance.spec.verdict import ExitCode, Section
from conformance.suite.adapter_file import TargetRequest
from conformance.suite.suite import Suite
from conformance.tensors import machine as procfs
from conformance.tensors.dtypes import DTYPES
from conformance.tensors.errors import HarnessError
from conformance.tensors.fill import Fill
from conformance.tensors.tensor import outputs_digest

# Selects the checks that test an adapter: small calls of the suite that cover its types and forms.

_FORMS_FOR_EACH_TYPE = (Form.CONSTANT, Form.SAME_CALL_TWICE, Form.SECOND_CALL)
_SETS = sets_included(CaseSet.FULL)
_IDENTITIES_FOR_EACH_TYPE = 2
"""With one operator alone, its fault could not be told from one of the way of the data."""
_SOME_ELEMENTS = 6
_LEAST_NORMAL, _FIRST_NAN = 6, 14
"""Of the special values: six from the first on have the least and the greatest numbers, from the second on quiet and
signalling NaNs. Of integers, both have large ones.
"""
_FEW_ELEMENTS = 64
_FEW_PRODUCTS = 32


def declared_checks(suite: Suite, description: Description) -> list[Check]:
    """Checks of every operator that the adapter declares: first one of each operator, then all others.

    The newest version of an operator runs with each type and in all forms, older ones with each type in one form. The
    first operator with a type runs it in several forms, the others in one. Forms that the adapter does not declare are
    left out: an adapter that does not know one may silently ignore what it adds.
    """
    first: list[Check] = []
    rest: list[Check] = []
    forms = [form for form in Form if form.value in description.forms]
    types_in_forms: set[str] = set()
    identities: Counter[str] = Counter()
    for operator, is_newest in _operators_about(suite.operators, description):
        if is_named(operator.id, description.operators):
            valid, refused = _samples(suite, operator, description.dtypes or ())
            if is_newest:
                checks = list(_in_forms(valid, refused, forms, types_in_forms))
                checks += _identity_checks(suite, operator, description, identities)
            else:
                checks = list(_in_forms(valid, (), forms[:1], set()))
            first += checks[:1]
            rest += checks[1:]
    return first + rest


def is_identity(case: Case) -> bool:
    """Whether the page requires the data itself as the only output."""
    if not isinstance(case.expectation, MovedData) or len(case.data_inputs) != 1 or case.data is None:
        return False
    return expected_outputs(case.expectation, case) == (case.data.tensor(),)


def returns_special_data(case: Case) -> bool:
    """Whether it is an identity with the special values that these checks have."""
    data = case.data
    return (
        data is not None
        and data.fill is Fill.SPECIAL
        and data.start in (_LEAST_NORMAL, _FIRST_NAN)
        and is_identity(case)
    )


def _identity_checks(
    suite: Suite, operator: Operator, description: Description, counts: Counter[str]
) -> Iterator[Check]:
    """Calls of the operator that return their data, for each type that few operators had; the data has special values.

    `counts` has how many operators had each type.
    """
    of_types = description.dtypes or operator.data_dtypes
    wanted = [name for name in operator.data_dtypes if name in of_types and counts[name] < _IDENTITIES_FOR_EACH_TYPE]
    case = _first_identity(suite, operator) if wanted else None
    if case is None or case.data is None:
        return
    declared = (form for form in _FORMS_FOR_EACH_TYPE if form.value in description.forms)
    forms = list(islice(_fitting(case, declared), 1))
    for name in wanted:
        counts[name] += 1
        for start, what in ((_LEAST_NORMAL, name), (_FIRST_NAN, f"{name} with NaNs")):
            data = replace(case.data, dtype=name, fill=Fill.SPECIAL, start=start)
            of_type = replace(case.with_data(data), id=f"{case.id} of {what}")
            yield from (Check(of_type, form) for form in forms)


def _first_identity(suite: Suite, operator: Operator) -> Case | None:
    """A call of some elements that returns its data."""
    return next((case for case in _cases(suite, operator, ()) if _has_some_elements(case) and is_identity(case)), None)


def _has_some_elements(case: Case) -> bool:
    return case.data is not None and case.data.data is None and _SOME_ELEMENTS <= prod(case.data.shape) <= _FEW_ELEMENTS


def undeclared_checks(suite: Suite, description: Description) -> list[Check]:
    """A valid check of each undeclared type of a declared operator; one of an operator without a declared version."""
    found: list[Case] = []
    declared = description.dtypes or ()
    for operator, _ in _operators_about(suite.operators, description):
        if not is_named(operator.id, description.operators):
            found += _samples(suite, operator, declared)[0][:1]
        elif others := [name for name in operator.data_dtypes if declared and name not in declared]:
            found += _samples(suite, operator, others)[0]
    return [Check(case, Form.CONSTANT) for case in found]


def _operators_about(operators: Sequence[Operator], description: Description) -> Iterator[tuple[Operator, bool]]:
    """The declared versions of each operator, each with whether it is the newest; without any, the newest one."""
    by_name: dict[tuple[str, str], list[Operator]] = {}
    for operator in sorted(operators, key=lambda item: item.version):
        by_name.setdefault((operator.dialect, operator.name), []).append(operator)
    for versions in by_name.values():
        chosen = [item for item in versions if is_named(item.id, description.operators)] or versions[-1:]
        yield from ((item, item is chosen[-1]) for item in chosen)


def _in_forms(
    valid: Sequence[Case], refused: Sequence[Case], forms: Sequence[Form], types_in_forms: set[str]
) -> Iterator[Check]:
    """Each valid case in one form, or in those of _FORMS_FOR_EACH_TYPE if its type is not in `types_in_forms` yet; each
    other form once; each invalid case in one form.
    """
    usual = [form for form in forms if form in _FORMS_FOR_EACH_TYPE]
    for case in valid:
        dtype = "" if case.data is None else case.data.dtype
        most = 1 if dtype in types_in_forms else len(usual)
        yield from (Check(case, form) for form in islice(_fitting(case, usual), most))
        types_in_forms.add(dtype)
    for form in forms:
        if form not in _FORMS_FOR_EACH_TYPE:
            yield from islice((Check(case, form) for case in valid if any(_fitting(case, [form]))), 1)
    for case in refused:
        yield from (Check(case, form) for form in islice(_fitting(case, forms), 1))


def _fitting(case: Case, forms: Iterable[Form]) -> Iterator[Form]:
    """The forms that fit the case, even if its file names other forms; other ways to write a model only if it does.

    They come one at a time, because for some the outputs of other calls must be computed.
    """
    for form in forms:
        if not form.is_of_onnx or form in case.forms:
            yield from forms_of(replace(case, forms=(form,)))


def _samples(suite: Suite, operator: Operator, types: Collection[str]) -> tuple[list[Case], list[Case]]:
    """Of these types of data, or of all if there are none: the valid case of each with the most `_points`, and the
    first small invalid case of each clause. An invalid case may have no data.
    """
    best: dict[str, tuple[int, Case]] = {}
    refused: dict[str, Case] = {}
    for case in _cases(suite, operator, types):
        data = case.data
        if isinstance(case.expectation, Rejection) and (data is None or prod(data.shape) <= _FEW_ELEMENTS):
            refused.setdefault(case.expectation.clause, case)
        if isinstance(case.expectation, ExpectedOutputs) and data is not None:
            points = _points(case, data.shape) + _has_usual_integers(case)
            if points > best.get(data.dtype, (-1,))[0]:
                best[data.dtype] = points, case
    return [case for _, case in best.values()], list(refused.values())


def _cases(suite: Suite, operator: Operator, types: Collection[str]) -> Iterator[Case]:
    """The first products of each family, which include each type; families with a covering array come last."""
    families = [family for family in suite.families if family.operator.id == operator.id and family.set in _SETS]
    for family in sorted(families, key=lambda family: family.entry.has_table):
        cases = (case for case in family.cases(types) if not types or case.data is None or case.data.dtype in types)
        yield from islice(cases, _FEW_PRODUCTS)


def _has_usual_integers(case: Case) -> bool:
    """Whether axis and lengths are int64, which every adapter accepts."""
    values = [argument.value for argument in case.arguments if isinstance(argument.value, Value)]
    return all(value.dtype == "int64" for value in values if value is not case.data)


def _points(case: Case, shape: tuple[int, ...]) -> int:
    """Counts what holds: few elements, several dims, several outputs, none of them empty, unequal lengths."""
    is_small, is_table = 1 < prod(shape) <= _FEW_ELEMENTS, len(shape) > 1
    match case.expectation:
        case Parts(bounds=bounds):
            lengths = [stop - start for start, stop in bounds]
            return sum((is_small, is_table, len(lengths) > 1, all(lengths), len(set(lengths)) > 1))
        case Elements() | Lawful():
            return is_small + is_table
        case _:
            return 0


# How the probes read answers: which requests were valid, and which outputs are correct.


@dataclass(frozen=True, slots=True)
class AnsweredCheck:
    """A check and its outcome."""

    check: Check
    outcome: Outcome

    def __str__(self) -> str:
        """The case id and the form, by which a reader can run the check again."""
        return f"{self.check.case.id} ({self.check.form.value})"

    @property
    def dtype(self) -> str:
        """The type of the data; empty if the call has none."""
        data = self.check.case.data
        return "" if data is None else data.dtype

    @property
    def is_valid(self) -> bool:
        """Whether the case expects outputs."""
        return isinstance(self.check.case.expectation, ExpectedOutputs)

    @property
    def broken_clause(self) -> str:
        """The clause that requires a rejection; empty if none does."""
        expectation = self.check.case.expectation
        return expectation.clause if isinstance(expectation, Rejection) else ""


def produced(answers: Iterable[AnsweredCheck]) -> list[tuple[AnsweredCheck, Produced]]:
    """The answers that have outputs."""
    return [(item, item.outcome) for item in answers if isinstance(item.outcome, Produced)]


def digests(outcome: Produced) -> list[str]:
    """The digest of the outputs of each run."""
    return [outputs_digest([run]) for run in outcome.runs]


def right_runs(item: AnsweredCheck, outcome: Produced) -> list[bool]:
    """For each run of a valid request, whether its outputs are accepted."""
    return [
        not differences_of(acceptance_of(step), expected_outputs(step.expectation, step), actual, 0)
        for step, actual in zip(item.check.steps, outcome.runs, strict=False)
    ]


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


# The finding of one probe, and the exit code for all findings.


class State(Enum):
    """How a probe ended."""

    OK = "ok"
    NOTE = "note"
    """Worth knowing, but no fault of the adapter."""
    PROBLEM = "problem"
    INCONCLUSIVE = "inconclusive"
    """There is not enough evidence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What an adapter should do, whether it does, the evidence, and what to change."""

    requirement: str
    state: State
    seen: tuple[str, ...] = ()
    fix: str = ""


def found(
    requirement: str,
    seen: Sequence[str],
    fix: str,
    state: State = State.PROBLEM,
    *,
    among: Collection[object] | None = None,
) -> Finding:
    """A problem, or a finding of another state, with the evidence in `seen` without duplicates; OK if there is none.

    `among` are the answers that could show a problem: without any, the finding is inconclusive. None if all could.
    """
    if not seen:
        is_open = among is not None and not among
        return Finding(requirement=requirement, state=State.INCONCLUSIVE if is_open else State.OK)
    return Finding(requirement=requirement, state=state, seen=tuple(dict.fromkeys(seen)), fix=fix)


def exit_code(findings: Sequence[Finding], *, has_started: bool) -> ExitCode:
    """HARNESS if the adapter did not start, since it was not checked; else by whether there is a problem."""
    if not has_started:
        return ExitCode.HARNESS
    has_problem = any(finding.state is State.PROBLEM for finding in findings)
    return ExitCode.NOT_CONFORMING if has_problem else ExitCode.CONFORMING
