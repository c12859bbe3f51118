"""The reproducers of a certificate: one script for each deviation. This module never runs them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from conformance.certificate.documents import REPRODUCERS, reproducer_name
from conformance.certificate.rules import BrokenRuleError, Rule
from conformance.judging.deviation import Deviation
from conformance.values.regular_file import content_of
from conformance.values.text import visible

_MAX_BYTES = 1 << 20


def reproducers_of(deviations: Sequence[Deviation], folder: Path) -> dict[str, bytes]:
    """The reproducers of deviations by name; `folder` is that of their adapter."""
    paths = {reproducer_name(entry): entry.reproducer for entry in deviations}
    return {name: content_of(folder / path, path, _MAX_BYTES) for name, path in paths.items()}


def reproducer_problems(deviations: Sequence[Deviation], scripts: Mapping[str, bytes]) -> Iterator[BrokenRuleError]:
    """Scripts that are missing, share a name, belong to no deviation, or are not visible UTF-8 text."""
    paths: dict[str, str] = {}
    for entry in deviations:
        name, where = reproducer_name(entry), f"deviations.yaml: {entry.id}"
        if name not in scripts:
            yield BrokenRuleError(Rule.REPRODUCERS, where, f"its reproducer {name[:100]!r} is missing")
        elif paths.setdefault(name, entry.reproducer) != entry.reproducer:
            what = f"two reproducers have the name {name!r}"
            yield BrokenRuleError(Rule.REPRODUCERS, where, what, fix="give one of them another name")
    for name, data in scripts.items():
        if name not in paths:
            yield BrokenRuleError(Rule.REPRODUCERS, f"{REPRODUCERS}/{name}", "belongs to no deviation")
        elif not _is_text(data):
            yield BrokenRuleError(Rule.REPRODUCERS, f"{REPRODUCERS}/{name}", "is no text in UTF-8 that shows all it is")


def _is_text(data: bytes) -> bool:
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return False
    return bool(text.strip()) and text == visible(text, len(text))
