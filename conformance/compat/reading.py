"""Reads `data.json` and `engines.json`."""

from __future__ import annotations

import json
import lzma
from pathlib import Path
from typing import Any

from .data import (
    FORMAT,
    CompatClause,
    CompatConditions,
    CompatData,
    CompatDeviation,
    CompatEngine,
    CompatExample,
    CompatFeature,
    CompatFileError,
    CompatFinding,
    CompatOperator,
)
from .frameworks import CompatFramework, CompatFrameworks, CompatRelease

DATA = Path(__file__).with_name("data.json.xz")
ENGINES = Path(__file__).with_name("engines.json")
"""The files that come with the package."""


def load(path: Path = DATA) -> CompatData:
    """The data in a file, which may be packed with xz.

    Raises:
        CompatFileError: the file is missing, or not of this format.
    """
    document = _document(path)
    try:
        return CompatData(
            **{
                **document,
                "engines": {name: _engine(entry) for name, entry in document["engines"].items()},
                "operators": {name: _operator(entry) for name, entry in document["operators"].items()},
                "deviations": [_deviation(entry) for entry in document["deviations"]],
                "findings": [CompatFinding(**entry) for entry in document["findings"]],
            }
        )
    except (AttributeError, KeyError, TypeError) as error:
        raise CompatFileError(path, f"is not of this format: {error}") from None


def load_frameworks(path: Path = ENGINES) -> CompatFrameworks:
    """The facts of the releases in a file.

    Raises:
        CompatFileError: the file is missing, or not of this format.
    """
    document = _document(path)
    try:
        return CompatFrameworks(
            **{**document, "engines": {name: _framework(entry) for name, entry in document["engines"].items()}}
        )
    except (AttributeError, KeyError, TypeError) as error:
        raise CompatFileError(path, f"is not of this format: {error}") from None


def _document(path: Path) -> dict[str, Any]:
    try:
        content = path.read_bytes()
        document: Any = json.loads(lzma.decompress(content) if path.suffix == ".xz" else content)
    except OSError as error:
        raise CompatFileError(path, f"{error.strerror}") from None
    except (ValueError, lzma.LZMAError) as error:
        raise CompatFileError(path, f"is no JSON: {error}") from None
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise CompatFileError(path, f"is not of format {FORMAT}, which this reader reads")
    return document


def _framework(entry: Any) -> CompatFramework:
    return CompatFramework(releases={name: CompatRelease(**facts) for name, facts in entry["releases"].items()})


def _operator(entry: Any) -> CompatOperator:
    parts = {name: _features(entry.get(name, {})) for name in ("types", "forms")}
    clauses = {name: CompatClause(**clause) for name, clause in entry.get("clauses", {}).items()}
    return CompatOperator(**{**entry, **parts, "clauses": clauses})


def _features(entries: Any) -> dict[str, CompatFeature]:
    return {
        name: CompatFeature(**{**entry, "forms": _features(entry.get("forms", {}))}) for name, entry in entries.items()
    }


def _engine(entry: Any) -> CompatEngine:
    conditions = {
        release: None if found is None else CompatConditions(**found) for release, found in entry["conditions"].items()
    }
    return CompatEngine(**{**entry, "conditions": conditions})


def _deviation(entry: Any) -> CompatDeviation:
    return CompatDeviation(**{**entry, "example": CompatExample(**entry["example"])})
