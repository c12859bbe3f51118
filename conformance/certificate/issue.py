"""`conformance certify`: writes the folder of a certificate from the log of a run, or says why it cannot."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from conformance import __version__
from conformance.certificate import documents as made
from conformance.certificate.certificate_file import CertificateFile
from conformance.certificate.evidence import Claims, evidence_of
from conformance.certificate.profile_file import Profile
from conformance.certificate.releases import Installation, release_problems
from conformance.certificate.reproducers import reproducer_problems, reproducers_of
from conformance.certificate.review import Terms, review
from conformance.certificate.signature import signed
from conformance.formats.deviation_file import deviations_of
from conformance.formats.suite import Suite
from conformance.records.build_header import circumstances_of
from conformance.records.log_file import read_header
from conformance.records.unfinished import replacing
from conformance.values.errors import UsageError


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


def issue(order: Order, suite: Suite, log: Path, adapter: Path) -> CertificateFile:
    """Write the certificate of a log, and return its summary.

    `adapter` is the folder of its adapter, with deviations and reproducers.

    Raises:
        ExceptionGroup: of `BrokenRuleError`: why the run cannot be certified. Nothing is written then.
        RunLogError: the log cannot be read.
    """
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
