"""Reads a YAML file safely, and validates it against the model of its format."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any, Literal, TypeVar, cast

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError
from pydantic_core import ErrorDetails, PydanticCustomError

from conformance.tensors.errors import CaseFileError, UsageError, nearest
from conformance.tensors.files import opened
from conformance.tensors.text import counted

# Reads a YAML file into plain values with their lines, safely for careless or hostile files. Allows only the core
# types of YAML 1.2: no anchors and aliases (they can explode), no tags (they can run code), no duplicate keys, no
# `yes` for true. Reports all problems of a file at once, each with its line.

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


# Validates a YAML document against the model of its format; reports what is wrong, where, and what to write instead.
# The models are in the modules of their formats: `case_entry`, `operator_file`, `adapter_file`; that of deviations is
# in `judge`.

REFERENCE_PATTERN = r"^\$[A-Za-z]"
OUTPUTS_PATTERN = rf"^law$|{REFERENCE_PATTERN}"
"""A reference in a case to a column of its matrix."""

ID_PATTERN = r"^[a-z0-9][a-z0-9_-]{0,79}$"
"""The id of a case in its file."""


class SchemaError(Exception):
    """A part of a value is wrong: the keys that lead to it, what is wrong, and what to write instead."""

    def __init__(self, keys: KeyPath, what: str, fix: str) -> None:
        super().__init__(keys, what, fix)
        self.keys = keys
        self.what = what
        self.fix = fix


_PATTERNS = {
    REFERENCE_PATTERN: "a `$name` of the matrix",
    OUTPUTS_PATTERN: "`law` or a `$name` of the matrix",
    ID_PATTERN: "small letters, digits, - and _",
}
_TEXT, _WHOLE, _LIST = "a text", "a whole number", "a list"
_KINDS = {str: _TEXT, bool: "a bool", int: _WHOLE, float: "a number", list: _LIST, dict: "a mapping"}
_DIGITS = re.compile(r"-?[0-9]{1,20}")
_NUMBERS = re.compile(r"-?[0-9]+(, ?-?[0-9]+)+")
_PLAIN = re.compile(r"[$A-Za-z][\w.-]{0,40}|-?[0-9]{1,20}")
_WANTED = {
    "string_type": _TEXT,
    "int_type": _WHOLE,
    "float_type": "a number",
    "bool_type": "a bool",
    "list_type": _LIST,
    "tuple_type": _LIST,
    "dict_type": "a mapping of `key: value`",
    "model_type": "a mapping of `key: value`",
    "union_tag_invalid": "a mapping of `key: value`",
    "union_tag_not_found": "a mapping of `key: value`",
}


class FileModel(BaseModel):
    """A mapping in one of our YAML formats: no unknown keys, strict types (no text for numbers), frozen."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


def words(known: Iterable[str | Enum]) -> BeforeValidator:
    """Accepts the known words; the value of an enum's member becomes the member."""
    meanings = {item.value if isinstance(item, Enum) else item: item for item in known}

    def meaning_of(word: object) -> object:
        return meanings[known_word(word, meanings)] if isinstance(word, str) else word

    return BeforeValidator(meaning_of, json_schema_input_type=cast(Any, Literal)[tuple(meanings)])


def known_word(word: str, known: Collection[str]) -> str:
    """The word, for a validator of a model.

    Raises:
        PydanticCustomError: it is unknown; the error names the nearest one.
    """
    if word in known:
        return word
    fix = nearest(word, known, otherwise=f"write one of {', '.join(known)}")
    raise PydanticCustomError("unknown_word", "is not one of the allowed words", {"word": word, "fix": fix})


Model = TypeVar("Model", bound=FileModel)


def validated(model: type[Model], document: Document) -> Model:
    """The document as an instance of the model.

    Raises:
        ExceptionGroup: of `CaseFileError`, one for each value that does not fit.
    """
    try:
        return model.model_validate(document.value)
    except ValidationError as error:
        found = sorted(_misfits(model, document.value, error), key=lambda misfit: document.line_of(misfit.keys))
        problems = [document.problem(misfit.keys, misfit.what, misfit.fix) for misfit in found]
        raise ExceptionGroup(f"{document.path} does not keep its format", problems) from None


def part_of(model: type[Model], value: Plain, keys: KeyPath) -> Model:
    """A part of a document, to which `keys` lead, as an instance of the model.

    Raises:
        SchemaError: the first part of it that does not fit.
    """
    try:
        return model.model_validate(value)
    except ValidationError as error:
        first = _misfits(model, value, error)[0]
        raise SchemaError((*keys, *first.keys), first.what, first.fix) from None


def _misfits(model: type[FileModel], value: Plain, error: ValidationError) -> list[SchemaError]:
    """The misfits by place; a value that fits no branch of a union is one misfit, not one for each branch."""
    places: dict[KeyPath, list[ErrorDetails]] = {}
    for details in error.errors(include_url=False):
        places.setdefault(_existing_keys(value, details["loc"]), []).append(details)
    misfits: list[SchemaError] = []
    for keys, found in places.items():
        unfit = [details for details in found if _wanted(details)]
        has_more_within = any(len(other) > len(keys) and other[: len(keys)] == keys for other in places)
        beside = _keys_at(value, keys[:-1])
        # Entries that do not fit do not count, so that a list of them is too short as well.
        texts = [
            _text(model, details, beside)
            for details in found
            if not _wanted(details) and not (details["type"] == "too_short" and (has_more_within or len(found) > 1))
        ]
        if unfit and not texts and not has_more_within:
            texts = [_other_kind(unfit)]
        misfits += [SchemaError(keys, what, fix) for what, fix in dict.fromkeys(texts)]
    return misfits


def _other_kind(unfit: Sequence[ErrorDetails]) -> tuple[str, str]:
    value, wanted = unfit[0]["input"], list(dict.fromkeys(map(_wanted, unfit)))
    if value is None:
        has_no_space = any(":" in str(key) for key in unfit[0]["loc"])
        otherwise = ", or remove the entry" if unfit[0]["loc"] else ""
        fix = "write a space after the colon" if has_no_space else f"write {_either(wanted)}{otherwise}"
        return "there is no value here", fix
    if all(details["type"] == "string_pattern_mismatch" for details in unfit):
        return f"{shown(value)} does not fit here", rewritten(value, wanted)
    return f"{shown(value)} is {kind_of(value)}, and {_either(wanted)} is needed", rewritten(value, wanted)


def kind_of(value: object) -> str:
    """The kind of a YAML value in words, such as `a text`."""
    return _KINDS.get(type(value), "no value")


def rewritten(value: object, wanted: Sequence[str]) -> str:
    """What to write instead of a value of another kind: the same value as one of the wanted kinds, if it can be one."""
    match value:
        case str() if wanted == [_PATTERNS[ID_PATTERN]]:
            return f"write {wanted[0]}, as {re.sub('[^a-z0-9_]+', '-', value.lower()).strip('-_') or 'uneven-lengths'}"
        case str() if value.startswith("(") and _LIST in wanted:
            return "write lists in square brackets, as [2, 4]"
        case str() if _WHOLE in wanted and _DIGITS.fullmatch(value):
            return f"write {value} without quotes"
        case str() if (_WHOLE in wanted or _LIST in wanted) and _NUMBERS.fullmatch(value):
            return f"write [{value}] without quotes"
        case float() if _WHOLE in wanted and value.is_integer():
            return f"write {value:.0f}"
        case str() | int() if _LIST in wanted and _PLAIN.fullmatch(str(value)):
            return f"write a list, as [{value}]"
        case int() | float() if wanted == [_TEXT] and not isinstance(value, bool):
            return f'write "{value}" in quotes'
        case dict() if _LIST in wanted:
            return "write a list: start each entry with `- `"
        case _:
            return f"write {_either(wanted)}"


def _existing_keys(value: Plain, loc: tuple[str | int, ...]) -> KeyPath:
    """The keys of a place without the names of union branches that pydantic adds."""
    found: list[str | int] = []
    for key in loc:
        if isinstance(value, dict) and key in value:
            value = value[str(key)]
        elif isinstance(value, list) and isinstance(key, int) and key < len(value):
            value = value[key]
        else:
            continue
        found.append(key)
    return tuple(found)


def _known_key(model: type[FileModel], key: str, beside: Collection[str]) -> str:
    """What to write instead of an unknown key."""
    if ":" in key:
        return "write a space after the colon"
    if key.endswith(")"):
        return "write lists in square brackets, as [2, 4]"
    return nearest(key, _keys_beside(model, set(beside)), otherwise="remove it")


def _keys_at(value: Plain, keys: KeyPath) -> Collection[str]:
    """The keys of the mapping at a place."""
    for key in keys:
        value = value[key]  # type: ignore[index]
    return value if isinstance(value, dict) else ()


def _text(model: type[FileModel], details: ErrorDetails, beside: Collection[str]) -> tuple[str, str]:
    """What is wrong and what to write instead; `beside` are the keys of the same mapping."""
    key = str(details["loc"][-1]) if details["loc"] else ""
    match details["type"]:
        case "missing":
            return f"the key {key!r} is missing", f"add `{key}:`"
        case "extra_forbidden" if details["input"] is None and " " in key:
            return f"the key {key!r} is not known here", 'quote a text that has a comma, as key: "one, two"'
        case "extra_forbidden":
            return f"the key {key!r} is not known here", _known_key(model, key, beside)
        case "literal_error" | "enum":
            expected = details.get("ctx", {}).get("expected", "")
            return f"{shown(details['input'])} is not one of the allowed words", f"write {expected}"
        case "unknown_word":
            return f"{shown(details['ctx']['word'])} is not one of the allowed words", details["ctx"]["fix"]
        case "too_short":
            given, wanted = details["ctx"]["actual_length"], details["ctx"]["min_length"]
            verb = "is" if given == 1 else "are"
            return f"{counted(given, 'entry', 'entries')} {verb} too few", f"write {wanted} or more"
        case "greater_than_equal":
            return f"{shown(details['input'])} is too small", f"write {details['ctx']['ge']} or more"
        case "value_error":
            text = str(details.get("ctx", {}).get("error", details["msg"]))
            what, _, fix = text.rpartition("; ")  # a validator says both in one text
            return (what, fix) if what else (text, "")
        case _:
            return f"{shown(details['input'])} does not fit here: {details['msg']}", ""


def _wanted(details: ErrorDetails) -> str:
    """The kind of value that would fit; empty if the value has the right kind and is wrong otherwise."""
    if details["type"] != "string_pattern_mismatch":
        return _WANTED.get(details["type"], "")
    pattern = details["ctx"]["pattern"]
    return _PATTERNS.get(pattern, f"a text that matches {pattern}")


def _either(words: Sequence[str]) -> str:
    return " or ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def _keys_beside(model: type[FileModel], given: set[str]) -> set[str]:
    """The further keys of the mappings that can have all the given keys that the model knows."""
    schema = model.model_json_schema()
    tables = [set(table.get("properties", ())) for table in (schema, *schema.get("$defs", {}).values())]
    known = given & set().union(*tables)
    return set().union(*(table - given for table in tables if known <= table))


def shown(value: object) -> str:
    """A value in a message, cut if it is long."""
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
