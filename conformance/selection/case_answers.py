"""The answers to the questions about a new case: what a text means, or what is wrong with it."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from conformance.formats.file_schema import ID_PATTERN, MisfitError
from conformance.spec.operator import Operator
from conformance.values.dtypes import DTYPES, dtype_meant
from conformance.values.errors import nearest

LEFT_OUT = "none"
KINDS = ("outputs", "rejection")
WAYS = ("lengths", "count")
_MAX_DIGITS = 19
_PART = re.compile(rf"\d{{1,{_MAX_DIGITS}}}:\d{{1,{_MAX_DIGITS}}}(/\d{{1,{_MAX_DIGITS}}})?")
_NUMBER = re.compile(rf"-?\d{{1,{_MAX_DIGITS}}}")
_FILE = re.compile(r"[a-z0-9][a-z0-9_-]{0,79}\.yaml")
_NO_CASES = ("operator.yaml", "coverage.yaml")


def word_in(known: Sequence[str], text: str) -> str:
    """One of the known words.

    Raises:
        MisfitError: it is another.
    """
    if text not in known:
        raise MisfitError((), f"{text!r} is not one of these", nearest(text, known, otherwise=_one_of(known)))
    return text


def cutting(operators: Sequence[Operator]) -> list[Operator]:
    """The operators that cut data into parts: about their calls there are questions."""
    return [one for one in operators if one.axis is not None and (one.lengths or one.num_outputs) is not None]


def operator_from(operators: Sequence[Operator], text: str) -> Operator:
    """An operator version that cuts data into parts.

    Raises:
        MisfitError: there is no such operator, or it does something else.
    """
    by_id = {operator.id: operator for operator in cutting(operators)}
    if text in by_id:
        return by_id[text]
    if any(text == operator.id for operator in operators):
        what = f"{text} does not cut data into parts, and there are no questions for its calls"
        raise MisfitError((), what, "write the case by hand, as docs/write-a-case.md says")
    fix = nearest(text, by_id, otherwise=_one_of(tuple(by_id)))
    raise MisfitError((), f"{text!r} is not an operator version", fix)


def clauses_from(operator: Operator, text: str) -> tuple[str, ...]:
    """Ids of clauses, separated by commas or spaces.

    Raises:
        MisfitError: there is none, or the operator has no such clause.
    """
    named = tuple(dict.fromkeys(_items(text)))
    for name in named:
        if name not in operator.clauses:
            fix = nearest(name, operator.clauses, otherwise="write ? to list them")
            raise MisfitError((), f"{operator.id} has no clause {name!r}", fix)
    if not named:
        raise MisfitError((), "no clause is named", "name one; write ? to list them")
    return named


def broken_clause_from(operator: Operator, text: str) -> tuple[str, ...]:
    """The one clause that a rejected call breaks.

    Raises:
        MisfitError: it is not one clause of the operator.
    """
    named = clauses_from(operator, text)
    if len(named) > 1:
        raise MisfitError((), "a case with a rejection breaks one clause", f"name one of {', '.join(named)}")
    return named


def dtype_from(allowed: Collection[str], text: str) -> str:
    """An element type.

    Raises:
        MisfitError: there is no such type, or it is not one of the allowed.
    """
    if text not in DTYPES:
        raise MisfitError((), f"{text!r} is not an element type", dtype_meant(text))
    if text not in allowed:
        raise MisfitError((), f"the page does not allow {text} for the data", _one_of(tuple(allowed)))
    return text


def dims_from(text: str) -> tuple[int, ...]:
    """A shape, as `2,6` or `2x6`; `[]` is a scalar.

    Raises:
        MisfitError: it is not a list of dims.
    """
    dims = _numbers(text.replace("x", ","))
    if dims is None or min(dims, default=0) < 0 or not text:
        raise MisfitError((), f"{text!r} is not a shape", "write dims with commas between them, as 2,6")
    return dims


def axis_from(text: str) -> int | None:
    """An axis; None for `none`, which leaves it out.

    Raises:
        MisfitError: it is not a whole number.
    """
    if text == LEFT_OUT:
        return None
    if not _NUMBER.fullmatch(text):
        raise MisfitError((), f"{text!r} is not an axis", f"write a whole number, or {LEFT_OUT} to leave it out")
    return int(text)


def lengths_from(text: str) -> tuple[int, ...] | None:
    """Lengths of parts, as `2,4`; None for `none`, which leaves them out.

    Raises:
        MisfitError: they are not whole numbers.
    """
    if text == LEFT_OUT:
        return None
    lengths = _numbers(text)
    if lengths is None or not text:
        fix = f"write whole numbers with commas between them, as 2,4, or {LEFT_OUT} to leave them out"
        raise MisfitError((), f"{text!r} is not a list of lengths", fix)
    return lengths


def count_from(text: str) -> int | None:
    """A number of parts; None for `none`, which leaves it out.

    Raises:
        MisfitError: it is not a whole number.
    """
    if text == LEFT_OUT:
        return None
    if not _NUMBER.fullmatch(text):
        raise MisfitError((), f"{text!r} is not a number of parts", "write a whole number, as 3")
    return int(text)


def parts_from(text: str) -> tuple[str, ...]:
    """Parts of the data, as `0:2, 2:6`; `[]` for none.

    Raises:
        MisfitError: one is not `start:stop`.
    """
    parts = tuple(_items(text))
    for part in parts:
        if not _PART.fullmatch(part):
            raise MisfitError(
                (), f"{part!r} is not a part of the data", "write start:stop, as 0:2, with commas between"
            )
    return parts


def id_from(taken: Collection[str], text: str) -> str:
    """The id of a case.

    Raises:
        MisfitError: it is not an id, or is taken.
    """
    if not re.fullmatch(ID_PATTERN, text):
        raise MisfitError((), f"{text!r} is not an id", "write small letters, digits, - and _, as uneven-lengths")
    if text in taken:
        raise MisfitError((), f"the case {text!r} exists already", "write another id")
    return text


def file_name_from(text: str) -> str:
    """The name of a case file.

    Raises:
        MisfitError: it is not the name of a case file.
    """
    if text in _NO_CASES:
        raise MisfitError((), f"{text} has no cases", "name another file")
    if not _FILE.fullmatch(text):
        what = f"{text!r} is not the name of a case file"
        raise MisfitError((), what, "write small letters, digits, - and _, then .yaml, without a folder")
    return text


def purpose_from(text: str) -> str:
    """The purpose of a file.

    Raises:
        MisfitError: the text is empty, or has characters that cannot be shown.
    """
    if not text or not text.isprintable():
        raise MisfitError((), f"{text!r} is not a line of text", "write one sentence")
    return text


def _items(text: str) -> list[str]:
    return [item for item in re.split(r"[,\s]+", text.strip("[] ").replace('"', "")) if item]


def _numbers(text: str) -> tuple[int, ...] | None:
    items = _items(text)
    return tuple(map(int, items)) if all(_NUMBER.fullmatch(item) for item in items) else None


def _one_of(known: Sequence[str]) -> str:
    return f"write one of {', '.join(known)}"
