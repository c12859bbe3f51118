"""Probes of an adapter's answers: errors, rejections, and the bits of the outputs.

Wrong values are attributed to the backend unless another probe finds a fault of the adapter; only the last probe looks
at values alone.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from packaging.version import InvalidVersion, Version

from conformance.adapter_kit.interview import (
    AnsweredCheck,
    Finding,
    Interview,
    State,
    digests,
    found,
    produced,
    returns_special_data,
    right_runs,
)
from conformance.judge.judge import judge
from conformance.protocol.form import Form
from conformance.protocol.outcome import (
    AdapterFailed,
    Crashed,
    Description,
    Killed,
    NotExpressibleOutcome,
    Produced,
    RejectedOutcome,
    TimedOut,
    Unstable,
    UnsupportedOutcome,
)
from conformance.spec.case import Case, Disputed, Expectation, ExpectedOutputs, Interpretation, expected_outputs
from conformance.spec.operator import Operator, is_named
from conformance.tensors.dtypes import DTYPES

_FRAMEWORK_DOES_SO = "if the framework itself does this, record it in deviations.yaml"


def lives(answers: Sequence[AnsweredCheck], ended_early: str = "") -> Finding:
    """Whether no request crashes the process or times out; `ended_early` says why not all were made."""
    seen = [ended_early] if ended_early else []
    for item in answers:
        match item.outcome:
            case Crashed(death=death):
                seen.append(f"{item}: the process died, {death}")
            case Killed(death=death):
                seen.append(f"{item}: the process was killed twice, {death}")
            case TimedOut(limit_s=limit):
                seen.append(f"{item}: no answer within {limit:g} s")
            case Unstable(first=first, alone=alone):
                seen.append(f"{item}: {first}; alone in a fresh process: {alone}")
            case _:
                continue
    fix = "make the same call without the adapter; if it crashes, too, record it in deviations.yaml"
    return found("It survives every request.", seen, fix)


def fails_nowhere(answers: Sequence[AnsweredCheck]) -> Finding:
    """Whether every answer is well-formed, and no error is the adapter's own."""
    seen = [f"{item}: {item.outcome.message}" for item in answers if isinstance(item.outcome, AdapterFailed)]
    fix = "wrap the framework's own error types, and those alone, in `Rejected`; fix errors of the adapter itself"
    if any("read-only" in line for line in seen):
        fix = "never write to the inputs; if the framework works in place, pass it a copy"
    elif any("neither a NumPy array nor a Tensor" in line or "not iterable" in line for line in seen):
        fix = "return the outputs in order, each as a NumPy array or a `Tensor`"
    return found("It raises no error of its own, and returns arrays.", seen, fix)


def rejects_in_the_frameworks_name(answers: Sequence[AnsweredCheck]) -> Finding:
    """Whether every rejection has a message."""
    refusals = [(item, item.outcome) for item in answers if isinstance(item.outcome, RejectedOutcome)]
    seen = [f"{item} is rejected without a message" for item, outcome in refusals if not outcome.message.strip()]
    return found("It rejects with the framework's message.", seen, "pass the framework's own message on")


def rejects_no_valid_call(answers: Sequence[AnsweredCheck]) -> Finding:
    """Whether no operator or type has all its valid calls rejected; the rejection of some calls is a note."""
    requirement = "It rejects no valid call."
    valid = [item for item in answers if item.is_valid]
    refused = [(item, item.outcome) for item in valid if isinstance(item.outcome, RejectedOutcome)]
    taken = [item for item in valid if not isinstance(item.outcome, RejectedOutcome)]
    if refused and not taken:
        item, outcome = refused[0]
        seen = [f"all {len(valid)} valid calls are rejected, the first, {item}, with: {outcome.message}"]
        return found(requirement, seen, f"check how the call is built; {_FRAMEWORK_DOES_SO}")
    names = {name for item in taken for name in _names_of(item)}
    first = {name: pair for pair in reversed(refused) for name in _names_of(pair[0]) if name not in names}
    if first:
        seen = [
            f"every valid call of {name} is rejected, the first, {item}, with: {outcome.message}"
            for name, (item, outcome) in sorted(first.items())
        ]
        fix = f"declare it no longer, or raise `Unsupported`, or check how the call is built; {_FRAMEWORK_DOES_SO}"
        return found(requirement, seen, fix)
    seen = [f"{item} is rejected: {outcome.message}" for item, outcome in refused]
    fix = f"nothing, if the framework itself rejects the call; {_FRAMEWORK_DOES_SO}"
    return found(requirement, seen, fix, State.NOTE, among=valid)


def _names_of(item: AnsweredCheck) -> list[str]:
    """The operator of a call and the type of its data, if it has data."""
    return [item.check.case.operator.id, *([f"the type {item.dtype}"] if item.dtype else [])]


def answers_nothing_invalid(answers: Sequence[AnsweredCheck]) -> Finding:
    """Whether no invalid call gets outputs; a note, since a framework that validates little does so by itself."""
    invalid = [item for item in answers if item.broken_clause]
    seen = [f"{item} breaks {item.broken_clause}, and was answered" for item, _ in produced(invalid)]
    fix = f"pass every argument on unchanged; {_FRAMEWORK_DOES_SO}"
    return found("It answers no call that must be rejected.", seen, fix, State.NOTE, among=invalid)


def keeps_types(answers: Sequence[AnsweredCheck]) -> Finding:
    """Whether the outputs of valid calls have the type that their page requires."""
    seen = [
        f"{item}: {want.dtype} came back as {have.dtype}"
        for item, outcome in produced(item for item in answers if item.is_valid)
        for step, run in zip(item.check.steps, outcome.runs, strict=False)
        for want, have in zip(expected_outputs(step.expectation, step), run, strict=False)
        if have.dtype != want.dtype
    ]
    fix = "cast nothing; if NumPy lacks the type, return a `Tensor` of the bytes"
    return found("It returns outputs in the type of the data.", seen, fix)


def passes_data_on(answers: Sequence[AnsweredCheck], recorded: Sequence[AnsweredCheck]) -> Finding:
    """Whether calls that return their data return every bit of it, for each type.

    A type is named if no operator returns its data: then the way of the data in and out is broken, not an operator.
    Types whose fault is `recorded` as the framework's are left out. Changed bits of NaNs alone are a note: pages leave
    them open, and frameworks change them, too.
    """
    requirement = "It passes the data of each type on unchanged, in and out."
    identities = [pair for pair in produced(answers) if returns_special_data(pair[0].check.case)]
    wrong = [pair for pair in identities if not all(right_runs(*pair))]
    changed = {_way(item) for item, _ in wrong}
    returned = {item.dtype for item, _ in identities if _way(item) not in changed}
    returned |= {item.dtype for item in recorded if returns_special_data(item.check.case)}
    broken = [(item, outcome) for item, outcome in wrong if item.dtype not in returned]
    worse = [pair for pair in broken if not _differs_in_nans_alone(*pair)]
    causes = [(item, judge(item.check.steps, outcome).cause) for item, outcome in worse or broken]
    seen = [f"{item.dtype}: {item} returns other data: {cause}" for item, cause in causes]
    fix = f"convert nothing on the way in or out: neither types nor NaNs nor the order of bytes; {_FRAMEWORK_DOES_SO}"
    return found(requirement, seen, fix, State.PROBLEM if worse else State.NOTE, among=identities)


def _way(item: AnsweredCheck) -> tuple[str, str]:
    """The type and the operator of a call."""
    return item.dtype, item.check.case.operator.id


def _differs_in_nans_alone(item: AnsweredCheck, outcome: Produced) -> bool:
    """Whether the outputs are right but for the payloads of NaNs."""
    steps = [replace(step, expectation=_with_any_nans(step)) for step in item.check.steps]
    return not judge(steps, outcome).verdict.is_difference


def _with_any_nans(step: Case) -> Expectation:
    if not isinstance(step.expectation, ExpectedOutputs):
        return step.expectation
    of_step = Interpretation(name="any NaNs", reason="", expectation=step.expectation, nan_payloads_may_differ=True)
    return Disputed((of_step,))


def answers_alike_twice(answers: Sequence[AnsweredCheck]) -> Finding:
    """Whether the same call, run twice, gives the same bits."""
    twice = [pair for pair in produced(answers) if pair[0].check.form is Form.SAME_CALL_TWICE]
    seen = [str(item) for item, outcome in twice if digests(outcome)[0] != digests(outcome)[-1]]
    requirement = "It answers the same call twice with the same bits."
    return found(requirement, seen, "keep nothing between calls", among=twice)


def leaves_earlier_outputs_alone(answers: Sequence[AnsweredCheck]) -> Finding:
    """Whether a later call neither changes earlier outputs nor returns them again."""
    twice = [pair for pair in produced(answers) if pair[0].check.form.has_other_calls and pair[0].is_valid]
    seen = []
    for item, outcome in twice:
        are_right, gave = right_runs(item, outcome), digests(outcome)
        if any(are_right) and not all(are_right):
            number, what = are_right.index(False), "was right, but a later call changed its outputs"
            if gave[number] in gave[:number]:
                what = "returned the outputs of an earlier call"
            seen.append(f"{item}: call {number + 1} {what}")
    fix = "copy outputs whose memory the framework uses again; keep no values of one call for the next"
    requirement = "A later call does not change earlier outputs, and returns new ones."
    return found(requirement, seen, fix, among=twice)


def leaves_inputs_alone(answers: Sequence[AnsweredCheck]) -> Finding:
    """Whether inputs are unchanged after a run."""
    seen = [
        f"{item}: {', '.join(outcome.provenance.changed_inputs)} changed"
        for item, outcome in produced(answers)
        if outcome.provenance.changed_inputs
    ]
    return found("It leaves its inputs alone.", seen, "if the framework works in place, pass it a copy")


def says_where_it_ran(answers: Sequence[AnsweredCheck]) -> Finding:
    """Whether answers name the device, provider or kernel."""
    silent = [item for item, outcome in produced(answers) if not outcome.provenance.ran_on]
    seen = [f"{len(silent)} answers do not"] if silent else []
    fix = "name device, provider or kernel in `ran_on`, so that no fallback goes unnoticed"
    return found("It says where it ran.", seen, fix, State.NOTE)


def is_right(answers: Sequence[AnsweredCheck]) -> Finding:
    """Whether valid calls get correct outputs; if none does, the adapter probably builds the call wrongly."""
    requirement = "It answers valid calls as their page says."
    answered = [pair for pair in produced(answers) if pair[0].is_valid]
    wrong = [item for item, outcome in answered if not all(right_runs(item, outcome))]
    if answered and len(wrong) == len(answered):
        seen = [f"none of {len(wrong)} answers is right, the first to {wrong[0]}"]
        return found(requirement, seen, "look first at the names, the order and the axis of the call")
    seen = [f"{len(wrong)} of {len(answered)} answers are not right, the first to {wrong[0]}"] if wrong else []
    fix = "nothing here, unless a probe above says so; `conformance run` shows each difference"
    return found(requirement, seen, fix, State.NOTE, among=answered)


# Probes of an adapter's description: its names exist, the adapter answers what it declares, and declares all of it.

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


def answers_what_it_declares(described: Description, answers: Iterable[AnsweredCheck]) -> Finding:
    """Whether the adapter answers at least one valid call of every form, type and operator that it declares.

    Types are not probed if the adapter names none: it claims nothing about them.
    """
    valid = [item for item in answers if item.is_valid]
    seen = []
    if described.dtypes is not None:
        seen += [f"type {line}" for line in _unexplained(valid, lambda item: item.dtype)]
    seen += [f"operator {line}" for line in _unexplained(valid, lambda item: item.check.case.operator.id)]
    inexpressible = [item for item in valid if not isinstance(item.outcome, UnsupportedOutcome)]
    seen += [f"form {line}" for line in _unexplained(inexpressible, lambda item: item.check.form.value)]
    return found("It answers what it declares.", seen, "remove what it cannot do from the description", among=valid)


def answers_each_operator_in_each_form(answers: Iterable[AnsweredCheck]) -> Finding:
    """Whether an operator version of which some valid calls are taken has one in each form with several; a note,
    because no description can leave such a kind of calls out.
    """
    kinds: dict[tuple[str, str], list[AnsweredCheck]] = {}
    valid = [item for item in answers if item.is_valid]
    taken = {item.check.case.operator.id for item in valid if _refusal(item) is None}
    for item in valid:
        if item.check.case.operator.id in taken:
            kinds.setdefault((item.check.case.operator.id, item.check.form.value), []).append(item)
    seen = [
        f"all {len(items)} valid calls of {operator} in the form {form} are refused, the first, {items[0]}: "
        f"{_refusal(items[0])}"
        for (operator, form), items in kinds.items()
        if len(items) > 1 and all(map(_refusal, items))
    ]
    fix = "check how these calls are built, or raise `NotExpressible` for them"
    return found("It takes calls of each operator in each form.", seen, fix, State.NOTE)


def declares_what_it_answers(described: Description, undeclared: Sequence[AnsweredCheck]) -> Finding:
    """Whether the adapter answers nothing that it does not declare: that counts as unsupported and hides its faults."""
    right = [(item, all(right_runs(item, outcome))) for item, outcome in produced(undeclared)]
    seen = [f"it answers {item}{'' if is_right else ', wrongly'}" for item, is_right in right]
    deviating = {_undeclared(described, item) for item, is_right in right if not is_right}
    deviating |= {_undeclared(described, item) for item in undeclared if not _is_harmless(item)}
    named = dict.fromkeys(name for item, _ in right if (name := _undeclared(described, item)) not in deviating)
    operators, dtypes = [name for name in named if name not in DTYPES], [name for name in named if name in DTYPES]
    lines = [f"operators={json.dumps([*described.operators, *operators])}"] if operators else []
    lines += [f"dtypes={json.dumps([*(described.dtypes or ()), *dtypes])}"] if dtypes else []
    otherwise = "raise `Unsupported` or `NotExpressible` for it"
    fix = f"write in `describe`: {', '.join(lines)}; or {otherwise}" if lines else otherwise
    return found("It declares what it answers.", seen, fix)


def _undeclared(described: Description, item: AnsweredCheck) -> str:
    """What a call has that the description does not: its operator, or else its type."""
    operator = item.check.case.operator.id
    return item.dtype if is_named(operator, described.operators) else operator


def _unexplained(answers: Iterable[AnsweredCheck], key: Callable[[AnsweredCheck], str]) -> Iterator[str]:
    by_key: dict[str, list[AnsweredCheck]] = {}
    for item in answers:
        by_key.setdefault(key(item), []).append(item)
    for name, items in by_key.items():
        words = [_words(item) for item in items]
        if name and None not in words:
            yield f"{name}: {items[0]}: {words[0]}"


def _is_harmless(item: AnsweredCheck) -> bool:
    """Whether an adapter may declare what a call is of: it answers, or says itself that it does not."""
    return isinstance(item.outcome, Produced) or _words(item) is not None


def _refusal(item: AnsweredCheck) -> str | None:
    """Why a call is refused, by the adapter or its framework; None if it is not."""
    return item.outcome.message if isinstance(item.outcome, RejectedOutcome) else _words(item)


def _words(item: AnsweredCheck) -> str | None:
    """The adapter's statement that it does not support the call; None if it made none."""
    match item.outcome:
        case UnsupportedOutcome(message=message):
            return f"unsupported, {message}"
        case NotExpressibleOutcome(message=message):
            return f"not expressible, {message}"
        case _:
            return None


# Probes of the adapter's process: how it starts, answers and ends.

_SLOW_START_S = 30.0


def starts(interview: Interview) -> Finding:
    """Whether the adapter starts, within _SLOW_START_S seconds."""
    requirement = "It starts, and says what it is."
    if interview.description is None:
        return found(requirement, [interview.broken_off], "")
    seen = [f"it took {interview.start_s:.0f} s, and is started again after each crash"]
    fix = "import what is needed and nothing more in `__init__`, and compile nothing there"
    return found(requirement, seen if interview.start_s > _SLOW_START_S else [], fix)


def speaks_the_protocol(interview: Interview) -> Finding:
    """Whether each request got one answer, in order, with nothing between them."""
    seen = [interview.broken_off] if interview.broken_off else []
    fix = "answer each request once, in order, and keep standard output for that (docs/reference/protocol.md)"
    return found("It answers every request once, in order, with nothing between answers.", seen, fix)


def ends(interview: Interview) -> Finding:
    """Whether the process ends when its input does, and leaves no other process behind."""
    seen = [f"left behind: process {line}" for line in interview.left_behind]
    if interview.was_killed:
        seen.append("it did not end when its input did, and was killed")
    return found("It ends when its input ends, and leaves no process behind.", seen, "end every process that it starts")


def is_quiet(interview: Interview) -> Finding:
    """Whether nothing is printed to standard error, which also receives a Python adapter's standard output."""
    lines = [line.strip() for line in interview.written.splitlines() if line.strip()]
    seen = [f"its last line: {lines[-1]}"] if lines else []
    fix = "turn logging down; in another language than Python a line on standard output breaks the protocol"
    return found("It prints nothing.", seen, fix, State.NOTE)


# All probes, in the order in which an author should fix findings. They judge an interview and run no check.


def findings(interview: Interview, operators: Sequence[Operator]) -> list[Finding]:
    """The finding of each probe; only that of `starts` if the adapter did not. `operators` are those of the suite."""
    described, answers = interview.description, interview.answers
    if described is None:
        return [starts(interview)]
    return [
        starts(interview),
        names_its_version(described),
        declares_what_there_is(described, operators),
        speaks_the_protocol(interview),
        lives(answers, interview.ended_early),
        fails_nowhere(answers),
        rejects_in_the_frameworks_name(answers),
        rejects_no_valid_call(answers),
        answers_nothing_invalid(answers),
        answers_what_it_declares(described, (*answers, *interview.recorded)),
        answers_each_operator_in_each_form((*answers, *interview.recorded)),
        declares_what_it_answers(described, interview.undeclared),
        passes_data_on(answers, interview.recorded),
        keeps_types(answers),
        answers_alike_twice(answers),
        leaves_earlier_outputs_alone(answers),
        leaves_inputs_alone(answers),
        ends(interview),
        is_quiet(interview),
        says_where_it_ran(answers),
        is_right(answers),
    ]
