"""The commands of releases: `env`, `bisect`, `history` and `support`."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path
from time import monotonic, time
from urllib.parse import urlsplit
from urllib.request import url2pathname

from packaging.version import Version

from conformance.certificate.folder import is_published
from conformance.cli.logs import opened, show_tree
from conformance.cli.options import reports_in, suite_from
from conformance.cli.parser import HARNESS, say
from conformance.compat.data import CompatData, CompatError, CompatFeature, CompatFileError, load
from conformance.compat.statements import NOT_ASKED, absence, refusal
from conformance.log.bisect import TOLD, ReleaseState, bisect_edges, edges_of, evidence_in, halve
from conformance.log.history import CurrentSources, HistoryStore, default_store, opened_store
from conformance.log.log_file import owned, read_lines
from conformance.report.document import ReportTree
from conformance.report.releases import Support, bisect_tree, changes_tree, evidence_tree, history_tree, support_tree
from conformance.report.terminal import step_line
from conformance.report.writers import refuse_overwriting
from conformance.run.asked_releases import AskedReleases
from conformance.run.environments import (
    WARN_ABOVE_BYTES,
    Environment,
    Making,
    bytes_on_disk,
    environment_of,
    environments,
    listed_environments,
    locks_named,
    names_several,
    releases_named,
    remove,
    remove_unfinished,
    root,
    versions_named,
)
from conformance.run.process import run_to_end
from conformance.run.script_folder import check_named
from conformance.spec.check import Check
from conformance.suite.adapter_file import TargetRequest, adapter_digest, bundled_adapters, target_from_text
from conformance.suite.suite import Suite, bundled_folder, digests_of
from conformance.tensors.errors import SelectionError, UsageError, nearest
from conformance.tensors.text import counted, one_line


def _warn_of_size(num_bytes: int) -> None:
    """Say that the environments take much room, if they do."""
    if num_bytes > WARN_ABOVE_BYTES:
        say(f"{root()} holds {_size(num_bytes)}; `conformance env remove --unused 30d` makes room", sys.stderr)


def add_environments(options: argparse.Namespace) -> int:
    """Make environments of releases."""
    locks = [lock for text in options.releases for lock in locks_named(text)]
    for number, lock in enumerate(locks, 1):
        start_s, framework = monotonic(), lock.wheels[0]
        named = f"{framework.package} {framework.version}"
        made = environment_of(lock, is_offline=False, say=partial(_say_of, named, f"{number} of {len(locks)}"))
        say(f"{named}: {_size(made.num_bytes)}, {monotonic() - start_s:.1f} s")
    _warn_of_size(bytes_on_disk(root()))
    return 0


def _say_of(release: str, place: str, what: str) -> None:
    say(f"{release}: {what} ({place})", sys.stderr)


def list_environments(options: argparse.Namespace) -> int:
    """Print the environments."""
    del options
    remove_unfinished()
    found, now = environments(), time()
    for one in found:
        others = ", ".join(f"{name} {version}" for name, version in list(one.installed.items())[1:])
        days = int(one.unused_days(now))
        used = f"used {days} days ago" if days > 1 else "used yesterday" if days else "used today"
        say(f"{one.package} {one.version}: {_size(one.num_bytes)}, {used}; with {others}")
    num_bytes = bytes_on_disk(root())
    say(f"{len(found)} environments, {_size(num_bytes)} in {root()}")
    _warn_of_size(num_bytes)
    return 0


def warm_environments(options: argparse.Namespace) -> int:
    """Import each framework once."""
    failed = False
    for one in _chosen(options.releases):
        start_s = monotonic()
        ended = run_to_end([str(one.python), "-c", f"import {one.package}"], 120.0)
        last = (ended.stderr.strip().splitlines() or ["it took too long"])[-1]
        failed |= ended.code != 0
        what = f"{monotonic() - start_s:.1f} s" if ended.code == 0 else f"cannot be imported: {last}"
        say(f"{one.package} {one.version}: {what}")
    return HARNESS if failed else 0


def remove_environments(options: argparse.Namespace) -> int:
    """Remove environments."""
    if not options.releases and options.unused is None:
        raise UsageError("env remove", "names nothing", fix="name releases, or write --unused 30d")
    remove_unfinished()
    now = time()
    for one in _chosen(options.releases):
        if options.unused is None or one.unused_days(now) >= options.unused:
            remove(one)
            say(f"{one.package} {one.version}: removed, {_size(one.num_bytes)}")
    return 0


def _chosen(releases: list[str]) -> list[Environment]:
    """The environments of these releases, with whatever they are installed with; all if none are named."""
    if not releases:
        return environments()
    named = {(lock.wheels[0].package, lock.wheels[0].version) for text in releases for lock in locks_named(text)}
    return [one for one in environments() if (one.package, one.version) in named]


def _size(num_bytes: int) -> str:
    return f"{num_bytes / 10**6:,.0f} MB" if num_bytes < 10**9 else f"{num_bytes / 10**9:,.1f} GB"


# `conformance history`: what each release of a framework answered, side by side, and what it fixed and broke.


def show_history(options: argparse.Namespace) -> int:
    """Show what each release answered."""
    files = reports_in(options)
    refuse_overwriting(files.values(), options.add)
    with opened_store(options.store or default_store()) as store:
        _add_run(store, options.add)
        if options.add and not (options.operators or options.target or options.changes or options.evidence or files):
            return 0
        tree = _tree(store, options)
    show_tree(tree, files)
    return 0


def _add_run(store: HistoryStore, paths: Iterable[Path]) -> None:
    with step_line(is_shown=True) as begin:
        for path in (log for given in paths for log in _logs_at(given)):
            begin(f"Reading {path}")
            with opened(path) as log:
                say(f"{path}: {counted(store.add(read_lines(log.path), str(path)), 'answer')} kept")


def _logs_at(path: Path) -> Iterator[Path]:
    """The logs and certificates in a folder, at any depth; a file is a log."""
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
    current = _current_sources()
    counts = {
        release.id: [
            count
            for count in store.counts(release, operators, current)
            if _is_among(count.dtype, options.dtype) and _is_among(count.form.value, options.form)
        ]
        for release in releases
    }
    return history_tree(releases, operators, counts)


def _current_sources() -> CurrentSources:
    """The state of the bundled operators, adapters and environments."""
    return CurrentSources(
        operators=digests_of(bundled_folder("cases"))[1],
        adapters={adapter.name: adapter_digest(adapter) for adapter in bundled_adapters()},
        environments=listed_environments(),
    )


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


# `conformance bisect`: in which releases of a framework the answer to a check changes.

_FOUND, _NO_EDGE, _CANNOT_TELL = 0, 1, 4
_WITNESSES = 3


def bisect_check(options: argparse.Namespace) -> int:
    """Show in which releases the answer changes."""
    files = reports_in(options)
    refuse_overwriting(files.values(), [])
    making = Making(is_offline=options.offline, say=lambda text: say(text, sys.stderr))
    target = target_from_text(options.target)
    releases = _bisected_releases(options, target, making)
    checks, suite = _checks(options, target)
    with owned(options.output), step_line(is_shown=not options.quiet) as begin:
        asked = AskedReleases(
            suite=suite,
            checks=tuple((check.case.id, check.form) for check in checks),
            target=target,
            folder=options.output,
            timeout_s=options.timeout,
            jobs=options.jobs,
            making=making,
            on_progress=begin,
            resume=options.resume,
        )
        if options.between is None:
            asked.ask(releases)
        else:
            _halve(asked, releases, options)
        asked.ask_sides_again(releases)
    answers = {f"{case} [{form.value}]": own for (case, form), own in asked.answers.items()}
    tree = bisect_tree(target.name_at(""), releases, answers)
    show_tree(tree, files)
    say(f"logs: {options.output}")
    return _exit_code(asked, releases)


def _bisected_releases(options: argparse.Namespace, target: TargetRequest, making: Making) -> list[str]:
    """The releases that the options name, the oldest first; with --between, from one of these to the other."""
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
    edges = [edge for own in asked.answers.values() for edge in bisect_edges(releases, own)]
    states = {answer.state for own in asked.answers.values() for answer in own.values()}
    if ReleaseState.UNSTABLE not in states and any(not edge.unclear for edge in edges):
        return _FOUND
    return _NO_EDGE if states.issubset(TOLD) and not edges else _CANNOT_TELL


# `conformance support`: since when frameworks support an operator version, by the published data; it runs nothing.

_PACKAGE = "opconform_compat"


def show_support(options: argparse.Namespace) -> int:
    """Say what each release supports."""
    files = reports_in(options)
    path = options.data or _published()
    refuse_overwriting(files.values(), [path])
    try:
        tree = support_tree(list(_answers(load(path), options)))
    except CompatFileError as error:
        raise UsageError(str(path), error.why, fix="name another file with --data") from None
    except CompatError as error:
        fix = f"{nearest(error.name, error.known, otherwise='')} there are {', '.join(error.known)}"
        raise UsageError(str(path), error.what, fix=fix.strip()) from None
    show_tree(tree, files)
    return 0


def _published() -> Path:
    """The data of the package that is installed, or of the checkout.

    Raises:
        UsageError: there is neither.
    """
    package = find_spec(_PACKAGE)
    installed = package.submodule_search_locations if package is not None else None
    for folder in (*map(Path, installed or ()), *(checkout / "compat" for checkout in _checkouts())):
        if (path := folder / "data.json.xz").is_file():
            return path
    fix = f"name compat/data.json.xz of a checkout with --data, or install {_PACKAGE.replace('_', '-')}"
    raise UsageError("support", "the published data is not installed", fix=fix)


def _checkouts() -> Iterator[Path]:
    """The folders that may be a checkout: of this file, what this was installed from, and the one it runs in."""
    yield Path(__file__).resolve().parents[2]
    try:
        source = urlsplit(json.loads(distribution("opconform").read_text("direct_url.json") or "{}").get("url", ""))
    except (PackageNotFoundError, ValueError):
        source = urlsplit("")
    if source.scheme == "file":
        yield Path(url2pathname(source.path))
    yield Path.cwd()


def _answers(data: CompatData, options: argparse.Namespace) -> Iterator[Support]:
    """What is known of each operator version that is named, for each framework."""
    named = _named(data, options)
    chosen = dict(_releases(data, target) for target in options.target) or dict.fromkeys(data.engines, ())
    _, digests = digests_of(bundled_folder("cases"), {one.rpartition("-")[0] for one in named})
    for operator in named:
        of = data.operators[operator]
        is_absent = absence(data, operator, options.dtype) if options.dtype else ""
        part = {} if is_absent else {"dtype": options.dtype, "form": options.form}
        if is_absent and of.type_name(options.dtype) not in of.refused:
            yield Support(operator=operator, part=options.dtype, absence=f"{is_absent}; {NOT_ASKED}")
            continue
        for engine, releases in chosen.items():
            if not options.target and engine not in of.results:
                continue
            is_of_type = options.dtype and not options.form
            asked = of.types.get(of.type_name(options.dtype), CompatFeature()).forms
            yield Support(
                operator=operator,
                engine=engine,
                part=" in form ".join(filter(None, (options.dtype, options.form))),
                absence=f"{is_absent}; {refusal(data.refusals(operator, engine, options.dtype))}" if is_absent else "",
                cells=data.cells(operator, engine, **part),
                findings=[] if is_absent else data.findings_of(operator, engine, **part),
                forms={form: form in asked and engine in asked[form].results for form in of.forms if is_of_type},
                releases=releases,
                evidence=data.evidence(operator, engine),
                spec_url=of.spec_url,
                profile=data.engines[engine].profile,
                has_other_cases=digests.get(operator.rpartition("-")[0]) != of.suite,
            )


def _named(data: CompatData, options: argparse.Namespace) -> list[str]:
    """The operator versions that are named; of several, those that have the form.

    Raises:
        CompatError: there is none, or none has the form or knows the type.
    """
    named = [one for one in data.operators if options.operator in (one, one.rpartition("-")[0])]
    if not named:
        raise CompatError(f"there is no operator version {options.operator!r}", options.operator, data.operators)
    if options.form and (having := [one for one in named if options.form in data.operators[one].forms]):
        named = having
    if options.dtype and not data.versions_with(named[-1], options.dtype):
        versions = [data.operators[one] for one in named]
        known = {name for of in versions for name in (*of.type_names(), *of.refused)}
        if not any(of.type_name(options.dtype) in known for of in versions):
            what = f"there is no element type {options.dtype!r} of {options.operator}"
            raise CompatError(what, options.dtype, sorted(known, key=lambda name: ("=" in name, name)))
    return named


def _releases(data: CompatData, target: str) -> tuple[str, Sequence[str]]:
    """The engine of a target, and the releases that it names, none for all of them."""
    name, bracket, options = target.partition("[")
    adapter, _, version = name.partition("@")
    engine = f"{adapter}{bracket}{options}"
    if engine not in data.engines:
        raise CompatError(f"there is no engine {engine!r}", engine, data.engines)
    listed = data.engines[engine].releases
    if not version or version in listed:
        return engine, (version,) if version else ()
    several = version if names_several(version) else f"{version}..{version}"
    return engine, releases_named(several, listed, target)
