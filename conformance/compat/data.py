"""What `data.json` holds, typed, and how it is read: it may be of a stranger.

Where a mapping has releases as keys, a value holds from its release until the next key: see `series`. A cell is a text
such as "w 3/100/120": the letter, and how many checks deviate, were judged, and were asked. The name of an element type
is that of the main data, as "int4", or has the argument before it, as "axes=int32".
"""

from __future__ import annotations

import json
import lzma
import os
import re
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, asdict, dataclass, field, fields, is_dataclass, replace
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

LETTERS: Mapping[str, str] = {
    "y": "conforms",
    "i": "follows an interpretation of what the page leaves open",
    "p": "supports a part, and what it supports conforms",
    "m": "damages memory",
    "c": "crashes or hangs",
    "w": "gives wrong results",
    "a": "accepts invalid calls",
    "r": "rejects valid calls, or invalid ones at a great cost",
    "n": "does not support it",
    "x": "cannot be asked",
    "u": "nothing was judged",
}
"""What each letter says of a release."""
FAULTS = "mcwar"
"""The letters of deviations, the worst first."""
UNSUPPORTED = "nx"
"""The letters of a release that does not have the operator, or no way to ask for it."""


# The types of `engines.json`: the facts of each release of each package.


@dataclass(frozen=True)
class CompatRelease:
    """A release: its day, the newest opset and IR version that it knows, the Pythons that it has wheels for, the ranges
    of packages that it needs, and the SHA-256 of its wheels, by the tags of their names.
    """

    date: str
    python: list[str]
    wheels: dict[str, str]
    needs: dict[str, str] = field(default_factory=dict)
    opset: int | None = None
    ir: int | None = None


@dataclass(frozen=True)
class CompatFramework:
    """The releases of a package, the oldest first."""

    releases: dict[str, CompatRelease]


@dataclass(frozen=True)
class CompatFrameworks:
    """All packages, by name."""

    format: int
    engines: dict[str, CompatFramework]


# Values of releases, written once for all consecutive releases with the same: each holds until the next one.

Held = TypeVar("Held")


def spread(series: Mapping[str, Held | None], releases: Sequence[str]) -> dict[str, Held | None]:
    """The value at each release; None before the first one."""
    values: dict[str, Held | None] = {}
    current: Held | None = None
    for release in releases:
        current = series.get(release, current)
        values[release] = current
    return values


def gathered(values: Mapping[str, Held | None], releases: Sequence[str]) -> dict[str, Held | None]:
    """The series of these values; a release that is not among them has None."""
    series: dict[str, Held | None] = {}
    current: Held | None = None
    for release in releases:
        if values.get(release) != current:
            current = series[release] = values.get(release)
    return series


def ranges(values: Mapping[str, Held]) -> list[tuple[Held, list[str]]]:
    """Each value with the consecutive releases that have it."""
    return [(value, list(releases)) for value, releases in groupby(values, key=lambda release: values[release])]


def extent(first: str, last: str) -> str:
    """Releases that follow each other in words, as `1.15.0 to 1.17.3`, or the one that it is."""
    return first if first == last else f"{first} to {last}"


FORMAT = 2
_CELL = re.compile(rf"([{''.join(LETTERS)}]) ([0-9]{{1,9}})/([0-9]{{1,9}})/([0-9]{{1,9}})")
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
    """What a release answered: `deviating` of `judged` checks deviate, of all that were `asked`.

    `findings` is the number of recorded ones that name the part and that their scripts show in the release. The letter
    is the worst of both.
    """

    letter: str
    deviating: int
    judged: int
    asked: int
    findings: int = 0

    @classmethod
    def of(cls, text: str) -> CompatCell:
        """The cell that a text such as "w 3/100/120" says."""
        found = _CELL.fullmatch(text)
        if found is None:
            raise CompatError(f"{text!r} is not a cell such as 'w 3/100/120'")
        letter, *counts = found.groups()
        return cls(letter, *map(int, counts))

    def __str__(self) -> str:
        """The text of `of`, and the findings, as "w 3/100/120+1"."""
        found = f"+{self.findings}" if self.findings else ""
        return f"{self.letter} {self.deviating}/{self.judged}/{self.asked}{found}"


@dataclass(frozen=True)
class CompatFeature:
    """A part of an operator version: an element type or a form; of a type, `forms` has each form that was asked."""

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
    `listed` has the element types that the page lists for each argument, the main data first. Of these, `types` has
    the answers to valid calls alone, and `refused`, of others, those to the calls that the page forbids for the type.
    """

    spec_url: str
    suite: str
    listed: dict[str, list[str]] = field(default_factory=dict)
    evidence: Results = field(default_factory=dict)
    results: Results = field(default_factory=dict)
    types: dict[str, CompatFeature] = field(default_factory=dict)
    refused: dict[str, Results] = field(default_factory=dict)
    forms: dict[str, CompatFeature] = field(default_factory=dict)
    clauses: dict[str, CompatClause] = field(default_factory=dict)

    def type_name(self, text: str) -> str:
        """The name of an element type, which may have the main data before it."""
        argument, _, dtype = text.rpartition("=")
        return dtype if argument == next(iter(self.listed), None) else text

    def type_names(self) -> list[str]:
        """The names of all element types that the page lists, those of the main data first."""
        pairs = ((argument, dtype) for argument, dtypes in self.listed.items() for dtype in dtypes)
        return [self.type_name(f"{argument}={dtype}") for argument, dtype in pairs]


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
class CompatFinding:
    """A recorded deviation with a script, whose worst answer has this `letter`.

    `operators` has in which releases the script shows it, unless all checks of the operator version that ever had it
    conform there. It names element types, forms and clauses; without forms, it applies to all. If it is of
    invalid calls alone, it counts for no element type.
    """

    engine: str
    id: str
    what: str
    letter: str
    operators: dict[str, dict[str, bool | None]]
    types: list[str] = field(default_factory=list)
    forms: list[str] = field(default_factory=list)
    clauses: list[str] = field(default_factory=list)
    is_of_valid_calls: bool = True
    upstream: str = ""

    def names(self, dtype: str, form: str, clause: str) -> bool:
        """Whether it is in the cells of a part: it names the clause, the type or the form, and excludes neither."""
        if clause:
            return clause in self.clauses
        if not dtype:
            return not form or form in self.forms
        has_form = not form or form in self.forms or not self.forms
        return self.is_of_valid_calls and dtype in self.types and has_form


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
    findings: list[CompatFinding] = field(default_factory=list)

    def cells(
        self, operator: str, engine: str, *, dtype: str = "", form: str = "", clause: str = ""
    ) -> dict[str, CompatCell | None]:
        """The cell of each release of an engine, the oldest first; None where it has no answer.

        Raises:
            CompatError: one of them is not known.
        """
        releases = _known(self.engines, engine, "engine").releases
        series = self.results(operator, dtype=dtype, form=form, clause=clause).get(engine, {})
        answered = cells_of(series, releases)
        for finding in self.findings_of(operator, engine, dtype=dtype, form=form, clause=clause):
            for release, is_shown in spread(finding.operators[operator], releases).items():
                if is_shown:
                    answered[release] = _with_finding(answered[release], finding.letter)
        return answered

    def findings_of(
        self, operator: str, engine: str, *, dtype: str = "", form: str = "", clause: str = ""
    ) -> list[CompatFinding]:
        """The findings of an engine that name a part of an operator version."""
        name = self.operators[operator].type_name(dtype)
        return [
            one
            for one in self.findings
            if one.engine == engine and operator in one.operators and one.names(name, form, clause)
        ]

    def refusals(self, operator: str, engine: str, dtype: str) -> dict[str, CompatCell | None]:
        """What each release of an engine answers to calls with a type that the operator version does not list.

        Raises:
            CompatError: the operator version or the engine is not known.
        """
        found = _known(self.operators, operator, "operator version")
        releases = _known(self.engines, engine, "engine").releases
        return cells_of(found.refused.get(found.type_name(dtype), {}).get(engine, {}), releases)

    def versions_with(self, operator: str, dtype: str) -> list[str]:
        """The versions of an operator version's operator that list an element type."""
        family = operator.rpartition("-")[0]
        of_family = {name: of for name, of in self.operators.items() if name.rpartition("-")[0] == family}
        return [name for name, of in of_family.items() if of.type_name(dtype) in of.type_names()]

    def evidence(self, operator: str, engine: str) -> dict[str, str | None]:
        """The digest of each release's answers to an operator version; None where it has none.

        Raises:
            CompatError: one of them is not known.
        """
        releases = _known(self.engines, engine, "engine").releases
        return spread(_known(self.operators, operator, "operator version").evidence.get(engine, {}), releases)

    def results(self, operator: str, *, dtype: str = "", form: str = "", clause: str = "") -> Results:
        """The results of a part of an operator version: of an element type, a form, both, or a clause.

        There are none of a type that the page lists, or of a form of it, that no valid call has.

        Raises:
            CompatError: it is not known.
        """
        found = _known(self.operators, operator, "operator version")
        if clause:
            if dtype or form:
                raise CompatError("a clause has no results by element type or form")
            return _known(found.clauses, clause, f"clause of {operator}").results
        if not dtype:
            return _known(found.forms, form, f"form of {operator}").results if form else found.results
        name = found.type_name(dtype)
        _known(dict.fromkeys(found.type_names()), name, f"element type of {operator}")
        of_type = found.types.get(name, CompatFeature())
        if not form:
            return of_type.results
        unasked = dict.fromkeys(found.forms, CompatFeature())
        return _known(unasked | of_type.forms, form, f"form of {operator}").results


def cells_of(series: CellSeries, releases: Iterable[str]) -> dict[str, CompatCell | None]:
    """The cells of releases by their texts; None where there is none."""
    return {
        release: None if text is None else CompatCell.of(text) for release, text in spread(series, [*releases]).items()
    }


def _with_finding(cell: CompatCell | None, letter: str) -> CompatCell | None:
    """A cell with one finding more, unless the release lacks what was asked."""
    cell = cell or CompatCell("u", 0, 0, 0)
    if cell.asked and not cell.judged:
        return cell
    worst = next((one for one in FAULTS if one in (cell.letter, letter)), cell.letter)
    return replace(cell, letter=worst, findings=cell.findings + 1)


def _known(entries: Mapping[str, _Entry], name: str, kind: str) -> _Entry:
    if name not in entries:
        raise CompatError(f"there is no {kind} {name!r}", name, entries)
    return entries[name]


# Reads `data.json` and `engines.json`, which may be of a stranger.

DATA = Path(__file__).with_name("data.json.xz")
ENGINES = Path(__file__).with_name("engines.json")
"""The files that come with the package."""
MAX_BYTES = 32 << 20
"""Of a file, packed or not."""


def load(path: Path = DATA) -> CompatData:
    """The data in a file, which may be packed with xz.

    Raises:
        CompatFileError: the file is missing, or not of this format.
    """
    data: CompatData = _read(CompatData, path)
    return data


def load_frameworks(path: Path = ENGINES) -> CompatFrameworks:
    """The facts of the releases in a file.

    Raises:
        CompatFileError: the file is missing, or not of this format.
    """
    frameworks: CompatFrameworks = _read(CompatFrameworks, path)
    return frameworks


def _read(kind: type, path: Path) -> Any:
    try:
        document: Any = json.loads(_content(path))
    except OSError as error:
        raise CompatFileError(path, f"{error.strerror}") from None
    except (ValueError, lzma.LZMAError) as error:
        raise CompatFileError(path, f"is not JSON: {error}") from None
    except RecursionError:
        raise CompatFileError(path, "is nested too deeply") from None
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise CompatFileError(path, f"is not of format {FORMAT}, which this reader reads")
    try:
        return _made(kind, document, "the file")
    except TypeError as error:
        raise CompatFileError(path, f"is not of this format: {error}") from None


def _content(path: Path) -> bytes:
    """The bytes of a regular file, unpacked; of a pipe or a device, none would be the last."""
    with open(path, "rb", opener=lambda name, flags: os.open(name, flags | getattr(os, "O_NONBLOCK", 0))) as stream:
        if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
            raise CompatFileError(path, "is not a regular file")
        content = stream.read(MAX_BYTES + 1)
    if path.suffix == ".xz" and len(content) <= MAX_BYTES:
        content = lzma.LZMADecompressor(memlimit=4 * MAX_BYTES).decompress(content, MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise CompatFileError(path, f"has more than {MAX_BYTES:,} bytes")
    return content


def _made(kind: Any, value: Any, place: str) -> Any:
    """A value of JSON as one of a type of this package.

    Raises:
        TypeError: it is not one; the message begins with the place.
    """
    plain, of = get_origin(kind) or kind, get_args(kind)
    if of and plain not in (dict, list):  # or None
        return None if value is None else _made(of[0], value, place)
    if type(value) is not (json_type := dict if is_dataclass(plain) else plain):
        raise TypeError(f"{place[:200]} is {type(value).__name__}, not {json_type.__name__}")
    if plain is list:
        return [_made(of[0], entry, f"{place}[{number}]") for number, entry in enumerate(value)]
    if plain is dict:
        return {name: _made(of[1], entry, f"{place}: {name}") for name, entry in value.items()}
    if not is_dataclass(plain):
        return value
    kinds, required = _fields(kind)
    for what, names in (("no", required - value.keys()), ("an unknown", value.keys() - kinds.keys())):
        if names:
            raise TypeError(f"{place[:200]} has {what} {min(names)!r}"[:400])
    return kind(**{name: _made(kinds[name], entry, f"{place}: {name}") for name, entry in value.items()})


@cache
def _fields(kind: Any) -> tuple[dict[str, Any], frozenset[str]]:
    """The types of a class's fields, and those without a default."""
    required = (one.name for one in fields(kind) if one.default is one.default_factory is MISSING)
    return get_type_hints(kind), frozenset(required)


# Writes the data as JSON.

_ONE_LINE = 3
"""A value with at most so many levels takes one line."""


def text_of(document: CompatData | CompatFrameworks) -> str:
    """A document as JSON: nothing that is empty, and one line for each part, so that few lines change at a time."""
    return "".join([*_pieces(asdict(document, dict_factory=_filled), ""), "\n"])


def _filled(fields: list[tuple[str, Any]]) -> dict[str, Any]:
    return {name: value for name, value in fields if value not in ("", {}, None)}


def _pieces(value: Any, indent: str) -> Iterator[str]:
    if not isinstance(value, list | dict) or _depth(value) <= _ONE_LINE:
        yield json.dumps(value, ensure_ascii=False)
        return
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    entries = (
        [(f"{json.dumps(key)}: ", entry) for key, entry in value.items()]
        if isinstance(value, dict)
        else [("", entry) for entry in value]
    )
    for place, (key, entry) in enumerate(entries):
        yield f"{',' if place else opening}\n{indent} {key}"
        yield from _pieces(entry, f"{indent} ")
    yield f"\n{indent}{closing}"


def _depth(value: Any) -> int:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    return 0 if inner is None else 1 + max(map(_depth, inner), default=0)
