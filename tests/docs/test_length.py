"""The pages that are written by hand stay short enough that a newcomer reads them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
MOST_WORDS = 20_000
_WORD = re.compile(r"\S*\w\S*")
"""A bar of a table is not a word."""


def test_the_pages_written_by_hand_have_few_words() -> None:
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md", ROOT / "benchmarks" / "README.md"]
    pages += (ROOT / "docs").rglob("*.md")
    words = {str(page.relative_to(ROOT)): len(_WORD.findall(page.read_text(encoding="utf-8"))) for page in pages}
    assert sum(words.values()) <= MOST_WORDS, words


def test_the_readme_fits_on_two_screens() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 80
