"""Finds few rows of choices that together have every combination of a few choices that a call can have.

No file says which choices fit together: this module draws rows, and keeps those that make a clear call.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations, product
from operator import itemgetter

from conformance.border.form import Form
from conformance.formats.coverage.space import Row, Space
from conformance.formats.made_table import FORM, SEED, ChoicesByWord, choices_by_word, features_of
from conformance.language.case import Case, call_arguments
from conformance.language.law.evaluation import lawful_shapes
from conformance.language.making.clear_case import clear_case, has_form
from conformance.language.making.setting import Dice
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


def made_rows(
    operator: Operator, space: Space, kept: Sequence[tuple[str, ...]], others: Sequence[Row] = ()
) -> list[tuple[str, ...]]:
    """Sorted rows with a choice for each name of the space, in order, and with those of `kept`, which make calls.

    Each row makes a clear call of the operator version in its form, and together they have each pair of choices that a
    call can have, even those in plain types and forms alone. The rows of `others`, made for pairs before, of a newer
    version or of this one, are tried first; a pair that they could have and lack is not sought.
    """
    parameters = {name: list(known) for name, known in space.parameters.items() if name != SEED}
    worth = partial(_worth, operator, choices_by_word(operator), space)
    is_call = partial(_is_call, operator, choices_by_word(operator), space)
    rows: list[Row] = [dict(zip(space.parameters, cells, strict=True)) for cells in kept]
    others_here = _rows_within(space, others)
    for size in (1, 2):
        sought = _possible(_combinations(parameters, size), others, size)
        rows += _taken_over(rows, others_here, sought, is_call)
        rows += _new_rows(operator.id, space, rows, sought, worth)
        # What no row has is impossible, and so is every combination with it.
        parameters = {
            name: [one for one in known if any(row[name] == one for row in rows)] for name, known in parameters.items()
        }
    plain = list(filter(_is_plain, others_here))
    sought = _possible(dict.fromkeys(pair for row in rows for pair in _combinations_of(row, 2)), plain, 2)
    rows += _taken_over(list(filter(_is_plain, rows)), plain, sought, is_call)
    rows += _plain(operator.id, space, rows, sought, is_call)
    order = {name: {choice: place for place, choice in enumerate(known)} for name, known in space.parameters.items()}
    found = (tuple(row[name] for name in space.parameters) for row in rows)
    return sorted(found, key=lambda row: [order[name][cell] for name, cell in zip(order, row, strict=True)])


def have_most_pairs(space: Space, rows: Sequence[tuple[str, ...]]) -> bool:
    """Whether rows were made for all pairs of choices, and none are lost: some pairs are of no call."""
    found = dict(zip(space.parameters, map(set, zip(*rows, strict=True)), strict=False))
    known = _combinations({name: sorted(choices) for name, choices in found.items() if name != SEED}, 2)
    pairs = {pair for cells in rows for pair in _combinations_of(dict(zip(space.parameters, cells, strict=True)), 2)}
    return len(pairs) >= _MOST_PAIRS * sum(1 for _ in known)


def rows_that_make_calls(operator: Operator, space: Space, rows: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Those of the rows that make a clear call in their form."""
    choices = choices_by_word(operator)
    return [row for row in rows if _is_call(operator, choices, space, dict(zip(space.parameters, row, strict=True)))]


def _possible(sought: Iterable[_Combination], others: Sequence[Row], size: int) -> list[_Combination]:
    """The combinations that other rows have, or of which these lack a choice."""
    has = {combination for row in others for combination in _combinations_of(row, size)}
    alone = {choice for row in others for choice in row.items()}
    return [one for one in sought if one in has or not alone.issuperset(one)]


def _rows_within(space: Space, rows: Sequence[Row]) -> list[Row]:
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
        if any(one in left for one in _combinations_of(row, size)) and is_call(row):
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


def _plain(
    salt: str, space: Space, rows: Sequence[Row], sought: Sequence[_Combination], is_call: Callable[[Row], bool]
) -> list[Row]:
    """Calls of rows in plain types and forms, so that these alone have each of the pairs."""
    left = dict.fromkeys(sought)
    for row in filter(_is_plain, rows):
        _strike(left, row, 2)
    known = [[choice for choice in plain if choice in space.parameters[name]] for name, plain in PLAIN.items()]
    changes = [dict(zip(PLAIN, choices, strict=True)) for choices in product(*known)]
    found = list[Row]()
    for row in Dice(salt, "plain").shuffled(rows):
        for change in Dice(salt, *row.values()).shuffled(changes):
            changed = {**row, **change}
            if not any(pair in left for pair in _combinations_of(changed, 2)):
                break
            if is_call(changed):
                found.append(changed)
                _strike(left, changed, 2)
                break
    return found


def _is_plain(row: Row) -> bool:
    return all(row[name] in plain for name, plain in PLAIN.items())


def _combinations(parameters: Mapping[str, Sequence[str]], strength: int) -> Iterator[_Combination]:
    """Every combination; the choices of the first name change fastest."""
    for names in combinations(parameters, strength):
        choices = ([(name, choice) for choice in parameters[name]] for name in reversed(names))
        yield from (backwards[::-1] for backwards in product(*choices))


def _combinations_of(row: Row, size: int) -> Iterator[_Combination]:
    return combinations(((name, choice) for name, choice in row.items() if name != SEED), size)


def _strike(left: dict[_Combination, None], row: Row, size: int) -> None:
    for combination in _combinations_of(row, size):
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
    best = max(
        found,
        key=lambda one: (one[0], sum(c in left for c in _combinations_of(one[1], len(combination)))),
        default=None,
    )
    return None if best is None else best[1]


def _worth(operator: Operator, choices: ChoicesByWord, space: Space, row: Row) -> int:
    """What a row tells: nothing if it makes no call, little (1) if its outputs have no elements, else more (2)."""
    case = _call_of(operator, choices, space, row)
    return 0 if case is None else 1 + bool(_elements_of(case))


def _elements_of(case: Case) -> int:
    return sum(map(math.prod, lawful_shapes(case.operator, call_arguments(case), case.declared_outputs)))


def _is_call(operator: Operator, choices: ChoicesByWord, space: Space, row: Row) -> bool:
    return _call_of(operator, choices, space, row) is not None


def _call_of(operator: Operator, choices: ChoicesByWord, space: Space, row: Row) -> Case | None:
    """The clear call that a row makes in its form."""
    if space.exclusion_of(row) is not None:
        return None
    case = clear_case(operator, features_of(choices, row), int(row[SEED]))
    return case if case is not None and has_form(case, Form(row[FORM])) else None
