"""`conformance certify`: runs a profile and writes the folder of a certificate from the log, or says why it cannot."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from conformance import __version__
from conformance.certificate import documents as made
from conformance.certificate.certificate_file import CertificateFile
from conformance.certificate.evidence import Claims, evidence_of
from conformance.certificate.profile_file import Profile
from conformance.certificate.releases import Installation, release_problems, released_part
from conformance.certificate.reproducers import reproducer_problems, reproducers_of
from conformance.certificate.review import Terms, review
from conformance.certificate.signature import signed
from conformance.certificate.undeclared import answered_undeclared
from conformance.formats.adapter_file import TargetRequest
from conformance.formats.deviation_file import deviations_of
from conformance.formats.suite import Suite
from conformance.records.build_header import circumstances_of
from conformance.records.log_file import read_header
from conformance.records.ownership import owned
from conformance.records.record import Header
from conformance.records.unfinished import replacing
from conformance.running.run import Progress, run
from conformance.running.run_request import RunRequest
from conformance.values.errors import HarnessError, UsageError


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
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
    """Run settings: time limit of a check in seconds, number of workers, callbacks for start and progress."""

    timeout_s: float
    jobs: int
    on_start: Callable[[Header], None]
    on_progress: Progress


def certify(order: Order, suite: Suite, target: TargetRequest, effort: RunSettings) -> CertificateFile:
    """Run the profile on the target and write the certificate; return its summary.

    If it fails, the log stays in the folder `OUTPUT.run`.

    Raises:
        ExceptionGroup: of `BrokenRuleError`: the suite is not that of a release, or the run breaks a rule.
        HarnessError: the run ended early.
        UsageError: another process uses the folder of the run, or the output folder is not empty.
    """
    suite = released_part(suite, order.profiles)
    check_order(order, suite)
    work = order.output.with_name(f"{order.output.name}.run")
    with owned(work):
        request = RunRequest(
            suite=suite,
            selection=replace(order.profile.selection, challenge=order.challenge),
            targets=(target,),
            log=work / "run.jsonl",
            timeout_s=effort.timeout_s,
            jobs=effort.jobs,
            probe=partial(answered_undeclared, suite=suite, limit_s=effort.timeout_s),
        )
        footer = run(request, effort.on_start, effort.on_progress)
        if not footer.complete:
            what = f"no certificate: the run ended early, {footer.reason}"
            raise HarnessError(str(request.log), what, fix="run it again")
        summary = certify_log(order, suite, target, request.log)
    shutil.rmtree(work)
    return summary


def certify_log(order: Order, suite: Suite, target: TargetRequest, log: Path) -> CertificateFile:
    """Write the certificate of an earlier run of the profile, perhaps merged from shards; return its summary.

    Raises:
        ExceptionGroup: of `BrokenRuleError`: the suite is not that of a release, or the run breaks a rule. Nothing is
            written then.
        RunLogError: the log cannot be read.
    """
    suite, adapter = released_part(suite, order.profiles), target.adapter.folder
    check_order(order, suite)
    header = read_header(log)
    circumstances = [circumstances_of(target, header.machine.system) for target in header.targets[:1]]
    recorded = deviations_of(adapter, suite)
    deviations = tuple(entry for entry in recorded if any(map(entry.conditions.hold, circumstances)))
    scripts = reproducers_of(deviations, adapter)
    terms = Terms(suite=suite, profile=order.profile, deviations=deviations, challenge=order.challenge)
    found = review(log, terms)
    broken = [*found.broken, *reproducer_problems(deviations, scripts)]
    evidence = evidence_of(order.claims, terms, found, log)
    if broken or evidence is None:
        raise ExceptionGroup(f"no certificate: the run in {log} does not keep the rules", broken)
    files = made.written(evidence, scripts)
    if order.key is not None:
        files[made.ENVELOPE] = signed(files[made.STATEMENT], order.key)
    order.output.parent.mkdir(parents=True, exist_ok=True)
    with replacing(order.output) as folder:
        folder.mkdir()
        for name, data in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(data)
        made.compressed(log, folder / made.LOG)
        if order.output.exists():
            order.output.rmdir()
    return evidence.summary


def check_order(order: Order, suite: Suite) -> None:
    """Refuse an order that would fail whatever the run finds.

    Raises:
        ExceptionGroup: of `BrokenRuleError`: the suite is not that of a release.
        UsageError: the output folder is not empty.
    """
    if order.output.exists() and (not order.output.is_dir() or any(order.output.iterdir())):
        raise UsageError(str(order.output), "exists already", fix="name a new folder, or remove this one")
    installation = Installation(cases=suite.root, profiles=order.profiles)
    problems = [*release_problems(installation, order.profile, __version__)]
    if problems:
        raise ExceptionGroup("no certificate: the suite is not that of a release", problems)
