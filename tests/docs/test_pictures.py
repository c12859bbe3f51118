"""The pictures of the README and the guides show the report as it is today."""

from __future__ import annotations

import hashlib
import json
import re
import runpy
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

DOCS = Path(__file__).parents[2] / "docs"
PICTURES = json.loads((DOCS / "pictures.json").read_text())


def test_no_picture_is_stale() -> None:
    shown = runpy.run_path(str(DOCS / "pictures.py"))["shown"]
    assert PICTURES["shown"] == shown(), "the pictures show another page or other cases: run `nox -s pictures`"


def test_the_record_is_of_these_pictures() -> None:
    digests = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in DOCS.glob("*.png")}
    assert PICTURES["sha256"] == digests


def test_each_picture_is_shown_somewhere() -> None:
    texts = "".join(path.read_text() for path in (DOCS.parent / "README.md", *DOCS.rglob("*.md")))
    assert set(re.findall(r"\]\((?:docs/|\.\./)?([\w-]+\.png)\)", texts)) == set(PICTURES["sha256"])
