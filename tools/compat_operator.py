"""What the published data says of one operator version."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from conformance.compat.data import CompatClause, CompatEngine, CompatFeature, CompatOperator, Results
from conformance.compat.series import gathered
from conformance.history.cells import letter_of, summed
from conformance.history.evidence import evidence_of
from conformance.history.store import StoredAnswer
from conformance.language.operator import Operator

AnswersOf = Mapping[str, Mapping[str, Sequence[StoredAnswer]]]
"""The answers to an operator version, by engine and release."""
NO_DATA = "no data"
"""The element type of checks whose call has no data."""

_Part = tuple[str, ...]
"""A part of an operator version: "types", "forms" or "clauses" and names; empty for all of it."""
_Counts = Mapping[_Part, Mapping[str, Mapping[str, Counter[str]]]]
"""How many checks of a part have each letter, by engine and release."""


def operator_of(
    operator: Operator,
    suite: str,
    answers: AnswersOf,
    engines: Mapping[str, CompatEngine],
    clauses_of: Callable[[str], Sequence[str]],
) -> CompatOperator:
    """The entry of an operator version; `suite` is the state of its files that the answers are to."""
    counts = _counts(answers, clauses_of)

    def results(*part: str) -> Results:
        return {
            engine: gathered({version: str(summed(found)) for version, found in own.items()}, engines[engine].releases)
            for engine, own in counts.get(part, {}).items()
        }

    evidence = {
        engine: gathered({version: evidence_of(given) for version, given in own.items()}, engines[engine].releases)
        for engine, own in answers.items()
    }
    forms = {form: CompatFeature(results("forms", form)) for form in _names(counts, "forms")}
    types = {
        dtype: CompatFeature(
            results("types", dtype),
            {form: CompatFeature(results("types", dtype, form)) for form in _names(counts, "types", dtype)},
        )
        for dtype in _names(counts, "types")
    }
    clauses = {
        clause.id: CompatClause(clause.says, clause.section, results("clauses", clause.id))
        for clause in operator.clauses.values()
    }
    return CompatOperator(
        spec_url=spec_url(operator),
        suite=suite,
        evidence=evidence,
        results=results(),
        types=types,
        forms=forms,
        clauses=clauses,
    )


def in_order(operators: Iterable[Operator]) -> list[Operator]:
    """The operator versions as the published data has them: by operator, the oldest version first."""
    return sorted(operators, key=lambda operator: (operator.family, operator.version))


def spec_url(operator: Operator) -> str:
    """The page of an operator version: one of its own, or its part of the page of all versions."""
    first, own = operator.sources[0].url, f"-{operator.version}"
    of_version = (source.url for source in operator.sources if source.title.endswith(own))
    return next(of_version, f"{first}#{operator.name.lower()}{own}")


def _names(counts: _Counts, *above: str) -> list[str]:
    """The names of the parts below one."""
    return sorted({part[-1] for part in counts if part[:-1] == above})


def _counts(answers: AnswersOf, clauses_of: Callable[[str], Sequence[str]]) -> _Counts:
    found: defaultdict[_Part, defaultdict[str, defaultdict[str, Counter[str]]]]
    found = defaultdict(lambda: defaultdict(lambda: defaultdict(Counter)))
    for engine, by_version in answers.items():
        for version, given in by_version.items():
            for answer in given:
                letter = letter_of(answer.judged)
                for part in _parts(answer, clauses_of):
                    found[part][engine][version][letter] += 1
    return found


def _parts(answer: StoredAnswer, clauses_of: Callable[[str], Sequence[str]]) -> Iterator[_Part]:
    """The parts of an operator version that an answer belongs to."""
    dtype, form = answer.dtype or NO_DATA, answer.form.value
    yield from ((), ("forms", form), ("types", dtype), ("types", dtype, form))
    for clause in clauses_of(answer.case):
        yield "clauses", clause
