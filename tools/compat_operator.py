"""What the published data says of one operator version."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from conformance.compat.data import CompatClause, CompatEngine, CompatFeature, CompatOperator, Results
from conformance.compat.series import gathered
from conformance.formats.case_file import CaseFamily
from conformance.history.bisect import evidence_of
from conformance.history.store import StoredAnswer, letter_of, summed
from conformance.language.case import Case, Rejection, Value
from conformance.language.operator import Operator, Parameter, Role

AnswersOf = Mapping[str, Mapping[str, Sequence[StoredAnswer]]]
"""The answers to an operator version, by engine and release."""
_Part = tuple[str, ...]
"""A part of an operator version: "types", "refused", "forms" or "clauses" and names; empty for all of it."""
_Counts = Mapping[_Part, Mapping[str, Mapping[str, Counter[str]]]]
"""How many checks of a part have each letter, by engine and release."""


@dataclass(frozen=True, slots=True)
class CaseFacts:
    """The clauses of a case, and the names of the element types of its inputs: all of a valid call, and those that the
    page does not list of an invalid one. A call that may be rejected by one reading of the page has none.
    """

    clauses: Sequence[str] = ()
    types: Collection[str] = ()
    refused: Collection[str] = ()


def case_facts(families: Iterable[CaseFamily], asked: Collection[str]) -> dict[str, CaseFacts]:
    """The facts of the cases of these families that were asked; those that no family has are not known."""
    return {
        case: facts_of(make())
        for family in families
        for case, (_, make) in zip(family.ids(), family.makers(), strict=True)
        if case in asked
    }


def facts_of(case: Case) -> CaseFacts:
    """The facts of a case."""
    operator = case.operator
    named = {
        type_name(operator, parameter.name, argument.value.dtype): is_listed(operator, parameter, argument.value.dtype)
        for argument in case.arguments
        for parameter in operator.parameters_named(argument.name)
        if isinstance(argument.value, Value) and argument.role is parameter.role is Role.INPUT
    }
    if not case.may_be_rejected:
        return CaseFacts(case.clauses, tuple(named))
    is_clear = isinstance(case.expectation, Rejection)
    return CaseFacts(case.clauses, refused=[name for name, listed in named.items() if is_clear and not listed])


def is_listed(operator: Operator, parameter: Parameter, dtype: str) -> bool:
    """Whether the page of an operator version lists an element type for an input."""
    return dtype in operator.constraints[parameter.constraint or ""]


def type_name(operator: Operator, argument: str, dtype: str) -> str:
    """The name of an element type of an argument, as the published data has it."""
    return dtype if argument == operator.data[0] else f"{argument}={dtype}"


def operator_of(
    operator: Operator,
    suite: str,
    answers: AnswersOf,
    engines: Mapping[str, CompatEngine],
    families: Sequence[CaseFamily],
) -> CompatOperator:
    """The entry of an operator version; `suite` is the state of its files that the answers are to, and `families` are
    its cases.
    """
    asked = {one.case for by_version in answers.values() for given in by_version.values() for one in given}
    counts = _counts(answers, families, case_facts(families, asked))

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
    inputs = sorted(operator.inputs, key=lambda parameter: parameter.name != operator.data[0])
    return CompatOperator(
        spec_url=spec_url(operator),
        suite=suite,
        listed={one.name: list(operator.constraints[one.constraint or ""]) for one in inputs},
        evidence=evidence,
        results=results(),
        types=types,
        refused={dtype: results("refused", dtype) for dtype in _names(counts, "refused")},
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


def _counts(answers: AnswersOf, families: Iterable[CaseFamily], known: Mapping[str, CaseFacts]) -> _Counts:
    clauses = {family.id: CaseFacts(tuple(family.entry.clauses)) for family in families}
    found: defaultdict[_Part, defaultdict[str, defaultdict[str, Counter[str]]]]
    found = defaultdict(lambda: defaultdict(lambda: defaultdict(Counter)))
    for engine, by_version in answers.items():
        for version, given in by_version.items():
            for answer in given:
                letter = letter_of(answer.judged)
                facts = known.get(answer.case) or clauses.get(answer.case.partition("[")[0], CaseFacts())
                for part in _parts(answer.form.value, facts):
                    found[part][engine][version][letter] += 1
    return found


def _parts(form: str, facts: CaseFacts) -> Iterator[_Part]:
    """The parts of an operator version that an answer belongs to."""
    yield from ((), ("forms", form))
    for dtype in facts.types:
        yield from (("types", dtype), ("types", dtype, form))
    yield from (("refused", dtype) for dtype in facts.refused)
    yield from (("clauses", clause) for clause in facts.clauses)
