"""A way to tamper with a certificate, and how each is put down: a small function, with the rules that it breaks.

A careful forger makes everything else follow from the lie, so that no other rule is broken.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import yaml
from forgery import Forger, Line, forging, log_bytes, remake, restate, write_log

from conformance.certificate.certificate_file import STATEMENT, SUMMARY, document_bytes, statement_bytes
from conformance.certificate.rules import Installation, Rule


@dataclass(frozen=True, slots=True)
class Tampering:
    """A way to tamper, and the rules that tell it."""

    name: str
    rules: frozenset[Rule]
    tamper: Callable[[Path, Installation], None]


TAMPERINGS: list[Tampering] = []

_Given = TypeVar("_Given")
_Register = Callable[[Callable[[_Given], object]], None]


def _registering(
    rules: tuple[Rule, ...], apply: Callable[[Callable[[_Given], object], Path, Installation], object]
) -> _Register[_Given]:
    def register(edit: Callable[[_Given], object]) -> None:
        @wraps(edit)
        def tamper(folder: Path, installation: Installation) -> None:
            apply(edit, folder, installation)

        TAMPERINGS.append(Tampering(edit.__name__, frozenset(rules), tamper))

    return register


def of_folder(*rules: Rule) -> _Register[Path]:
    """Registers a tampering with files, after which nothing follows."""
    return _registering(rules, lambda edit, folder, _: edit(folder))


def of_document(*rules: Rule) -> _Register[Path]:
    """Registers a tampering with files, of which the statement then has the digests."""

    def apply(edit: Callable[[Path], object], folder: Path, _: Installation) -> None:
        edit(folder)
        restate(folder)

    return _registering(rules, apply)


def of_summary(*rules: Rule) -> _Register[dict[str, Any]]:
    """Registers a tampering with what `certificate.yaml` says."""

    def apply(edit: Callable[[dict[str, Any]], object], folder: Path, _: Installation) -> None:
        said = yaml.safe_load((folder / SUMMARY).read_bytes())
        edit(said)
        (folder / SUMMARY).write_bytes(document_bytes(said))
        restate(folder)

    return _registering(rules, apply)


def of_statement(*rules: Rule) -> _Register[dict[str, Any]]:
    """Registers a tampering with what the statement says."""

    def apply(edit: Callable[[dict[str, Any]], object], folder: Path, _: Installation) -> None:
        restate(folder)
        said = json.loads((folder / STATEMENT).read_bytes())
        edit(said)
        (folder / STATEMENT).write_bytes(statement_bytes(said))

    return _registering(rules, apply)


def of_bytes(*rules: Rule) -> _Register[bytes]:
    """Registers a tampering with the bytes of the log: from those that there are to others."""

    def apply(edit: Callable[[bytes], object], folder: Path, installation: Installation) -> None:
        before = log_bytes(folder)
        after = edit(before)
        assert isinstance(after, bytes)
        assert after != before
        write_log(folder, after)
        remake(folder, installation)

    return _registering(rules, apply)


def of_log(*rules: Rule) -> _Register[list[Line]]:
    """Registers a tampering with the lines of the log."""

    def apply(edit: Callable[[list[Line]], object], folder: Path, installation: Installation) -> None:
        with forging(folder, installation) as forger:
            edit(forger.lines)

    return _registering(rules, apply)


def of_forger(*rules: Rule) -> _Register[Forger]:
    """Registers a tampering with the log and the deviations together."""

    def apply(edit: Callable[[Forger], object], folder: Path, installation: Installation) -> None:
        with forging(folder, installation) as forger:
            edit(forger)

    return _registering(rules, apply)


def of_deviations(*rules: Rule) -> _Register[Path]:
    """Registers a tampering with the text of the deviations, which the log does not know of."""

    def apply(edit: Callable[[Path], object], folder: Path, installation: Installation) -> None:
        edit(folder / "deviations.yaml")
        remake(folder, installation)

    return _registering(rules, apply)
