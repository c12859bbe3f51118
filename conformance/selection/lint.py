"""The linter of case files and of recorded deviations: reports every problem with its place and remedy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from conformance.formats.case_file import CaseFamily
from conformance.formats.deviation_file import read_deviations
from conformance.formats.release_file import edited_families
from conformance.formats.sound_case import meaningless, mislabelled
from conformance.formats.suite import Suite
from conformance.judging.deviation import unmatched
from conformance.judging.judge import differences_of
from conformance.spec.case import Case, Disputed, Literals, Parts, Rejection, call_arguments, expected_outputs
from conformance.spec.form_steps import forms_of, steps_of
from conformance.spec.reference import BrokenClauseError, evaluate
from conformance.values.errors import CaseFileError
from conformance.values.tensor import Tensor

MAX_COMPARED_BYTES = 64 << 20
"""Cases with more data are not computed here: the run compares them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LintCounts:
    """How much the linter looked at."""

    files: int
    families: int
    cases: int
    clauses: int
    compared: int


def check_suite(suite: Suite) -> tuple[LintCounts, list[CaseFileError]]:
    """The size of the suite, and all problems of its cases beyond the format of their files."""
    problems: list[CaseFileError] = []
    cases = compared = 0
    for family in suite.families:
        try:
            for case in family.cases_as_written():
                problems += _problems_with(family, case)
                cases, compared = cases + 1, compared + _is_compared(case)
        except CaseFileError as error:
            problems.append(error)
    tally = LintCounts(
        files=len({family.document.path for family in suite.families}),
        families=len(suite.families),
        cases=cases,
        clauses=sum(len(operator.clauses) for operator in suite.operators),
        compared=compared,
    )
    return tally, list({str(problem): problem for problem in problems}.values())


def refuse_wrong_cases(suite: Suite, families: Sequence[CaseFamily]) -> None:
    """Refuse wrong cases, by which no target may be judged. Bundled cases as released need no check.

    Raises:
        ExceptionGroup: of `CaseFileError`: all problems that `check_suite` finds in these families.
    """
    doubted = edited_families(suite, families) if suite.is_bundled else tuple(families)
    _, problems = check_suite(replace(suite, families=doubted))
    if problems:
        raise ExceptionGroup(f"{len(problems)} problem(s) in {suite.root}", problems)


def check_deviations(suite: Suite, folders: Iterable[Path]) -> list[CaseFileError]:
    """The problems of the deviations recorded in adapters' folders.

    Raises:
        ExceptionGroup: of `CaseFileError`: a file does not keep its format.
    """
    recorded = [(folder, read_deviations(folder)) for folder in folders]
    patterns = (
        pattern for _, entries in recorded for entry in entries for pattern in (*entry.cases, *entry.exceptions)
    )
    left = unmatched(patterns, suite.case_ids())
    return [
        CaseFileError(
            f"{folder.name}/deviations.yaml: {entry.id}",
            f"no case has an id like {pattern!r}",
            fix="correct or remove the pattern",
        )
        for folder, entries in recorded
        for entry in entries
        for pattern in (*entry.cases, *entry.exceptions)
        if pattern in left
    ]


def _problems_with(family: CaseFamily, case: Case) -> Iterator[CaseFileError]:
    """All problems of a case; compares both oracles."""
    yield from mislabelled(family, case)
    found = [*meaningless(family, case)]
    yield from found
    if not found:
        yield from _disagreements(family, case) if _is_compared(case) else ()
        yield from _invalid_before_refusal(family, case)


def _is_compared(case: Case) -> bool:
    """Whether a case is small enough to be computed here."""
    return case.data is None or case.data.nbytes <= MAX_COMPARED_BYTES


def _disagreements(family: CaseFamily, case: Case) -> list[CaseFileError]:
    """Compares the case with the NumPy reference: both oracles must agree."""
    keys: tuple[str, ...] = ("disputed",) if isinstance(case.expectation, Disputed) else ()
    try:
        computed: tuple[Tensor, ...] | BrokenClauseError = evaluate(
            case.operator.id, call_arguments(case), case.declared_outputs
        )
    except BrokenClauseError as error:
        computed = error
    except KeyError:
        return [family.problem((), f"the reference has no operator {case.operator.id}", "add it to reference.py")]
    if any(_agrees(expected, case, computed) for expected in case.expectations):
        return []
    answer = str(computed) if isinstance(computed, BrokenClauseError) else _shapes(computed)
    what = f"{case.id}: the reference disagrees: {answer}"
    return [family.problem(keys, what, "either the case or the reference misreads the page: correct it")]


def _invalid_before_refusal(family: CaseFamily, case: Case) -> Iterator[CaseFileError]:
    """Steps before an invalid call that are not valid themselves."""
    if isinstance(case.expectation, Rejection):
        for form in (form for form in forms_of(case) if form.has_other_calls):
            for call in steps_of(case, form)[:-1]:
                if _disagreements(family, call):
                    needs = "needs a valid call before an invalid one, and none can be constructed"
                    what = f"{case.id}: the form {form.value} {needs}"
                    yield family.problem(("forms",), what, "name another form")


def _agrees(
    expected: Parts | Literals | Rejection, case: Case, computed: tuple[Tensor, ...] | BrokenClauseError
) -> bool:
    if isinstance(expected, Rejection):
        return isinstance(computed, BrokenClauseError) and computed.clause == expected.clause
    if isinstance(computed, BrokenClauseError) or (isinstance(expected, Parts) and case.axis_from_front is None):
        return False
    return not differences_of(expected_outputs(expected, case), computed, 0)


def untested_clauses(suite: Suite) -> Iterator[CaseFileError]:
    """The clauses without a case, if the whole suite was read."""
    tested = {(family.operator.id, clause) for family in suite.families for clause in family.entry.clauses}
    for operator in suite.operators:
        for clause in operator.clauses.values():
            if (operator.id, clause.id) not in tested:
                where = f"{suite.root.name}/{operator.dialect}/{operator.name}/operator.yaml: clauses.{clause.id}"
                yield CaseFileError(
                    where, f"no case of {operator.id} tests it", fix="add one, or narrow its `versions`"
                )


def _shapes(outputs: Sequence[Tensor]) -> str:
    return "outputs " + ", ".join(f"{tensor.dtype}{list(tensor.shape)}" for tensor in outputs)
