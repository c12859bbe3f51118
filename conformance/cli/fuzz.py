"""`conformance fuzz`: generated calls of the operators on one target."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path

from conformance.cli.options import target_named
from conformance.cli.parser import say
from conformance.log.log_file import owned
from conformance.report.terminal import progress_bars
from conformance.run.fuzz import STATE_FILE, FuzzRequest, FuzzResult, cases_folder_of, fuzz, write_find
from conformance.suite.suite import bundled_folder, load_suite
from conformance.tensors.errors import UsageError
from conformance.tensors.text import counted, one_line

_BUDGET_S = 60.0


def fuzz_target(options: argparse.Namespace) -> int:
    """Draw calls, judge a target's answers, and write what deviates."""
    _refuse_other_folders(options.into)
    with owned(options.into):
        return _fuzz_into(options.into, options)


def _refuse_other_folders(folder: Path) -> None:
    """Refuse a folder of written cases, and one that holds anything but earlier finds.

    Raises:
        UsageError: it is one of these.
    """
    where = folder.resolve()
    if "cases" in where.parts:
        what = "lies in a folder `cases`; somebody has to read generated cases before they go there"
        raise UsageError(str(folder), what, fix="name a folder elsewhere with --into")
    if not folder.exists() or (folder / STATE_FILE).is_file():
        return
    if not folder.is_dir() or any(path.name not in (".lock", ".owner") for path in folder.iterdir()):
        raise UsageError(str(folder), "holds something else", fix="name another folder with --into")


def _fuzz_into(folder: Path, options: argparse.Namespace) -> int:
    request = _request(folder, options)
    with progress_bars(is_shown=not options.quiet) as bars:
        result = fuzz(request, lambda name: bars.expect(name, options.checks), bars.advance)
    _show(result, request)
    return int(result.exit_code)


def _request(folder: Path, options: argparse.Namespace) -> FuzzRequest:
    return FuzzRequest(
        suite=load_suite(bundled_folder("cases"), ()),
        target=target_named(options.target),
        operators=tuple(sorted(set(options.operator))),
        seed=options.seed or "",
        checks=options.checks,
        budget_s=None if options.checks else options.budget or _BUDGET_S,
        timeout_s=options.timeout,
        folder=folder,
    )


def _show(result: FuzzResult, request: FuzzRequest) -> None:
    """Write the new causes, and say what was found; the last line says how to find the same again."""
    state = result.state
    known = [group for group in state.groups if group.cause.deviation]
    for group in known:
        said = f"{counted(group.count, 'call')}: {one_line(group.cause.sentence, 160)}"
        say(f"recorded as {group.cause.deviation}: {said}")
    for group in sorted(state.new, key=lambda group: -group.count):
        cases, script = write_find(group, state.source.target, request.target, request.folder)
        say(f"new: {counted(group.count, 'call')}: {one_line(group.cause.sentence, 300)}")
        say(f"  plainest call: {group.witnesses[0].made.name}")
        say(f"  cases:  {cases}")
        say(f"  script: {one_line(script, 500)}")
    if state.num_beyond:
        say(f"{counted(state.num_beyond, 'further call')} deviated for causes beyond the limit of what is kept")
    if state.new:
        where = shlex.quote(str(cases_folder_of(request.folder)))
        say(f"next: conformance run -t {shlex.quote(request.target.adapter.name)} --cases-folder {where}")
    if state.unjudged:
        say(f"not judged, for a reason that is not the framework: {one_line(state.unjudged, 600)}")
    if result.reason:
        say(f"ended early: {one_line(result.reason, 300)}")
    verdicts = ", ".join(f"{count:,} {verdict.value}" for verdict, count in state.verdicts.most_common())
    say(f"{state.source.target}: {counted(state.done, 'call')} ({verdicts or 'none judged'})")
    causes = f"{counted(len(state.new), 'new cause')}, {counted(len(known), 'recorded one')}"
    say(f"{causes}; `--seed {shlex.quote(state.source.seed)} --checks {state.done}` finds the same again")
