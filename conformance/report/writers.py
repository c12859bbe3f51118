"""Writes reports to files: the only place of this folder that opens one for writing."""

from __future__ import annotations

from pathlib import Path

from conformance.errors import UsageError
from conformance.report.summary import Summary


def write(kind: str, log: Path, summary: Summary, path: Path) -> Path:
    """Write the report of a kind, `html`, `junit` or `markdown`, and return its path.

    Raises:
        UsageError: the file cannot be written.
        RunLogError: the log cannot be read.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _WRITERS[kind](log, summary, path)
    except OSError as error:
        fix = "name a file in a folder that can be written to"
        raise UsageError(str(path), f"cannot be written: {error.strerror}", fix=fix) from None
    return path


def _write_html(log: Path, summary: Summary, path: Path) -> None:
    from conformance.report.html import render_html

    del log
    with path.open("w", encoding="utf-8", newline="\n") as out:
        out.writelines(render_html(summary))


def _write_junit(log: Path, summary: Summary, path: Path) -> None:
    from conformance.report.junit import write_junit

    with path.open("wb") as out:
        write_junit(log, summary, out)


def _write_markdown(log: Path, summary: Summary, path: Path) -> None:
    from conformance.report.markdown import render_markdown

    del log
    path.write_text(render_markdown(summary), encoding="utf-8", newline="\n")


_WRITERS = {"html": _write_html, "junit": _write_junit, "markdown": _write_markdown}
