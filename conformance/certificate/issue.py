"""`conformance certify`: runs a profile and writes the folder of a certificate from the log, or says why it cannot."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path, PurePosixPath

from conformance import __version__
from conformance.adapter_kit.adapter_check import undeclared_answers
from conformance.certificate import certificate_file as made
from conformance.certificate.certificate_file import CertificateFile
from conformance.certificate.folder import reproducer_problems, reproducers_of, signed, uncompared_of
from conformance.certificate.review import Claims, Terms, review, summary_of
from conformance.certificate.rules import Installation, Profile, release_problems, released_part
from conformance.judge.deviation import deviations_of
from conformance.log.log_file import owned, read_header, replacing
from conformance.log.record import Header
from conformance.run.run import Progress, run
from conformance.run.run_plan import RunRequest
from conformance.run.target_runner import circumstances_of
from conformance.suite.adapter_file import TargetRequest
from conformance.suite.suite import Suite
from conformance.tensors.dtypes import DTYPES
from conformance.tensors.errors import HarnessError, UsageError


def answered_undeclared(request: TargetRequest, suite: Suite, limit_s: float) -> list[str]:
    """The operators, and types of operators, that the backend answers correctly but its adapter does not declare."""
    right = [item for item in undeclared_answers(request, suite, limit_s) if item.record.verdict.is_conforming]
    return [
        f"the type {item.undeclared} of {item.operator}"
        if item.undeclared in DTYPES
        else f"the operator {item.operator}"
        for item in right
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class CertificateRequest:
    """What to certify, and the folder to write.

    `profiles` is the folder with the profile and the accepted releases. `key` is a PEM file with the private key that
    signs the statement. `challenge` is the reviewer's seed.
    """

    claims: Claims
    profile: Profile
    output: Path
    profiles: Path
    key: Path | None = None
    challenge: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSettings:
    """Run settings: time limit of a check in seconds, number of child processes, callbacks for start and progress."""

    timeout_s: float
    jobs: int
    on_start: Callable[[Header], None]
    on_progress: Progress


def certify(request: CertificateRequest, suite: Suite, target: TargetRequest, effort: RunSettings) -> CertificateFile:
    """Run the profile on the target and write the certificate; return its summary.

    If it fails, the log stays in the folder `OUTPUT.run`.

    Raises:
        ExceptionGroup: of `BrokenRuleError`: the suite is not that of a release, or the run breaks a rule.
        HarnessError: the run ended early.
        UsageError: another process uses the folder of the run, or the output folder is not empty.
    """
    suite = released_part(suite, request.profiles)
    check_request(request, suite)
    work = request.output.with_name(f"{request.output.name}.run")
    with owned(work):
        run_request = RunRequest(
            suite=suite,
            selection=replace(request.profile.selection, challenge=request.challenge),
            targets=(target,),
            log=work / "run.jsonl",
            timeout_s=effort.timeout_s,
            jobs=effort.jobs,
            probe=partial(answered_undeclared, suite=suite, limit_s=effort.timeout_s),
        )
        footer = run(run_request, effort.on_start, effort.on_progress)
        if not footer.complete:
            what = f"no certificate: the run ended early, {footer.reason}"
            raise HarnessError(str(run_request.log), what, fix="run it again")
        summary = certify_log(request, suite, target, run_request.log)
    shutil.rmtree(work)
    return summary


def certify_log(request: CertificateRequest, suite: Suite, target: TargetRequest, log: Path) -> CertificateFile:
    """Write the certificate of an earlier run of the profile, perhaps merged from shards; return its summary.

    Raises:
        ExceptionGroup: of `BrokenRuleError`: the suite is not that of a release, or the run breaks a rule. Nothing is
            written then.
        RunLogError: the log cannot be read.
    """
    suite, adapter = released_part(suite, request.profiles), target.adapter.folder
    check_request(request, suite)
    header = read_header(log)
    circumstances = [circumstances_of(target, header.machine.system) for target in header.targets[:1]]
    recorded = deviations_of(adapter, suite)
    deviations = tuple(entry for entry in recorded if any(map(entry.conditions.hold, circumstances)))
    scripts = reproducers_of(deviations, adapter)
    digests = {path: made.digest_of(data) for path, data in scripts.items()}
    uncompared = uncompared_of(digests, target.adapter.name)
    copies = {PurePosixPath(path).name: scripts[path] for path in uncompared}
    terms = Terms(suite=suite, profile=request.profile, deviations=deviations, challenge=request.challenge)
    found = review(log, terms)
    scripts_broken = reproducer_problems(deviations, digests, copies, uncompared, version_is_here=True)
    broken = [*found.broken, *scripts_broken]
    summary = summary_of(request.claims, terms, found, log, digests)
    if broken or summary is None:
        raise ExceptionGroup(f"no certificate: the run in {log} does not keep the rules", broken)
    files = made.written(summary, header, deviations, copies)
    if request.key is not None:
        files[made.ENVELOPE] = signed(files[made.STATEMENT], request.key)
    request.output.parent.mkdir(parents=True, exist_ok=True)
    with replacing(request.output) as folder:
        folder.mkdir()
        for name, data in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(data)
        made.compressed(log, folder / made.LOG)
        if request.output.exists():
            request.output.rmdir()
    return summary


def check_request(request: CertificateRequest, suite: Suite) -> None:
    """Refuse a request that would fail whatever the run finds.

    Raises:
        ExceptionGroup: of `BrokenRuleError`: the suite is not that of a release.
        UsageError: the output folder is not empty.
    """
    is_folder = request.output.is_dir() and not request.output.is_symlink()
    if os.path.lexists(request.output) and not (is_folder and not any(request.output.iterdir())):
        raise UsageError(str(request.output), "exists already", fix="name a new folder, or remove this one")
    installation = Installation(cases=suite.root, profiles=request.profiles)
    problems = [*release_problems(installation, request.profile, __version__)]
    if problems:
        raise ExceptionGroup("no certificate: the suite is not that of a release", problems)
