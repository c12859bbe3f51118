"""Finds few rows of choices that together have every combination of a few choices that a call can have.

No file says which choices fit together: this module draws rows, and keeps those that make a clear call.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import partial
from itertools import combinations, product
from operator import itemgetter

from conformance.border.form import Form
from conformance.formats.coverage.space import Row, Space
from conformance.formats.made_table import FORM, SEED, ChoicesByWord, choices_by_word, features_of
from conformance.language.case import Case, call_arguments
from conformance.language.law.evaluation import lawful_shapes
from conformance.language.making.clear_case import clear_case, has_form
from conformance.language.making.dice import Dice
from conformance.language.operator import Operator

_DRAWN, _DRAWN_OF_A_CLASS = 400, 6000
"""How many rows are drawn to find one with two choices or in a form, or with a class of an argument. If none of them
makes a call, no call is assumed to have it.
"""
_MOST_PAIRS = 2 / 3
"""The part of the pairs that rows for pairs have at least: rows for each choice once have less than half."""
_COMPARED = 6
"""Rows of which the one with most new combinations is kept, if one returns elements."""
_COMPARED_WITHOUT_ELEMENTS = 30
"""Rows that return none, before one of them is kept."""

PLAIN: Mapping[str, Sequence[str]] = {
    "dtype": ("float32", "int32", "int64"),
    FORM: (Form.CONSTANT.value, Form.SAME_CALL_TWICE.value),
}
"""The types and forms that every backend has. The profile `core` asks for these alone."""

_Combination = tuple[tuple[str, str], ...]
_MANY = 24
"""Elements of outputs among which are all special integers, and enough of the special values of other types."""
_RECTIFIED: _Combination = (
    *(("dtype", "float32"), ("rank", "3"), ("values", "distinct"), ("inputs", "equal")),
    *(("axis", "last"), ("perm", "reversed"), ("starts", "from-the-front")),
    (FORM, Form.AFTER_RELU.value),
)
"""Every second element is negative before the Relu, and most operators move some."""


def made_rows(  # noqa: PLR0913  (what a table must have, and three kinds of rows that were made before)
    operator: Operator,
    space: Space,
    strength: int,
    kept: Sequence[tuple[str, ...]],
    newer: Sequence[Row] = (),
    *,
    dropped: Sequence[tuple[str, ...]] = (),
) -> list[tuple[str, ...]]:
    """Sorted rows with a choice for each name of the space, in order, and with those of `kept`, which make calls.

    Each row makes a clear call of the operator version in its form. The rows of a `newer` version are tried first, and
    a combination that it could have and lacks is not sought. No pair is sought again that neither the rows of `kept`,
    if these were made for all pairs, nor those that were `dropped` from beside them have.
    """
    parameters = {name: list(known) for name, known in space.parameters.items() if name != SEED}
    is_call = partial(_is_call, operator, choices_by_word(operator), space)
    rows: list[Row] = [dict(zip(space.parameters, cells, strict=True)) for cells in kept]
    tried = _pairs_tried(space, kept, dropped)
    if strength == 1:
        is_telling = partial(_is_telling, operator, choices_by_word(operator), space)
        for telling in _telling(parameters):
            rows += _new_rows(operator.id, space, list(filter(is_telling, rows)), telling, is_telling)
    for size in range(1, strength + 1):
        sought = [one for one in _possible(_combinations(parameters, size), newer, size) if one not in tried]
        rows += _taken_over(rows, _in_space(space, newer), sought, is_call)
        rows += _new_rows(operator.id, space, rows, sought, partial(_worth, operator, choices_by_word(operator), space))
        # What no row has is impossible, and so is every combination with it.
        parameters = {
            name: [one for one in known if any(row[name] == one for row in rows)] for name, known in parameters.items()
        }
    if strength > 1:
        rows += _plain(operator.id, space, rows, tried, is_call)
    order = {name: {choice: place for place, choice in enumerate(known)} for name, known in space.parameters.items()}
    found = (tuple(row[name] for name in space.parameters) for row in rows)
    return sorted(found, key=lambda row: [order[name][cell] for name, cell in zip(order, row, strict=True)])


def have_most_pairs(space: Space, rows: Sequence[tuple[str, ...]]) -> bool:
    """Whether rows were made for all pairs of choices, and not for each choice once: some pairs are of no call."""
    return len(_pairs_of(space, rows)) >= _MOST_PAIRS * len(_known_pairs(space, rows))


def _pairs_tried(
    space: Space, kept: Sequence[tuple[str, ...]], dropped: Sequence[tuple[str, ...]]
) -> AbstractSet[_Combination]:
    """The pairs that rows have or for which none was found; none of them if the rows were not made for pairs."""
    return _known_pairs(space, kept) - _pairs_of(space, dropped) if have_most_pairs(space, kept) else frozenset()


def _pairs_of(space: Space, rows: Sequence[tuple[str, ...]]) -> set[_Combination]:
    return {pair for cells in rows for pair in _of_row(dict(zip(space.parameters, cells, strict=True)), 2)}


def _known_pairs(space: Space, rows: Sequence[tuple[str, ...]]) -> set[_Combination]:
    """All pairs of choices that some row has, whether together or not."""
    found = dict(zip(space.parameters, map(set, zip(*rows, strict=True)), strict=False))
    return set(_combinations({name: sorted(known) for name, known in found.items() if name != SEED}, 2))


def rows_that_make_calls(operator: Operator, space: Space, rows: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Those of the rows that make a clear call in their form."""
    choices = choices_by_word(operator)
    return [row for row in rows if _is_call(operator, choices, space, dict(zip(space.parameters, row, strict=True)))]


def _possible(sought: Iterator[_Combination], newer: Sequence[Row], size: int) -> list[_Combination]:
    """The combinations that a newer version has, or of which it lacks a choice."""
    has = {combination for row in newer for combination in _of_row(row, size)}
    alone = {choice for row in newer for choice in row.items()}
    return [one for one in sought if one in has or not alone.issuperset(one)]


def _in_space(space: Space, rows: Sequence[Row]) -> list[Row]:
    """The rows of another version; a choice that only that one has becomes any other."""
    known = space.parameters.items()
    return [
        {name: row[name] if row.get(name) in own else Dice(name, *row.values()).one_of(own) for name, own in known}
        for row in rows
    ]


def _taken_over(
    rows: Sequence[Row], others: Sequence[Row], sought: Sequence[_Combination], is_call: Callable[[Row], bool]
) -> list[Row]:
    """Those of the other rows that make calls with combinations that the rows lack."""
    size, found = max(map(len, sought), default=0), list[Row]()
    left = dict.fromkeys(sought)
    for row in rows:
        _strike(left, row, size)
    for row in others if left else ():
        if any(one in left for one in _of_row(row, size)) and is_call(row):
            found.append(row)
            _strike(left, row, size)
    return found


def _new_rows(
    salt: str, space: Space, rows: Sequence[Row], sought: Sequence[_Combination], worth: Callable[[Row], int]
) -> list[Row]:
    """Calls with those of the combinations, all of one size, that the rows lack."""
    size, found = max(map(len, sought), default=0), list[Row]()
    left = dict.fromkeys(sought)
    for row in rows:
        _strike(left, row, size)
    for combination in Dice(salt, size).shuffled(list(left)):
        if combination in left:
            best = _best(salt, space, combination, left, worth)
            found += [] if best is None else [best]
            _strike(left, dict(combination) if best is None else best, size)
    return found


def _telling(parameters: Mapping[str, Sequence[str]]) -> Iterator[list[_Combination]]:
    """What each choice once does not show: what gets lost of an element of each type, and that a Relu is left out."""
    yield [(("dtype", dtype), ("values", "special")) for dtype in parameters["dtype"]]
    rectified = tuple(choice for choice in _RECTIFIED if choice[0] in parameters)
    yield [rectified] if all(choice in parameters[name] for name, choice in rectified) else []


def _plain(
    salt: str, space: Space, rows: Sequence[Row], tried: AbstractSet[_Combination], is_call: Callable[[Row], bool]
) -> list[Row]:
    """Calls of rows in plain types and forms, so that these alone have each pair of choices that the rows have."""
    pairs = {*tried, *(pair for row in rows if _is_plain(row) for pair in _of_row(row, 2))}
    known = [[choice for choice in plain if choice in space.parameters[name]] for name, plain in PLAIN.items()]
    changes = [dict(zip(PLAIN, choices, strict=True)) for choices in product(*known)]
    found = list[Row]()
    for row in Dice(salt, "plain").shuffled(rows):
        for change in Dice(salt, *row.values()).shuffled(changes):
            changed = {**row, **change}
            if pairs.issuperset(_of_row(changed, 2)):
                break
            if is_call(changed):
                found.append(changed)
                pairs.update(_of_row(changed, 2))
                break
    return found


def _is_plain(row: Row) -> bool:
    return all(row[name] in plain for name, plain in PLAIN.items())


def _combinations(parameters: Mapping[str, Sequence[str]], strength: int) -> Iterator[_Combination]:
    """Every combination; the choices of the first name change fastest."""
    for names in combinations(parameters, strength):
        choices = ([(name, choice) for choice in parameters[name]] for name in reversed(names))
        yield from (backwards[::-1] for backwards in product(*choices))


def _of_row(row: Row, size: int) -> Iterator[_Combination]:
    return combinations(((name, choice) for name, choice in row.items() if name != SEED), size)


def _strike(left: dict[_Combination, None], row: Row, size: int) -> None:
    for combination in _of_row(row, size):
        left.pop(combination, None)


def _best(
    salt: str, space: Space, combination: _Combination, left: Container[_Combination], worth: Callable[[Row], int]
) -> Row | None:
    """Of some rows with a combination that make a call, the one that is worth most, and then the one with most
    combinations that are left.
    """
    found = list[tuple[int, Row]]()
    is_usual = len(combination) == 2 or combination[0][0] == FORM
    for number in range(_DRAWN if is_usual else _DRAWN_OF_A_CLASS):
        dice = Dice(salt, combination, number)
        # Every second row has many of the first two choices, which fit together more often.
        drawn = {
            name: dice.one_of(known[:2] if number % 2 and dice.number(0, 2) else known)
            for name, known in space.parameters.items()
        }
        row = {**drawn, **dict(combination)}
        if its_worth := worth(row):
            found.append((its_worth, row))
            if len(found) >= (_COMPARED if max(found, key=itemgetter(0))[0] > 1 else _COMPARED_WITHOUT_ELEMENTS):
                break
    best = max(found, key=lambda one: (one[0], sum(c in left for c in _of_row(one[1], len(combination)))), default=None)
    return None if best is None else best[1]


def _worth(operator: Operator, choices: ChoicesByWord, space: Space, row: Row) -> int:
    """What a row tells: nothing if it makes no call, little (1) if its outputs have no elements, else more (2)."""
    case = _call_of(operator, choices, space, row)
    return 0 if case is None else 1 + bool(_elements_of(case))


def _elements_of(case: Case) -> int:
    shapes = lawful_shapes(case.operator, call_arguments(case), case.declared_outputs)
    return sum(map(math.prod, shapes))


def _is_call(operator: Operator, choices: ChoicesByWord, space: Space, row: Row) -> bool:
    return _call_of(operator, choices, space, row) is not None


def _is_telling(operator: Operator, choices: ChoicesByWord, space: Space, row: Row) -> bool:
    """Whether a row makes a call with many elements."""
    case = _call_of(operator, choices, space, row)
    return case is not None and _elements_of(case) >= _MANY


def _call_of(operator: Operator, choices: ChoicesByWord, space: Space, row: Row) -> Case | None:
    """The clear call that a row makes in its form."""
    if space.exclusion_of(row) is not None:
        return None
    case = clear_case(operator, features_of(choices, row), int(row[SEED]))
    return case if case is not None and has_form(case, Form(row[FORM])) else None
