"""What the options of a command mean: its suite, selection, targets and files."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Sequence
from dataclasses import replace
from enum import Enum
from functools import reduce
from pathlib import Path
from typing import TypeVar

from conformance.certificate.rules import read_profile
from conformance.cli.parser import DEFAULT_TARGETS, say
from conformance.log.compare import Baseline, read_baseline
from conformance.protocol.form import Form
from conformance.run.environments import Making, names_several, targets_at_releases
from conformance.run.handshake import missing_needs
from conformance.run.selection import Selection, sets_included
from conformance.spec.choices import CaseSet, Expects
from conformance.suite.adapter_file import TargetRequest, bundled_adapters, released_suite, target_from_text
from conformance.suite.case_file import CaseFamily
from conformance.suite.suite import Suite, bundled_folder, load_suite
from conformance.tensors.errors import UsageError

_OptionValue = TypeVar("_OptionValue", bound=Enum)


def only_cases_folder(options: argparse.Namespace) -> Path | None:
    """The folder of a command that reads or writes the files of one folder; None for the bundled cases.

    Raises:
        UsageError: the options name several.
    """
    if len(options.cases_folder) > 1:
        raise UsageError("--cases-folder", "takes one folder here", fix="run the command once for each folder")
    return next(iter(options.cases_folder), None)


def writable_cases_folder(options: argparse.Namespace) -> Path:
    """The folder of a command that writes cases.

    Raises:
        UsageError: the options name several, or none, and the bundled one belongs to an installation.
    """
    root = only_cases_folder(options) or bundled_folder("cases")
    if root.parent.name == "bundled" and not options.cases_folder:
        fix = "in a checkout, add `--cases-folder cases`; elsewhere, add `--cases-folder` with a folder of your own"
        raise UsageError(str(root), "belongs to the installation", fix=fix)
    return root


def check_command(options: argparse.Namespace, path: Path) -> str:
    """The command that checks a case file which a command wrote, ready to paste."""
    folder = [word for path in options.cases_folder for word in ("--cases-folder", str(path))]
    return shlex.join(["conformance", "check", *folder, str(path)])


def suite_from(options: argparse.Namespace, ids: Sequence[str] = ()) -> Suite:
    """The suite in the folders of the options, or the bundled one, with the cases that the options add.

    Of the bundled suite, only the operators that `ids` (ids or patterns) name are read, if they name any.
    """
    first, *more = map(load_suite, options.cases_folder) if options.cases_folder else (released_suite(ids),)
    return reduce(Suite.joined_with, [*more, *map(load_suite, getattr(options, "cases", ()))], first)


def selection_from(options: argparse.Namespace) -> Selection:
    """The selection that the options describe."""
    chosen = Selection(
        operators=tuple(options.operator),
        cases=tuple(options.case),
        clauses=tuple(options.clause),
        forms=tuple(Form(form) for form in options.form),
        sets=sets_included(CaseSet(options.set)),
        expects=tuple(Expects(what) for what in options.expects),
        sample=options.checks,
        challenge=options.challenge,
    )
    if options.profile is None:
        return chosen
    fixed = {"case": options.case, "clause": options.clause, "set": options.set != "default", "cases": options.cases}
    if clashing := [f"--{name}" for name, is_given in fixed.items() if is_given]:
        what = f"cannot be combined with {' or '.join(clashing)}"
        raise UsageError("--profile", what, fix="narrow it with --operator, --form or --expects alone")
    return _narrowed(read_profile(options.profile, bundled_folder("profiles")).selection, chosen)


def _narrowed(profile: Selection, chosen: Selection) -> Selection:
    """The checks of a profile that the options also choose."""
    return replace(
        profile,
        operators=chosen.operators,
        forms=_intersection("form", profile.forms, chosen.forms),
        expects=_intersection("expects", profile.expects, chosen.expects),
        sample=chosen.sample,
        challenge=chosen.challenge,
    )


def _intersection(
    option: str, of_profile: tuple[_OptionValue, ...], chosen: tuple[_OptionValue, ...]
) -> tuple[_OptionValue, ...]:
    """The values in both; nothing stands for all of them."""
    if not (of_profile and chosen):
        return of_profile or chosen
    both = tuple(value for value in of_profile if value in chosen)
    if not both:
        names = " or ".join(str(value.value) for value in of_profile)
        raise UsageError(f"--{option}", "the profile has no such check", fix=f"write {names}, or leave --profile out")
    return both


def baseline_from(options: argparse.Namespace) -> Baseline | None:
    """The checks that failed in the earlier log; None without that option."""
    return read_baseline(log_in(options.baseline)) if options.baseline is not None else None


def reports_in(options: argparse.Namespace) -> dict[str, Path]:
    """The files of the reports that the options name, by kind."""
    kinds = ("html", "junit", "markdown", "json")
    return {kind: path for kind in kinds if (path := getattr(options, kind, None)) is not None}


def log_in(path: Path) -> Path:
    """The log at a path: the file itself, or the one in the folder of a run."""
    return path / "run.jsonl" if path.is_dir() else path


def targets_named(names: Sequence[str], *, is_offline: bool = False, in_lab: bool = False) -> tuple[TargetRequest, ...]:
    """The named targets, one for each release that they name; or those of `DEFAULT_TARGETS` that are installed.

    Machines of a lab have the releases that are installed there, so that nothing is made for them here.
    """
    if in_lab and names:
        return tuple(map(_one_target, names))
    if names:
        found = ((name, target_from_text(name)) for name in names)
        return tuple(one for name, target in found for one in _target_per_release(target, name, is_offline=is_offline))
    chosen = []
    for adapter in (one for one in bundled_adapters() if one.name in DEFAULT_TARGETS):
        missing = missing_needs(adapter)
        if missing:
            say(f"left out: {adapter.name}, which needs {', '.join(missing)}", sys.stderr)
        else:
            chosen.append(TargetRequest(adapter=adapter, options={}))
    return tuple(chosen)


def target_named(name: str) -> TargetRequest:
    """The named target, at the release that it names.

    Raises:
        UsageError: it names several releases.
    """
    (target,) = _target_per_release(_one_target(name), name, is_offline=False)
    return target


def _one_target(name: str) -> TargetRequest:
    """The named target, before an environment is found for its release.

    Raises:
        UsageError: it names several releases.
    """
    target = target_from_text(name)
    if names_several(target.version):
        raise UsageError(f"target {name!r}", "names several releases, and one is possible here", fix="name one")
    return target


def _target_per_release(target: TargetRequest, name: str, *, is_offline: bool) -> list[TargetRequest]:
    """The target at each release that it names; says on standard error which environments are made for them."""
    if not target.version:
        return [target]
    making = Making(is_offline=is_offline, say=lambda text: say(text, sys.stderr))
    return targets_at_releases(target, f"target {name!r}", making)


def warn_of_memory(families: Sequence[CaseFamily]) -> None:
    """Say what huge cases need, and how to leave them out, before anything is allocated."""
    for where, memory in {family.document.path: family.memory for family in families if family.memory}.items():
        what = f"its largest case needs {memory} of memory, and runs all the same"
        say(f"{where}: {what}; select other cases or another --set to leave it out", sys.stderr)
