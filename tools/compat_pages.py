"""Makes the pages of the published data: `python tools/compat_pages.py compat/data.json.xz FOLDER`.

FOLDER gets index.html and a page for each operator version. Each is one file that loads nothing.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from compat_page_index import index_page
from compat_page_operator import days_of, operator_page

from conformance.compat.data import CompatData
from conformance.compat.frameworks import CompatFrameworks
from conformance.compat.reading import load, load_frameworks
from conformance.report.writers import write_text

INDEX = "index.html"
MAX_BYTES = 1_000_000
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")


def pages_of(data: CompatData, frameworks: CompatFrameworks) -> Iterator[tuple[str, str]]:
    """The name and the text of each page, the index last.

    Raises:
        ValueError: an operator version has a name that no file can have, or a page is too large.
    """
    if unfit := [operator for operator in data.operators if not _NAME.fullmatch(operator)]:
        raise ValueError(f"no file can have the name of {unfit[0]!r}")
    days = days_of(frameworks)
    names = {operator: f"{operator}.html" for operator in data.operators}
    for operator, name in names.items():
        yield name, _bounded(name, operator_page(data, operator, days, INDEX))
    yield INDEX, _bounded(INDEX, index_page(data, names))


def _bounded(name: str, pieces: Iterator[str]) -> str:
    text = "".join(pieces)
    if (size := len(text.encode())) > MAX_BYTES:
        raise ValueError(f"{name} has {size:,} bytes; a page has at most {MAX_BYTES:,}")
    return text


def main(arguments: Sequence[str]) -> None:
    """Run the command with these arguments."""
    parser = argparse.ArgumentParser(prog="compat_pages", description="Make the pages of the published data.")
    parser.add_argument("data", type=Path, help="data.json.xz; engines.json is next to it")
    parser.add_argument("folder", type=Path, help="the folder that gets the pages")
    options = parser.parse_args(arguments)
    frameworks = load_frameworks(options.data.with_name("engines.json"))
    sizes = {}
    for name, text in pages_of(load(options.data), frameworks):
        write_text([text], options.folder / name)
        sizes[name] = len(text.encode())
    largest = max(sizes, key=lambda name: sizes[name])
    print(f"{options.folder / INDEX}: {len(sizes)} pages, the largest {largest} with {sizes[largest]:,} bytes")


if __name__ == "__main__":
    main(sys.argv[1:])
