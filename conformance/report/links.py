"""Links into reports: to a check, a cause, or the checks that a query finds; the same in every report."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import quote, urlencode

from conformance.border.form import Form
from conformance.findings.causes import Cause
from conformance.language.verdict import RateMark
from conformance.report.wording import MARKS
from conformance.values.text import one_line


def report_link(report: str, page: Path | None) -> str:
    """The relative link from a page to a report, whatever characters its path has; empty without report or page."""
    if not report or page is None:
        return ""
    way = os.path.relpath(Path(report).resolve(), page.parent.resolve())
    return quote(os.fsencode(Path(way).as_posix()))


def check_fragment(case: str, form: Form, target: str) -> str:
    """The fragment that opens a check."""
    name = {"case": case, "form": form.value, "target": target}
    return "#" + urlencode({key: one_line(text) for key, text in name.items()})


def find_link(target: str, did: str, **terms: str) -> str:
    """The fragment that lists the checks with this result of a target for which all other terms hold."""
    fields = {_quoted(one_line(target)): did, **terms}
    query = " and ".join(f"{field}:{_quoted(text)}" for field, text in fields.items())
    return "#" + urlencode({"find": query})


def mark_link(mark: RateMark, target: str, terms: Mapping[str, str]) -> str:
    """The fragment that lists the checks of a target that a mark counts."""
    return find_link(target=target, did=MARKS[mark].query or mark.value.replace(" ", "-"), **terms)


def _quoted(text: str) -> str:
    """A word of a query, in quotes unless it is one word without them."""
    if re.fullmatch(r"[^\s():\"\\\\]+", text) and text not in ("and", "or", "not"):
        return text
    return '"' + re.sub(r'(["\\\\])', r"\\\1", text) + '"'


def cause_id(cause: Cause) -> str:
    """The name of a cause of a target for a fragment, the same in every report."""
    text = f"{cause.target}\0{cause.verdict.value}\0{cause.deviation}\0{cause.text}"
    return f"cause-{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:12]}"
