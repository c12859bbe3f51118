"""The tables of made cases: writes them, and keeps them true to their cases."""

from __future__ import annotations

import itertools
import json
import math
from collections import Counter
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations, islice, product
from operator import itemgetter
from pathlib import Path
from typing import Any

from conformance.authoring.lint import check_suite
from conformance.protocol.form import Form
from conformance.spec.case import Argument, Case, Disputed, Value, call_arguments
from conformance.spec.check import forms_of
from conformance.spec.control import is_valid, twin_of
from conformance.spec.law import lawful_shapes
from conformance.spec.making.clear_case import clear_case, has_form, left_open, made_case
from conformance.spec.making.setting import Dice
from conformance.spec.making.wrong import wrong_case
from conformance.spec.operator import Operator, Role
from conformance.spec.reference import OPERATORS, evaluate
from conformance.suite.case_file import (
    ARGUMENT,
    CLASS,
    CLAUSE,
    FORM,
    LEFT_OUT,
    SEED,
    SEEDS,
    CaseFamily,
    ChoicesByWord,
    choices_by_word,
    families_from_document,
    features_of,
    made_columns,
    wrong_case_of,
    wrong_columns,
    wrong_label,
    wrong_words,
)
from conformance.suite.coverage_tables import (
    Row,
    Space,
    cells_of_table,
    rows_of_table,
    text_of_table,
)
from conformance.suite.suite import Suite
from conformance.suite.yaml_file import document_from_bytes
from conformance.tensors.errors import CaseFileError
from conformance.tensors.files import written
from conformance.tensors.fill import Fill
from conformance.tensors.tensor import array_from_tensor
from conformance.tensors.text import counted, one_line

# The rows of made cases: tables of valid and of wrong calls, and files of single made cases.

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
        sought = _possible_combinations(_combinations(parameters, size), others, size)
        rows += _taken_over(rows, others_here, sought, is_call)
        rows += _new_rows(operator.id, space, rows, sought, worth)
        # What no row has is impossible, and so is every combination with it.
        parameters = {
            name: [one for one in known if any(row[name] == one for row in rows)] for name, known in parameters.items()
        }
    plain = list(filter(_is_plain, others_here))
    sought = _possible_combinations(dict.fromkeys(pair for row in rows for pair in _combinations_of(row, 2)), plain, 2)
    rows += _taken_over(list(filter(_is_plain, rows)), plain, sought, is_call)
    rows += _plain_rows(operator.id, space, rows, sought, is_call)
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


def _possible_combinations(sought: Iterable[_Combination], others: Sequence[Row], size: int) -> list[_Combination]:
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
            best = _best_row(salt, space, combination, left, worth)
            found += [] if best is None else [best]
            _strike(left, dict(combination) if best is None else best, size)
    return found


def _plain_rows(
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


def _best_row(
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


_WRONG_DRAWN, _VALID = 20_000, 160
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
            if len(found) >= needed or space.exclusion_of({name: one}) is not None:
                continue
            calls = calls or _valid_calls(operator)
            more = _wrong_rows_drawn(operator, calls, name, one, {Form(row[FORM]) for row in found})
            rows += islice(more, needed - len(found))
    order = {name: {word: place for place, word in enumerate(known)} for name, known in columns.items()}
    cells = [tuple(row[name] for name in columns) for row in rows]
    return sorted(cells, key=lambda row: [order[name][cell] for name, cell in zip(order, row, strict=True)])


def rows_that_are_wrong(operator: Operator, rows: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Those of the rows that make a call that is clearly wrong by its clause, and has its form."""
    return [row for row in rows if _is_right(operator, dict(zip(wrong_columns(operator), row, strict=True)))]


def _wrong_rows_drawn(
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
    choices = {name: _plain_words(name, list(words)) for name, words in made_columns(operator).items() if name != FORM}
    for number in range(_WRONG_DRAWN):
        dice = Dice(operator.id, "wrong", number)
        row = {name: dice.one_of(words) for name, words in choices.items()} | {SEED: str(dice.number(0, SEEDS - 1))}
        del row["values"]
        case = clear_case(operator, features_of(known, row), int(row[SEED]))
        if case is not None and _is_taken_by_all(case):
            yield _Valid(found, row, case)
            found += 1
        if found == _VALID:
            return


def _plain_words(name: str, words: list[str]) -> list[str]:
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
    return bool(forms_of(replace(case, forms=(form,)))) and not left_open(case, form)


def _has_twin(case: Case) -> bool:
    twin = twin_of(case)
    return twin is not None and is_valid(twin)


def _is_right(operator: Operator, row: Mapping[str, str]) -> bool:
    """Whether a row makes a call that is clearly wrong by its clause, and has its form."""
    valid = made_case(operator, features_of(choices_by_word(operator), row), int(row[SEED]))
    case = None if valid is None else wrong_case_of(valid, row)
    return case is not None and case.clauses == (row[CLAUSE],) and _has_form(case, Form(row[FORM]))


def made_case_text(case: Case, name: str, form: Form) -> str:
    """A made call as an entry of `cases`, with this id and form."""
    operator = case.operator
    lines = [
        f"- id: {name}",
        f'  versions: "=={operator.version}"',
        f"  clauses: [{operator.result_clause}]",
        f"  forms: [{form.value}]",
        "  arguments:",
        *(f"    {key}: {json.dumps(value)}" for key, value in _written(case).items()),
        f"  declared_outputs: {case.declared_outputs}",
        *_expected(case),
    ]
    return "\n".join(lines) + "\n"


def made_case_file(about: str, cases: Sequence[tuple[Case, str, Form, str]]) -> tuple[str, list[Case]]:
    """The text of a file of made calls of one operator, and its cases as a reader of the file gets them.

    Each call has its id, its form and a remark.

    Raises:
        ExceptionGroup: of `CaseFileError`: problems that `conformance check` would report.
    """
    family = cases[0][0].operator.family
    lines = [f"operator: {family}", f"about: {json.dumps(one_line(about, 400))}", "cases:"]
    for case, name, form, remark in cases:
        lines.append(f"  # {one_line(remark, 400)}")
        lines += [f"  {line}" for line in made_case_text(case, name, form).splitlines()]
    text = "\n".join(lines) + "\n"
    versions = list({case.operator.id: case.operator for case, *_ in cases}.values())
    families = families_from_document(document_from_bytes(text.encode(), "made"), versions)
    _, problems = check_suite(Suite(root=Path(), digest="", operators=(), families=tuple(families)))
    if problems:
        raise ExceptionGroup(f"{counted(len(problems), 'problem')} in made cases of {family}", problems)
    return text, [case for one in families for case in one.cases()]


def _expected(case: Case) -> Iterator[str]:
    """The outputs by the law, under each reading if the page leaves the call open."""
    if not isinstance(case.expectation, Disputed):
        yield "  outputs: law"
        return
    yield "  disputed:"
    for reading in case.expectation.interpretations:
        yield from (f"    {reading.name}:", f"      reason: {json.dumps(reading.reason)}", "      outputs: law")
        if reading.nan_payloads_may_differ:
            yield "      nan_payloads: any"


def _written(case: Case) -> dict[str, Any]:
    """The arguments in the words of a case file; variadic inputs are a list under one name."""
    found: dict[str, Any] = {}
    first = 0  # a reader of the file numbers the elements of all data in turn
    for argument in case.arguments:
        numbered = argument.value if case.operator.is_data(argument.name) else None
        written = _value(case.operator, argument, 0 if numbered is None else first)
        variadic = next((p.name for p in case.operator.inputs if p.is_variadic and p.takes(argument.name)), "")
        if variadic:
            found.setdefault(variadic, []).append(written)
        else:
            found[argument.name] = written
        if isinstance(numbered, Value):
            first += math.prod(numbered.shape)
    return found


def _value(operator: Operator, argument: Argument, first: int) -> Any:
    """An argument in the words of a case file; elements that do not follow from the number of the first are listed."""
    value = argument.value
    if not isinstance(value, Value):
        plain = list(value) if isinstance(value, tuple) else value
        is_input_too = any(p.role is Role.INPUT for p in operator.parameters_named(argument.name))
        return {"attribute": plain} if is_input_too else plain
    described = {"dtype": value.dtype, "shape": list(value.shape)}
    if value.data is not None or value.start != first:
        return {**described, "values": array_from_tensor(value.tensor()).tolist()}
    return described if value.fill is Fill.DISTINCT else {**described, "fill": value.fill.value}


# Keeps tables true to their cases: finds problems, and writes tables that are out of date.


@dataclass(frozen=True, slots=True)
class Upkeep:
    """A table that was looked at, and whether it was written anew."""

    path: Path
    rows: int
    is_new: bool


def table_problems(suite: Suite) -> Iterator[CaseFileError]:
    """Problems of the tables of a suite's cases: redundant exclusions, wrong rows and missing combinations."""
    for family in _covered(suite):
        yield from exception_problems(family)
        yield from _problems(family, family.table)


def unused_tables(suite: Suite) -> Iterator[CaseFileError]:
    """The tables that belong to no case."""
    used = {family.table for family in _covered(suite)}
    for path in sorted(set(suite.root.glob("*/*/*.tsv")) - used):
        yield CaseFileError(_shown(path), "belongs to no case", fix="remove it")


def keep_tables(suite: Suite) -> Iterator[Upkeep]:
    """Write missing and outdated tables. A correct table stays unchanged; an outdated one keeps its correct rows.

    Raises:
        CaseFileError: an exclusion has no meaning, or calls are made of an operator without a reference.
    """
    for _, versions in itertools.groupby(_covered(suite), key=lambda family: (family.file, family.entry.id)):
        yield from _made_tables(list(versions)[::-1])


def exception_problems(family: CaseFamily) -> Iterator[CaseFileError]:
    """Redundant exclusions of a case."""
    space = family.space()
    for index, exclusion in enumerate(space.exclusions):
        others = Space(space.parameters, space.exclusions[:index] + space.exclusions[index + 1 :])
        rows = itertools.product(*(sorted(values) for values in exclusion.when.values()))
        if all(others.exclusion_of(dict(zip(exclusion.when, row, strict=True))) for row in rows):
            what = f"{exclusion.because!r} excludes nothing of {family.operator.id} that other exceptions do not"
            yield family.problem(("except",), what, "remove it, or narrow its `versions`")


def _covered(suite: Suite) -> list[CaseFamily]:
    found = [family for family in suite.families if family.entry.has_table]
    return sorted(found, key=lambda family: (family.file, family.entry.id, family.operator.version))


def _made_tables(versions: Iterable[CaseFamily]) -> Iterator[Upkeep]:
    """The tables of made calls, whose newest version comes first."""
    newer = list[Row]()
    for family in versions:
        yield _kept(family, newer)
        columns = family.columns()
        newer = [dict(zip(columns, row, strict=True)) for row in rows_of_table(family.table, columns)]


def _kept(family: CaseFamily, newer: Sequence[Row]) -> Upkeep:
    path = family.table
    space = family.space()
    columns = list(family.columns())
    kept = _right_rows(family, path, space)
    if family.operator.id not in OPERATORS:
        what = f"the reference has no operator {family.operator.id}, and says of each made call whether it is valid"
        raise family.problem(("made",), what, "add it to reference.py")
    if family.has_wrong_calls:
        kept = rows_that_are_wrong(family.operator, kept)
    else:
        kept = rows_that_make_calls(family.operator, space, kept)
    if path.is_file() and not list(_problems(family, path)) and kept == list(rows_of_table(path, family.columns())):
        return Upkeep(path, len(kept), is_new=False)
    if family.has_wrong_calls:
        rows = wrong_rows(family.operator, space, kept)
    else:
        rows = made_rows(family.operator, space, kept, [*newer, *_earlier(family, path, space)])
    written(path, text_of_table(columns, rows).encode())
    return Upkeep(path, len(rows), is_new=True)


def _right_rows(family: CaseFamily, path: Path, space: Space) -> list[tuple[str, ...]]:
    """The rows of a table that are still products of its case: their ids stay."""
    columns = family.columns()
    known = [frozenset(values) for values in columns.values()]
    return [
        row
        for row in _rows_in_columns(family, path)
        if all(label in labels for label, labels in zip(row, known, strict=True))
        if space.exclusion_of(family.choices_of(dict(zip(columns, row, strict=True)))) is None
    ]


def _earlier(family: CaseFamily, path: Path, space: Space) -> list[Row]:
    """The rows that the table of made calls has, right or not, if they were made for pairs."""
    rows = _rows_in_columns(family, path)
    return [dict(zip(space.parameters, row, strict=True)) for row in rows] if have_most_pairs(space, rows) else []


def _rows_in_columns(family: CaseFamily, path: Path) -> list[tuple[str, ...]]:
    """The different rows of a table that has the columns of its case, right or not; none of another table."""
    if not path.is_file():
        return []
    names, *rows = cells_of_table(path)
    return [row for row in dict.fromkeys(rows) if len(row) == len(names)] if names == tuple(family.columns()) else []


def _problems(family: CaseFamily, path: Path) -> Iterator[CaseFileError]:
    """The problems of a table for one operator version."""
    space = family.space()
    shown = f"{_shown(path)}: {family.id}"
    fix = "run `conformance cover` on the case file"
    try:
        columns = family.columns()
        rows = list(rows_of_table(path, columns))
    except CaseFileError as error:
        yield error
        return
    if len(set(rows)) < len(rows):
        yield CaseFileError(shown, "has a row twice", fix=fix)
    for number, row in enumerate(rows, start=2):
        named = family.choices_of(dict(zip(columns, row, strict=True)))
        met = space.exclusion_of(named)
        if met is not None:
            yield CaseFileError(f"{shown}: line {number}", f"is excluded, because: {met.because}", fix=fix)
    if family.has_wrong_calls:
        yield from _unshown_classes(space, columns, rows, shown)
        return
    yield from _unmade_classes(space, rows, shown)
    if not have_most_pairs(space, rows):
        yield CaseFileError(shown, "lacks most pairs of choices", fix=fix)


def _unmade_classes(space: Space, rows: Sequence[tuple[str, ...]], shown: str) -> Iterator[CaseFileError]:
    """The classes of arguments that no call has and nothing excludes. Forms need no reason: they fit a call or not."""
    for place, (name, classes) in enumerate(space.parameters.items()):
        made = {row[place] for row in rows}
        for one in classes if name not in (FORM, SEED) else ():
            if one not in made and one != LEFT_OUT and space.exclusion_of({name: one}) is None:
                fix = f"run `conformance cover`, or exclude it: `except: [{{when: {{{name}: {one}}}, because: ...}}]`"
                yield CaseFileError(shown, f"has no call with {name}={one}", fix=fix)


def _unshown_classes(
    space: Space, columns: Collection[str], rows: Sequence[tuple[str, ...]], shown: str
) -> Iterator[CaseFileError]:
    """Two rows with one id, and the ways in which an argument can be wrong that no row has and nothing excludes."""
    named = [dict(zip(columns, row, strict=True)) for row in rows]
    labels = Counter(map(wrong_label, named))
    fix = "run `conformance cover` on the case file"
    yield from (CaseFileError(shown, f"has two rows {one}", fix=fix) for one, count in labels.items() if count > 1)
    found = {(row[ARGUMENT], row[CLASS]) for row in named}
    for name, classes in space.parameters.items():
        for one in classes:
            if one != LEFT_OUT and (name, one) not in found and space.exclusion_of({name: one}) is None:
                fix = f"run `conformance cover`, or exclude it: `except: [{{when: {{{name}: {one}}}, because: ...}}]`"
                yield CaseFileError(shown, f"has no call with a wrong {name}={one}", fix=fix)


def _shown(path: Path) -> str:
    return "/".join(path.parts[-4:])
