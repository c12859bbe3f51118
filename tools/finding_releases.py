"""In which releases the script of each recorded deviation shows its fault: compat/findings.json, by adapter."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from functools import cache
from itertools import groupby
from pathlib import Path

from pydantic import Field, TypeAdapter

from conformance.compat.data import extent
from conformance.suite.yaml_file import FileModel

FINDINGS = Path(__file__).parents[1] / "compat" / "findings.json"


class FindingLetter(Enum):
    """What a script shows in a release; it says nothing where it needs an interface that the release lacks."""

    BAD = "b"
    GOOD = "g"
    UNKNOWN = "-"


class FoundInReleases(FileModel):
    """The releases of an adapter's framework, the oldest first, and for each record a letter for each of them."""

    releases: list[str] = Field(min_length=1)
    records: dict[str, str]

    def sentence(self, record: str) -> str:
        """As `bad 1.15.0 to 1.31.1, good from 1.32.0`; releases in which its script says nothing are left out."""
        letters = self.records.get(record, "")
        told = [pair for pair in zip(letters, self.releases, strict=False) if pair[0] != FindingLetter.UNKNOWN.value]
        return ", ".join(_parts(told, self.releases[-1]))


def _parts(told: list[tuple[str, str]], newest: str) -> Iterator[str]:
    for letter, pairs in groupby(told, key=lambda pair: pair[0]):
        versions = [version for _, version in pairs]
        first, last, word = versions[0], versions[-1], FindingLetter(letter).name.lower()
        if last == newest:
            yield f"{word} from {first} on"
        else:
            yield f"{word} {extent(first, last)}"


@cache
def found_by_adapter() -> dict[str, FoundInReleases]:
    """The contents of compat/findings.json; nothing before the scripts ran in any release."""
    if not FINDINGS.is_file():
        return {}
    return TypeAdapter(dict[str, FoundInReleases]).validate_json(FINDINGS.read_bytes())
