"""Probes of an adapter's answers: errors, rejections, and the bits of the outputs.

Wrong values are attributed to the backend unless another probe finds a fault of the adapter; only the last probe looks
at values alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from conformance.adapter_kit.adapter_check.answers import AnsweredCheck, digests, produced, right_runs
from conformance.adapter_kit.adapter_check.finding import Finding, State, found
from conformance.adapter_kit.adapter_check.requests import returns_special_data
from conformance.border.form import Form
from conformance.border.outcome import AdapterFailed, Crashed, Killed, Produced, RejectedOutcome, TimedOut, Unstable
from conformance.judging.judge import judge
from conformance.language.case import Case, Disputed, Expectation, ExpectedOutputs, Interpretation, expected_outputs

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
