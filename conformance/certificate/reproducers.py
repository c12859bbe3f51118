"""The written scripts of recorded deviations, by path and digest; copied only where no bundled adapter has them.

A deviation with a witness needs none: its script is made of a case. Nothing is run here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from conformance.certificate.documents import REPRODUCERS, SUMMARY, digest_of, reproducer_name
from conformance.certificate.rules import BrokenRuleError, Rule
from conformance.formats.adapter_file import bundled_adapters
from conformance.judging.deviation import Deviation
from conformance.judging.deviation_file import read_deviations
from conformance.values.regular_file import content_of
from conformance.values.text import visible

_MAX_BYTES = 1 << 20


def reproducers_of(deviations: Sequence[Deviation], folder: Path) -> dict[str, bytes]:
    """The reproducers of deviations by their paths in the folder of their adapter."""
    paths = sorted({entry.reproducer for entry in deviations} - {""})
    return {path: content_of(folder / path, path, _MAX_BYTES) for path in paths}


def bundled_digests(adapter: str) -> dict[str, str]:
    """SHA-256 of the reproducers of a bundled adapter by path; empty if no bundled adapter has this name.

    The paths are those that the bundled adapter records, so that no path of a stranger is opened.
    """
    named = (bundled for bundled in bundled_adapters() if bundled.name == adapter)
    scripts = (reproducers_of(read_deviations(one.folder), one.folder) for one in named)
    return {path: digest_of(data) for found in scripts for path, data in found.items()}


def reproducer_problems(
    deviations: Sequence[Deviation],
    digests: Mapping[str, str],
    copies: Mapping[str, bytes],
    uncompared: Sequence[str],
    *,
    version_is_here: bool,
) -> Iterator[BrokenRuleError]:
    """Digests and copies that belong to no deviation, and scripts that are neither copied nor bundled.

    Args:
        deviations: that were met.
        digests: that the certificate states of their reproducers, by path.
        copies: in the folder of the certificate, by name.
        uncompared: the reproducers that are not, with this digest, in the bundled adapter (see `uncompared_of`).
        version_is_here: whether the certificate is of this version, whose bundled adapters have all that is not copied.
    """
    entries = {entry.reproducer: entry for entry in deviations if entry.reproducer}
    for path in sorted(entries.keys() ^ digests.keys()):
        what = f"belongs to no deviation: {path[:100]!r}" if path in digests else f"has no digest of {path[:100]!r}"
        yield BrokenRuleError(Rule.REPRODUCERS, f"{SUMMARY}: reproducers", what)
    paths: dict[str, str] = {}
    for path, entry in entries.items():
        name, where = reproducer_name(entry), f"deviations.yaml: {entry.id}"
        if path in uncompared and name not in copies and version_is_here:
            what = f"its reproducer {path[:100]!r}, with its digest, is neither in {REPRODUCERS}/ nor bundled"
            yield BrokenRuleError(Rule.REPRODUCERS, where, what)
        elif name in copies and paths.setdefault(name, path) != path:
            what = f"two reproducers have the name {name!r}"
            yield BrokenRuleError(Rule.REPRODUCERS, where, what, fix="give one of them another name")
    for name, data in copies.items():
        if what := _wrong_with(data, digests.get(paths[name]) if name in paths else None):
            yield BrokenRuleError(Rule.REPRODUCERS, f"{REPRODUCERS}/{name}", what)


def uncompared_of(digests: Mapping[str, str], adapter: str) -> list[str]:
    """The paths of reproducers that the bundled adapter of this name does not have with their digest."""
    bundled = bundled_digests(adapter)
    return [path for path, digest in digests.items() if bundled.get(path) != digest]


def witnessed_of(adapter: str) -> list[str]:
    """The deviations of the bundled adapter of this name whose scripts are made of cases."""
    named = (read_deviations(bundled.folder) for bundled in bundled_adapters() if bundled.name == adapter)
    return [entry.id for entries in named for entry in entries if entry.witness is not None]


def _wrong_with(data: bytes, digest: str | None) -> str:
    """What is wrong with a copy, whose digest is stated if it belongs to a deviation."""
    if digest is None:
        return "belongs to no deviation"
    if not _is_text(data):
        return "is not UTF-8 text, or contains characters that are not visible"
    return "" if digest_of(data) == digest else "has another digest than the certificate states"


def _is_text(data: bytes) -> bool:
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return False
    return bool(text.strip()) and text == visible(text, len(text))
