"""Continues the log of an earlier run: what it has, and what is asked again.

A check that was *not run* has no answer. It is asked again, with those of its target that follow it.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from conformance.log.log_file import RunLogWriter, read_header, read_lines, records_of, whole_lines_size
from conformance.log.record import CheckRecord, Footer, Header, TimingRecord
from conformance.log.unfinished import replacing
from conformance.planning.run_plan import RunPlan
from conformance.planning.run_request import RunRequest
from conformance.running.execution import RunTarget
from conformance.values.errors import RunLogError


def resumed(
    request: RunRequest, header: Header, plan: RunPlan, targets: Sequence[RunTarget]
) -> dict[str, Counter[str]]:
    """The number of records that stay in the log by target and verdict; the targets continue after theirs.

    Cuts off an unfinished line.

    Raises:
        RunLogError: the log is complete, or belongs to another suite, selection or set of targets.
    """
    before = read_header(request.log)
    _require_same_run(request, before, header)
    if any(not record.verdict.meaning.was_asked for record in records_of(request.log)):
        _drop_unrun(request.log, replace(before, targets=header.targets, deviations=header.deviations))
    counts: dict[str, Counter[str]] = {}
    last: dict[str, CheckRecord] = {}
    for line in read_lines(request.log):
        if isinstance(line, Footer) and line.complete:
            raise RunLogError(str(request.log), "is complete already", fix="`--rerun failed` asks what failed again")
        if isinstance(line, CheckRecord):
            counts.setdefault(line.target, Counter())[line.verdict.value] += 1
            last[line.target] = line
    for target in targets:
        target.done = counts.get(target.entry.name, Counter[str]()).total()
        _require_same_checks(plan, target, last.get(target.entry.name))
    os.truncate(request.log, whole_lines_size(request.log))
    return counts


def _require_same_run(request: RunRequest, before: Header, header: Header) -> None:
    """Check that the log was made by the same command on the same suite; a target that did not start then may now."""
    unstarted = {entry.name for entry in before.targets if entry.problem}
    pairs = zip(request.targets, header.targets, strict=True)
    names = [asked if (asked := item.name_at(item.version or "unknown")) in unstarted else t.name for item, t in pairs]
    deviations = [item for item in header.deviations if item.target in {entry.name for entry in before.targets}]
    for what, old, new in (
        ("another version of opconform", before.suite.version, header.suite.version),
        ("other case files", before.suite.digest, header.suite.digest),
        ("another selection", before.selection, header.selection),
        ("other targets", [t.name for t in before.targets], names),
        ("other deviations", before.deviations, [item for item in deviations if item.target not in unstarted]),
        ("another number of checks", before.planned, header.planned),
        ("another --timing", before.timing, header.timing),
    ):
        if old != new:
            raise RunLogError(str(request.log), f"was made with {what}: {old!r}, not {new!r}", fix="start a new log")


def _drop_unrun(log: Path, header: Header) -> None:
    """Replace a log by one that ends, for each target, before its first check that was not run."""
    ended = set[str]()
    with replacing(log) as path, path.open("wb", buffering=0) as stream:
        kept = RunLogWriter(stream, {})
        kept.header(header)
        for line in read_lines(log):
            match line:
                case CheckRecord() if line.target not in ended and line.verdict.meaning.was_asked:
                    kept.check(line)
                case CheckRecord():
                    ended.add(line.target)
                case TimingRecord():
                    kept.timing(line)
                case _:
                    continue


def _require_same_checks(plan: RunPlan, target: RunTarget, record: CheckRecord | None) -> None:
    """Check that the last record of a target is that of the last check that it has done."""
    last = next(plan.checks(target.done - 1)) if record is not None else None
    if record is not None and (last is None or (record.case, record.form) != (last.case.id, last.form)):
        what = "the log and this selection have different checks"
        raise RunLogError(target.entry.name, what, fix="start a new log")
