"""What the author of an adapter should change: one finding for each requirement, from verdicts and from the process.

Wrong values are attributed to the framework unless their cause is one of adapters, or no answer is right.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TypeVar

from packaging.version import InvalidVersion, Version

from conformance.adapter_kit.adapter_check import AnsweredCheck, Observation, is_identity
from conformance.protocol.form import Form
from conformance.protocol.outcome import Description
from conformance.report.document import ALL, Details, Items, ReportBlock, Sentence, Span, Tone
from conformance.spec.operator import Operator, is_named
from conformance.spec.verdict import ExitCode, Verdict
from conformance.tensors.dtypes import DTYPES
from conformance.tensors.fill import Fill
from conformance.tensors.text import counted

_GroupName = TypeVar("_GroupName")


class State(Enum):
    """Whether an adapter does what it should."""

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


def findings(observation: Observation, operators: Sequence[Operator]) -> list[Finding]:
    """All findings, in the order in which an author should fix them; only that of `starts` if the adapter did not.

    `operators` are those of the suite.
    """
    described, answers = observation.description, observation.answers
    if described is None:
        return [starts(observation)]
    return [
        starts(observation),
        names_its_version(described),
        declares_what_there_is(described, operators),
        speaks_the_protocol(observation),
        *(finding_of(row, answers, observation.ended_early) for row in ADVICE),
        rejects_no_valid_call(answers),
        answers_what_it_declares(described, answers),
        answers_each_operator_in_each_form(answers),
        declares_what_it_answers(described, observation.undeclared),
        passes_data_on(answers),
        ends(observation),
        is_quiet(observation),
        says_where_it_ran(answers),
        is_right(answers),
    ]


# The table from the verdict of a check to the advice.

_RECORD_IT = "if the framework itself does this, record it in deviations.yaml"


_NEW = frozenset(Verdict) - {Verdict.KNOWN}


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """A requirement, the verdicts that show that it is not met, and what to change.

    `applies` says which answers with such a verdict it is about; `among` are the answers that could show it, by default
    all. `says` replaces what the judge says of an answer.
    """

    requirement: str
    verdicts: Collection[Verdict] = _NEW
    applies: Callable[[AnsweredCheck], bool] = lambda _: True
    among: Callable[[AnsweredCheck], bool] = lambda _: True
    state: State = State.PROBLEM
    says: str = ""
    fix: str
    fixes: tuple[tuple[str, str], ...] = ()
    """Other things to change, by what an answer may say."""


LIVES = Advice(
    requirement="It survives every request.",
    verdicts=(Verdict.CRASHED, Verdict.TIMED_OUT, Verdict.UNSTABLE, Verdict.HARNESS_ERROR),
    applies=lambda item: item.record.verdict is not Verdict.HARNESS_ERROR or item.record.outcome == "killed",
    fix="make the same call without the adapter; if that crashes as well, record it in deviations.yaml",
)
_RETURNS = "return the outputs in order, each as a NumPy array or a `Tensor`"
ERRORS = Advice(
    requirement="It raises no error of its own, and returns arrays.",
    verdicts=(Verdict.HARNESS_ERROR,),
    applies=lambda item: item.record.outcome != "killed",
    fix="wrap the framework's own error types, and those alone, in `Rejected`; fix errors of the adapter itself",
    fixes=(
        ("read-only", "never write to the inputs; if the framework works in place, pass it a copy"),
        ("neither a NumPy array nor a Tensor", _RETURNS),
        ("not iterable", _RETURNS),
    ),
)
REJECTIONS = Advice(
    requirement="It rejects with the framework's message.",
    applies=lambda item: item.record.outcome == "rejected" and not item.record.message.strip(),
    says="is rejected without a message",
    fix="pass the framework's own message on",
)
REFUSES = Advice(
    requirement="It answers no call that must be rejected.",
    verdicts=(Verdict.ACCEPTED_INVALID,),
    among=lambda item: not item.is_valid,
    state=State.NOTE,
    fix=f"pass every argument on unchanged; {_RECORD_IT}",
)
TYPES = Advice(
    requirement="It returns outputs in the type of the data.",
    verdicts=(Verdict.WRONG_RESULT,),
    applies=lambda item: any(difference.mismatch == "dtype" for difference in item.record.differences),
    fix="cast nothing; if NumPy lacks the type, return a `Tensor` of the bytes",
)
_OF_OTHER_CALLS = ("stale values of an earlier call", "overwritten by a later call")
STATE = Advice(
    requirement="A later call does not change earlier outputs, and returns new ones.",
    verdicts=(Verdict.WRONG_RESULT,),
    applies=lambda item: item.record.cause in _OF_OTHER_CALLS or _answers_differ(item),
    among=lambda item: len(item.check.steps) > 1 and item.is_valid,
    fix="copy outputs whose memory the framework uses again; keep no values of one call for the next",
)
INPUTS = Advice(
    requirement="It leaves its inputs alone.",
    applies=lambda item: bool(item.record.changed_inputs),
    fix="if the framework works in place, pass it a copy",
)
ADVICE = (LIVES, ERRORS, REJECTIONS, REFUSES, TYPES, STATE, INPUTS)


def _answers_differ(item: AnsweredCheck) -> bool:
    """Whether the same call, made first and last, was right only once."""
    wrong = {difference.run for difference in item.record.differences}
    return item.check.form is Form.SAME_CALL_TWICE and (0 in wrong) != (len(item.check.steps) - 1 in wrong)


def finding_of(row: Advice, answers: Sequence[AnsweredCheck], ended_early: str = "") -> Finding:
    """The finding of a row of the table; `ended_early` says why not all checks ran."""
    showing = [item for item in answers if item.record.verdict in row.verdicts and row.applies(item)]
    seen = [f"{item}: {row.says or item.record.explanation}" for item in showing]
    if ended_early and row is LIVES:
        seen.insert(0, ended_early)
    fixes = (fix for words, fix in row.fixes if any(words in line for line in seen))
    among = [item for item in answers if row.among(item)]
    return found(row.requirement, seen, next(fixes, row.fix), row.state, among=among)


# What several answers show together.


def rejects_no_valid_call(answers: Sequence[AnsweredCheck]) -> Finding:
    """Whether no operator or type has all its valid calls rejected; the rejection of some calls is a note."""
    requirement = "It rejects no valid call."
    valid = [item for item in answers if item.is_valid and item.record.verdict is not Verdict.KNOWN]
    refused = [item for item in valid if item.record.outcome == "rejected"]
    taken = [item for item in valid if item.record.outcome != "rejected"]
    if refused and not taken:
        seen = [
            f"all {len(valid)} valid calls are rejected, the first, {refused[0]}, with: {refused[0].record.message}"
        ]
        return found(requirement, seen, f"check how the call is built; {_RECORD_IT}")
    accepted = {name for item in taken for name in _names_of(item)}
    first = {name: item for item in reversed(refused) for name in _names_of(item) if name not in accepted}
    if first:
        seen = [
            f"every valid call of {name} is rejected, the first, {item}, with: {item.record.message}"
            for name, item in sorted(first.items())
        ]
        fix = f"declare it no longer, or raise `Unsupported`, or check how the call is built; {_RECORD_IT}"
        return found(requirement, seen, fix)
    seen = [f"{item} is rejected: {item.record.message}" for item in refused]
    fix = f"nothing, if the framework itself rejects the call; {_RECORD_IT}"
    return found(requirement, seen, fix, State.NOTE, among=valid)


def _names_of(item: AnsweredCheck) -> list[str]:
    """The operator of a call and the type of its data, if it has data."""
    return [item.operator, *([f"the type {item.dtype}"] if item.dtype else [])]


_OF_NANS = ("NaN quieted", "NaN payload changed")


def passes_data_on(answers: Sequence[AnsweredCheck]) -> Finding:
    """Whether calls that return their data, of special values, return every bit of it, for each type.

    A type is named if no operator returns its data: then the way of the data in or out is broken, not an operator.
    Types whose fault is recorded as the framework's are left out. Changed bits of NaNs alone are a note: pages leave
    them open, and frameworks also change them.
    """
    requirement = "It passes the data of each type on unchanged, in and out."
    identities = [item for item in answers if item.is_produced and _returns_special_data(item)]
    wrong = [item for item in identities if item.record.verdict is Verdict.WRONG_RESULT]
    changed = {(item.dtype, item.operator) for item in wrong}
    returned = {item.dtype for item in identities if (item.dtype, item.operator) not in changed or _is_known(item)}
    broken = [item for item in wrong if item.dtype not in returned]
    worse = [item for item in broken if item.record.cause not in _OF_NANS]
    seen = [f"{item.dtype}: {item} returns other data: {item.record.cause}" for item in worse or broken]
    fix = f"convert nothing on the way in or out: neither types nor NaNs nor the order of bytes; {_RECORD_IT}"
    return found(requirement, seen, fix, State.PROBLEM if worse else State.NOTE, among=identities)


def _returns_special_data(item: AnsweredCheck) -> bool:
    data = item.check.case.data
    return data is not None and data.fill is Fill.SPECIAL and is_identity(item.check.case)


def _is_known(item: AnsweredCheck) -> bool:
    """Whether a fault is recorded. No entry names made calls: one with the same fault is enough for them."""
    return item.record.verdict is Verdict.KNOWN or bool(item.record.looks_like)


def says_where_it_ran(answers: Sequence[AnsweredCheck]) -> Finding:
    """Whether answers name the device, provider or kernel."""
    silent = [item for item in answers if item.is_produced and not item.record.ran_on]
    seen = [f"{len(silent)} answers do not"] if silent else []
    fix = "name device, provider or kernel in `ran_on`, so that no fallback goes unnoticed"
    return found("It says where it ran.", seen, fix, State.NOTE)


def is_right(answers: Sequence[AnsweredCheck]) -> Finding:
    """Whether valid calls get correct outputs; if none does, the adapter probably builds the call wrongly."""
    requirement = "It answers valid calls as their page says."
    answered = [item for item in answers if item.is_valid and item.is_produced]
    wrong = [item for item in answered if item.record.verdict is Verdict.WRONG_RESULT]
    if answered and len(wrong) == len(answered):
        seen = [f"none of {len(wrong)} answers is right, the first to {wrong[0]}"]
        return found(requirement, seen, "look first at the names, the order and the axis of the call")
    seen = [f"{len(wrong)} of {len(answered)} answers are not right, the first to {wrong[0]}"] if wrong else []
    fix = "nothing here, unless a finding above says so; `conformance run` shows each difference"
    return found(requirement, seen, fix, State.NOTE, among=answered)


def _grouped(
    answers: Iterable[AnsweredCheck], key: Callable[[AnsweredCheck], _GroupName]
) -> dict[_GroupName, list[AnsweredCheck]]:
    groups: dict[_GroupName, list[AnsweredCheck]] = {}
    for item in answers:
        groups.setdefault(key(item), []).append(item)
    return groups


# The adapter's description: its names exist, the adapter answers what it declares, and declares all of it.

_FORMS = {form.value for form in Form}


def names_its_version(described: Description) -> Finding:
    """Whether the version can be compared, as certificates and `versions` in deviations.yaml require."""
    seen = []
    try:
        Version(described.version)
    except InvalidVersion:
        seen = [f"version {described.version!r} cannot be compared"]
    return found("It names a version of the framework.", seen, "give the framework's own, as 2.1 or 2.1.0rc1")


def declares_what_there_is(described: Description, operators: Iterable[Operator]) -> Finding:
    """Whether the types, forms and operators in the description exist in the suite."""
    seen = [f"there is no type {name!r}" for name in described.dtypes or () if name not in DTYPES]
    seen += [f"there is no form {name!r}" for name in described.forms if name not in _FORMS]
    seen += [
        f"it names {name!r} in `controls`, but not in `forms`"
        for name in described.controls
        if name not in described.forms
    ]
    if not _FORMS & set(described.forms):
        seen.append("it declares no form in which the check could run")
    if not any(is_named(operator.id, described.operators) for operator in operators):
        seen.append(f"no operator of the suite is called {' or '.join(described.operators)}")
    fix = "`conformance list` shows the operators, docs/reference/protocol.md the types and forms"
    return found("It declares only types, forms and operators that exist.", seen, fix)


def answers_what_it_declares(described: Description, answers: Sequence[AnsweredCheck]) -> Finding:
    """Whether the adapter answers at least one valid call of every form, type and operator that it declares.

    Types are not considered if the adapter names none: it claims nothing about them.
    """
    valid = [item for item in answers if item.is_valid]
    expressible = [item for item in valid if item.record.verdict is not Verdict.UNSUPPORTED]
    kinds = [
        ("type", valid if described.dtypes is not None else [], lambda item: item.dtype),
        ("operator", valid, lambda item: item.operator),
        ("form", expressible, lambda item: item.check.form.value),
    ]
    seen = [
        f"{kind} {name}: {items[0]}: {items[0].not_supported}"
        for kind, among, key in kinds
        for name, items in _grouped(among, key).items()
        if name and all(item.not_supported for item in items)
    ]
    return found("It answers what it declares.", seen, "remove what it cannot do from the description", among=valid)


_SEVERAL = 3


def answers_each_operator_in_each_form(answers: Sequence[AnsweredCheck]) -> Finding:
    """Whether an operator version of which some valid calls are taken has one in each form with several; a note,
    because no description can leave such a kind of calls out.
    """
    valid = [item for item in answers if item.is_valid and item.record.verdict is not Verdict.KNOWN]
    taken = {item.operator for item in valid if item.refusal is None}
    kinds = _grouped((item for item in valid if item.operator in taken), lambda item: (item.operator, item.check.form))
    seen = [
        f"all {len(items)} valid calls of {operator} in the form {form.value} are refused, the first, {items[0]}: "
        f"{items[0].refusal}"
        for (operator, form), items in kinds.items()
        if len(items) >= _SEVERAL and all(item.refusal is not None for item in items)
    ]
    fix = "check how these calls are built, or raise `NotExpressible` for them"
    return found("It takes calls of each operator in each form.", seen, fix, State.NOTE)


def declares_what_it_answers(described: Description, undeclared: Sequence[AnsweredCheck]) -> Finding:
    """Whether the adapter answers nothing that it does not declare: that counts as unsupported and hides its faults.

    What an author may write in `describe` is a line there, if no answer speaks against it.
    """
    answered = [item for item in undeclared if item.is_produced]
    seen = [f"it answers {item}{'' if item.record.verdict.is_conforming else ', wrongly'}" for item in answered]
    harmless = [item for item in undeclared if item.record.verdict.is_conforming or item.not_supported is not None]
    deviating = {item.undeclared for item in undeclared if item not in harmless}
    named = dict.fromkeys(name for item in answered if (name := item.undeclared) not in deviating)
    operators, dtypes = [name for name in named if name not in DTYPES], [name for name in named if name in DTYPES]
    lines = [f"operators={json.dumps([*described.operators, *operators])}"] if operators else []
    lines += [f"dtypes={json.dumps([*(described.dtypes or ()), *dtypes])}"] if dtypes else []
    otherwise = "raise `Unsupported` or `NotExpressible` for it"
    fix = f"write in `describe`: {', '.join(lines)}; or {otherwise}" if lines else otherwise
    return found("It declares what it answers.", seen, fix)


# The adapter's process: how it starts, answers and ends.

_SLOW_START_S = 30.0


def starts(observation: Observation) -> Finding:
    """Whether the adapter starts, within _SLOW_START_S seconds."""
    requirement = "It starts, and says what it is."
    if observation.description is None:
        return found(requirement, [observation.broken_off], "")
    seen = [f"it took {observation.start_s:.0f} s, and is started again after each crash"]
    fix = "import what is needed and nothing more in `__init__`, and compile nothing there"
    return found(requirement, seen if observation.start_s > _SLOW_START_S else [], fix)


def speaks_the_protocol(observation: Observation) -> Finding:
    """Whether each request got one answer, in order, with nothing between them."""
    seen = [observation.broken_off] if observation.broken_off else []
    fix = "answer each request once, in order, and keep standard output for that (docs/reference/protocol.md)"
    return found("It answers every request once, in order, with nothing between answers.", seen, fix)


def ends(observation: Observation) -> Finding:
    """Whether the process ends when its input does, and leaves no other process behind."""
    seen = [f"left behind: process {line}" for line in observation.left_behind]
    if observation.was_killed:
        seen.append("it did not end when its input did, and was killed")
    return found("It ends when its input ends, and leaves no process behind.", seen, "end every process that it starts")


def is_quiet(observation: Observation) -> Finding:
    """Whether nothing is printed to standard error, which also receives a Python adapter's standard output."""
    lines = [line.strip() for line in observation.written.splitlines() if line.strip()]
    seen = [f"its last line: {lines[-1]}"] if lines else []
    fix = "turn logging down; in another language than Python a line on standard output breaks the protocol"
    return found("It prints nothing.", seen, fix, State.NOTE)


# Findings as blocks of a report.

_EVIDENCE = 500
"""Characters of one piece of evidence: a message with paths in it stays whole."""
_TONES = {State.OK: None, State.NOTE: None, State.PROBLEM: Tone.BAD, State.INCONCLUSIVE: Tone.KNOWN}


def blocks_of(target: str, findings: Sequence[Finding]) -> Iterator[ReportBlock]:
    """An entry for each finding, in it the evidence and what to change, and a last sentence that sums up."""
    yield Items([_entry(finding) for finding in findings], few=ALL)
    problems = sum(finding.state is State.PROBLEM for finding in findings)
    count = sum(finding.state is State.INCONCLUSIVE for finding in findings)
    summed = counted(problems, "problem") if problems else "no problems"
    unclear = f"; {count} inconclusive" if count else ""
    yield Sentence(f"{target}: {summed} in {counted(len(findings), 'requirement')}{unclear}")


def _entry(finding: Finding) -> Details:
    change = [Sentence(Span(f"change: {finding.fix}"))] if finding.fix else []
    return Details(
        head=f"{finding.state.value}: {finding.requirement}",
        blocks=[Items([Span(text, limit=_EVIDENCE) for text in finding.seen], few=ALL), *change],
        tone=_TONES[finding.state],
    )
