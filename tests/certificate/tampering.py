"""Tables of ways to tamper with a certificate: what is edited, which rules tell it, and the edits by name.

A careful forger makes everything else follow from the lie, so that no other rule is broken.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from forgery import Forger, forging, log_bytes, remake, restate, write_log

from conformance.certificate.certificate_file import ENVELOPE, STATEMENT, SUMMARY, document_bytes, statement_bytes
from conformance.certificate.rules import Installation, Rule
from conformance.protocol.outcome import Outcome

Edit = Callable[[Any], object]
"""Changes a subject: a folder, a document of JSON values, or the log in the hands of a `Forger`."""
Subject = Callable[[Path, Installation], AbstractContextManager[Any]]
"""What edits get of a certificate, and which other files follow from it afterwards."""


@dataclass(frozen=True, slots=True)
class Tampering:
    """A way to tamper, and the rules that tell it."""

    name: str
    rules: frozenset[Rule]
    subject: Subject
    edits: tuple[Edit, ...]

    def tamper(self, folder: Path, installation: Installation) -> None:
        """Tamper with the certificate in a folder."""
        with self.subject(folder, installation) as subject:
            for edit in self.edits:
                edit(subject)


TAMPERINGS: list[Tampering] = []


def table(subject: Subject, *rules: Rule, **rows: Edit | tuple[Edit, ...]) -> None:
    """Put down tamperings with one subject that break the same rules."""
    for name, edits in rows.items():
        several = edits if isinstance(edits, tuple) else (edits,)
        TAMPERINGS.append(Tampering(name, frozenset(rules), subject, several))


# Subjects


@contextmanager
def files(folder: Path, _: Installation) -> Iterator[Path]:
    """The folder; nothing follows."""
    yield folder


@contextmanager
def stated_files(folder: Path, _: Installation) -> Iterator[Path]:
    """The folder; the statement has the digests of its files afterwards."""
    yield folder
    restate(folder)


@contextmanager
def evidence(folder: Path, installation: Installation) -> Iterator[Path]:
    """The folder; every file follows from the bytes of the log and the text of the deviations."""
    yield folder
    remake(folder, installation)


@contextmanager
def summary(folder: Path, _: Installation) -> Iterator[Any]:
    """What `certificate.yaml` says."""
    said = yaml.safe_load((folder / SUMMARY).read_bytes())
    yield said
    (folder / SUMMARY).write_bytes(document_bytes(said))
    restate(folder)


@contextmanager
def statement(folder: Path, _: Installation) -> Iterator[Any]:
    """What the statement says."""
    restate(folder)
    said = json.loads((folder / STATEMENT).read_bytes())
    yield said
    (folder / STATEMENT).write_bytes(statement_bytes(said))


@contextmanager
def envelope(folder: Path, _: Installation) -> Iterator[Any]:
    """What the signed envelope says."""
    said = json.loads((folder / ENVELOPE).read_bytes())
    yield said
    (folder / ENVELOPE).write_text(json.dumps(said))


log = forging
"""The log and the deviations, as a `Forger` has them; every other file follows."""

# Edits of files


def write(name: str, data: str | bytes) -> Edit:
    """Write a file."""
    return lambda folder: (folder / name).write_bytes(data.encode() if isinstance(data, str) else data)


def remove(name: str) -> Edit:
    """Remove a file."""
    return lambda folder: (folder / name).unlink()


def rewrite(name: str, change: Callable[[bytes], bytes]) -> Edit:
    """Change the bytes of a file."""

    def edit(folder: Path) -> None:
        (folder / name).write_bytes(_changed((folder / name).read_bytes(), change))

    return edit


def text(name: str, old: str, new: str) -> Edit:
    """Replace a text of a file."""
    return rewrite(name, lambda data: data.replace(old.encode(), new.encode()))


def unpacked(change: Callable[[bytes], bytes]) -> Edit:
    """Change the bytes of the log, which is packed again."""
    return lambda folder: write_log(folder, _changed(log_bytes(folder), change))


def replaced(old: bytes, new: bytes, count: int = -1) -> Edit:
    """Replace some bytes of the log."""
    return unpacked(lambda data: data.replace(old, new, count))


def _changed(before: bytes, change: Callable[[bytes], bytes]) -> bytes:
    after = change(before)
    assert after != before
    return after


# Edits of values. A pointer is one of RFC 6901, or starts with a name that `Forger` knows.


def put(pointer: str, value: object) -> Edit:
    """Put a value in a place; `-` is the place behind the last of a list."""

    def edit(subject: Any) -> None:
        parent, key = _place(subject, pointer)
        if key == "-":
            parent.append(deepcopy(value))
        else:
            parent[key] = deepcopy(value)

    return edit


def update(pointer: str, **values: object) -> Edit:
    """Put values in fields."""
    return lambda subject: _at(subject, pointer).update(deepcopy(values))


def drop(pointer: str) -> Edit:
    """Take a value away."""

    def edit(subject: Any) -> None:
        parent, key = _place(subject, pointer)
        del parent[key]

    return edit


def alter(pointer: str, change: Callable[[Any], object]) -> Edit:
    """Put what a function makes of a value in its place."""

    def edit(subject: Any) -> None:
        parent, key = _place(subject, pointer)
        parent[key] = change(parent[key])

    return edit


def copy(source: str, pointer: str) -> Edit:
    """Put the value of one place in another one."""
    return lambda subject: put(pointer, _at(subject, source))(subject)


def move(source: str, pointer: str) -> Edit:
    """Take a value away, and put it in another place."""

    def edit(subject: Any) -> None:
        copy(source, pointer)(subject)
        drop(source)(subject)

    return edit


def swap(one: str, other: str) -> Edit:
    """Exchange the values of two places."""

    def edit(subject: Any) -> None:
        first, second = deepcopy(_at(subject, one)), deepcopy(_at(subject, other))
        put(one, second)(subject)
        put(other, first)(subject)

    return edit


def answer(case: str, outcome: Outcome, *kept: str, **then: object) -> Edit:
    """Record another outcome of a check, keep some fields of its record, and put values in others."""

    def edit(forger: Forger) -> None:
        fields = {name: forger[case][name] for name in kept}
        forger.answer(case, outcome).update(fields | then)

    return edit


def _at(subject: Any, pointer: str) -> Any:
    for part in pointer.split("/")[1:]:
        subject = subject[_key(subject, part)]
    return subject


def _place(subject: Any, pointer: str) -> tuple[Any, Any]:
    before, _, part = pointer.rpartition("/")
    parent = _at(subject, before)
    return parent, _key(parent, part)


def _key(parent: object, part: str) -> Any:
    if isinstance(parent, list) and part != "-":
        return int(part)
    return part.replace("~1", "/").replace("~0", "~")
