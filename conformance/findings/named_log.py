"""A log with the name by which its user knows it, and the report beside it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedLog:
    """The file of a log, its name for people, and the path of its HTML report; empty if there is none."""

    path: Path
    name: str
    report: str = ""


def named_log(path: Path) -> NamedLog:
    """A log under its own path, with the `report.html` that a run writes beside it."""
    report = path.with_name("report.html")
    has_report = path.name == "run.jsonl" and report.is_file()
    return NamedLog(path=path, name=str(path), report=str(report) if has_report else "")
