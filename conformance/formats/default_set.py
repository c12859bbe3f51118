"""`default-set.tsv` in a folder of cases: which products are in the default set, in which forms.

`tools/default_set.py` writes it.

For each operator it has the digest of the files that it was made of, and the number of checks that the full set has of
each version. Of an operator whose files have changed since, every case of the default set runs in every usual form, as
do the cases that a user adds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from conformance.values.errors import CaseFileError
from conformance.values.regular_file import content_of

FILE = "default-set.tsv"
MAX_BYTES = 4 << 20
Chosen = Mapping[int, int]
"""By the number of a product, the bits of its forms among those of the default set: bit 0 stands for the first one."""


@dataclass(frozen=True, slots=True)
class DefaultSet:
    """The part of each family in the default set, as `chosen_of` reads it, and the number of checks in the full set
    for each operator version.
    """

    chosen: dict[str, str] = field(default_factory=dict)
    full: dict[str, int] = field(default_factory=dict)


def read_default_set(root: Path, digests: Mapping[str, str]) -> DefaultSet:
    """The default set of the operators with these digests.

    Raises:
        CaseFileError: the file cannot be read.
    """
    path, found = root / FILE, DefaultSet()
    if not path.is_file():
        return found
    is_current = False
    for number, line in enumerate(content_of(path, FILE, MAX_BYTES).decode(errors="replace").splitlines(), start=1):
        name, tab, text = line.partition("\t")
        if not tab:
            what = "is not a name, a tab, and what it has"
            raise CaseFileError(f"{root.name}/{FILE}:{number}", what, fix="run `python tools/default_set.py`")
        if "/" not in name:
            digest, _, counts = text.partition("\t")
            is_current = digests.get(name) == digest
            if is_current:
                found.full.update({f"{name}-{version}": count for version, count in _pairs(counts, base=10)})
        elif is_current:
            found.chosen[name] = text
    return found


def chosen_of(text: str) -> Chosen:
    """The products of a family that are in the default set; one without bits is there in its first form alone."""
    return dict(_pairs(text, base=16))


def _pairs(text: str, base: int) -> Iterator[tuple[int, int]]:
    pairs = (entry.partition(":") for entry in text.split())
    return ((int(first), int(second or "1", base)) for first, _, second in pairs)


@dataclass(frozen=True, slots=True, kw_only=True)
class DefaultChecks:
    """What stands in the file of one operator: the digest of its files, the number of checks that the full set has of
    each version, and the families with what is chosen of them.
    """

    digest: str
    full: Mapping[int, int]
    families: Iterable[tuple[str, Chosen]]


def default_set_text(operators: Mapping[str, DefaultChecks]) -> str:
    """The text of the file."""
    lines = []
    for name, checks in operators.items():
        counts = " ".join(f"{version}:{count}" for version, count in checks.full.items())
        lines.append(f"{name}\t{checks.digest}\t{counts}")
        for family, chosen in checks.families:
            entries = (f"{product}" if bits == 1 else f"{product}:{bits:x}" for product, bits in sorted(chosen.items()))
            lines.append(f"{family}\t{' '.join(entries)}")
    return "".join(f"{line}\n" for line in lines)
