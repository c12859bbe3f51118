"""The linter of case files, and of the deviations that speak of them: every problem at once, each with its place
and remedy.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from conformance.adapter_file import bundled_adapters
from conformance.case import Case, Disputed, Literals, Parts, Rejection, call_arguments, expected_outputs
from conformance.case_file import CaseFamily
from conformance.deviation import unmatched
from conformance.deviation_file import read_deviations
from conformance.errors import CaseFileError, nearest
from conformance.form_calls import calls_of, forms_of
from conformance.judge import differences_of
from conformance.reference import BrokenClauseError, evaluate
from conformance.suite import Suite
from conformance.tensor import Tensor
from conformance.yaml_document import KeyPath

MAX_COMPARED_BYTES = 64 << 20
"""Cases over larger data are not computed here: the run compares them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """What was looked at."""

    files: int
    families: int
    cases: int
    clauses: int
    compared: int


def check_suite(suite: Suite) -> tuple[Tally, list[CaseFileError]]:
    """What the suite holds, and everything that is wrong with its cases beyond the format of their files."""
    problems: list[CaseFileError] = []
    cases = compared = 0
    for family in suite.families:
        try:
            for case in family.cases():
                is_compared = case.data is None or case.data.nbytes <= MAX_COMPARED_BYTES
                problems += _unknown_clauses(family, case)
                problems += _unasked(family, case)
                problems += _meaningless(family, case) or (_disagreements(family, case) if is_compared else [])
                problems += _invalid_before_refusal(family, case)
                cases, compared = cases + 1, compared + is_compared
        except CaseFileError as error:
            problems.append(error)
    tally = Tally(
        files=len({family.document.path for family in suite.families}),
        families=len(suite.families),
        cases=cases,
        clauses=sum(len(operator.clauses) for operator in suite.operators),
        compared=compared,
    )
    return tally, list({str(problem): problem for problem in problems}.values())


def check_deviations(suite: Suite, folders: Iterable[Path]) -> list[CaseFileError]:
    """What is wrong with the deviations recorded in adapters' folders.

    Raises:
        ExceptionGroup: of `CaseFileError`: a file does not keep its format.
    """
    recorded = [(folder, read_deviations(folder)) for folder in folders]
    patterns = (pattern for _, entries in recorded for entry in entries for pattern in entry.cases)
    left = unmatched(patterns, suite.case_ids())
    return [
        CaseFileError(
            f"{folder.name}/deviations.yaml: {entry.id}",
            f"no case has an id like {pattern!r}",
            fix="correct or remove the pattern",
        )
        for folder, entries in recorded
        for entry in entries
        for pattern in entry.cases
        if pattern in left
    ]


def bundled_adapter_folders() -> list[Path]:
    """The folders whose deviations come with the suite."""
    return [adapter.folder for adapter in bundled_adapters()]


def _unknown_clauses(family: CaseFamily, case: Case) -> Iterator[CaseFileError]:
    named: list[tuple[KeyPath, str]] = [(("clauses", index), clause) for index, clause in enumerate(case.clauses)]
    match case.expectation:
        case Rejection(clause=clause):
            named.append((("rejected",), clause))
        case Disputed(interpretations=readings):
            named += [
                (("disputed", reading.name, "rejected"), reading.expectation.clause)
                for reading in readings
                if isinstance(reading.expectation, Rejection)
            ]
        case Parts() | Literals():
            pass
    for keys, clause in named:
        if clause not in family.operator.clauses:
            fix = nearest(clause, family.operator.clauses, otherwise="add it to operator.yaml, or narrow `versions`")
            yield family.problem(keys, f"{family.operator.id} has no clause {clause!r}", fix)


def _unasked(family: CaseFamily, case: Case) -> Iterator[CaseFileError]:
    """A case that would silently never be asked, since none of the forms that are written down fits it."""
    if not forms_of(case):
        what = f"{case.id} cannot be asked in the form {' or '.join(form.value for form in case.forms)}"
        yield family.problem(("forms",), what, "name another; in a matrix with `cover`, add an entry of `except`")


def _meaningless(family: CaseFamily, case: Case) -> list[CaseFileError]:
    """Arguments of another version in a case that nobody may refuse; stretches beyond the data."""
    may_be_refused = any(isinstance(reading, Rejection) for reading in _readings(case))
    foreign = [] if may_be_refused else _foreign_arguments(family, case)
    return [*foreign, *_bad_stretches(family, case)]


def _foreign_arguments(family: CaseFamily, case: Case) -> Iterator[CaseFileError]:
    for argument in case.arguments:
        roles = [parameter.role for parameter in case.operator.parameters_named(argument.name)]
        if argument.role not in roles:
            keys = ("arguments", argument.name)
            known = {parameter.name for parameter in case.operator.parameters}
            what = f"{case.operator.id} takes no {argument.role.value} {argument.name!r}"
            fix = f"it is an {roles[0].value} there; narrow `versions`" if roles else ""
            yield family.problem(keys, what, fix or nearest(argument.name, known, otherwise="narrow `versions`"))


def _bad_stretches(family: CaseFamily, case: Case) -> Iterator[CaseFileError]:
    stretches = [stretch for reading in _readings(case) if isinstance(reading, Parts) for stretch in reading.stretches]
    if not any(isinstance(reading, Parts) for reading in _readings(case)):
        return
    axis, data = case.axis_from_front, case.data
    keys = ("disputed",) if isinstance(case.expectation, Disputed) else ("outputs",)
    if axis is None or data is None:
        what = "outputs are stretches of the data, but the axis addresses no dimension of it"
        yield family.problem(keys, what, "write them as literal values, or mend the axis")
        return
    end = max((stop for _, stop in stretches), default=0)
    if end > data.shape[axis]:
        what = f"a stretch ends at {end}, but axis {axis} of the data has {data.shape[axis]}"
        yield family.problem(keys, what, "keep within the data")


def _disagreements(family: CaseFamily, case: Case) -> list[CaseFileError]:
    """The case against the NumPy reference: the two oracles must say the same."""
    keys: tuple[str, ...] = ("disputed",) if isinstance(case.expectation, Disputed) else ()
    try:
        computed: tuple[Tensor, ...] | BrokenClauseError = evaluate(
            case.operator.id, call_arguments(case), case.declared_outputs
        )
    except BrokenClauseError as error:
        computed = error
    except KeyError:
        return [family.problem((), f"the reference has no operator {case.operator.id}", "add it to reference.py")]
    if any(_agrees(reading, case, computed) for reading in _readings(case)):
        return []
    told = str(computed) if isinstance(computed, BrokenClauseError) else _shapes(computed)
    what = f"{case.id}: the reference answers otherwise: {told}"
    return [family.problem(keys, what, "one of the two misreads the page: mend it")]


def _invalid_before_refusal(family: CaseFamily, case: Case) -> Iterator[CaseFileError]:
    """The calls before one that is to be refused which are not valid themselves."""
    if isinstance(case.expectation, Rejection):
        for form in (form for form in forms_of(case) if form.has_other_calls):
            for call in calls_of(case, form)[:-1]:
                if _disagreements(family, call):
                    what = f"{case.id} cannot be asked in the form {form.value}: no valid call comes to mind before it"
                    yield family.problem(("forms",), what, "name another form")


def _agrees(
    reading: Parts | Literals | Rejection, case: Case, computed: tuple[Tensor, ...] | BrokenClauseError
) -> bool:
    if isinstance(reading, Rejection):
        return isinstance(computed, BrokenClauseError) and computed.clause == reading.clause
    if isinstance(computed, BrokenClauseError) or (isinstance(reading, Parts) and case.axis_from_front is None):
        return False
    return not differences_of(expected_outputs(reading, case), computed, 0)


def _readings(case: Case) -> Sequence[Parts | Literals | Rejection]:
    if isinstance(case.expectation, Disputed):
        return [reading.expectation for reading in case.expectation.interpretations]
    return [case.expectation]


def untested_clauses(suite: Suite) -> Iterator[CaseFileError]:
    """The clauses without a case; told only of a suite that was read whole."""
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
