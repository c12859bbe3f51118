"""The name by which its user knows a log, and the facts by which a comparison names its run."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from conformance.findings.summary import Summary, harness_reasons
from conformance.values.text import one_line


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedLog:
    """The file of a log, its name for people, and the path of its HTML report; empty if there is none."""

    path: Path
    name: str
    report: str = ""


def named_log(path: Path) -> NamedLog:
    """A log under its own path, with the `report.html` that a run writes next to it."""
    report = path.with_name("report.html")
    has_report = path.name == "run.jsonl" and report.is_file()
    return NamedLog(path=path, name=str(path), report=str(report) if has_report else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedRun:
    """One run. `incomplete` has the reasons, one sentence each, why it proves nothing.

    `report` is the path of its HTML report; empty if there is none. `is_part`: it left checks of the suite out.
    """

    log: str
    report: str
    started: str
    suite: str
    digest: str
    is_part: bool
    records: int
    incomplete: tuple[str, ...]


def logged_run(summary: Summary, log: NamedLog) -> LoggedRun:
    """The run of a log."""
    header = summary.header
    return LoggedRun(
        log=one_line(log.name),
        report=log.report,
        started=one_line(header.started),
        suite=one_line(header.suite.version),
        digest=one_line(header.suite.digest),
        is_part=header.selection.is_part,
        records=summary.records,
        incomplete=harness_reasons(summary),
    )
