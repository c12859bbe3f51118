"""`default-set.tsv` in a folder of cases: which products are in the default set, in which forms.

`tools/default_set.py` writes it.

For each operator it has the digest of the files that it was made of. Of an operator whose files have changed since,
every case of the default set runs in every usual form, as do the cases that a user adds.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from conformance.values.errors import CaseFileError
from conformance.values.regular_file import content_of

FILE = "default-set.tsv"
MAX_BYTES = 4 << 20
Chosen = Mapping[int, int]
"""By the number of a product, the bits of its forms among those of the default set: bit 0 stands for the first one."""


def read_default_set(root: Path, digests: Mapping[str, str]) -> dict[str, str]:
    """What each family of the operators with these digests has in the default set, as `chosen_of` reads it.

    Raises:
        CaseFileError: the file cannot be read.
    """
    path = root / FILE
    if not path.is_file():
        return {}
    found: dict[str, str] = {}
    is_current = False
    for number, line in enumerate(content_of(path, FILE, MAX_BYTES).decode(errors="replace").splitlines(), start=1):
        name, tab, text = line.partition("\t")
        if not tab:
            what = "is not a name, a tab, and what it has"
            raise CaseFileError(f"{root.name}/{FILE}:{number}", what, fix="run `python tools/default_set.py`")
        if "/" not in name:
            is_current = digests.get(name) == text
        elif is_current:
            found[name] = text
    return found


def chosen_of(text: str) -> Chosen:
    """The products of a family that are in the default set; one without bits is there in its first form alone."""
    pairs = (entry.partition(":") for entry in text.split())
    return {int(product): int(bits or "1", 16) for product, _, bits in pairs}


def default_set_text(operators: Mapping[str, tuple[str, Iterable[tuple[str, Chosen]]]]) -> str:
    """The text of the file: for each operator its digest, and its families with what is chosen of them."""
    lines = []
    for name, (digest, families) in operators.items():
        lines.append(f"{name}\t{digest}")
        for family, chosen in families:
            entries = (f"{product}" if bits == 1 else f"{product}:{bits:x}" for product, bits in sorted(chosen.items()))
            lines.append(f"{family}\t{' '.join(entries)}")
    return "".join(f"{line}\n" for line in lines)
