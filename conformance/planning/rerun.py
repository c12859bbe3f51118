"""Reads the failed checks of an earlier log, so that a run can repeat only those."""

from __future__ import annotations

from pathlib import Path

from conformance.border.form import Form
from conformance.language.verdict import ExitCode
from conformance.log.log_file import read_footer, read_header, records_of
from conformance.log.record import Header
from conformance.values.errors import RunLogError


def failed_in(log: Path, suite_digest: str) -> tuple[Header, frozenset[tuple[str, Form]]]:
    """The header of a log of these case files, and the checks that failed for any target.

    Raises:
        RunLogError: the log cannot be read, is not complete, or is of other case files.
    """
    header, footer = read_header(log), read_footer(log)
    if header.suite.digest != suite_digest:
        raise RunLogError(str(log), "was made with other case files", fix="run all cases again")
    if footer is None or not footer.complete:
        raise RunLogError(str(log), "is not complete", fix="finish it with --resume first")
    checks = frozenset(
        (record.case, record.form)
        for record in records_of(log)
        if record.verdict.meaning.exit_code is not ExitCode.CONFORMING
    )
    return header, checks
