"""Which checks a run sends, and in which order."""

from __future__ import annotations

import heapq
import math
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import islice, zip_longest
from typing import TYPE_CHECKING

from conformance.authoring.lint import refuse_wrong_cases
from conformance.judge.deviation import matches
from conformance.protocol.form import Form
from conformance.spec.case import Case, challenged
from conformance.spec.check import Check, default_forms_of, forms_of
from conformance.spec.choices import CaseSet, Choices, Expects
from conformance.spec.making.call import classes_of
from conformance.spec.operator import Operator
from conformance.suite.case_file import CaseFamily
from conformance.suite.suite import Suite, chosen_of
from conformance.tensors.errors import SelectionError, nearest

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


# Which checks a run sends: the selected cases in each of their forms, one at a time.


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


# Orders the checks of an operator version so that every prefix is the best sample of that size. A check is worth what
# it adds to those before it: a form above all, then a written case, a clause, a class of an argument, a choice of a
# matrix or a type, then one of these in another form or with another type, then any other pair. The default set
# stands before what only the full one has. The order follows from the suite and the selection alone. Its beginning is
# computed from one product of each case; further products are made when it has no more to add. How an argument is
# wrong counts in the newest version that has such a call: in older ones, only the clause that it breaks.

_STAGE_GROWTH = 8
_MANY_ELEMENTS, _MANY_PARTS = 1 << 17, 256
_MAX_FEATURES = 2048
"""Features beyond share numbers, which makes their pairs worth less."""
_FORM_WORTH, _FEATURE_WORTH, _PAIR_WORTH = 1 << 40, 1 << 20, 1 << 10
_GOLDEN_RATIO = (5**0.5 - 1) / 2


@dataclass(frozen=True, slots=True)
class OrderedCheck:
    """A check by the place of its family, the number of its product, and its number among the checks of its case."""

    family: int
    product: int
    number: int
    form: Form


@dataclass(frozen=True, slots=True)
class _Candidate:
    check: OrderedCheck
    pairs: NDArray[np.int64]
    """Its features, the form and the type first, and their pairs."""


def sample_of(families: Sequence[CaseFamily], selection: Selection) -> Mapping[int, Mapping[int, int]]:
    """The checks of the sample that is selected: by the place of a family and the number of a product, the bits of the
    case's checks.

    The operator versions take turns, the newest of each operator first, so that each has as many checks as any other
    if it has so many.
    """
    orders = list(orders_of(families, selection).values())
    if CaseSet.SMOKE in selection.sets:
        orders = list(_for_smoke(families, orders))
    found: defaultdict[int, defaultdict[int, int]] = defaultdict(lambda: defaultdict(int))
    for check in islice(_interleaved(orders), selection.sample or None):
        found[check.family][check.product] |= 1 << check.number
    return found


def orders_of(families: Sequence[CaseFamily], selection: Selection) -> Mapping[str, Iterator[OrderedCheck]]:
    """All selected checks of each operator version, by its name; the newest version of each operator comes first."""
    orders: dict[str, Iterator[OrderedCheck]] = {}
    shown: defaultdict[str, frozenset[str]] = defaultdict(frozenset)
    for own in _families_by_version(families):
        operator = next(iter(own.values())).operator
        orders[operator.id] = best_first(own, selection, shown[operator.family])
        wrong = [family for family in own.values() if family.has_wrong_calls]
        shown[operator.family] |= {one for family in wrong for case in family.ids() for one in _choices(family, case)}
    return orders


def best_first(
    families: Mapping[int, CaseFamily], selection: Selection, shown: Collection[str] = ()
) -> Iterator[OrderedCheck]:
    """All selected checks of one operator version, whose families have these places. Newer versions have wrong calls in
    the ways that are `shown`.
    """
    pool, seen = _Pool(selection, shown), _Seen()
    for is_of_full in (False, True):
        paired, left = list[_Candidate](), list[_Candidate]()
        of_set = {n: family for n, family in families.items() if is_of_full or family.set is not CaseSet.FULL}
        for stage in _stages(of_set, selection):
            candidates = [found for n, case in stage for found in pool.candidates(n, families[n], case, is_of_full)]
            yield from _drawn(candidates, seen, _FEATURE_WORTH, paired)
        yield from _drawn(paired, seen, 1, left)
        while left:  # each pair once more
            again, left = left, []
            yield from _drawn(again, _Seen(), 1, left)
        if CaseSet.FULL not in selection.sets:
            return


def _families_by_version(families: Sequence[CaseFamily]) -> list[dict[int, CaseFamily]]:
    """The families of each operator version by their places; the newest of each operator come first, then the next."""
    versions: defaultdict[str, defaultdict[int, dict[int, CaseFamily]]] = defaultdict(lambda: defaultdict(dict))
    for place, family in enumerate(families):
        versions[family.operator.family][family.operator.version][place] = family
    newest_first = ([own for _, own in sorted(of_operator.items(), reverse=True)] for of_operator in versions.values())
    return [own for row in zip_longest(*newest_first) for own in row if own is not None]


def _interleaved(orders: Sequence[Iterator[OrderedCheck]]) -> Iterator[OrderedCheck]:
    left = list(orders)
    while left:
        turn = [(order, next(order, None)) for order in left]
        yield from (check for _, check in turn if check is not None)
        left = [order for order, check in turn if check is not None]


def _for_smoke(
    families: Sequence[CaseFamily], orders: Sequence[Iterator[OrderedCheck]]
) -> Iterator[Iterator[OrderedCheck]]:
    """The beginning of each order: one check, or as many as the forms need that no newer version of the operator has.

    A check with a form that is new stands before all others, so the first one without ends them.
    """
    known: defaultdict[str, set[Form]] = defaultdict(set)
    for order in orders:
        first_of: dict[Form, OrderedCheck] = {}
        for check in order:
            if check.form in first_of:
                break
            first_of[check.form] = check
        for check in islice(first_of.values(), 1):
            of_operator = known[families[check.family].operator.family]
            needed = max((n for n, form in enumerate(first_of, 1) if form not in of_operator), default=1)
            of_operator.update(first_of)
            yield islice(first_of.values(), needed)


def _stages(families: Mapping[int, CaseFamily], selection: Selection) -> Iterator[list[tuple[int, Case]]]:
    """The selected cases with the places of their families: one product of each, or of each form and clause that its
    products choose, then some more of each, evenly spread over its products. What takes long is one stage late.
    """
    makers, firsts = {}, {}
    for place, family in families.items():
        first = family.first_products()
        numbered = sorted(
            enumerate(case_makers(family, selection)),
            key=lambda item: (item[1][0] not in first, item[0] * _GOLDEN_RATIO % 1),
        )
        makers[place] = [maker for _, maker in numbered]
        firsts[place] = max(1, sum(number in first for number, _ in makers[place]))
    start, stop, most = 0, 1, max(map(len, makers.values()), default=0)
    late: list[tuple[int, Case]] = []
    while start < most or late:
        stage = (
            (place, make())
            for place, own in makers.items()
            for _, make in own[start and start - 1 + firsts[place] : stop - 1 + firsts[place]]
        )
        cases = [(place, case) for place, case in stage if case is not None]
        yield late + [(place, case) for place, case in cases if not _takes_long(case)]
        late = [(place, case) for place, case in cases if _takes_long(case)]
        start, stop = stop, stop * _STAGE_GROWTH


def _takes_long(case: Case) -> bool:
    """Whether the data is large or has very many parts."""
    elements = sum(math.prod(value.shape) for value in case.data_inputs.values())
    return elements > _MANY_ELEMENTS or max(case.declared_outputs, len(case.data_inputs)) > _MANY_PARTS


def _drawn(candidates: Sequence[_Candidate], seen: _Seen, least: int, left: list[_Candidate]) -> Iterator[OrderedCheck]:
    """The candidates of at least this worth, the greatest first; the others are put into `left`."""
    heap = [(-seen.worth(candidate.pairs), number) for number, candidate in enumerate(candidates)]
    heapq.heapify(heap)
    while heap:
        before, number = heap[0]
        candidate = candidates[number]
        worth = seen.worth(candidate.pairs)
        if worth < least:
            left.append(candidate)
            heapq.heappop(heap)
        elif worth == -before:
            heapq.heappop(heap)
            seen.add(candidate.pairs)
            yield candidate.check
        else:  # what was added since is worth nothing any more
            heapq.heapreplace(heap, (-worth, number))


class _Pool:
    """Makes candidates of the checks of cases."""

    def __init__(self, selection: Selection, shown: Collection[str]) -> None:
        self._selection, self._shown = selection, shown
        self._numbers: dict[object, int] = {}

    def candidates(self, place: int, family: CaseFamily, case: Case, is_of_full: bool) -> Iterator[_Candidate]:  # noqa: FBT001
        """The checks of a case that are in the default set, or those that only the full set has."""
        import numpy as np

        usual = () if family.set is CaseSet.FULL else default_forms_of(case, self._selection.forms)
        dtype = self._number(("dtype", case.data.dtype if case.data is not None else ""))
        features = np.array(sorted(map(self._number, _features(family, case).difference(self._shown))), dtype=np.int64)
        for number, check in enumerate(checks_of_case(case, self._selection)):
            if (check.form in usual) is not is_of_full:
                row = np.concatenate(([self._number(check.form), dtype], features))
                first, second = _pairs(len(row))
                pairs = row[first] * _MAX_FEATURES + row[second]
                yield _Candidate(OrderedCheck(place, case.number, number, check.form), pairs)

    def _number(self, feature: object) -> int:
        return self._numbers.setdefault(feature, len(self._numbers)) % _MAX_FEATURES


class _Seen:
    """The features and pairs of the checks that were drawn."""

    def __init__(self) -> None:
        import numpy as np

        self._is_new = np.ones(_MAX_FEATURES**2, dtype=np.bool_)

    def worth(self, pairs: NDArray[np.int64]) -> int:
        """What a check with these features and pairs adds."""
        return int(_worths(len(pairs))[self._is_new[pairs]].sum())

    def add(self, pairs: NDArray[np.int64]) -> None:
        """Draw a check."""
        self._is_new[pairs] = False


def _features(family: CaseFamily, case: Case) -> set[object]:
    """What a check has besides its form and type: its case, the clauses, the classes of arguments and the choices."""
    return {family.id, *case.clauses, *classes_of(case), *_choices(family, case.id)}


def _choices(family: CaseFamily, case: str) -> list[str]:
    """The choices of a case; of a wrong call, only the one that says what is wrong."""
    choices = [choice for choice in case.partition("[")[2].rstrip("]").split(",") if choice]
    return [f"wrong {choices[0]}"] if family.has_wrong_calls else choices


@cache
def _pairs(count: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The numbers of the features in each pair; each feature by itself comes first, as a pair with itself."""
    import numpy as np

    first, second = np.triu_indices(count, 1)
    alone = np.arange(count)
    return np.concatenate((alone, first)), np.concatenate((alone, second))


@cache
def _worths(num_pairs: int) -> NDArray[np.int64]:
    """The worth of each of so many pairs, in the order of `_pairs`."""
    import numpy as np

    count = int((8 * num_pairs + 1) ** 0.5 - 1) // 2
    worths = np.ones(num_pairs, dtype=np.int64)
    worths[1:count] = _FEATURE_WORTH
    worths[count : 3 * count - 3] = _PAIR_WORTH  # those with the form or the type
    worths[0] = _FORM_WORTH
    return worths
