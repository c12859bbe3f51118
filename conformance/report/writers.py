"""Writes reports to files; no other module of this package opens a file for writing."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from conformance.comparison.compare import Comparison
from conformance.records.record import Line
from conformance.records.summary import Summary
from conformance.records.unfinished import replacing
from conformance.values.errors import UsageError

if TYPE_CHECKING:
    from conformance.comparison.trend import Trend
    from conformance.report.data_blocks import ScriptOf


@dataclass(frozen=True, slots=True)
class Source:
    """The input of reports: a log (a file, or lines that can be read repeatedly), its summary and its scripts."""

    log: Path | Iterable[Line]
    summary: Summary
    script_of: ScriptOf


def write(kind: str, source: Source, path: Path) -> Path:
    """Write a report as `html`, `junit`, `markdown`, `json`, `ctrf` or `badge`, and return its path.

    Raises:
        UsageError: the file cannot be written.
        RunLogError: the log cannot be read.
    """
    return _written(path, partial(_WRITERS[kind], source))


def write_comparison(kind: str, comparison: Comparison, path: Path) -> Path:
    """Write a comparison as `html`, `markdown` or `json`, and return its path.

    Raises:
        UsageError: the file cannot be written.
    """
    return _written(path, partial(_COMPARISON_WRITERS[kind], comparison))


def write_trend(kind: str, trend: Trend, path: Path) -> Path:
    """Write a trend as `html`, `markdown` or `json`, and return its path.

    Raises:
        UsageError: the file cannot be written.
    """
    return _written(path, partial(_TREND_WRITERS[kind], trend))


def write_text(texts: Iterable[str], path: Path) -> Path:
    """Write a text in pieces, and return its path.

    Raises:
        UsageError: the file cannot be written.
    """
    return _written(path, partial(_write_text, texts))


def refuse_overwriting(outputs: Iterable[Path], inputs: Iterable[Path]) -> None:
    """Refuse an output that is the same file as an input or another output, under any name.

    Raises:
        UsageError: there is one; nothing is written.
    """
    taken = {os.path.realpath(path): "is read by this command, and would be overwritten" for path in inputs}
    for path in outputs:
        place = os.path.realpath(path)
        if place in taken:
            raise UsageError(str(path), taken[place], fix="name another file")
        taken[place] = "is named for two reports"


def _written(path: Path, write_to: Callable[[Path], object]) -> Path:
    """Write a file; an existing one is replaced only by the complete new one. A device is written to directly."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists() and not path.is_file():
            write_to(path)
            return path
        with replacing(Path(os.path.realpath(path))) as unfinished:
            write_to(unfinished)
    except OSError as error:
        fix = "name a file in a folder that can be written to"
        raise UsageError(str(path), f"cannot be written: {error.strerror}", fix=fix) from None
    return path


def _write_text(parts: Iterable[str], path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as out:
        out.writelines(parts)


def _write_html(source: Source, path: Path) -> None:
    from conformance.report.html import render_html

    _write_text(render_html(source.summary, source.log, source.script_of), path)


def _write_junit(source: Source, path: Path) -> None:
    from conformance.report.junit import write_junit

    with path.open("wb") as out:
        write_junit(source.log, source.summary, out)


def _write_markdown(source: Source, path: Path) -> None:
    from conformance.report.markdown import render_markdown

    _write_text([render_markdown(source.summary)], path)


def _write_json(source: Source, path: Path) -> None:
    from conformance.report.summary_document import render_summary

    path.write_bytes(render_summary(source.summary))


def _write_ctrf(source: Source, path: Path) -> None:
    from conformance.report.ctrf import write_ctrf

    with path.open("wb") as out:
        write_ctrf(source.log, source.summary, out)


def _write_badge(source: Source, path: Path) -> None:
    from conformance.report.badge import render_badge

    path.write_bytes(render_badge(source.summary))


def _write_comparison_html(comparison: Comparison, path: Path) -> None:
    from conformance.report.comparison.html import render_html

    _write_text(render_html(comparison, path), path)


def _write_comparison_markdown(comparison: Comparison, path: Path) -> None:
    from conformance.report.comparison.markdown import render_markdown

    _write_text([render_markdown(comparison)], path)


def _write_comparison_json(comparison: Comparison, path: Path) -> None:
    from conformance.report.comparison.document import render_json

    path.write_bytes(render_json(comparison))


def _write_trend_html(trend: Trend, path: Path) -> None:
    from conformance.report.trend.html import render_html

    _write_text(render_html(trend, path), path)


def _write_trend_markdown(trend: Trend, path: Path) -> None:
    from conformance.report.trend.markdown import render_markdown

    _write_text([render_markdown(trend)], path)


def _write_trend_json(trend: Trend, path: Path) -> None:
    from conformance.report.trend.document import render_json

    path.write_bytes(render_json(trend))


_WRITERS = {
    "html": _write_html,
    "junit": _write_junit,
    "markdown": _write_markdown,
    "json": _write_json,
    "ctrf": _write_ctrf,
    "badge": _write_badge,
}
_COMPARISON_WRITERS = {
    "html": _write_comparison_html,
    "markdown": _write_comparison_markdown,
    "json": _write_comparison_json,
}
_TREND_WRITERS = {
    "html": _write_trend_html,
    "markdown": _write_trend_markdown,
    "json": _write_trend_json,
}
