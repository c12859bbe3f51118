"""Validates a YAML document against the model of its format; reports what is wrong, where, and what to write instead.

The models are in the modules of their formats: `case_entry`, `operator_file`, `adapter_file`, `deviation_file`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from enum import Enum
from typing import Any, Literal, TypeVar, cast

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError
from pydantic_core import ErrorDetails, PydanticCustomError

from conformance.formats.yaml_document import Document, KeyPath, Plain
from conformance.values.errors import CaseFileError, nearest

REFERENCE_PATTERN = r"^\$[A-Za-z]"
"""A reference in a case to a column of its matrix."""

Misfit = tuple[KeyPath, str, str]
"""The keys that lead to it, what is wrong, and what to write instead."""


class MisfitError(Exception):
    """A part of a value is wrong: the keys that lead to it, what is wrong, and what to write instead."""

    def __init__(self, keys: KeyPath, what: str, fix: str) -> None:
        super().__init__(keys, what, fix)
        self.keys = keys
        self.what = what
        self.fix = fix


_WANTED = {
    "string_type": "a text",
    "int_type": "a whole number",
    "float_type": "a number",
    "bool_type": "a bool",
    "list_type": "a list",
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
        found = _misfits(model, document.value, error)
        problems = [CaseFileError(document.where(keys), what, fix=fix) for keys, what, fix in found]
        raise ExceptionGroup(f"{document.path} does not keep its format", problems) from None


def first_misfit(model: type[FileModel], value: Plain) -> Misfit | None:
    """The first part of a value that does not fit the model; None if all fit."""
    try:
        model.model_validate(value)
    except ValidationError as error:
        return _misfits(model, value, error)[0]
    return None


def _misfits(model: type[FileModel], value: Plain, error: ValidationError) -> list[Misfit]:
    """The misfits by place; a value that fits no branch of a union is one misfit, not one for each branch."""
    places: dict[KeyPath, list[ErrorDetails]] = {}
    for details in error.errors(include_url=False):
        places.setdefault(_existing_keys(value, details["loc"]), []).append(details)
    misfits: list[Misfit] = []
    for keys, found in places.items():
        unfit = [details for details in found if _wanted(details)]
        has_more_within = any(len(other) > len(keys) and other[: len(keys)] == keys for other in places)
        texts = [_text(model, details) for details in found if not _wanted(details)]
        if unfit and not texts and not has_more_within:
            wanted = list(dict.fromkeys(map(_wanted, unfit)))
            given = unfit[0]["input"]
            what = "there is no value here" if given is None else f"{_shown(given)} does not fit here"
            texts = [(what, f"write {_either(wanted)}")]
        misfits += [(keys, what, fix) for what, fix in dict.fromkeys(texts)]
    return misfits


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


def _text(model: type[FileModel], details: ErrorDetails) -> tuple[str, str]:
    key = str(details["loc"][-1]) if details["loc"] else ""
    match details["type"]:
        case "missing":
            return f"the key {key!r} is missing", f"add `{key}:`"
        case "extra_forbidden":
            return f"the key {key!r} is not known here", nearest(key, _all_keys(model), otherwise="remove it")
        case "literal_error" | "enum":
            expected = details.get("ctx", {}).get("expected", "")
            return f"{_shown(details['input'])} is not one of the allowed words", f"write {expected}"
        case "unknown_word":
            return f"{_shown(details['ctx']['word'])} is not one of the allowed words", details["ctx"]["fix"]
        case "too_short":
            given, wanted = details["ctx"]["actual_length"], details["ctx"]["min_length"]
            return f"{given} entries are too few", f"write {wanted} or more"
        case "greater_than_equal":
            return f"{_shown(details['input'])} is too small", f"write {details['ctx']['ge']} or more"
        case "value_error":
            return str(details.get("ctx", {}).get("error", details["msg"])), ""
        case _:
            return f"{_shown(details['input'])} does not fit here: {details['msg']}", ""


def _wanted(details: ErrorDetails) -> str:
    """The kind of value that would fit; empty if the value has the right kind and is wrong otherwise."""
    if details["type"] != "string_pattern_mismatch":
        return _WANTED.get(details["type"], "")
    pattern = details["ctx"]["pattern"]
    return "a column of the matrix, as $dtype" if pattern == REFERENCE_PATTERN else f"a text that matches {pattern}"


def _either(words: Sequence[str]) -> str:
    return " or ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def _all_keys(model: type[FileModel]) -> set[str]:
    schema = model.model_json_schema()
    tables = [schema, *schema.get("$defs", {}).values()]
    return {key for table in tables for key in table.get("properties", {})}


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
