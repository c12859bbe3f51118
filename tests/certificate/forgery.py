"""What a forger can do: edit a certificate, and make every other file again so that nothing but the lie gives it away.

A forger has the suite and its program, and nobody's key.
"""

from __future__ import annotations

import hashlib
import json
import lzma
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from pydantic import TypeAdapter

from conformance.certificate.certificate_file import (
    DEVIATIONS,
    ENVELOPE,
    LOG,
    STATEMENT,
    Tallies,
    digest_of,
    document_bytes,
    reproducer_name,
    statement_bytes,
    written,
)
from conformance.certificate.folder import read_folder, reproducers_in
from conformance.certificate.review import Claims, Terms, review, summary_of
from conformance.certificate.rules import Installation, read_profile
from conformance.judge.deviation import Deviation, deviations_from_document
from conformance.log.build_record import record_of
from conformance.log.log_file import LINES, lines_as_they_stand, written_line
from conformance.log.record import CheckRecord, Header
from conformance.protocol.outcome import Outcome
from conformance.run.execution import deviation_entry
from conformance.run.selection import checks_of, families_selected
from conformance.spec.case import due_outputs
from conformance.spec.check import Check
from conformance.suite.suite import load_suite
from conformance.suite.yaml_file import document_from_bytes
from conformance.tensors.errors import RunLogError
from conformance.tensors.tensor import Tensor

Line = dict[str, Any]
Way = tuple[str | int, ...]
"""The keys and indices from a document to a value."""
_JSON = TypeAdapter(CheckRecord)


@dataclass(frozen=True, slots=True)
class Forger:
    """A certificate under a forger's hands: the lines of its log, and the entries of its deviations."""

    installation: Installation
    lines: list[Line]
    entries: list[Line]

    @property
    def header(self) -> Line:
        """The first line."""
        return self.lines[0]

    @property
    def target(self) -> Line:
        """What the log says of its target."""
        target: Line = self.header["targets"][0]
        return target

    @property
    def records(self) -> list[Line]:
        """The records of checks."""
        return self.lines[1:-1]

    def __getitem__(self, name: str) -> Any:
        """A part by its name: `header`, `target`, `lines`, `closing`, `entries`, `entry`, a record (`bait@runtime`).

        A record without a form is that of the form `constant`.
        """
        if name in ("header", "target", "lines", "entries"):
            return getattr(self, name)
        if name in ("closing", "entry"):
            return self.lines[-1] if name == "closing" else self.entries[0]
        case, _, form = name.partition("@")
        return self.record(case, form or "constant")

    def record(self, case: str, form: str = "constant") -> Line:
        """The record of a case in a form."""
        return next(line for line in self.lines if line.get("case", "").endswith(f"/{case}") and line["form"] == form)

    def right(self, case: str, form: str = "constant") -> tuple[tuple[Tensor, ...], ...]:
        """What a check expects."""
        check = _checks(self.installation)[self.record(case, form)["case"], form]
        return tuple(map(due_outputs, check.steps))

    def answer(self, case: str, outcome: Outcome, form: str = "constant") -> Line:
        """Record another outcome of a check, as the program does that runs it; the new record."""
        found = self.record(case, form)
        check = _checks(self.installation)[found["case"], form]
        made = record_of(check, self.target["name"], outcome, _deviations(self.entries))
        found.clear()
        found |= {"type": "check", **_JSON.dump_python(made, mode="json", exclude_defaults=True)}
        return found


@contextmanager
def forging(folder: Path, installation: Installation) -> Iterator[Forger]:
    """Lets a forger edit log and deviations, then has the closing line count the records and all other files follow."""
    lines = log_lines(folder)
    entries = yaml.safe_load((folder / DEVIATIONS).read_bytes())["deviations"]
    closing, recorded = deepcopy(lines[-1]), deepcopy(entries)
    forger = Forger(installation, lines, entries)
    yield forger
    if entries != recorded:
        (folder / DEVIATIONS).write_bytes(document_bytes({"deviations": entries}))
        with suppress(ExceptionGroup):
            name = forger.target["name"]
            lines[0]["deviations"] = [_plain(deviation_entry(name, entry)) for entry in _deviations(entries)]
    if lines[-1] == closing:
        _count_again(lines)
    write_log(folder, b"".join(_written(line) + b"\n" for line in lines))
    remake(folder, installation)


def log_bytes(folder: Path) -> bytes:
    """The log."""
    return lzma.decompress((folder / LOG).read_bytes())


def log_lines(folder: Path) -> list[Line]:
    """The lines of the log."""
    return [json.loads(line) for line in log_bytes(folder).splitlines()]


def write_log(folder: Path, data: bytes) -> None:
    """Put another log in the place of the log."""
    (folder / LOG).write_bytes(lzma.compress(data))


def leaves(value: object, way: Way = ()) -> Iterator[Way]:
    """The way to each value of a document that holds no others."""
    if isinstance(value, (dict, list)) and value:
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(item, (*way, key))
    else:
        yield way


def change(document: Any, way: Way, into: Callable[[Any], object]) -> None:
    """Put what a function makes of a value in its place."""
    for key in way[:-1]:
        document = document[key]
    document[way[-1]] = into(document[way[-1]])


def remake(folder: Path, installation: Installation) -> None:
    """Make all files that follow from the log and the deviations again, as the program does, but without its checks.

    Of what cannot be read the digests alone are made again. Nothing is signed.
    """
    (folder / ENVELOPE).unlink(missing_ok=True)
    with tempfile.TemporaryDirectory() as scratch, suppress(RunLogError, ExceptionGroup, IndexError):
        log = Path(scratch) / "run.jsonl"
        log.write_bytes(log_bytes(folder))
        files = _written_again(folder, installation, log)
        for name, data in files.items():
            (folder / name).write_bytes(data)
        return
    restate(folder)


def restate(folder: Path) -> None:
    """Put the digests of the files as they are now into the statement."""
    (folder / ENVELOPE).unlink(missing_ok=True)
    stated = json.loads((folder / STATEMENT).read_bytes())
    for subject in stated["subject"]:
        path = folder / subject["name"]
        if path.is_file():
            subject["digest"]["sha256"] = hashlib.sha256(path.read_bytes()).hexdigest()
    scripts = {f"reproducers/{path.name}" for path in (folder / "reproducers").glob("*")}
    stated["subject"] = [
        *(entry for entry in stated["subject"] if entry["name"] in scripts or "/" not in entry["name"]),
        *(
            {"name": name, "digest": {"sha256": hashlib.sha256((folder / name).read_bytes()).hexdigest()}}
            for name in scripts - {entry["name"] for entry in stated["subject"]}
        ),
    ]
    stated["subject"].sort(key=lambda entry: entry["name"])
    (folder / STATEMENT).write_bytes(statement_bytes(stated))


def _written_again(folder: Path, installation: Installation, log: Path) -> dict[str, bytes]:
    profile, suite = read_profile("small", installation.profiles), load_suite(installation.cases)
    deviations = deviations_from_document(document_from_bytes((folder / DEVIATIONS).read_bytes(), DEVIATIONS))
    lines = list(lines_as_they_stand(log))
    header = next(line for line in lines if isinstance(line, Header))
    tallies = Tallies(profile, header.targets[0], deviations, suite)
    for line in lines:
        if isinstance(line, CheckRecord) and line.verdict.meaning.is_certifiable:
            tallies.add(line)
    terms = Terms(suite=suite, profile=profile, deviations=deviations)
    found = review(log, terms)
    found.header, found.assessment = header, found.assessment or tallies.assessment()
    claims, copies = Claims(vendor="Vendor", product="Product", issuer="Issuer"), reproducers_in(read_folder(folder))
    scripts = {entry.reproducer: copies.get(reproducer_name(entry)) for entry in deviations}
    digests = {path: digest_of(data) for path, data in scripts.items() if data is not None}
    summary = summary_of(claims, terms, found, log, digests)
    assert summary is not None
    return written(summary, header, deviations, copies)


def _deviations(entries: list[Line]) -> tuple[Deviation, ...]:
    return deviations_from_document(document_from_bytes(yaml.safe_dump({"deviations": entries}).encode(), DEVIATIONS))


@cache
def _checks(installation: Installation) -> Mapping[tuple[str, str], Check]:
    suite, selection = load_suite(installation.cases), read_profile("small", installation.profiles).selection
    checks = checks_of(families_selected(suite, selection), selection)
    return {(check.case.id, check.form.value): check for check in checks}


def _count_again(lines: list[Line]) -> None:
    counts: dict[str, Counter[str]] = {}
    for line in lines[1:-1]:
        counts.setdefault(line.get("target", ""), Counter())[line.get("verdict", "")] += 1
    lines[-1].update(records=len(lines) - 2, verdicts={name: dict(sorted(of.items())) for name, of in counts.items()})


def _written(line: Line) -> bytes:
    """The line as the program writes it; what is no line stays as it is."""
    text = json.dumps(line, separators=(",", ":"), ensure_ascii=False).encode()
    try:
        return written_line(LINES.validate_json(text, strict=True))
    except ValueError:
        return text


def _plain(entry: object) -> Line:
    said: Line = TypeAdapter(type(entry)).dump_python(entry, mode="json")
    return said
