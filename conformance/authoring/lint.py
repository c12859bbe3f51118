"""The linter of case files and of recorded deviations: reports every problem with its place and remedy."""

from __future__ import annotations

import signal
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from multiprocessing import get_context
from pathlib import Path

from conformance.authoring.disagreement import disagreement
from conformance.judge.deviation import FORM_GROUPS, Deviation, matches, read_deviations
from conformance.protocol.form import Form, Graph, Layout
from conformance.spec.case import Case, Disputed, Rejection
from conformance.spec.check import Check, forms_of, needs_of, steps_of
from conformance.spec.condition import holds
from conformance.spec.making.clear_case import left_open
from conformance.spec.operator import OpenCalls, Operator, is_named
from conformance.spec.reference import OPERATORS
from conformance.spec.twin import changes_of, is_valid, twin_of
from conformance.suite.adapter_file import edited_families
from conformance.suite.case_entry import CaseEntry
from conformance.suite.case_file import CaseFamily, WrittenPlace
from conformance.suite.case_product import argument_errors, clause_errors, unknown_names
from conformance.suite.suite import Suite
from conformance.suite.yaml_document import KeyPath
from conformance.tensors.errors import CaseFileError
from conformance.tensors.text import counted

MAX_COMPARED_BYTES = 64 << 20
"""Cases with more data are not computed here: the run compares them."""
_MANY_FILES = 8
"""So many that processes are worth their start."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LintCounts:
    """How many cases the linter looked at, and how many of them it compared with the reference."""

    cases: int
    compared: int


def check_files(suite: Suite) -> tuple[LintCounts, list[CaseFileError]]:
    """As `check_suite`, and the forms that no product runs; many files are checked on all cores."""
    files: dict[str, list[CaseFamily]] = {}
    for family in suite.families:
        files.setdefault(family.document.path, []).append(family)
    parts = [replace(suite, families=tuple(families)) for families in files.values()]
    if len(parts) < _MANY_FILES:
        found = list(map(_check_file, parts))
    else:
        ignoring = (signal.SIGINT, signal.SIG_IGN)  # the parent ends them
        with ProcessPoolExecutor(None, get_context("spawn"), signal.signal, ignoring) as pool:
            found = list(pool.map(_check_file, parts))
    tally = LintCounts(cases=sum(one.cases for one, _ in found), compared=sum(one.compared for one, _ in found))
    return tally, [problem for _, problems in found for problem in problems]


def _check_file(suite: Suite) -> tuple[LintCounts, list[CaseFileError]]:
    tally, problems = check_suite(suite)
    return tally, problems or list(dropped_forms(suite))


def check_suite(suite: Suite) -> tuple[LintCounts, list[CaseFileError]]:
    """How much the linter looked at, and all problems of the cases beyond the format of their files."""
    findings: list[_CaseProblem] = []
    cases = compared = 0
    for family in suite.families:
        try:
            for case in family.cases():
                product = case.id.removeprefix(family.id)
                findings += [_CaseProblem(family, product, problem) for problem in _problems_with(family, case)]
                cases, compared = cases + 1, compared + (_is_compared(case) and case.operator.id in OPERATORS)
        except CaseFileError as error:
            findings += [
                _CaseProblem(family, "", problem)
                for problem in (*map(family.at, unknown_names(family.operator, family.entry)), error)
            ]
        else:
            findings += [_CaseProblem(family, "", problem) for problem in family.unused_columns()]
    tally = LintCounts(cases=cases, compared=compared)
    return tally, _once_each(findings, Counter(family.place for family in suite.families))


@dataclass(frozen=True, slots=True)
class _CaseProblem:
    """A problem of one product of a case, such as `[cut=first]`, or of the whole case, in one operator version."""

    family: CaseFamily
    product: str
    problem: CaseFileError

    @property
    def key(self) -> tuple[str, str, str]:
        """Equal for the same problem in several versions and products."""
        problem = self.problem
        return (problem.where, self._of_any_version(problem.what), self._of_any_version(problem.fix))

    def _of_any_version(self, text: str) -> str:
        return text.replace(self.family.operator.id, self.family.operator.family)


def _once_each(findings: Sequence[_CaseProblem], versions: Mapping[WrittenPlace, int]) -> list[CaseFileError]:
    """Each problem once, with the versions and products that have it; `versions` is how many each case has."""
    groups: dict[tuple[str, str, str], list[_CaseProblem]] = {}
    for finding in findings:
        groups.setdefault(finding.key, []).append(finding)
    return [_joined(key, group, versions[group[0].family.place]) for key, group in groups.items()]


def _joined(key: tuple[str, str, str], group: Sequence[_CaseProblem], versions: int) -> CaseFileError:
    having = list(dict.fromkeys(finding.family.operator.version for finding in group))
    products = list(dict.fromkeys(finding.product for finding in group if finding.product))
    where, what, fix = key if len(having) > 1 else (key[0], group[0].problem.what, group[0].problem.fix)
    notes = []
    if versions > 1:
        notes.append(f"version {having[0]}" if len(having) == 1 else f"versions {_listed(having)}")
    if products:
        others = counted(len(products) - 1, "other product")
        notes.append(products[0] if len(products) == 1 else f"{products[0]} and {others}")
    return CaseFileError(where, f"{what} ({'; '.join(notes)})" if notes else what, fix=fix)


def _listed(numbers: Sequence[int]) -> str:
    return f"{', '.join(map(str, numbers[:-1]))} and {numbers[-1]}"


def refuse_wrong_cases(suite: Suite, families: Sequence[CaseFamily]) -> None:
    """Refuse wrong cases, by which no target may be judged. Bundled cases as released need no check.

    Raises:
        ExceptionGroup: of `CaseFileError`: all problems that `check_suite` finds in these families.
    """
    doubted = edited_families(suite, families) if suite.is_bundled else tuple(families)
    _, problems = check_suite(replace(suite, families=doubted))
    if problems:
        raise ExceptionGroup(f"{counted(len(problems), 'problem')} in {suite.root}", problems)


def check_deviations(suite: Suite, folders: Iterable[Path]) -> list[CaseFileError]:
    """The problems of the deviations recorded in adapters' folders.

    Raises:
        ExceptionGroup: of `CaseFileError`: a file does not keep its format.
    """
    return [problem for folder in folders for problem in _deviation_problems(suite, folder)]


def _deviation_problems(suite: Suite, folder: Path) -> Iterator[CaseFileError]:
    entries, place = read_deviations(folder), f"{folder.name}/deviations.yaml"
    for entry in entries:
        for what in _unknown_names(suite, entry):
            yield CaseFileError(f"{place}: {entry.id}", what, fix="correct or remove the name")
        if what := _wrong_witness(suite, entry):
            yield CaseFileError(f"{place}: {entry.id}", what, fix="name a check of which `when` is true")
    for entry, form in _unmet_forms(suite, entries):
        what = f"no case of which `when` is true can be in the form {form.value!r}"
        yield CaseFileError(f"{place}: {entry.id}", what, fix=f"remove the form, which needs {needs_of(form)}")


def _unknown_names(suite: Suite, entry: Deviation) -> Iterator[str]:
    """The operators and clauses of an entry that the suite does not have."""
    named = {one: [item for item in suite.operators if matches(item.id, one)] for one in entry.operators}
    yield from (f"no operator version is named {pattern!r}" for pattern, found in named.items() if not found)
    clauses = {clause for found in named.values() for operator in found for clause in operator.clauses}
    yield from (
        f"none of its operators has a clause {one!r}" for one in entry.clauses if clauses and one not in clauses
    )


def _wrong_witness(suite: Suite, entry: Deviation) -> str:
    """What is wrong with a witness of one of the suite's operators; empty if nothing is."""
    witness = entry.witness
    if witness is None or not any(witness.case.startswith(f"{operator.id}/") for operator in suite.operators):
        return ""
    named = (family for family in suite.families if family.id == witness.case.partition("[")[0])
    case = next((case for family in named for case in family.cases() if case.id == witness.case), None)
    if case is None or witness.form not in forms_of(case):
        return f"no case {witness.case!r} has the form {witness.form.value!r}"
    return "" if entry.covers(Check(case, witness.form)) else f"it does not cover its witness {witness.case!r}"


def _problems_with(family: CaseFamily, case: Case) -> Iterator[CaseFileError]:
    """All problems of a case; compares both oracles."""
    yield from map(family.at, clause_errors(case))
    found = [family.at(error) for error in argument_errors(case)]
    yield from found
    if not found:
        yield from _disagreements(family, case) if _is_compared(case) else ()
        yield from _invalid_before_rejection(family, case)
        yield from _without_twin(family, case) if _is_compared(case) else ()


def _is_compared(case: Case) -> bool:
    """Whether a case is small enough to be computed here."""
    return case.data is None or case.data.nbytes <= MAX_COMPARED_BYTES


def _disagreements(family: CaseFamily, case: Case) -> list[CaseFileError]:
    """Compares the case with the NumPy reference: both oracles must agree."""
    try:
        found = disagreement(case)
    except KeyError:
        return [family.problem((), f"the reference has no operator {case.operator.id}", "add it to reference.py")]
    return [] if found is None else [family.problem(found.keys, found.what, found.fix)]


def _invalid_before_rejection(family: CaseFamily, case: Case) -> Iterator[CaseFileError]:
    """Steps before an invalid call that are not valid themselves."""
    if isinstance(case.expectation, Rejection):
        for form in (form for form in forms_of(case) if form.has_other_calls):
            for call in steps_of(case, form)[:-1]:
                if _disagreements(family, call):
                    needs = "needs a valid call before an invalid one, and none can be constructed"
                    what = f"the form {form.value} {needs}"
                    yield family.problem(("forms",), what, "name another form")


def dropped_forms(suite: Suite) -> Iterator[CaseFileError]:
    """The forms that a case names and no product of it can run, in any version of its operator."""
    families: dict[WrittenPlace, list[CaseFamily]] = {}
    for family in suite.families:
        if family.entry.forms or family.entry.forms_in_turn:
            families.setdefault(family.place, []).append(family)
    for group in families.values():
        cases = [(case.forms, forms_of(case)) for family in group for case in family.cases()]
        run = {form for _, forms in cases for form in forms}
        for form in dict.fromkeys(form for named, _ in cases for form in named if form not in run):
            what = f"no product of the case runs in the form {form.value!r}"
            fix = f"remove the form, or give the case {needs_of(form)}"
            yield group[0].problem(_place_of(form, group[0].entry), what, fix)


def _place_of(form: Form, entry: CaseEntry) -> KeyPath:
    """The keys under which a case names a form."""
    for key, written in (("forms", entry.forms), ("forms_in_turn", entry.forms_in_turn)):
        if isinstance(written, list) and form in written:
            return key, written.index(form)
    return ("forms",) if entry.forms else ("forms_in_turn",)


def _without_twin(family: CaseFamily, case: Case) -> Iterator[CaseFileError]:
    """An invalid case whose rejection nothing can be compared with."""
    if not isinstance(case.expectation, Rejection):
        return
    twin = twin_of(case)
    if twin is None:
        what = "no valid call near it is found, so a rejection of it would show nothing"
        yield family.problem(("rejected",), what, "add the arguments that make it valid, as `twin: {axis: 0}`")
    elif not is_valid(twin):
        what = f"the call with {changes_of(case, twin) or 'the same arguments'} is not valid, either"
        yield family.problem(("twin",), what, "write the arguments of the valid call nearest to the case")


def untested_clauses(suite: Suite) -> Iterator[CaseFileError]:
    """The clauses without a case, of operators that the suite defines itself, if the whole suite was read."""
    tested = {(family.operator.id, clause) for family in suite.families for clause in family.clauses()}
    for operator in suite.operators:
        for clause in () if suite.borrows(operator) else operator.clauses.values():
            if (operator.id, clause.id) not in tested:
                where = suite.place_in_description(operator, f"clauses.{clause.id}")
                yield CaseFileError(
                    where, f"no case of {operator.id} tests it", fix="add one, or narrow its `versions`"
                )


def open_problems(suite: Suite) -> Iterator[CaseFileError]:
    """Disputed calls that no `open:` of their operator holds for, and each `open:` without a call on either side of it,
    of operators that the suite defines itself.
    """
    families: dict[str, list[CaseFamily]] = {}
    for family in suite.families:
        families.setdefault(family.operator.id, []).append(family)
    for operator in suite.operators:
        if not suite.borrows(operator):
            yield from _open_problems(operator, families.get(operator.id, []), suite)


def _open_problems(operator: Operator, families: Sequence[CaseFamily], suite: Suite) -> Iterator[CaseFileError]:
    disputed: set[OpenCalls] = set()
    for family in (family for family in families if family.entry.disputed):
        for case in filter(_is_about_the_call, family.cases()):
            found = [calls for form in forms_of(case) for calls in left_open(case, form)]
            disputed.update(found)
            if not found:
                what = f"nothing under `open` in {operator.name}/operator.yaml is true of {case.id}"
                yield family.problem(("disputed",), what, "add what the page leaves open, or expect one answer")
    definite = (case for family in families if not family.entry.disputed for case in family.cases())
    unmet = set(operator.open)
    for outside in definite:
        unmet &= {*left_open(outside)}
        if not unmet:
            break
    for number, calls in enumerate(operator.open):
        where = suite.place_in_description(operator, f"open.{number}")
        if calls not in disputed:
            what = f"no disputed case of {operator.id} is inside: {calls.says}"
            yield CaseFileError(where, what, fix="add one, or narrow its `versions`")
        if calls in unmet:
            yield CaseFileError(
                where, f"no case of {operator.id} is outside: {calls.says}", fix="add one, or narrow `when`"
            )


def _is_about_the_call(case: Case) -> bool:
    """Whether a dispute is about what the operator does, not about the bits of a NaN or another node."""
    is_of_nans = isinstance(case.expectation, Disputed) and any(
        one.nan_payloads_may_differ for one in case.expectation.interpretations
    )
    return not is_of_nans and any(form.properties.graph is Graph.NONE for form in forms_of(case))


@dataclass
class _FormSearch:
    """The forms of an entry that no case has met yet; `is_met` is whether its condition was true of any case."""

    entry: Deviation
    unmet: set[Form]
    is_met: bool = False

    def look_at(self, check: Check) -> None:
        """Strike a form out, and with it the group that the entry may have named."""
        if check.form in self.unmet and any(holds(self.entry.when, facts) for facts in check.facts):
            named = {form.value for form in self.entry.forms}
            groups = [group for group in FORM_GROUPS.values() if {check.form.value} <= {*group} <= named]
            self.unmet -= {check.form, *(Form(name) for group in groups for name in group)}
            self.is_met = True


def _unmet_forms(suite: Suite, entries: Iterable[Deviation]) -> Iterator[tuple[Deviation, Form]]:
    """The forms that entries name in vain: no call of which the condition is true can be in them, as far as the cases
    tell. Of a group of forms, one is enough.

    An entry of which the cases meet no form is left out. So are forms that the data decides, which can be any.
    """
    searches = [_FormSearch(entry, {form for form in entry.forms if _is_of_arguments(form)}) for entry in entries]
    for family in suite.families:
        asked = [one for one in searches if one.unmet and is_named(family.operator.id, one.entry.operators)]
        for case in family.cases() if asked else ():
            wanted = {form for one in asked for form in one.unmet}
            if not wanted:
                break
            for form in forms_of(replace(case, forms=tuple(wanted))):
                check = Check(case, form)
                for search in asked:
                    search.look_at(check)
    return ((one.entry, form) for one in searches if one.is_met for form in Form if form in one.unmet)


def _is_of_arguments(form: Form) -> bool:
    row = form.properties
    return not row.has_other_calls and row.graph is Graph.NONE and row.layout is Layout.CONTIGUOUS
