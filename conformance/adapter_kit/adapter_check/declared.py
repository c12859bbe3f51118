"""Probes of an adapter's description: its names exist, the adapter answers what it declares, and declares all of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence

from packaging.version import InvalidVersion, Version

from conformance.adapter_kit.adapter_check.answers import AnsweredCheck, produced, right_runs
from conformance.adapter_kit.adapter_check.finding import Finding, State, found
from conformance.border.description import Description
from conformance.border.form import Form
from conformance.border.outcome import NotExpressibleOutcome, Produced, RejectedOutcome, UnsupportedOutcome
from conformance.language.operator import Operator, is_named
from conformance.values.dtypes import DTYPES

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
