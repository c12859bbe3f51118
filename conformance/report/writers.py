"""Writes reports to files; no other module of this package writes to a file of the user."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING

from conformance.log.compare import Comparison
from conformance.log.log_file import replacing
from conformance.log.record import Line
from conformance.log.summary import Summary
from conformance.report.document import ReportTree
from conformance.tensors.errors import UsageError
from conformance.tensors.files import refuse_foreign

if TYPE_CHECKING:
    from conformance.report.run_page import ScriptOf


_DEVICES = (Path("/dev"), Path("/dev/fd"))


@dataclass(frozen=True, slots=True)
class ReportSource:
    """The input of reports: a log (a file, or lines that can be read repeatedly), its summary and its scripts."""

    log: Path | Iterable[Line]
    summary: Summary
    script_of: ScriptOf


def write(kind: str, source: ReportSource | Comparison | ReportTree, path: Path) -> Path:
    """Write a report, and return its path.

    Args:
        kind: `html` or `markdown`; of a log or a comparison also `json`, of a log also `junit`.
        source: what the report shows.
        path: the file to write; links of a comparison start at its place.

    Raises:
        UsageError: the file cannot be written, or a link or a pipe stands there.
        RunLogError: the log cannot be read.
    """
    return _written(path, partial(_render, kind, source))


def write_text(texts: Iterable[str], path: Path) -> Path:
    """Write a text in pieces, and return its path.

    Raises:
        UsageError: the file cannot be written, or a link or a pipe stands there.
    """
    return _written(path, partial(_write_texts, texts))


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


def _written(path: Path, write_to: Callable[[IO[bytes]], object]) -> Path:
    """Write a file; an existing one is replaced only by the complete new one. /dev/stdout is written to directly."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path == Path(os.devnull) or path.parent in _DEVICES:
            with path.open("wb") as out:
                write_to(out)
            return path
        refuse_foreign(path)
        with replacing(path) as file, file.open("xb") as out:
            write_to(out)
    except OSError as error:
        fix = "name a file in a folder that can be written to"
        raise UsageError(str(path), f"cannot be written: {error.strerror}", fix=fix) from None
    return path


def _write_texts(texts: Iterable[str], out: IO[bytes]) -> None:
    out.writelines(text.encode() for text in texts)


def _render(kind: str, source: ReportSource | Comparison | ReportTree, out: IO[bytes]) -> None:
    """Render a report; each renderer is imported only when it is used."""
    match kind, source:
        case "html", ReportSource():
            from conformance.report.run_page import render_html

            _write_texts(render_html(source.summary, source.log, source.script_of), out)
        case "html", _:
            from conformance.report.page import page_of

            _write_texts(page_of(_tree(source, Path(out.name))), out)
        case "markdown", _:
            from conformance.report.markdown import markdown_of

            _write_texts([markdown_of(_tree(source, Path(out.name)))], out)
        case "json", Comparison():
            from conformance.report.comparison import render_comparison

            out.write(render_comparison(source))
        case "json", ReportSource():
            from conformance.report.documents import render_summary

            out.write(render_summary(source.summary))
        case "junit", ReportSource():
            from conformance.report.documents import write_junit

            write_junit(source.log, source.summary, out)
        case _:
            raise ValueError(f"no report of {type(source).__name__} is named {kind!r}")


def _tree(source: ReportSource | Comparison | ReportTree, page: Path) -> ReportTree:
    if isinstance(source, ReportTree):
        return source
    if isinstance(source, Comparison):
        from conformance.report import comparison

        return comparison.tree_of(source, page)
    from conformance.report.run_tree import tree_of

    return tree_of(source.summary)
