"""`conformance bisect`: in which releases of a framework the answer to a check changes."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from conformance.commands.history import add_store
from conformance.commands.options import (
    add_cases_folder,
    add_jobs,
    add_offline,
    add_own_cases,
    add_reports,
    add_timeout,
    reports_in,
    suite_from,
)
from conformance.commands.parser import Commands, add_command, add_output
from conformance.commands.terminal_output import say
from conformance.values.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conformance.environments.resolution import Making
    from conformance.formats.adapter_file import TargetRequest
    from conformance.formats.suite import Suite
    from conformance.history.bisect import ReleaseState
    from conformance.language.check import Check
    from conformance.running.asked_releases import AskedReleases

_FOUND, _NO_EDGE, _CANNOT_TELL = 0, 1, 4
_WITNESSES = 3


def add(commands: Commands) -> None:
    """Add the command to the parser."""
    bisect = add_command(commands, "bisect", _bisect, "show in which releases of a framework the answer changes")
    bisect.epilog = (
        "exit codes: 0 an edge between two releases is found, 1 all releases answer alike, 2 usage, 3 harness error, "
        "4 cannot tell: a release answers otherwise when asked again, or releases without an answer may hide an edge"
    )
    about = (
        "id of one case, exactly as in a report, or with its form behind it, as 'onnx.Split-13/axis-left-out [runtime]'"
    )
    bisect.add_argument("check", metavar="CHECK", nargs="?", help=about)
    bisect.add_argument("--form", metavar="FORM", help="as in a report (default: constant, or the case's first form)")
    about = "ask checks that had this cause or recorded deviation in the history, in place of a check"
    bisect.add_argument("--cause", metavar="CAUSE", help=about)
    about = "adapter, with options and releases as for `run`: onnxruntime, onnxruntime@1.20..1.24 (default: all listed)"
    bisect.add_argument("-t", "--target", metavar="TARGET", required=True, help=about)
    bisect.add_argument("--from", dest="first", metavar="RELEASE", default="", help="the oldest release to ask")
    bisect.add_argument("--to", dest="last", metavar="RELEASE", default="", help="the newest release to ask")
    about = "ask these two, in any order, then halve the releases between them: fewer are asked, and one edge is found"
    bisect.add_argument("--between", metavar="RELEASE", nargs=2, help=about)
    add_offline(bisect)
    add_timeout(bisect, "check")
    add_jobs(bisect)
    add_output(bisect, "folder for the logs of what is asked (default: %(default)s)", default="conformance-bisect")
    about = "keep the answers in that folder, and ask the other releases: goes on after an interruption"
    bisect.add_argument("--resume", action="store_true", help=about)
    bisect.add_argument("-q", "--quiet", action="store_true", help="show no progress")
    add_store(bisect)
    add_reports(bisect, html="self-contained page", markdown="summary")
    add_cases_folder(bisect)
    add_own_cases(bisect)


def _bisect(options: argparse.Namespace) -> int:
    from conformance.environments.resolution import Making
    from conformance.formats.adapter_file import target_from_text
    from conformance.log.ownership import owned
    from conformance.report import writers
    from conformance.report.releases import bisect_tree
    from conformance.report.terminal import show, step_line
    from conformance.running.asked_releases import AskedReleases, ReleaseQuestion

    files = reports_in(options)
    writers.refuse_overwriting(files.values(), [])
    making = Making(is_offline=options.offline, say=lambda text: say(text, sys.stderr))
    target = target_from_text(options.target)
    releases = _releases(options, target, making)
    checks, suite = _checks(options, target)
    question = ReleaseQuestion(
        suite=suite,
        checks=tuple((check.case.id, check.form) for check in checks),
        target=target,
        folder=options.output,
        timeout_s=options.timeout,
        jobs=options.jobs,
        making=making,
    )
    with owned(options.output), step_line(is_shown=not options.quiet) as begin:
        asked = AskedReleases(question, begin, resume=options.resume)
        if options.between is None:
            asked.ask(releases)
        else:
            _halve(asked, releases, options)
        asked.ask_sides_again(releases)
    answers = {f"{case} [{form.value}]": own for (case, form), own in asked.answers.items()}
    tree = bisect_tree(target.name_at(""), releases, answers)
    written = [writers.write(kind, tree, path) for kind, path in files.items()]
    show(tree)
    say(f"logs: {options.output}")
    for path in written:
        say(f"report: {path}")
    return _exit_code(asked, releases)


def _releases(options: argparse.Namespace, target: TargetRequest, making: Making) -> list[str]:
    """The releases that the options name, the oldest first; with --between, from one of these to the other."""
    from dataclasses import replace

    from packaging.version import Version

    from conformance.environments.resolution import versions_named

    ends = [options.first, options.last]
    if sum((bool(target.version), any(ends), options.between is not None)) > 1:
        fix = "name them with @, with --from and --to, or with --between"
        raise UsageError("bisect", "releases are named in two ways", fix=fix)
    if options.between is not None:
        found = {versions_named(replace(target, version=one), f"release {one!r}", making)[0] for one in options.between}
        if len(found) == 1:
            raise UsageError("--between", "names one release twice", fix="name two releases")
        ends = sorted(found, key=Version)
    return versions_named(replace(target, version=target.version or "..".join(ends)), options.target, making)


def _checks(options: argparse.Namespace, target: TargetRequest) -> tuple[list[Check], Suite]:
    """The check that is named, or those that had the cause, and the suite that has them."""
    from conformance.scripts.folder import check_named

    if (options.check is None) is (options.cause is None):
        raise UsageError("bisect", "takes one check, or --cause", fix="name one of them")
    if options.cause is not None:
        return _checks_with(options.cause, options, target)
    case, _, form = options.check.removesuffix("]").partition(" [")
    if not form:
        case, form = options.check, options.form
    suite = suite_from(options, [case])
    return [check_named(suite, case, form)], suite


def _checks_with(cause: str, options: argparse.Namespace, target: TargetRequest) -> tuple[list[Check], Suite]:
    """A few checks that had a cause in the history, of as many operator versions as possible.

    Raises:
        UsageError: there is none, or the suite has none of them any more.
    """
    from contextlib import suppress

    from conformance.history.store import default_store, opened_store
    from conformance.scripts.folder import check_named
    from conformance.values.errors import SelectionError, nearest
    from conformance.values.text import one_line

    name = target.name_at("")
    with opened_store(options.store or default_store()) as store:
        known = list(store.witnesses([release for release in store.releases if release.target == name]))
    having = [witness for witness in known if cause in (witness.cause, one_line(witness.cause))]
    if not having:
        otherwise = "`conformance history --changes` shows causes, and `conformance history --add LOG` adds a log"
        fix = nearest(cause, {witness.cause for witness in known}, otherwise=otherwise)
        raise UsageError(f"--cause {cause!r}", f"the history has no check of {name} with it", fix=fix)
    suite = suite_from(options, [witness.case for witness in having])
    first = {witness.operator: witness for witness in reversed(having)}.values()
    checks: list[Check] = []
    for witness in sorted(having, key=lambda one: one not in first):
        if len(checks) < _WITNESSES:
            with suppress(SelectionError):  # of a case that is no longer there
                checks.append(check_named(suite, witness.case, witness.form.value))
    if not checks:
        raise UsageError(f"--cause {cause!r}", "the cases that had it are no longer there", fix="name a check")
    return checks, suite


def _halve(asked: AskedReleases, releases: Sequence[str], options: argparse.Namespace) -> None:
    """Ask both ends, and releases between them until an edge is found; nothing if an end cannot tell.

    Raises:
        UsageError: both ends answer alike.
    """
    from conformance.history.bisect import TOLD, halve

    ends = (releases[0], releases[-1])
    asked.ask(ends)
    first, last = states = [asked.state(release) for release in ends]
    if not {*states}.issubset(TOLD):
        return
    if first is last:
        said = [f"{release} is {first.value} ({asked.said_by(release)})" for release in ends]
        fix = "name two that answer otherwise, or leave --between out, and all releases are asked"
        raise UsageError("--between", f"both ends answer alike: {said[0]}, and {said[1]}", fix=fix)

    def ask(release: str) -> ReleaseState:
        asked.ask([release])
        state = asked.state(release)
        if not options.quiet:
            say(f"{release}: {state.value}", sys.stderr)
        return state

    halve(releases, first, last, ask)


def _exit_code(asked: AskedReleases, releases: Sequence[str]) -> int:
    from conformance.history.bisect import TOLD, ReleaseState, bisect_edges

    edges = [edge for own in asked.answers.values() for edge in bisect_edges(releases, own)]
    states = {answer.state for own in asked.answers.values() for answer in own.values()}
    if ReleaseState.UNSTABLE not in states and any(not edge.unclear for edge in edges):
        return _FOUND
    return _NO_EDGE if states.issubset(TOLD) and not edges else _CANNOT_TELL
