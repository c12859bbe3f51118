"""`conformance history`: what each release of a framework answered, side by side, and what it fixed and broke."""

from __future__ import annotations

import argparse
import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from conformance.commands.compare import opened
from conformance.commands.options import add_reports, reports_in
from conformance.commands.parser import Commands, Options, add_command, add_repeatable, path_from
from conformance.commands.terminal_output import say
from conformance.values.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from conformance.history.store import HistoryStore
    from conformance.report.document import ReportTree


def add(commands: Commands) -> None:
    """Add the command to the parser."""
    history = add_command(commands, "history", _history, "show what each release of a framework answered")
    history.epilog = "exit codes: 0 the history is shown, whatever it is, 2 usage"
    history.add_argument(
        "operators", metavar="OPERATOR", nargs="*", help="as onnx.Slice-13; default: all that are known"
    )
    about = "adapter, with options as onnxruntime[optimization=disabled]; repeatable; default: all that are known"
    add_repeatable(history, "-t", "--target", metavar="TARGET", about=about)
    add_repeatable(history, "--dtype", metavar="T", about="only checks with data of this element type; repeatable")
    add_repeatable(history, "--form", metavar="FORM", about="only checks in this form; repeatable")
    history.add_argument("--changes", action="store_true", help="show what each release fixed and broke, by cause")
    about = "show the digest of the answers of each release to each operator version, as the published data has it"
    history.add_argument("--evidence", action="store_true", help=about)
    about = "keep the answers of the log of a run, or of those in a folder; repeatable"
    add_repeatable(history, "--add", metavar="LOG", about=about, type=path_from)
    add_store(history)
    add_reports(history, html="self-contained page", markdown="summary")


def _history(options: argparse.Namespace) -> int:
    from conformance.history.store import default_store, opened_store
    from conformance.report import writers
    from conformance.report.terminal import show

    files = reports_in(options)
    writers.refuse_overwriting(files.values(), options.add)
    with opened_store(options.store or default_store()) as store:
        _add(store, options.add)
        if options.add and not (options.operators or options.target or options.changes or options.evidence or files):
            return 0
        tree = _tree(store, options)
    written = [writers.write(kind, tree, path) for kind, path in files.items()]
    show(tree)
    for path in written:
        say(f"report: {path}")
    return 0


def add_store(parser: Options) -> None:
    """Add the option for the file of the history."""
    about = "file with the history (default: history.sqlite in the user's data folder)"
    parser.add_argument("--store", metavar="FILE", type=path_from, help=about)


def _add(store: HistoryStore, paths: Iterable[Path]) -> None:
    from conformance.log.log_file import read_lines
    from conformance.report.terminal import step_line
    from conformance.values.text import counted

    with step_line(is_shown=True) as begin:
        for path in (log for given in paths for log in _logs_at(given)):
            begin(f"Reading {path}")
            with opened(path) as log:
                say(f"{path}: {counted(store.add(read_lines(log.path), str(path)), 'answer')} kept")


def _logs_at(path: Path) -> Iterator[Path]:
    """The logs and certificates in a folder, at any depth; a file is a log."""
    from pathlib import Path

    from conformance.certificate.folder import is_published

    if not path.is_dir():
        yield path
        return
    for folder, folders, files in os.walk(path):
        folders.sort()
        if is_published(Path(folder)):
            folders.clear()
            yield Path(folder)
        else:
            yield from (Path(folder, name) for name in sorted(files) if name.endswith(".jsonl"))


def _tree(store: HistoryStore, options: argparse.Namespace) -> ReportTree:
    from conformance.history.bisect import edges_of, evidence_in
    from conformance.history.store import current_sources
    from conformance.report.releases import changes_tree, evidence_tree, history_tree

    operators = _known(options.operators, store.operators)
    releases = [release for release in store.releases if _is_among(release.target, options.target)]
    if not releases:
        known = sorted({release.adapter for release in store.releases})
        what = f"no answers of {' or '.join(options.target) or 'any release'} are kept"
        fix = f"name {' or '.join(known)}" if known else "add the log of a run with --add"
        raise UsageError("history", what, fix=fix)
    if options.changes:
        return changes_tree(releases, edges_of(store, releases, operators))
    if options.evidence:
        return evidence_tree(list(evidence_in(store, releases, operators)))
    current = current_sources()
    counts = {
        release.id: [
            counted
            for counted in store.counts(release, operators, current)
            if _is_among(counted.dtype, options.dtype) and _is_among(counted.form.value, options.form)
        ]
        for release in releases
    }
    return history_tree(releases, operators, counts)


def _known(names: Iterable[str], known: Sequence[str]) -> list[str]:
    """The operator versions that are named and known, or all; `onnx.Split` stands for all its versions."""
    chosen = []
    for name in names:
        found = [one for one in known if name in (one, one.rpartition("-")[0])]
        if not found:
            fix = f"name one of {', '.join(known)}" if known else "add the log of a run with --add"
            raise UsageError(name, "no answers of this operator version are kept", fix=fix)
        chosen += found
    return chosen or list(known)


def _is_among(word: str, words: Collection[str]) -> bool:
    return not words or word in words
