"""Reads a YAML file into plain values with their lines, safely for careless or hostile files.

Allows only the core types of YAML 1.2: no anchors and aliases (they can explode), no tags (they can run code), no
duplicate keys, no `yes` for true. Reports all problems of a file at once, each with its line.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from conformance.tensors.errors import CaseFileError, UsageError
from conformance.tensors.files import opened
from conformance.tensors.text import counted

MAX_FILE_BYTES = 1 << 20
MAX_DEPTH = 32
MAX_PROBLEMS = 100

Plain = dict[str, Any] | list[Any] | str | int | float | bool | None
KeyPath = tuple[str | int, ...]

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_INTEGER = re.compile(r"[-+]?[0-9]+|0x[0-9a-fA-F]+|0o[0-7]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_CONSTANTS = {"null": None, "~": None, "": None, "true": True, "false": False}
_INFINITE = {".inf": float("inf"), "+.inf": float("inf"), "-.inf": float("-inf"), ".nan": float("nan")}
_BOOLEAN_LOOKALIKES = frozenset({"yes", "no", "on", "off", "y", "n"})
_MAX_DIGITS = 40
_REMEDIES = {
    "mapping values are not allowed": "put a text that contains `: ` in quotes; indent the keys of a mapping alike",
    "could not find expected ':'": "write `key: value`, with a space after the colon",
    "unexpected end of stream": "close the quote or the bracket that is open here or above",
    "did not find expected ',' or": "close the bracket, or write a comma between the entries",
    "cannot start any token": "put a text that begins with this character in quotes",
}
"""What to write instead, by a part of the parser's message."""


@dataclass(slots=True)
class Document:
    """The values of one file. `lines` gives the line, counted from 1, of each value by its path of keys."""

    path: str
    value: Plain
    lines: dict[KeyPath, int] = field(default_factory=dict)

    def line_of(self, keys: KeyPath) -> int:
        """The line of a value; if the keys lead to none, that of the nearest enclosing value."""
        found: list[str | int] = []
        for key in keys:
            if (*found, key) in self.lines:
                found.append(key)
        return self.lines.get(tuple(found), 1)

    def where(self, keys: KeyPath) -> str:
        """File, line and keys of a value."""
        named = ".".join(_shown(key) for key in keys)
        return f"{self.path}:{self.line_of(keys)}" + (f": {named}" if named else "")

    def problem(self, keys: KeyPath, what: str, fix: str) -> CaseFileError:
        """An error at the place of a value."""
        return CaseFileError(self.where(keys), what, fix=fix)


def read_document(path: Path, shown_as: str) -> Document:
    """The file's values; `shown_as` is its name in messages.

    Raises:
        ExceptionGroup: of `CaseFileError`, one for each problem.
    """
    try:
        with opened(path, shown_as) as stream:
            data = stream.read(MAX_FILE_BYTES + 1)
    except UsageError as error:
        raise _group(shown_as, [CaseFileError(shown_as, error.what, fix=error.fix)]) from None
    if len(data) > MAX_FILE_BYTES:
        problem = CaseFileError(shown_as, f"is larger than {MAX_FILE_BYTES} bytes", fix="split it, or use a matrix")
        raise _group(shown_as, [problem])
    return document_from_bytes(data, shown_as)


def document_from_bytes(data: bytes, shown_as: str) -> Document:
    """The values of a YAML text in UTF-8.

    Raises:
        ExceptionGroup: of `CaseFileError`, one for each problem.
    """
    composer = _Composer(shown_as)
    try:
        value = composer.compose(data)
    except _GaveUpError:
        value = None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        composer.problems.append(_syntax_error(shown_as, data, error))
        value = None
    if composer.problems:
        raise _group(shown_as, composer.problems)
    return Document(shown_as, value, composer.lines)


class _GaveUpError(yaml.YAMLError):
    """Stops reading: the file is nested too deep, or has MAX_PROBLEMS problems."""


class _Composer:
    """Builds values from the parser's events, which arrive one at a time and allocate nothing."""

    def __init__(self, shown_as: str) -> None:
        self.shown_as = shown_as
        self.lines: dict[KeyPath, int] = {}
        self.problems: list[CaseFileError] = []

    def compose(self, data: bytes) -> Plain:
        loader = _LOADER(data.decode("utf-8"))
        try:
            events = self._checked(iter(loader.get_event, None))
            value: Plain = None
            documents = 0
            for event in events:
                if isinstance(event, yaml.DocumentStartEvent):
                    documents += 1
                    if documents == 2:
                        self._problem(event, "starts another document", "keep one document in a file")
                    value = self._value(next(events), events, ())
            return value
        finally:
            loader.dispose()

    def _checked(self, events: Iterator[yaml.Event]) -> Iterator[yaml.Event]:
        depth = 0
        for event in events:
            if isinstance(event, yaml.CollectionStartEvent):
                depth += 1
            if isinstance(event, yaml.CollectionEndEvent):
                depth -= 1
            if depth > MAX_DEPTH:
                self._problem(event, f"is nested deeper than {MAX_DEPTH} levels", "flatten it")
                raise _GaveUpError
            if isinstance(event, yaml.NodeEvent):
                self._refuse_sharing_and_tags(event)
            yield event

    def _refuse_sharing_and_tags(self, event: yaml.NodeEvent) -> None:
        if event.anchor is not None:
            kind = "an alias" if isinstance(event, yaml.AliasEvent) else "an anchor"
            self._problem(event, f"uses {kind} ({event.anchor!r})", "write the value out, or use `matrix`")
        tag = getattr(event, "tag", None)
        if tag is not None and tag != "!":
            self._problem(event, f"uses the tag {tag!r}", "remove it: plain YAML values are enough")

    def _value(self, event: yaml.Event, events: Iterator[yaml.Event], keys: KeyPath) -> Plain:
        self.lines[keys] = _line(event)
        if isinstance(event, yaml.MappingStartEvent):
            return self._mapping(events, keys)
        if isinstance(event, yaml.SequenceStartEvent):
            return self._sequence(events, keys)
        if isinstance(event, yaml.ScalarEvent):
            return self._scalar(event)
        return None

    def _mapping(self, events: Iterator[yaml.Event], keys: KeyPath) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for event in events:
            if isinstance(event, yaml.MappingEndEvent):
                break
            if not isinstance(event, yaml.ScalarEvent):
                self._problem(event, "has a key that is not a plain word", "use a word as the key")
                self._value(event, events, keys)
                self._value(next(events), events, keys)
                continue
            key = event.value
            if key in found:
                self._problem(event, f"has the key {key!r} twice", "remove one of the two")
            line = _line(event)
            found[key] = self._value(next(events), events, (*keys, key))
            self.lines[*keys, key] = line
        return found

    def _sequence(self, events: Iterator[yaml.Event], keys: KeyPath) -> list[Any]:
        found: list[Any] = []
        for event in events:
            if isinstance(event, yaml.SequenceEndEvent):
                break
            found.append(self._value(event, events, (*keys, len(found))))
        return found

    def _scalar(self, event: yaml.ScalarEvent) -> Plain:
        text: str = event.value
        if not event.implicit[0]:
            return text
        if text in _CONSTANTS:
            return _CONSTANTS[text]
        if text.lower() in _INFINITE:
            return _INFINITE[text.lower()]
        if text.lower() in _BOOLEAN_LOOKALIKES:
            self._problem(
                event, f"some YAML readers take {text!r} as a text, others as a bool", f'write true, false or "{text}"'
            )
            return text
        if _INTEGER.fullmatch(text):
            if len(text) > _MAX_DIGITS:
                self._problem(event, f"is a number of {len(text)} digits", "no argument needs more than 64 bits")
                return 0
            return int(text, 0) if text[:2] in ("0x", "0o") else int(text)
        if not _FLOAT.fullmatch(text):
            return text
        if math.isinf(float(text)):
            self._problem(event, f"{text} is beyond the largest float64", "write .inf if you mean infinity")
        return float(text)

    def _problem(self, event: yaml.Event, what: str, fix: str) -> None:
        self.problems.append(CaseFileError(f"{self.shown_as}:{_line(event)}", what, fix=fix))
        if len(self.problems) >= MAX_PROBLEMS:
            raise _GaveUpError


def _line(event: yaml.Event) -> int:
    mark = event.start_mark
    assert mark is not None
    return mark.line + 1


def _shown(key: str | int) -> str:
    """A key as part of a place, escaped if it is not printable: it could move a terminal's cursor."""
    text = str(key)
    return text if text.isprintable() else repr(text)


def _syntax_error(shown_as: str, data: bytes, error: yaml.YAMLError | UnicodeDecodeError) -> CaseFileError:
    if isinstance(error, UnicodeDecodeError):
        line = data.count(b"\n", 0, error.start) + 1
        return CaseFileError(f"{shown_as}:{line}", f"is not UTF-8 at byte {error.start}", fix="save it as UTF-8")
    if isinstance(error, yaml.reader.ReaderError):
        line = data.count(b"\n", 0, error.position) + 1
        what = f"holds the character {error.character:#04x}, which YAML does not allow"
        return CaseFileError(f"{shown_as}:{line}", what, fix="remove it, or escape it within double quotes")
    mark = getattr(error, "problem_mark", None)
    place = f"{shown_as}:{mark.line + 1}" if mark is not None else shown_as
    said = getattr(error, "problem", None) or str(error).splitlines()[0]
    if mark is not None and _character_at(data, mark) == "\t":
        return CaseFileError(place, "has a tab, and YAML indents with spaces only", fix="write spaces in its place")
    fix = next((fix for problem, fix in _REMEDIES.items() if problem in said), "check quotes, colons and indentation")
    return CaseFileError(place, f"is not YAML: {said}", fix=fix)


def _character_at(data: bytes, mark: yaml.Mark) -> str:
    lines = data.decode("utf-8").split("\n")
    return lines[mark.line][mark.column : mark.column + 1] if mark.line < len(lines) else ""


def _group(shown_as: str, problems: list[CaseFileError]) -> ExceptionGroup[CaseFileError]:
    unique = list({str(problem): problem for problem in problems}.values())
    has = f"{len(unique)} or more problems" if len(problems) >= MAX_PROBLEMS else counted(len(unique), "problem")
    return ExceptionGroup(f"{shown_as} has {has}", unique)
