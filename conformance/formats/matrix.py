"""The columns of a case's matrix and their products: all combinations, or the rows of a covering table."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from conformance.formats.file_schema import SchemaError
from conformance.formats.references import label_of
from conformance.formats.yaml_document import KeyPath, Plain
from conformance.language.operator import Operator
from conformance.values.errors import nearest

MAX_PRODUCTS = 1_000_000
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,39}")
_LABEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+-]{0,39}|-?[0-9]{1,20}")

Column = Mapping[str, Plain]
"""The choices under one name, in the order of the file: labels, which appear in ids, and their values."""


@dataclass(frozen=True, slots=True)
class Product:
    """One choice of each column: its label in ids, the value of each name, and its number among all products."""

    label: str
    bindings: Mapping[str, Plain]
    number: int


def columns_of(matrix: Mapping[str, Plain], operator: Operator) -> dict[str, Column]:
    """The choices under each name, for one operator version.

    Raises:
        SchemaError: a name or a choice cannot be used, or a column has no choice.
    """
    return {name: _column(choices, (name,), operator) for name, choices in matrix.items()}


def with_shared_columns(matrix: Mapping[str, Plain], shared: Mapping[str, Plain]) -> dict[str, Plain]:
    """The matrix with each `$name` replaced by the column of that name from the file's `columns`.

    Raises:
        SchemaError: the file has no such column.
    """
    made = dict(matrix)
    for name, choices in matrix.items():
        if isinstance(choices, str) and choices.startswith("$"):
            if (column := choices[1:]) not in shared:
                fix = nearest(column, shared, otherwise="write the choices here, or under `columns` of the file")
                raise SchemaError((name,), f"the file has no column {column!r}", fix)
            made[name] = shared[column]
    return made


def combinations(columns: Mapping[str, Column]) -> Iterator[Product]:
    """Every product, the last column changing fastest.

    Raises:
        SchemaError: there are more than MAX_PRODUCTS.
    """
    count = math.prod(len(column) for column in columns.values())
    if count > MAX_PRODUCTS:
        raise SchemaError((), f"makes {count} products, more than {MAX_PRODUCTS}", "split the case")
    for number, labels in enumerate(itertools.product(*columns.values())):
        yield product_of(columns, labels, number)


def product_of(columns: Mapping[str, Column], labels: Sequence[str], number: int) -> Product:
    """The product with these labels, one for each column, and with this number.

    Raises:
        KeyError: a column has no such label.
    """
    chosen = dict(zip(columns, labels, strict=True))
    label = ",".join(f"{name}={text}" for name, text in chosen.items())
    return Product(label, {name: columns[name][text] for name, text in chosen.items()}, number)


def _column(choices: Plain, keys: KeyPath, operator: Operator) -> Column:
    if not _NAME.fullmatch(str(keys[-1])):
        raise SchemaError(keys, f"{keys[-1]!r} cannot name a column", "use a word of letters, digits, _ and -")
    if not choices:
        raise SchemaError(keys, "has no choices, so the matrix makes no case", "give at least one choice")
    if isinstance(choices, str):
        return {dtype: dtype for dtype in _dtypes(choices, keys, operator)}
    if isinstance(choices, dict):
        pairs = list(choices.items())
    else:
        assert isinstance(choices, list)
        pairs = [(label_of(choice), choice) for choice in choices]
    for label, _ in pairs:
        if not _LABEL.fullmatch(label):
            fix = "label it: `{a-word: value}`; a word has letters, digits and _ . + -"
            raise SchemaError(keys, f"{label!r} cannot stand in a case id", fix)
    if len(dict(pairs)) < len(pairs):
        raise SchemaError(keys, "names a choice twice", "remove one of the two")
    return dict(pairs)


def _dtypes(choice: str, keys: KeyPath, operator: Operator) -> tuple[str, ...]:
    if choice == "all":
        return operator.data_dtypes
    if choice in operator.constraints:
        return operator.constraints[choice]
    fix = nearest(choice, ["all", *operator.constraints], otherwise="write `all` or a type constraint")
    raise SchemaError(keys, f"{operator.id} has no type constraint {choice!r}", fix)
