"""The options of a new case: what a text means, or what is wrong with it."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from conformance.formats.file_schema import ID_PATTERN, SchemaError
from conformance.language.operator import Operator
from conformance.values.errors import nearest

LEFT_OUT = "none"
KINDS = ("outputs", "rejection")
_PART = re.compile(r"\d+:\d+(/\d+)?")
_TENSOR = re.compile(r"([a-z]\w*)\[([0-9, ]*)\]")
_NUMBERS = re.compile(r"-?\d+(, *-?\d+)*")
_COUNT = re.compile(r"\d{1,9}")
_FILE = re.compile(r"[a-z0-9][a-z0-9_-]{0,79}\.yaml")
_NO_CASES = ("operator.yaml", "coverage.yaml")


def word_in(known: Sequence[str], text: str) -> str:
    """One of the known words.

    Raises:
        SchemaError: it is another.
    """
    if text not in known:
        fix = nearest(text, known, otherwise=f"write one of {', '.join(known)}")
        raise SchemaError((), f"{text!r} is not one of these", fix)
    return text


def operator_from(operators: Sequence[Operator], text: str) -> Operator:
    """An operator version.

    Raises:
        SchemaError: no operator has this id.
    """
    by_id = {operator.id: operator for operator in operators}
    if text not in by_id:
        fix = nearest(text, by_id, otherwise="`conformance list` has them")
        raise SchemaError((), f"{text!r} is not an operator version", fix)
    return by_id[text]


def clauses_from(operator: Operator, text: str) -> tuple[str, ...]:
    """Ids of clauses, separated by commas or spaces.

    Raises:
        SchemaError: there is none, or the operator has no such clause.
    """
    named = tuple(dict.fromkeys(_items(text)))
    for name in named:
        if name not in operator.clauses:
            fix = nearest(name, operator.clauses, otherwise=f"there are {', '.join(operator.clauses)}")
            raise SchemaError((), f"{operator.id} has no clause {name!r}", fix)
    if not named:
        raise SchemaError((), "no clause is named", f"name one of {', '.join(operator.clauses)}")
    return named


def broken_clause_from(operator: Operator, text: str) -> tuple[str, ...]:
    """The one clause that a rejected call breaks.

    Raises:
        SchemaError: it is not one clause of the operator.
    """
    named = clauses_from(operator, text)
    if len(named) > 1:
        raise SchemaError((), "a case with a rejection breaks one clause", f"name one of {', '.join(named)}")
    return named


def argument_from(operator: Operator, name: str, text: str) -> str | None:
    """The value of an argument in YAML, as a case file has it; None for `none`, which leaves it out.

    `float32[2,6]` is a tensor of that type and shape, and `2,4` a list of numbers.

    Raises:
        SchemaError: the text has several lines, or data has no element type.
    """
    if text == LEFT_OUT:
        return None
    tensors = [f"{{dtype: {dtype}, shape: {_list(dims)}}}" for dtype, dims in _TENSOR.findall(text)]
    if tensors and not _TENSOR.sub("", text).strip(", "):
        is_variadic = any(p.name == name and p.is_variadic for p in operator.parameters)
        return f"[{', '.join(tensors)}]" if is_variadic or len(tensors) > 1 else tensors[0]
    if not _NUMBERS.fullmatch(text):
        return _on_one_line(text)
    if name in operator.data:
        raise SchemaError((), f"{text!r} has no element type", "write type and shape, as float32[2,6]")
    return _list(text) if "," in text else text


def count_from(text: str) -> int:
    """A number of outputs.

    Raises:
        SchemaError: it is not a whole number.
    """
    if not _COUNT.fullmatch(text):
        raise SchemaError((), f"{text!r} is not a number of outputs", "write a whole number, as 3")
    return int(text)


def outputs_from(text: str) -> str:
    """Expected outputs as a YAML list.

    Parts of the data need no quotes, as `0:2,2:6`, and mappings no brackets, as `{permuted: [1, 0]}`.

    Raises:
        SchemaError: the text has several lines.
    """
    parts = _items(text)
    if parts and all(_PART.fullmatch(part) for part in parts):
        return "[" + ", ".join(f'"{part}"' for part in parts) + "]"
    return f"[{_on_one_line(text)}]" if text.startswith("{") else _on_one_line(text)


def id_from(taken: Collection[str], text: str) -> str:
    """The id of a case.

    Raises:
        SchemaError: it is not an id, or is taken.
    """
    if not re.fullmatch(ID_PATTERN, text):
        raise SchemaError((), f"{text!r} is not an id", "write small letters, digits, - and _, as uneven-lengths")
    if text in taken:
        raise SchemaError((), f"the case {text!r} exists already", "write another id")
    return text


def file_name_from(text: str) -> str:
    """The name of a case file.

    Raises:
        SchemaError: it is not the name of a case file.
    """
    if text in _NO_CASES:
        raise SchemaError((), f"{text} has no cases", "name another file")
    if not _FILE.fullmatch(text):
        what = f"{text!r} is not the name of a case file"
        raise SchemaError((), what, "write small letters, digits, - and _, then .yaml, without a folder")
    return text


def purpose_from(text: str) -> str:
    """The purpose of a file.

    Raises:
        SchemaError: the text is empty, or has characters that cannot be shown.
    """
    if not text or not text.isprintable():
        raise SchemaError((), f"{text!r} is not a line of text", "write one sentence")
    return text


def _items(text: str) -> list[str]:
    return [item for item in re.split(r"[,\s]+", text.strip("[] ").replace('"', "")) if item]


def _list(text: str) -> str:
    return f"[{', '.join(_items(text))}]"


def _on_one_line(text: str) -> str:
    if not text.isprintable():
        raise SchemaError((), f"{text!r} is not one line of text", "write it in one line, as {a: 1, b: [2, 3]}")
    return text
