"""The run in the Common Test Report Format (ctrf.io), with one test per check, written one at a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO

from conformance import __version__
from conformance.findings.summary import Summary, harness_reasons
from conformance.language.verdict import JUnit, RateMark, Verdict
from conformance.log.log_file import milliseconds, records_of
from conformance.log.record import CheckRecord, Line
from conformance.report.check_text import finding_text, reason_text
from conformance.report.json_document import json_bytes
from conformance.report.tensors.call_text import call_line, options_by_target, rerun_command
from conformance.values.text import one_line, visible

SPEC_VERSION = "0.0.0"
_TOOL = "opconform"
_NAME = 500


def write_ctrf(log: Path | Iterable[Line], summary: Summary, out: IO[bytes]) -> None:
    """Write the log's records as CTRF; `summary` is that of the same log.

    Raises:
        RunLogError: the log cannot be read.
    """
    opening = json_bytes(_document(summary))
    closing = b"]}}\n"
    assert opening.endswith(closing.strip())
    out.write(opening.removesuffix(closing.strip()))
    for number, test in enumerate(_tests(log, summary)):
        out.write((b",\n" if number else b"\n") + json_bytes(test))
    out.write(closing)


def _document(summary: Summary) -> dict[str, object]:
    """The document without its tests, which come last in it."""
    header, footer = summary.header, summary.footer
    counts = _counts(summary)
    start = milliseconds(header.started)
    stop = milliseconds(footer.ended) if footer is not None else start
    suite = {"version": one_line(header.suite.version), "digest": one_line(header.suite.digest)}
    machine = {"processor": one_line(header.machine.processor), "python": one_line(header.machine.python)}
    targets = [
        {"name": one_line(target.name, _NAME), "framework": one_line(f"{target.framework} {target.version}".strip())}
        for target in summary.targets
    ]
    return {
        "reportFormat": "CTRF",
        "specVersion": SPEC_VERSION,
        "generatedBy": f"{_TOOL} {__version__}",
        "results": {
            "tool": {"name": _TOOL, "version": __version__, "extra": {"suite": suite}},
            "environment": {
                "osPlatform": one_line(header.machine.system),
                "healthy": not harness_reasons(summary),
                "extra": {"machine": machine, "targets": targets},
            },
            "summary": {
                "tests": counts.total(),
                **{name: counts[name] for name in ("passed", "failed", "skipped")},
                "pending": 0,
                "other": 0,
                "start": start,
                "stop": stop,
                "duration": max(0, stop - start),
            },
            "tests": [],
        },
    }


def _counts(summary: Summary) -> Counter[str]:
    """The number of tests with each status, including the tests for problems of the run itself."""
    counts = Counter({"failed": len(harness_reasons(summary))})
    for target in summary.targets:
        for verdict, count in summary.counts(target.name).of.items():
            counts[_status(verdict)] += count
    return counts


def _tests(log: Path | Iterable[Line], summary: Summary) -> Iterator[dict[str, object]]:
    """A test for each problem of the run itself, then one for each check."""
    for number, reason in enumerate(harness_reasons(summary), 1):
        yield {
            "name": f"run-{number}",
            "status": "failed",
            "rawStatus": RateMark.NOT_JUDGED.value,
            "duration": 0,
            "suite": [_TOOL],
            "message": visible(reason),
        }
    options = options_by_target(summary)
    for record in records_of(log):
        yield _test(record, options[record.target])


def _test(record: CheckRecord, options: str) -> dict[str, object]:
    test: dict[str, object] = {
        "name": f"{visible(record.case, _NAME)}@{record.form.value}",
        "status": _status(record.verdict),
        "rawStatus": record.verdict.value,
        "duration": (record.prepare_ns + sum(record.run_ns)) // 1_000_000,
        "suite": [visible(record.target, _NAME), visible(record.operator, 200)],
        "labels": _labels(record),
    }
    if record.verdict.is_difference or _status(record.verdict) == "failed":
        test["message"] = reason_text(record)
        test["trace"] = finding_text(record)
    if record.stderr:
        test["stderr"] = visible(record.stderr).splitlines()
    if record.call is not None:
        test["snippet"] = f"{call_line(record)}\n{rerun_command(record, options)}"
    path, _, number = record.where.rpartition(":")
    if path and number.isdecimal():
        test |= {"filePath": visible(path, _NAME), "line": int(number[:9])}
    return test


def _labels(record: CheckRecord) -> dict[str, object]:
    texts = {
        "form": record.form.value,
        "interpretation": record.interpretation,
        "deviation": record.deviation,
        "lowered": record.lowered,
        "ran_on": record.ran_on,
    }
    clauses = {"clauses": [one_line(clause) for clause in record.clauses]} if record.clauses else {}
    return {**{name: one_line(text) for name, text in texts.items() if text}, **clauses}


def _status(verdict: Verdict) -> str:
    """CTRF has no status for an error of the harness; readers would take any status but `failed` for harmless."""
    junit = verdict.meaning.junit
    return "failed" if junit in (JUnit.FAILURE, JUnit.ERROR) else junit.value
