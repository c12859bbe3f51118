"""Links into reports: to a check, a cause, or the checks that a query finds; the same in every report."""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import quote, urlencode

from conformance.border.form import Form
from conformance.values.text import one_line


def report_link(report: str, page: Path) -> str:
    """The relative link from a page to a report, whatever characters its path has; empty if there is no report."""
    if not report:
        return ""
    way = os.path.relpath(Path(report).resolve(), page.parent.resolve())
    return quote(os.fsencode(Path(way).as_posix()))


def check_fragment(case: str, form: Form, target: str) -> str:
    """The fragment that opens a check."""
    name = {"case": case, "form": form.value, "target": target}
    return "#" + urlencode({key: one_line(text) for key, text in name.items()})
