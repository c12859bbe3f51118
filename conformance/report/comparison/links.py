"""Links from a page to the reports of the runs that it speaks of."""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import quote


def report_link(report: str, page: Path) -> str:
    """The relative link from a page to a report, whatever characters its path has; empty if there is no report."""
    if not report:
        return ""
    way = os.path.relpath(Path(report).resolve(), page.parent.resolve())
    return quote(os.fsencode(Path(way).as_posix()))
