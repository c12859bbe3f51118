"""The linter of case files and of recorded deviations: reports every problem with its place and remedy."""

from __future__ import annotations

import signal
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from multiprocessing import get_context
from pathlib import Path

from conformance.judge.deviation import FORM_GROUPS, Deviation, matches, read_deviations
from conformance.judge.hypotheses import bits_of_each
from conformance.judge.judge import Difference, Mismatch, acceptance_of, differences_of
from conformance.protocol.form import Form, Graph, Layout
from conformance.spec.broken_clause import BrokenClauseError
from conformance.spec.case import (
    Case,
    Disputed,
    ExpectedOutputs,
    Lawful,
    Literals,
    Parts,
    Rejection,
    call_arguments,
    expected_outputs,
    lawful_outputs_of,
)
from conformance.spec.check import Check, forms_of, needs_of, steps_of
from conformance.spec.condition import holds
from conformance.spec.control import changes_of, is_valid, twin_of
from conformance.spec.expression import LawError
from conformance.spec.making.call import Asked, choices_of
from conformance.spec.making.clear_case import can_be_judged, clear_case, left_open
from conformance.spec.making.setting import Dice
from conformance.spec.operator import OpenCalls, Operator, is_named
from conformance.spec.reference import OPERATORS, evaluate
from conformance.suite.adapter_file import edited_families
from conformance.suite.case_entry import CaseEntry
from conformance.suite.case_file import CaseFamily, WrittenPlace
from conformance.suite.case_product import argument_errors, clause_errors, unknown_names
from conformance.suite.suite import Suite
from conformance.suite.yaml_file import KeyPath, SchemaError
from conformance.tensors.dtypes import Category
from conformance.tensors.errors import CaseFileError
from conformance.tensors.tensor import Tensor, array_from_tensor, unpack_integers
from conformance.tensors.text import counted, index_text, one_line

# Where a case and one of its two oracles disagree, what each of them says, and what to write instead. `comparisons`
# lets the oracles judge each other: it compares the law of an operator with its reference on calls that are made from
# random choices of what the arguments can be.

_OUTPUTS_SHOWN = 6
_CHARACTERS = 80

_Computed = tuple[Tensor, ...] | BrokenClauseError


def disagreement(case: Case) -> SchemaError | None:
    """How one of the two oracles, the law and the reference, contradicts a case; None if each computes one of its
    expectations.

    The law alone is the oracle of a valid call of an operator that the reference does not have.

    Raises:
        KeyError: the operator has no reference, and either no law, or the page may forbid the call.
    """
    has_law_alone = case.operator.law is not None and not case.may_be_rejected and case.operator.id not in OPERATORS
    return (None if has_law_alone else _reference_disagreement(case)) or _law_disagreement(case)


def _law_disagreement(case: Case) -> SchemaError | None:
    """A law speaks only of calls that every reading of the page allows. An expectation of its own agrees with it."""
    is_lawful = any(isinstance(expected, Lawful) for expected in case.expectations)
    if case.operator.law is None or case.may_be_rejected or is_lawful:
        return None
    try:
        answer = lawful_outputs_of(case)
    except LawError as error:
        fix = "correct the case, or the law in operator.yaml if it misreads the page"
        return SchemaError(("outputs",), f"the law does not hold for the call: {error}", fix)
    due = [expected for expected in case.expectations if not isinstance(expected, Rejection)]
    found = [_differing(expected, case, answer, "law") for expected in due]
    return None if None in found else _no_agreement_problem(case, found, f"the law, which {_answer_text(answer)}")


def _reference_disagreement(case: Case) -> SchemaError | None:
    try:
        answer: _Computed = evaluate(case.operator.id, call_arguments(case), case.declared_outputs)
    except BrokenClauseError as error:
        answer = error
    found = [_contradiction(expected, case, answer) for expected in case.expectations]
    return None if None in found else _no_agreement_problem(case, found, f"the reference, which {_answer_text(answer)}")


def _no_agreement_problem(case: Case, found: Sequence[SchemaError | None], oracle: str) -> SchemaError | None:
    """The problem of a case of which no expectation agrees with an oracle."""
    if not isinstance(case.expectation, Disputed):
        return found[0]
    return SchemaError(("disputed",), f"no interpretation agrees with {oracle}", "correct one of them, or add another")


def _contradiction(expected: ExpectedOutputs | Rejection, case: Case, answer: _Computed) -> SchemaError | None:
    if isinstance(expected, Rejection):
        return _rejection_disagreement(expected.clause, answer)
    if isinstance(answer, BrokenClauseError):
        fix = f"correct the arguments, or write `rejected: {answer.clause}`"
        return SchemaError(("outputs",), f"the reference {_answer_text(answer)}", fix)
    return _differing(expected, case, answer, "reference")


def _differing(expected: ExpectedOutputs, case: Case, answer: tuple[Tensor, ...], oracle: str) -> SchemaError | None:
    if isinstance(expected, Parts) and case.split_dim is None:
        return SchemaError(("outputs",), "the axis addresses no dimension of the data", "correct the axis")
    found = differences_of(acceptance_of(case), expected_outputs(expected, case), answer, 0)
    if not found:
        return None
    fix = f"correct the case, or the {oracle} if it misreads the page"
    if found[-1].mismatch in (Mismatch.MISSING, Mismatch.SURPLUS):
        written = len(answer) + sum({Mismatch.MISSING: 1, Mismatch.SURPLUS: -1}.get(one.mismatch, 0) for one in found)
        what = f"the case has {counted(written, 'output')}, but the {oracle} {_answer_text(answer)}"
        return SchemaError(("outputs",), what, fix)
    keys = ("outputs", found[0].output) if isinstance(expected, Literals) else ("outputs",)
    return SchemaError(keys, f"output {found[0].output} {_difference(found[0], oracle)}", fix)


def _rejection_disagreement(clause: str, answer: _Computed) -> SchemaError | None:
    if not isinstance(answer, BrokenClauseError):
        fix = f"write arguments that break {clause!r}, or `outputs:` in the place of `rejected:`"
        return SchemaError(("rejected",), f"the call breaks no clause: the reference {_answer_text(answer)}", fix)
    if answer.clause == clause:
        return None
    fix = f"write `rejected: {answer.clause}`, or arguments that break only {clause!r}"
    return SchemaError(("rejected",), f"the call breaks another clause: the reference {_answer_text(answer)}", fix)


def _answer_text(answer: _Computed) -> str:
    if isinstance(answer, BrokenClauseError):
        return f"rejects the call by {answer}"
    shown = ", ".join(f"{tensor.dtype}{list(tensor.shape)}" for tensor in answer[:_OUTPUTS_SHOWN])
    more = ", ..." if len(answer) > _OUTPUTS_SHOWN else ""
    return f"computes {counted(len(answer), 'output')}: {shown}{more}"


def _difference(difference: Difference, oracle: str) -> str:
    """How one output differs from that of an oracle."""
    written, computed = difference.expected, difference.actual
    assert written is not None
    assert computed is not None
    if difference.mismatch is Mismatch.DTYPE:
        return f"is written as {written.dtype}, but the {oracle} computes {computed.dtype}"
    if difference.mismatch is Mismatch.SHAPE:
        return f"is written with the shape {list(written.shape)}, but the {oracle} computes {list(computed.shape)}"
    left, right = bits_of_each(written), bits_of_each(computed)
    differing = [number for number, (one, other) in enumerate(zip(left, right, strict=True)) if one != other]
    first = differing[0]
    texts = _text(written.dtype, left[first]), _text(written.dtype, right[first])
    if texts[0] == texts[1]:  # NaNs with other payloads
        texts = _bits(left[first]), _bits(right[first])
    count = f"{len(differing):,} of {counted(len(left), 'element')} {'differs' if len(differing) == 1 else 'differ'}"
    place = index_text(first, written.shape)
    return f"at {place} is written as {texts[0]}, but the {oracle} computes {texts[1]}; {count}"


def _text(dtype: str, element: bytes) -> str:
    one = Tensor(dtype, (), element)
    match one.element_type.category:
        case Category.STRING:
            return one_line(repr(element.decode()), _CHARACTERS)
        case Category.SIGNED | Category.UNSIGNED:
            return str(unpack_integers(one)[0])
        case Category.RAW:
            return _bits(element)
        case Category.BOOL:
            return "true" if element == b"\1" else "false"
        case Category.FLOAT | Category.COMPLEX:
            return str(array_from_tensor(one)[()])


def _bits(element: bytes) -> str:
    return f"{int.from_bytes(element, 'little'):#0{2 + 2 * len(element)}x}"


COMPARED = 60
"""Calls of each operator version that are compared."""
_DRAWN = 4000
"""Calls that are drawn at most to find them: many choices do not fit together, or make no clear call."""
_RARE = ("17 to 255", "more than 255")
"""Numbers of inputs whose calls take long, which written cases have."""


def made_comparisons(suite: Suite, seed: str) -> Iterator[CaseFileError | None]:
    """`comparisons` of the operators of a suite of its own that have both, a law and a reference, and can be made."""
    for operator in suite.operators:
        if can_be_judged(operator) and not suite.borrows(operator):
            yield from comparisons(operator, suite.place_in_description(operator, "law"), seed)


def comparisons(operator: Operator, where: str, seed: str = "") -> Iterator[CaseFileError | None]:
    """For each call that is compared, how law and reference contradict each other; `seed` draws other calls."""
    choices = {name: [item for item in known if item not in _RARE] for name, known in choices_of(operator).items()}
    compared, last = 0, dict[str, str]()
    for number in range(_DRAWN):
        dice = Dice(operator.id, seed, number)
        features = {name: dice.one_of(known) for name, known in choices.items()}
        if number % 2:  # most choices of the last call, which fit together
            features |= {name: choice for name, choice in last.items() if dice.number(0, 3)}
        case = clear_case(operator, features, number)
        if case is not None:
            compared, last = compared + 1, features
            yield _contradiction_of_made(case, features, where)
        if compared == COMPARED:
            return


def _contradiction_of_made(case: Case, features: Asked, where: str) -> CaseFileError | None:
    try:
        found = disagreement(case)
        says = "" if found is None else found.what.replace("is written", "is by law")
    except LawError as error:
        says = f"the law does not hold: {error}"
    if not says:
        return None
    named = ", ".join(f"{name}={choice}" for name, choice in features.items())
    what = f"law and reference of {case.operator.id} disagree on a call with {named}: {says}"
    return CaseFileError(where, what, fix="correct the law in operator.yaml, or the reference")


# What is wrong with case files and with recorded deviations.

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
    found = [family.at(_with_broken_clause(error, case)) for error in argument_errors(case)]
    yield from found
    if not found:
        yield from _disagreements(family, case) if _is_compared(case) else ()
        yield from _invalid_before_rejection(family, case)
        yield from _without_twin(family, case) if _is_compared(case) else ()


def _with_broken_clause(problem: SchemaError, case: Case) -> SchemaError:
    """The problem; in place of outputs that the law does not have, the clause that the reference finds broken."""
    if problem.keys != ("outputs",) or case.expectation != Lawful() or not _is_compared(case):
        return problem
    try:
        return _reference_disagreement(case) or problem
    except (KeyError, LawError):  # no reference of the operator, or one that computes what the law does not
        return problem


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
