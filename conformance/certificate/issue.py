"""`conformance certify`: makes the folder of a certificate from the log of a run, or says why there is none."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from conformance.certificate import documents as made
from conformance.certificate.assessment import Assessment
from conformance.certificate.claims import Claims
from conformance.certificate.installation import Installation
from conformance.certificate.releases import release_problems
from conformance.certificate.review import review
from conformance.certificate.signature import signed
from conformance.deviation import Deviation
from conformance.errors import UsageError
from conformance.header import circumstances_of
from conformance.profile import Profile
from conformance.run_log import read_header
from conformance.suite import Suite
from conformance.unfinished import replacing


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What is to be certified, and where to. `profiles` is the folder of the profile and of the accepted releases.

    `key` signs the statement, and `challenge` is the seed that a reviewer gave.
    """

    claims: Claims
    profile: Profile
    output: Path
    profiles: Path
    key: Path | None = None
    challenge: str = ""


def check_order(order: Order, suite: Suite) -> None:
    """Refuse what no run could help.

    Raises:
        ExceptionGroup: of `BrokenRuleError`: the suite is not that of a release.
        UsageError: the folder holds something already.
    """
    if order.output.exists() and (not order.output.is_dir() or any(order.output.iterdir())):
        raise UsageError(str(order.output), "exists already", fix="name a new folder, or remove this one")
    problems = [*release_problems(Installation(cases=suite.root, profiles=order.profiles))]
    if problems:
        raise ExceptionGroup("no certificate: the suite is not that of a release", problems)


def issue(order: Order, suite: Suite, log: Path, recorded: tuple[Deviation, ...]) -> Assessment:
    """Write the certificate of a log; `recorded` are the deviations of its adapter.

    Raises:
        ExceptionGroup: of `BrokenRuleError`: why the run is not one to be certified. Nothing is written then.
        RunLogError: the log cannot be read.
    """
    check_order(order, suite)
    header = read_header(log)
    circumstances = [circumstances_of(target, header.machine.system) for target in header.targets[:1]]
    deviations = tuple(entry for entry in recorded if any(map(entry.conditions.hold, circumstances)))
    found = review(log, suite, order.profile, deviations, order.challenge)
    if found.broken or found.header is None or found.assessment is None:
        raise ExceptionGroup(f"no certificate: the run in {log} does not keep the rules", found.broken)
    evidence = made.Evidence(
        claims=order.claims,
        profile=order.profile,
        header=found.header,
        assessment=found.assessment,
        deviations=deviations,
        log=log,
    )
    files = made.documents(evidence)
    if order.key is not None:
        files[made.ENVELOPE] = signed(files[made.STATEMENT], order.key)
    order.output.parent.mkdir(parents=True, exist_ok=True)
    with replacing(order.output) as folder:
        folder.mkdir()
        for name, data in files.items():
            (folder / name).write_bytes(data)
        made.compressed(log, folder / made.LOG)
        if order.output.exists():
            order.output.rmdir()
    return found.assessment
