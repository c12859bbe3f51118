"""The file in which the answers of releases are kept, an SQLite database, and the letters that summarize them.

It has one answer for each check of each release: the last one that a log had. A release is a framework's version with
the options and the instruction set with which it ran. An answer keeps what it follows from, so that it is known when it
is stale: the digests of the operator's files and of the adapter, and the environment.
"""

from __future__ import annotations

import hashlib
import platform
import sqlite3
import zlib
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from packaging.version import InvalidVersion, Version
from platformdirs import user_data_path

from conformance.compat.data import FAULTS, CompatCell
from conformance.log.log_file import LINES, milliseconds, record_line, records_of, required_header
from conformance.log.record import CheckRecord, Header, Line, SuiteEntry, TargetEntry
from conformance.protocol.form import Form
from conformance.spec.verdict import RateMark, Section, Severity, Standing, Verdict
from conformance.tensors.errors import UsageError
from conformance.tensors.files import refuse_foreign
from conformance.tensors.text import one_line

# The records of logs, packed by release and operator version, so that a later run can take them over.
#
# A release has one state of records for each operator version: those with the same operator's files, adapter, loaded
# packages and libraries, environment and recorded deviations, of the same version of this suite, under the same time
# limit. Another state replaces them.

RecordKey = tuple[str, Form]
"""The id of a case, and the form."""
_MOST_BYTES = 1 << 28


def state_of(suite: SuiteEntry, target: TargetEntry, operator: str, timeout_s: float) -> str:
    """The digest of all that a record follows from, other than the release itself; empty if not all of it is known.

    `operator` is without its version.
    """
    of_target = target.adapter_digest, target.loaded_digest, target.deviations_digest
    digests = suite.digests.get(operator, ""), *of_target
    if not all(digests):
        return ""
    facts = (suite.version, *digests, target.environment, target.python, target.numpy, f"{timeout_s:g}")
    return hashlib.sha256("\0".join(facts).encode()).hexdigest()


def _records_kept(
    database: sqlite3.Connection, release: int, operator: str, state: str
) -> dict[RecordKey, CheckRecord]:
    """The records of a release for an operator version; none if they are of another state."""
    query = "SELECT packed FROM records WHERE release = ? AND operator = ? AND state = ?"
    found = database.execute(query, (release, operator, state)).fetchone()
    if found is None or not state:
        return {}
    try:
        unpacker = zlib.decompressobj()
        lines = unpacker.decompress(found[0], _MOST_BYTES).splitlines()
        if not unpacker.eof:
            raise sqlite3.DataError(f"the records of {operator} are cut off, or larger than {_MOST_BYTES:,} bytes")
        return {(record.case, record.form): record for record in records_of(map(LINES.validate_json, lines))}
    except (zlib.error, TypeError, ValueError) as error:
        raise sqlite3.DataError(f"the records of {operator} cannot be read: {one_line(str(error))}") from None


# What answers follow from as it is now: an answer of another state of it is stale.


@dataclass(frozen=True, slots=True, kw_only=True)
class CurrentSources:
    """The digests of operators' files and of adapters, each by name, and the names of environments, which have the
    digest of what is installed in them.
    """

    operators: Mapping[str, str]
    adapters: Mapping[str, str] = field(default_factory=dict)
    environments: Collection[str] = ()

    def has(self, operator: str, suite: str, adapter: str, digest: str, environment: str) -> bool:
        """Whether an answer is of this state: of the operator's files, the adapter, and the environment.

        What is not known of the answer, or of the adapter now, is taken to be the same.
        """
        return (
            self.operators.get(operator.rpartition("-")[0], "") == suite
            and (not digest or self.adapters.get(adapter, digest) == digest)
            and (not environment or environment in self.environments)
        )


_FORMAT = 3
_VERDICTS = {verdict.value: verdict for verdict in Verdict}
_MOST_UNPACKED = 5_000
"""Records that wait to be packed: workers answer side by side, so those of several operator versions alternate."""
_SHORT = 15
"""Digits of the digest of an answer's outputs that are kept: 60 bits, as many as a number of SQLite holds."""
_SCHEMA = """
CREATE TABLE releases (
    id INTEGER PRIMARY KEY, adapter TEXT, version TEXT, options TEXT, instruction_set TEXT, system TEXT,
    UNIQUE (adapter, version, options, instruction_set, system)
);
CREATE TABLE records (
    release INTEGER REFERENCES releases, operator TEXT, state TEXT, packed BLOB, PRIMARY KEY (release, operator)
);
CREATE TABLE texts (id INTEGER PRIMARY KEY, text TEXT UNIQUE);
CREATE TABLE sources (
    id INTEGER PRIMARY KEY, suite TEXT, adapter TEXT, environment TEXT, UNIQUE (suite, adapter, environment)
);
CREATE TABLE checks (
    id INTEGER PRIMARY KEY, operator TEXT, name TEXT, form TEXT, dtype TEXT, UNIQUE (name, form)
);
CREATE INDEX checks_of_operators ON checks (operator);
CREATE TABLE answers (
    release INTEGER REFERENCES releases, asked INTEGER REFERENCES checks, source INTEGER REFERENCES sources,
    judged INTEGER REFERENCES texts, cause INTEGER REFERENCES texts, deviation INTEGER REFERENCES texts,
    outputs INTEGER, started INTEGER,
    PRIMARY KEY (release, asked)
) WITHOUT ROWID;
"""
_TEXTS = """
SELECT tables.name, columns.name FROM sqlite_master AS tables JOIN pragma_table_info(tables.name) AS columns
WHERE columns.type = 'TEXT'
"""
_KEPT = """
INSERT INTO answers VALUES (?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (release, asked) DO UPDATE SET source = excluded.source, judged = excluded.judged,
    cause = excluded.cause, deviation = excluded.deviation, outputs = excluded.outputs, started = excluded.started
WHERE excluded.started >= answers.started
"""
_COUNTED = """
SELECT operator, dtype, form, verdicts.text, suite, adapter, environment, count(*) FROM answers
JOIN checks ON checks.id = asked
JOIN texts AS verdicts ON verdicts.id = judged JOIN sources ON sources.id = source
WHERE release = ? AND operator IN ({marks}) GROUP BY 1, 2, 3, 4, 5, 6, 7
"""
_CHANGED = """
SELECT checks.name, checks.form, old.text, was.text, new.text, becomes.text FROM answers AS before
JOIN answers AS after ON after.asked = before.asked
JOIN texts AS old ON old.id = before.judged JOIN texts AS was ON was.id = coalesce(before.deviation, before.cause)
JOIN texts AS new ON new.id = after.judged JOIN texts AS becomes ON becomes.id = coalesce(after.deviation, after.cause)
JOIN checks ON checks.id = before.asked
JOIN sources AS earlier ON earlier.id = before.source JOIN sources AS later ON later.id = after.source
WHERE before.release = ? AND after.release = ? AND earlier.suite = later.suite
AND (before.judged != after.judged OR before.cause != after.cause AND was.id != becomes.id)
AND operator IN ({marks}) ORDER BY before.asked
"""
_ANSWERED = """
SELECT checks.name, form, dtype, verdicts.text, causes.text, ids.text, outputs, suite FROM answers
JOIN checks ON checks.id = asked
JOIN texts AS verdicts ON verdicts.id = judged JOIN texts AS causes ON causes.id = cause
LEFT JOIN texts AS ids ON ids.id = deviation
JOIN sources ON sources.id = source
WHERE release = ? AND operator = ? ORDER BY 1, 2
"""
_OF_CAUSES = """
SELECT texts.text, checks.operator, checks.name, checks.form, count(*) FROM answers
JOIN texts ON texts.id = coalesce(deviation, cause) JOIN checks ON checks.id = asked
WHERE release IN ({marks}) AND texts.text != '' GROUP BY 1, 3, 4 ORDER BY 5 DESC, asked
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredRelease:
    """A release that has answers; `options` are those that differ from the adapter's defaults."""

    id: int
    adapter: str
    version: str
    options: str
    instruction_set: str
    system: str

    @property
    def target(self) -> str:
        """The target's name without the version, as onnxruntime[optimization=disabled]."""
        return f"{self.adapter}[{self.options}]" if self.options else self.adapter

    @property
    def line(self) -> tuple[str, str, str]:
        """What the releases have in common that follow each other."""
        return self.target, self.system, self.instruction_set

    @property
    def order(self) -> tuple[Version, str]:
        """The place of its version among others; a text that is not a version stands first."""
        try:
            return Version(self.version), self.version
        except InvalidVersion:
            return Version("0.dev0"), self.version


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerCount:
    """How many checks of an operator version, an element type and a form a release answered with a verdict.

    `judged` is the verdict before recorded deviations excuse it. Stale answers are of another state of the operator's
    files, of the adapter or of the environment than that of now.
    """

    operator: str
    dtype: str
    form: Form
    judged: Verdict
    is_stale: bool
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedAnswer:
    """A check that two releases answered differently, each with its verdict and the name of its cause."""

    case: str
    form: Form
    before: Verdict
    was: str
    after: Verdict
    becomes: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredAnswer:
    """What a release answered to a check; `outputs` are the first digits of their digest as a number, 0 for none.

    `judged` is the verdict before recorded deviations excuse it, `cause` a text, and `deviation` the id of the recorded
    one that describes it, if one does.
    """

    case: str
    form: Form
    dtype: str
    judged: Verdict
    cause: str
    deviation: str
    outputs: int
    suite: str

    @property
    def cause_name(self) -> str:
        """The id of the recorded deviation, or the cause."""
        return self.deviation or self.cause


@dataclass(frozen=True, slots=True, kw_only=True)
class CauseWitness:
    """A check that had a cause in a release, or in several; the cause is the id of a recorded deviation or a text."""

    cause: str
    operator: str
    case: str
    form: Form


def default_store() -> Path:
    """The history of this user."""
    return user_data_path("opconform") / "history.sqlite"


@contextmanager
def opened_store(path: Path) -> Iterator[HistoryStore]:
    """The store in a file, which is made if it is missing.

    Raises:
        UsageError: the file cannot be read or written, is not an opconform history, or has another format version.
    """
    refuse_foreign(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with closing(sqlite3.connect(path)) as database:
            _prepare(database, path)
            yield HistoryStore(database)
    except sqlite3.Error as error:
        what = f"cannot be used as a history: {error}"
        raise UsageError(str(path), what, fix="name another file with --store") from None


def _prepare(database: sqlite3.Connection, path: Path) -> None:
    (found,) = database.execute("PRAGMA user_version").fetchone()
    if not found and not database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
        database.executescript(f"{_SCHEMA} PRAGMA user_version = {_FORMAT};")
    elif found != _FORMAT:
        what = f"is a database of format {found or 'unknown'}, and this version reads format {_FORMAT}"
        raise UsageError(str(path), what, fix="name another file with --store, and add the logs again")
    else:
        _refuse_foreign_tables(database)


def _refuse_foreign_tables(database: sqlite3.Connection) -> None:
    """Refuse what no history has: a view that never ends, a trigger, or bytes in the place of a text.

    Raises:
        DataError: it has one.
    """
    with closing(sqlite3.connect(":memory:")) as due:
        due.executescript(_SCHEMA)
        made, expected = _made_by(database), _made_by(due)
        texts = due.execute(_TEXTS).fetchall()
    if made != expected:
        raise sqlite3.DataError(f"{one_line(min(made ^ expected)[1], 200)!r} is not as in a history")
    for table, column in texts:
        if database.execute(f"SELECT 1 FROM {table} WHERE typeof({column}) != 'text' LIMIT 1").fetchone():  # noqa: S608
            raise sqlite3.DataError(f"{table}.{column} has something else than a text")


def _made_by(database: sqlite3.Connection) -> set[tuple[str, str]]:
    """The names and the definitions of all that a database has, but for what SQLite makes itself."""
    rows = database.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL")
    return {(str(name), " ".join(str(sql).split())) for name, sql in rows}


def _verdict(text: str) -> Verdict:
    try:
        return _VERDICTS[text]
    except KeyError:
        raise sqlite3.DataError(f"{one_line(repr(text), 80)} is not a verdict") from None


def _form(text: str) -> Form:
    try:
        return Form(text)
    except ValueError:
        raise sqlite3.DataError(f"{one_line(repr(text), 80)} is not a form") from None


class HistoryStore:
    """The answers of all releases in one file."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database

    def add(self, lines: Iterable[Line], name: str = "log") -> int:
        """Keep the answers of a log, all or none; returns how many there were. `name` is that of the log in errors.

        An answer takes the place of an older one to the same check. What no target was asked is left out.

        Raises:
            RunLogError: a line is not one of a log, or the log has no header.
        """
        source = iter(lines)
        header = required_header(next(source, None), name)
        with self._database:
            keeping = _Keeping(self._database, header, name)
            number = sum(keeping.keep(line) for line in source if isinstance(line, CheckRecord))
            keeping.pack()
        return number

    def earlier_records(self, target: TargetEntry, operator: str, state: str) -> dict[RecordKey, CheckRecord]:
        """The records that a target on this system has for an operator version, if they are of this state."""
        names = "adapter = ? AND version = ? AND options = ? AND instruction_set = ? AND system = ?"
        key = _release_key(target, platform.system())
        found = self._database.execute(f"SELECT id FROM releases WHERE {names}", key).fetchone()  # noqa: S608
        return {} if found is None else _records_kept(self._database, found[0], operator, state)

    @cached_property
    def releases(self) -> list[StoredRelease]:
        """All releases, those of one framework from the oldest to the newest."""
        rows = self._database.execute("SELECT id, adapter, version, options, instruction_set, system FROM releases")
        fields = ("id", "adapter", "version", "options", "instruction_set", "system")
        found = [StoredRelease(**dict(zip(fields, cells, strict=True))) for cells in rows]
        return sorted(found, key=lambda release: (release.line, release.order))

    @cached_property
    def operators(self) -> list[str]:
        """The operator versions that have an answer."""
        rows = self._database.execute("SELECT DISTINCT operator FROM checks ORDER BY 1")
        return [operator for (operator,) in rows]

    def counts(
        self, release: StoredRelease, operators: Sequence[str], current: CurrentSources
    ) -> Iterator[AnswerCount]:
        """The answers of a release for these operator versions, counted; `current` tells the stale ones."""
        query = _COUNTED.format(marks=_marks(operators))
        rows = self._database.execute(query, (release.id, *operators))
        for operator, dtype, form, judged, suite, adapter, environment, count in rows:
            yield AnswerCount(
                operator=operator,
                dtype=dtype,
                form=_form(form),
                judged=_verdict(judged),
                is_stale=not current.has(operator, suite, release.adapter, adapter, environment),
                count=count,
            )

    def answers(self, release: StoredRelease, operator: str) -> Iterator[StoredAnswer]:
        """The answers of a release for an operator version, in the order of their cases and forms."""
        rows = self._database.execute(_ANSWERED, (release.id, operator))
        for case, form, dtype, judged, cause, deviation, outputs, suite in rows:
            yield StoredAnswer(
                case=case,
                form=_form(form),
                dtype=dtype,
                judged=_verdict(judged),
                cause=cause,
                deviation=deviation or "",
                outputs=outputs,
                suite=suite,
            )

    def changes(self, old: StoredRelease, new: StoredRelease, operators: Sequence[str]) -> Iterator[ChangedAnswer]:
        """The checks of the same suite that both releases were asked and answered differently."""
        query = _CHANGED.format(marks=_marks(operators))
        for case, form, before, was, after, becomes in self._database.execute(query, (old.id, new.id, *operators)):
            yield ChangedAnswer(
                case=case, form=_form(form), before=_verdict(before), was=was, after=_verdict(after), becomes=becomes
            )

    def witnesses(self, releases: Sequence[StoredRelease]) -> Iterator[CauseWitness]:
        """Each check with each cause that it had in these releases: first those that had it in the most of them."""
        query = _OF_CAUSES.format(marks=_marks(releases))
        rows = self._database.execute(query, [release.id for release in releases])
        for cause, operator, case, form, _ in rows:
            yield CauseWitness(cause=cause, operator=operator, case=case, form=_form(form))


def _release_key(target: TargetEntry, system: str) -> tuple[str, str, str, str, str]:
    options = target.name.partition("[")[2].rstrip("]")
    return target.adapter, target.version, options, target.instruction_set, system.partition(" ")[0]


def _marks(items: Sequence[object]) -> str:
    return ", ".join("?" * len(items))


class _Keeping:
    """Keeps the records of one log."""

    def __init__(self, database: sqlite3.Connection, header: Header, name: str) -> None:
        self._database = database
        self._header = header
        self._name = f"{name} ({header.machine.processor})"
        self._targets = {target.name: target for target in header.targets if not target.problem}
        self._releases = {name: self._release(target) for name, target in self._targets.items()}
        self._texts: dict[str, int] = {}
        self._sources: dict[tuple[str, str], int] = {}
        self._unpacked: list[CheckRecord] = []
        self._started = milliseconds(header.started)

    def keep(self, record: CheckRecord) -> bool:
        """Keep a record; false if its target was not asked."""
        if record.target not in self._releases or not record.judged.meaning.was_asked:
            return False
        kept = (
            self._releases[record.target],
            self._check(record),
            self._source(record.operator.rpartition("-")[0], record.target),
            self._text(record.judged.value),
            self._text(record.cause),
            self._text(record.deviation) if record.verdict.meaning.section is Section.KNOWN else None,
            int(record.outputs[:_SHORT] or "0", 16),
            self._started,
        )
        self._database.execute(_KEPT, kept)
        if record.judged.meaning.is_certifiable and not self._header.selection.challenge:
            source = (record.reused, record.reused_from) if record.reused else (self._header.started, self._name)
            self._unpacked.append(replace(record, reused=source[0], reused_from=source[1]))
            if len(self._unpacked) >= _MOST_UNPACKED:
                self.pack()
        return True

    def pack(self) -> None:
        """Keep the records that are not packed yet."""
        found = defaultdict[tuple[str, str], list[CheckRecord]](list)
        for record in self._unpacked:
            found[record.target, record.operator].append(record)
        for (target, operator), records in found.items():
            family = operator.rpartition("-")[0]
            state = state_of(self._header.suite, self._targets[target], family, self._header.timeout_s)
            if state:
                self._pack(self._releases[target], operator, state, records)
        self._unpacked.clear()

    def _pack(self, release: int, operator: str, state: str, records: Iterable[CheckRecord]) -> None:
        """Keep further records of a release, which take the places of older ones."""
        kept = _records_kept(self._database, release, operator, state)
        kept |= {(record.case, record.form): record for record in records}
        lines = b"\n".join(record_line(replace(record, place=None)) for record in kept.values())
        packed = release, operator, state, zlib.compress(lines, 9)
        self._database.execute("INSERT OR REPLACE INTO records VALUES (?, ?, ?, ?)", packed)

    def _release(self, target: TargetEntry) -> int:
        key = _release_key(target, self._header.machine.system)
        return self._number("releases (adapter, version, options, instruction_set, system)", key)

    def _check(self, record: CheckRecord) -> int:
        key = record.case, record.form.value, record.operator, record.dtype
        return self._number("checks (name, form, operator, dtype)", key, unique=2)

    def _source(self, operator: str, target: str) -> int:
        if (operator, target) not in self._sources:
            suite = self._header.suite.digests.get(operator, self._header.suite.digest)
            key = suite, self._targets[target].adapter_digest, self._targets[target].environment
            self._sources[operator, target] = self._number("sources (suite, adapter, environment)", key)
        return self._sources[operator, target]

    def _text(self, text: str) -> int:
        if text not in self._texts:
            self._texts[text] = self._number("texts (text)", (text,))
        return self._texts[text]

    def _number(self, table: str, key: Sequence[str], unique: int | None = None) -> int:
        """The number of a row, which is made if it is missing; the first `unique` cells tell it from others."""
        name, _, columns = table.rstrip(")").partition(" (")
        named = " AND ".join(f"{column} = ?" for column in columns.split(", ")[:unique])
        found = self._database.execute(f"SELECT id FROM {name} WHERE {named}", key[:unique]).fetchone()  # noqa: S608
        if found is None:
            made = self._database.execute(f"INSERT INTO {table} VALUES ({_marks(key)})", key)  # noqa: S608
            found = (made.lastrowid,)
        return int(found[0])


# What a release answered in one letter: a function of its verdicts, counted.

LETTER_OF_SEVERITY = {
    Severity.MEMORY: "m",
    Severity.CRASH: "c",
    Severity.WRONG: "w",
    Severity.ACCEPTANCE: "a",
    Severity.REJECTION: "r",
    Severity.COST: "r",
}
_OF_MARK = {
    RateMark.DISPUTED: "i",
    RateMark.UNSUPPORTED: "n",
    RateMark.NOT_EXPRESSIBLE: "x",
    RateMark.NOT_DECLARED: "x",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryCell:
    """What a release answered to some checks. It is stale if an answer is."""

    answered: CompatCell
    is_stale: bool


def cell_of(counts: Iterable[AnswerCount]) -> HistoryCell:
    """The cell of these counts of one release."""
    letters: Counter[str] = Counter()
    is_stale = False
    for counted in counts:
        letters[letter_of(counted.judged)] += counted.count
        is_stale |= counted.is_stale
    return HistoryCell(answered=summed(letters), is_stale=is_stale)


def summed(letters: Mapping[str, int]) -> CompatCell:
    """The cell of checks, counted by their letters."""
    deviating = sum(letters.get(letter, 0) for letter in FAULTS)
    judged = deviating + letters.get("y", 0) + letters.get("i", 0)
    return CompatCell(letter=_letter(letters), deviating=deviating, judged=judged, asked=sum(letters.values()))


def letter_of(verdict: Verdict) -> str:
    """The letter of one verdict."""
    meaning = verdict.meaning
    if meaning.severity is not None:
        return LETTER_OF_SEVERITY[meaning.severity]
    if meaning.standing is Standing.CONFORMING:
        return "y"
    return "u" if meaning.mark is None else _OF_MARK.get(meaning.mark, "u")


def _letter(letters: Mapping[str, int]) -> str:
    """The worst that happened; without a deviation, whether all of it is supported."""
    for letter in (*FAULTS, "y", "i", "n", "x"):
        if letters.get(letter):
            return "p" if letter == "y" and letters.get("n") else letter
    return "u"


def rows_of(counts: Iterable[AnswerCount], row: Callable[[AnswerCount], str]) -> dict[str, list[AnswerCount]]:
    """The counts by the name of a row."""
    found: defaultdict[str, list[AnswerCount]] = defaultdict(list)
    for counted in counts:
        found[row(counted)].append(counted)
    return found
