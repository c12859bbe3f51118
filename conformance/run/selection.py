"""Which checks a run sends: the selected cases in each of their forms, one at a time."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from conformance.authoring.lint import refuse_wrong_cases
from conformance.judge.deviation import matches
from conformance.protocol.form import Form
from conformance.spec.case import Case, challenged
from conformance.spec.check import Check, default_forms_of, forms_of
from conformance.spec.choices import CaseSet, Choices, Expects
from conformance.spec.operator import Operator
from conformance.suite.case_file import CaseFamily
from conformance.suite.suite import Suite, chosen_of
from conformance.tensors.errors import SelectionError, nearest


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection(Choices):
    """The choices, restricted to single `checks`, by case id and form, if there are any."""

    checks: frozenset[tuple[str, Form]] = frozenset()

    @property
    def is_plain(self) -> bool:
        """Whether only the best checks of each operator version run: those of the default set, and nothing that is
        named beside operators.
        """
        return CaseSet.FULL not in self.sets and not self.is_sample and not self.is_narrowed

    @property
    def is_narrowed(self) -> bool:
        """Whether something other than operators and sets is named."""
        return any((self.cases, self.clauses, self.forms, self.dtypes, self.expects, self.checks))


def sets_included(widest: CaseSet) -> tuple[CaseSet, ...]:
    """The sets of a run that names one: `full` includes the default, the others are named alone."""
    return (CaseSet.DEFAULT, CaseSet.FULL) if widest is CaseSet.FULL else (widest,)


def sets_of_cases(sets: Collection[CaseSet]) -> tuple[CaseSet, ...]:
    """The sets in the words of case files, where the checks of `smoke` belong to the default set."""
    return tuple(CaseSet.DEFAULT if chosen is CaseSet.SMOKE else chosen for chosen in sets)


def families_selected(suite: Suite, selection: Selection) -> tuple[CaseFamily, ...]:
    """The families that may hold selected cases; patterns with a matrix product are matched case by case.

    Raises:
        SelectionError: no operator, clause or case has such a name.
    """
    _refuse_unknown_names(suite, selection)
    of_checks = {case.partition("[")[0] for case, _ in selection.checks}
    chosen = tuple(
        family
        for family in suite.families
        if family.set in sets_of_cases(selection.sets)
        and (not selection.operators or {family.operator.id, family.operator.family} & set(selection.operators))
        and (not selection.clauses or set(selection.clauses) & set(family.clauses()))
        and (not selection.expects or _expects(family) in selection.expects)
        and (not selection.cases or any(_may_match(family, pattern) for pattern in selection.cases))
        and (not of_checks or family.id in of_checks)
    )
    if not chosen:
        raise SelectionError("selection", "no case matches all of these options", fix="leave one of the options out")
    return chosen


def sound_families(suite: Suite, selection: Selection) -> tuple[CaseFamily, ...]:
    """The selected families, once the linter finds no problem in those that no release holds.

    Raises:
        SelectionError: as for `families_selected`.
        ExceptionGroup: of `CaseFileError`: a case is wrong.
    """
    chosen = families_selected(suite, selection)
    refuse_wrong_cases(suite, chosen)
    return chosen


def checks_of(families: Sequence[CaseFamily], selection: Selection) -> Iterator[Check]:
    """The checks in the order of the files, all forms of a case together.

    Raises:
        CaseFileError: a product has no meaning.
    """
    for case in cases_of(families, selection):
        yield from checks_of_case(case, selection)


def checks_of_case(case: Case, selection: Selection) -> list[Check]:
    """The checks of a selected case."""
    of_full = CaseSet.FULL in selection.sets
    forms = forms_of(case, selection.forms) if of_full else default_forms_of(case, selection.forms)
    return [Check(case, form) for form in forms if not selection.checks or (case.id, form) in selection.checks]


def cases_of(families: Sequence[CaseFamily], selection: Selection) -> Iterator[Case]:
    """The selected cases in the order of the files."""
    for family in families:
        for _, chosen in case_makers(family, selection):
            if (case := chosen()) is not None:
                yield case


def case_makers(family: CaseFamily, selection: Selection) -> Iterator[tuple[int, Callable[[], Case | None]]]:
    """The number of each product of a family, with a function that makes its case; None if it is not selected."""
    default = chosen_of(family.default) if selection.is_plain and family.default is not None else None

    def chosen(make: Callable[[], Case], bits: int | None) -> Case | None:
        case = make()
        if not _is_chosen(family, case, selection):
            return None
        if bits is not None:
            case = replace(case, default_bits=bits)
        return challenged(case, selection.challenge) if selection.challenge else case

    for number, make in family.makers(selection.dtypes):
        if default is None or number in default:
            yield number, partial(chosen, make, None if default is None else default[number])


def _is_chosen(family: CaseFamily, case: Case, selection: Selection) -> bool:
    """An id without a matrix product stands for all products."""
    has_type = not selection.dtypes or (case.data is not None and case.data.dtype in selection.dtypes)
    named = (matches(case.id, pattern) or matches(family.id, pattern) for pattern in selection.cases)
    if family.has_wrong_calls and selection.clauses and not set(selection.clauses) & set(case.clauses):
        return False
    return has_type and (not selection.cases or any(named))


def _expects(family: CaseFamily) -> Expects:
    if family.has_wrong_calls:
        return Expects.REJECTED
    return next(expects for expects in Expects if getattr(family.entry, expects.value) is not None)


def _may_match(family: CaseFamily, pattern: str) -> bool:
    beginning = re.split(r"[*?]", pattern, maxsplit=1)[0]
    if beginning == pattern:
        return family.id == pattern.partition("[")[0]
    return family.id.startswith(beginning) or beginning.startswith(f"{family.id}[")


def refuse_unknown_operators(operators: Collection[Operator], names: Iterable[str]) -> None:
    """Refuse names that no operator has, with or without a version.

    Raises:
        SelectionError: there is no such operator.
    """
    _refuse_unknown("operator", names, {name for one in operators for name in (one.id, one.family)})


def _refuse_unknown(kind: str, names: Iterable[str], known: Collection[str]) -> None:
    for name in names:
        if name not in known:
            fix = nearest(name, known, otherwise=f"there are {', '.join(sorted(known)[:8])}, ...")
            raise SelectionError(f"--{kind} {name!r}", f"there is no such {kind}", fix=fix)


def _refuse_unknown_names(suite: Suite, selection: Selection) -> None:
    refuse_unknown_operators(suite.operators, selection.operators)
    _refuse_unknown("clause", selection.clauses, {clause for one in suite.operators for clause in one.clauses})
    ids = [family.id for family in suite.families]
    for pattern in selection.cases:
        sets = {family.set for family in suite.families if _may_match(family, pattern)}
        if not sets:
            fix = nearest(pattern.partition("[")[0], ids, otherwise="`conformance list` shows all; use * and ?")
            raise SelectionError(f"--case {pattern!r}", "no case has such an id", fix=fix)
        if not sets & {*sets_of_cases(selection.sets)}:
            found = [case_set.value for case_set in CaseSet if case_set in sets]
            where = f"the set {found[0]!r}" if len(found) == 1 else f"the sets {' and '.join(map(repr, found))}"
            fix = f"add {' or '.join(f'`--set {name}`' for name in found)}"
            raise SelectionError(f"--case {pattern!r}", f"has cases only in {where}", fix=fix)
