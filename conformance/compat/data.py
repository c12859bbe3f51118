"""What `data.json` holds, typed.

Where a mapping has releases as keys, a value holds from its release until the next key: see `series`. A cell is a text
such as "w 3/100/120": the letter, and how many checks deviate, were judged, and were asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from .series import spread

FORMAT = 1
_CELL = re.compile(r"([a-z]) ([0-9]+)/([0-9]+)/([0-9]+)")
_Entry = TypeVar("_Entry")

CellSeries = dict[str, str | None]
Results = dict[str, CellSeries]
"""The cells of releases, by engine."""


class CompatError(ValueError):
    """A `name` is not among those that are `known`."""

    def __init__(self, what: str, name: str = "", known: Iterable[str] = ()) -> None:
        self.what, self.name, self.known = what, name, tuple(known)
        super().__init__(f"{what}; there are {', '.join(self.known)}" if self.known else what)


class CompatFileError(CompatError):
    """A file cannot be read, or is not of this format."""

    def __init__(self, path: Path, what: str) -> None:
        super().__init__(f"{path}: {what}")
        self.why = what


@dataclass(frozen=True)
class CompatCell:
    """What a release answered: `deviating` of `judged` checks deviate, of all that were `asked`."""

    letter: str
    deviating: int
    judged: int
    asked: int

    @classmethod
    def of(cls, text: str) -> CompatCell:
        """The cell that a text such as "w 3/100/120" says."""
        found = _CELL.fullmatch(text)
        if found is None:
            raise CompatError(f"{text!r} is no cell such as 'w 3/100/120'")
        letter, *counts = found.groups()
        return cls(letter, *map(int, counts))

    def __str__(self) -> str:
        """The text of `of`."""
        return f"{self.letter} {self.deviating}/{self.judged}/{self.asked}"


@dataclass(frozen=True)
class CompatFeature:
    """A part of an operator version: an element type or a form; of a type, `forms` has each form."""

    results: Results = field(default_factory=dict)
    forms: dict[str, CompatFeature] = field(default_factory=dict)


@dataclass(frozen=True)
class CompatClause:
    """One statement of the page in other words, and the section that states it; no results without a case."""

    says: str
    section: str = ""
    results: Results = field(default_factory=dict)


@dataclass(frozen=True)
class CompatOperator:
    """One operator version: all of it, and each element type, form and clause.

    `suite` is the digest of the case files that all answers are to, and `evidence` those of the answers, by engine.
    """

    spec_url: str
    suite: str
    evidence: Results = field(default_factory=dict)
    results: Results = field(default_factory=dict)
    types: dict[str, CompatFeature] = field(default_factory=dict)
    forms: dict[str, CompatFeature] = field(default_factory=dict)
    clauses: dict[str, CompatClause] = field(default_factory=dict)


@dataclass(frozen=True)
class CompatConditions:
    """Where releases ran; an empty instruction set is not known."""

    system: str
    instruction_set: str = ""


@dataclass(frozen=True)
class CompatEngine:
    """A framework with options, and its releases, the oldest first; `package` is its name in `engines.json`.

    `profile` is the one whose checks were asked; empty for those of the default set.
    """

    adapter: str
    package: str
    releases: list[str]
    conditions: dict[str, CompatConditions | None]
    options: str = ""
    profile: str = ""


@dataclass(frozen=True)
class CompatExample:
    """A check."""

    case: str
    form: str


@dataclass(frozen=True)
class CompatDeviation:
    """A cause of deviations, and in each release the number of `checks` that had it; None if none of them was judged.

    If it is recorded, `cause` is the id of its record and `what` a sentence about it. Otherwise `cause` is a text, and
    all `operators` are versions of one.
    """

    engine: str
    cause: str
    severity: str
    recorded: bool
    operators: list[str]
    checks: dict[str, int | None]
    example: CompatExample
    what: str = ""
    upstream: str = ""


@dataclass(frozen=True)
class CompatData:
    """The data of all releases; `letters` says what each letter means."""

    format: int
    version: str
    license: str
    letters: dict[str, str]
    engines: dict[str, CompatEngine]
    operators: dict[str, CompatOperator]
    deviations: list[CompatDeviation]

    def cells(
        self, operator: str, engine: str, *, dtype: str = "", form: str = "", clause: str = ""
    ) -> dict[str, CompatCell | None]:
        """The cell of each release of an engine, the oldest first; None where it has no answer.

        Raises:
            CompatError: one of them is not known.
        """
        releases = _known(self.engines, engine, "engine").releases
        series = self.results(operator, dtype=dtype, form=form, clause=clause).get(engine, {})
        return {
            release: None if text is None else CompatCell.of(text) for release, text in spread(series, releases).items()
        }

    def evidence(self, operator: str, engine: str) -> dict[str, str | None]:
        """The digest of each release's answers to an operator version; None where it has none.

        Raises:
            CompatError: one of them is not known.
        """
        releases = _known(self.engines, engine, "engine").releases
        return spread(_known(self.operators, operator, "operator version").evidence.get(engine, {}), releases)

    def results(self, operator: str, *, dtype: str = "", form: str = "", clause: str = "") -> Results:
        """The results of a part of an operator version: of an element type, a form, both, or a clause.

        Raises:
            CompatError: it is not known.
        """
        found = _known(self.operators, operator, "operator version")
        if clause:
            if dtype or form:
                raise CompatError("a clause has no results by element type or form")
            return _known(found.clauses, clause, f"clause of {operator}").results
        if dtype:
            of_type = _known(found.types, dtype, f"element type of {operator}")
            return _known(of_type.forms, form, f"form of {operator} with {dtype}").results if form else of_type.results
        return _known(found.forms, form, f"form of {operator}").results if form else found.results


def _known(entries: Mapping[str, _Entry], name: str, kind: str) -> _Entry:
    if name not in entries:
        raise CompatError(f"there is no {kind} {name!r}", name, entries)
    return entries[name]
