"""Finds rows of wrong calls: each way in which an argument can be wrong, in the newest version in two forms."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from conformance.border.form import Form
from conformance.formats.coverage.space import Space
from conformance.formats.made_table import (
    ARGUMENT,
    CLASS,
    CLAUSE,
    FORM,
    SEED,
    SEEDS,
    choices_by_word,
    features_of,
    made_columns,
    wrong_case_of,
    wrong_columns,
    wrong_words,
)
from conformance.language.case import Case, Value, call_arguments
from conformance.language.form_steps import forms_of
from conformance.language.making.clear_case import clear_case, is_open, made_case
from conformance.language.making.setting import Dice
from conformance.language.making.wrong import wrong_case
from conformance.language.operator import Operator
from conformance.language.reference import evaluate
from conformance.language.twin import is_valid, twin_of

_DRAWN, _VALID = 20_000, 160
"""How many rows are drawn at most to find so many valid calls. If none of them shows a class, none is assumed to."""
_PLAIN: Mapping[str, tuple[str, ...]] = {
    "rank": ("1", "2", "3", "4", "5"),
    "dims": ("unequal", "equal", "of-1", "odd"),
    "number": ("two", "3-to-16"),
}
_ELSE_PLAIN = frozenset({"float32", "int64", "int32", "distinct"})
"""Choices of valid calls that every framework takes, so that a rejection of the wrong one shows something."""
_MOST_DIMS = 6
_FORMS = ((Form.CONSTANT, Form.DYNAMIC, Form.CONSTANT_FOLDED), (Form.RUNTIME, Form.RUNTIME_DYNAMIC))
"""Forms in which the arguments are constants, and in which they come at run time. Frameworks that take no model without
ranks would show nothing in one.
"""

_Words = dict[str, str]


@dataclass(frozen=True, slots=True)
class _Valid:
    number: int
    row: _Words
    case: Case


def wrong_rows(operator: Operator, space: Space, kept: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Rows for each class of the space that a call shows; those of `kept`, which do, are among them."""
    columns = wrong_columns(operator)
    needed = len(_FORMS) if operator.last_opset is None else 1
    rows = [dict(zip(columns, cells, strict=True)) for cells in kept]
    calls: Mapping[Form, Sequence[_Valid]] = {}
    for name, classes in space.parameters.items():
        for one in classes:
            found = [row for row in rows if (row[ARGUMENT], row[CLASS]) == (name, one)]
            if len(found) >= needed or space.met_by({name: one}) is not None:
                continue
            calls = calls or _valid_calls(operator)
            more = _drawn(operator, calls, name, one, {Form(row[FORM]) for row in found})
            rows += islice(more, needed - len(found))
    order = {name: {word: place for place, word in enumerate(known)} for name, known in columns.items()}
    cells = [tuple(row[name] for name in columns) for row in rows]
    return sorted(cells, key=lambda row: [order[name][cell] for name, cell in zip(order, row, strict=True)])


def rows_that_are_wrong(operator: Operator, rows: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Those of the rows that make a call that is clearly wrong by its clause, and has its form."""
    return [row for row in rows if _is_right(operator, dict(zip(wrong_columns(operator), row, strict=True)))]


def _drawn(
    operator: Operator, calls: Mapping[Form, Sequence[_Valid]], name: str, one: str, used: set[Form]
) -> Iterator[_Words]:
    """Rows with a class, in forms of each group in turn that are not used yet. Each is made of the first valid call of
    its form that can be: so few calls are the twins of all.
    """
    dice = Dice(operator.id, name, one)
    groups = dice.shuffled(_FORMS)
    wrong: dict[int, Case | None] = {}
    class_name = wrong_words(operator)[name][one]
    for group in (*groups, *groups):
        forms = [form for form in dice.shuffled(group) if form not in used]
        for form, call in ((chosen, call) for chosen in forms for call in calls[chosen]):
            if call.number not in wrong:
                wrong[call.number] = wrong_case(call.case, name, class_name)
            case = wrong[call.number]
            if case is not None and _has_form(case, form) and _has_twin(case):
                used.add(form)
                yield {ARGUMENT: name, CLASS: one, **call.row, FORM: form.value, CLAUSE: case.clauses[0]}
                break


def _valid_calls(operator: Operator) -> dict[Form, list[_Valid]]:
    """For each form the same valid calls in another order. Those with most arguments that can be wrong come first."""
    valid = list(_all_valid_calls(operator))
    orders = {form: Dice(operator.id, form.value).shuffled(valid) for forms in _FORMS for form in forms}
    return {form: sorted(order, key=_number_of_others, reverse=True) for form, order in orders.items()}


def _all_valid_calls(operator: Operator) -> Iterator[_Valid]:
    known, found = choices_by_word(operator), 0
    choices = {name: _plain(name, list(words)) for name, words in made_columns(operator).items() if name != FORM}
    for number in range(_DRAWN):
        dice = Dice(operator.id, "wrong", number)
        row = {name: dice.one_of(words) for name, words in choices.items()} | {SEED: str(dice.number(0, SEEDS - 1))}
        del row["values"]
        case = clear_case(operator, features_of(known, row), int(row[SEED]))
        if case is not None and _is_taken_by_all(case):
            yield _Valid(found, row, case)
            found += 1
        if found == _VALID:
            return


def _plain(name: str, words: list[str]) -> list[str]:
    plain = [word for word in words if word in _PLAIN.get(name, _ELSE_PLAIN)]
    return plain or words


def _is_taken_by_all(case: Case) -> bool:
    """Whether no input and no output is empty or has many dims."""
    outputs = evaluate(case.operator.id, call_arguments(case), case.declared_outputs)
    inputs = [argument.value.shape for argument in case.arguments if isinstance(argument.value, Value)]
    shapes = (*inputs, *(output.shape for output in outputs))
    return all(0 not in shape and len(shape) <= _MOST_DIMS for shape in shapes)


def _number_of_others(valid: _Valid) -> int:
    """How many arguments other than the data a call has, which can all be wrong."""
    return sum(not valid.case.operator.is_data(argument.name) for argument in valid.case.arguments)


def _has_form(case: Case, form: Form) -> bool:
    return bool(forms_of(replace(case, forms=(form,)))) and not is_open(case, form)


def _has_twin(case: Case) -> bool:
    twin = twin_of(case)
    return twin is not None and is_valid(twin)


def _is_right(operator: Operator, row: Mapping[str, str]) -> bool:
    """Whether a row makes a call that is clearly wrong by its clause, and has its form."""
    valid = made_case(operator, features_of(choices_by_word(operator), row), int(row[SEED]))
    case = None if valid is None else wrong_case_of(valid, row)
    return case is not None and case.clauses == (row[CLAUSE],) and _has_form(case, Form(row[FORM]))
