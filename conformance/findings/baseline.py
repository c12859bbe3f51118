"""Reads a log against a baseline, an earlier log: checks that deviated there become *broken before*.

A check that fails worse than in the baseline still fails: a crash in place of a wrong answer is new. The log itself
does not change. Checks are matched by target, case and form, whatever suites the two logs are of.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from conformance.findings.answers import CheckKey
from conformance.findings.change import is_worse
from conformance.findings.targets import old_names, pair_targets
from conformance.language.verdict import ExitCode, Rank, Verdict
from conformance.log.log_file import read_footer, read_header, read_lines, records_of
from conformance.log.record import CheckRecord, Line, TargetEntry
from conformance.values.errors import RunLogError
from conformance.values.text import counted


@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    """The failed checks of an earlier log with their verdicts, by the names of its targets."""

    targets: tuple[TargetEntry, ...]
    broken: Mapping[CheckKey, Verdict]


def read_baseline(log: Path) -> Baseline:
    """Reads a log as a baseline.

    Raises:
        RunLogError: the log cannot be read or is not complete.
    """
    header, footer = read_header(log), read_footer(log)
    if footer is None or not footer.complete:
        raise RunLogError(str(log), "is not complete, so it cannot be a baseline", fix="name the log of a complete run")
    records = filter(_is_broken, records_of(log))
    broken = {(record.target, record.case, record.form): record.judged for record in records}
    return Baseline(targets=tuple(header.targets), broken=broken)


class Against:
    """The lines of a log; checks that failed in the baseline too are *broken before*. Can be iterated repeatedly."""

    def __init__(self, log: Path, baseline: Baseline) -> None:
        self._log = log
        self._broken = baseline.broken
        self._old_names = old_names(pair_targets(baseline.targets, read_header(log).targets))

    def __iter__(self) -> Iterator[Line]:
        for line in read_lines(self._log):
            if isinstance(line, CheckRecord) and _is_broken(line) and self._is_excused(line):
                yield replace(line, verdict=Verdict.BROKEN_BEFORE)
            else:
                yield line

    def mended_sentence(self) -> str:
        """A sentence with the number of checks that failed in the baseline and pass now."""
        holding = (record for record in records_of(self._log) if record.verdict.meaning.rank is Rank.HOLDS)
        count = sum(self._before(record) is not None for record in holding)
        passing = f"{count or 'none'} of them {'pass' if count > 1 else 'passes'} now"
        return f"{counted(len(self._broken), 'check')} failed in the baseline; {passing}."

    def _is_excused(self, record: CheckRecord) -> bool:
        before = self._before(record)
        return before is not None and not is_worse(before, record.judged)

    def _before(self, record: CheckRecord) -> Verdict | None:
        """The verdict of a check in the baseline if it failed there, before deviations; else None."""
        return self._broken.get((self._old_names.get(record.target, ""), record.case, record.form))


def _is_broken(record: CheckRecord) -> bool:
    return record.verdict.meaning.exit_code is ExitCode.NOT_CONFORMING
