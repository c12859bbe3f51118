"""Orders the checks of an operator version so that every prefix is the best sample of that size.

A check is worth what it adds to those before it: a form above all, then a written case, a clause, a class of an
argument, a choice of a matrix or a type, then one of these in another form or with another type, then any other pair.
The default set stands before what only the full one has. The order follows from the suite and the selection alone. Its
beginning is computed from one product of each case; further products are made when it has no more to add. How an
argument is wrong counts in the newest version that has such a call: in older ones, only the clause that it breaks.
"""

from __future__ import annotations

import heapq
import math
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice, zip_longest
from typing import TYPE_CHECKING

from conformance.protocol.form import Form
from conformance.run.selection import Selection, case_makers, checks_of_case
from conformance.spec.case import Case
from conformance.spec.check import default_forms_of
from conformance.spec.choices import CaseSet
from conformance.spec.making.classes import classes_of
from conformance.suite.case_file import CaseFamily

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

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
