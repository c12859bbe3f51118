"""Checks a YAML document against the model of its format and says what is wrong, where, and what to write instead.

The models themselves stand with their format: `case_file`, `operator_file`, `adapter_file`, `deviation_file`.
"""

from __future__ import annotations

from typing import TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import ErrorDetails

from conformance.errors import CaseFileError, nearest
from conformance.yaml_document import Document, KeyPath


class FileModel(BaseModel):
    """A mapping of one of our YAML formats: closed, strict (no text for numbers), and frozen."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


Model = TypeVar("Model", bound=FileModel)


def validated(model: type[Model], document: Document) -> Model:
    """The document as an instance of the model.

    Raises:
        ExceptionGroup: of `CaseFileError`, one for each value that does not fit.
    """
    try:
        return model.model_validate(document.value)
    except ValidationError as error:
        problems = [_problem(model, document, details) for details in error.errors(include_url=False)]
        unique = {str(problem): problem for problem in problems}
        raise ExceptionGroup(f"{document.path} does not keep its format", list(unique.values())) from None


def _problem(model: type[FileModel], document: Document, details: ErrorDetails) -> CaseFileError:
    keys = _existing_keys(document, details["loc"])
    what, fix = _text(model, details)
    return CaseFileError(document.where(keys), what, fix=fix)


def _existing_keys(document: Document, loc: tuple[str | int, ...]) -> KeyPath:
    """The keys of a place without the names that pydantic gives the branches of a union."""
    found: list[str | int] = []
    for key in loc:
        if (*found, key) in document.lines:
            found.append(key)
    return tuple(found)


def _text(model: type[FileModel], details: ErrorDetails) -> tuple[str, str]:
    key = str(details["loc"][-1]) if details["loc"] else ""
    match details["type"]:
        case "missing":
            return f"the key {key!r} is missing", f"add `{key}:`"
        case "extra_forbidden":
            return f"the key {key!r} is not known here", nearest(key, _all_keys(model), otherwise="remove it")
        case "union_tag_invalid" | "union_tag_not_found" | "model_type" | "dict_type":
            return f"{_shown(details['input'])} does not fit here", "write a mapping of `key: value`"
        case "literal_error" | "enum":
            expected = details.get("ctx", {}).get("expected", "")
            return f"{_shown(details['input'])} is not one of the allowed words", f"write {expected}"
        case "value_error":
            return str(details.get("ctx", {}).get("error", details["msg"])), ""
        case _:
            wanted = details["msg"].removeprefix("Input should be ")
            return f"{_shown(details['input'])} does not fit here", f"write {wanted}"


def _all_keys(model: type[FileModel]) -> set[str]:
    schema = model.model_json_schema()
    tables = [schema, *schema.get("$defs", {}).values()]
    return {key for table in tables for key in table.get("properties", {})}


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
