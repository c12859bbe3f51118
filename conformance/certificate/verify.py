"""`conformance verify`: the same program for a vendor, before handing in, and for a reviewer, after."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from conformance.certificate import documents as made
from conformance.certificate.assessment import Assessment
from conformance.certificate.claims import Claims, checked_claims
from conformance.certificate.folder import read_folder, unpack_log
from conformance.certificate.installation import Installation
from conformance.certificate.releases import release_problems
from conformance.certificate.review import Review, review
from conformance.certificate.rules import BrokenRuleError, Rule
from conformance.certificate.signature import check_payload, check_signature
from conformance.certificate.summary import CertificateFile
from conformance.deviation import Deviation
from conformance.deviation_file import deviations_from_document
from conformance.file_schema import validated
from conformance.profile import Profile
from conformance.profile_file import profile_names, read_profile
from conformance.suite import load_suite
from conformance.yaml_document import document_from_bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """What was found of a folder; `assessment` is None where it could not be read so far.

    `whole` verdicts were judged again from all that there was, `by_digest` from the digest of the outputs alone.
    """

    broken: tuple[BrokenRuleError, ...]
    claims: Claims | None = None
    assessment: Assessment | None = None
    is_signed: bool = False
    whole: int = 0
    by_digest: int = 0


def verify(folder: Path, installation: Installation, *, key: Path | None = None, challenge: str = "") -> Verification:
    """Check the folder of a certificate; nothing in it is executed.

    Args:
        folder: of the certificate.
        installation: the cases and profiles that it is checked against.
        key: the public key with which it must be signed; None demands no signature.
        challenge: the seed that the reviewer gave to the vendor.

    Raises:
        UsageError: the key cannot be read.
    """
    try:
        files = read_folder(folder)
        summary, deviations = _read_documents(files)
        claims, profile = _claims(summary), _profile(summary, installation.profiles)
    except ExceptionGroup as group:
        return Verification(broken=tuple(_as_rule(problem) for problem in group.exceptions))
    except BrokenRuleError as problem:
        return Verification(broken=(problem,))
    broken = [*release_problems(installation)]
    suite = load_suite(installation.cases)
    with tempfile.TemporaryDirectory() as scratch:
        log = Path(scratch) / "run.jsonl"
        try:
            unpack_log(files[made.LOG], log)
            found = review(log, suite, profile, deviations, challenge)
            broken += found.broken
            broken += _unlike(files, _evidence(claims, profile, found, deviations, log))
        except BrokenRuleError as problem:
            return Verification(broken=(*broken, problem), claims=claims)
    broken += _signature_problems(files, key)
    return Verification(
        broken=tuple(broken),
        claims=claims,
        assessment=found.assessment,
        is_signed=key is not None,
        whole=found.whole,
        by_digest=found.by_digest,
    )


def _read_documents(files: Mapping[str, bytes]) -> tuple[CertificateFile, tuple[Deviation, ...]]:
    summary = validated(CertificateFile, document_from_bytes(files[made.SUMMARY], made.SUMMARY))
    return summary, deviations_from_document(document_from_bytes(files[made.DEVIATIONS], made.DEVIATIONS))


def _claims(summary: CertificateFile) -> Claims:
    product = summary.product
    return checked_claims(
        vendor=product.vendor, product=product.name, profile=summary.suite.profile, where=made.SUMMARY
    )


def _profile(summary: CertificateFile, folder: Path) -> Profile:
    name, names = summary.suite.profile, profile_names(folder)
    if name not in names:
        what = f"{name[:80]!r} is none of {', '.join(names)}"
        raise BrokenRuleError(Rule.PROFILE, f"{made.SUMMARY}: suite.profile", what)
    return read_profile(name, folder)


def _as_rule(problem: Exception) -> BrokenRuleError:
    if isinstance(problem, BrokenRuleError):
        return problem
    where, what = getattr(problem, "where", ""), getattr(problem, "what", str(problem))
    return BrokenRuleError(Rule.READABLE, where, what)


def _evidence(
    claims: Claims, profile: Profile, found: Review, deviations: tuple[Deviation, ...], log: Path
) -> made.Evidence | None:
    """What all files must follow from; None where so much of the log is wrong that it has no result."""
    is_counted = all(problem.broken is not Rule.COUNTS for problem in found.broken)
    if found.header is None or found.assessment is None or not is_counted:
        return None
    return made.Evidence(
        claims=claims,
        profile=profile,
        header=found.header,
        assessment=found.assessment,
        deviations=deviations,
        log=log,
    )


def _unlike(files: Mapping[str, bytes], evidence: made.Evidence | None) -> Iterator[BrokenRuleError]:
    """The files that are not as they follow from the log, which is the only one that says anything new."""
    for name, data in made.documents(evidence).items() if evidence is not None else ():
        if files[name] != data:
            what = f"differs from what follows from the log, first in line {_first_unlike(files[name], data)}"
            yield BrokenRuleError(Rule.DERIVED, name, what)


def _first_unlike(one: bytes, other: bytes) -> int:
    lines = zip(one.split(b"\n"), other.split(b"\n"), strict=False)
    return next((number for number, (left, right) in enumerate(lines, 1) if left != right), one.count(b"\n") + 1)


def _signature_problems(files: Mapping[str, bytes], key: Path | None) -> Iterator[BrokenRuleError]:
    envelope, statement = files.get(made.ENVELOPE), files[made.STATEMENT]
    try:
        if envelope is not None:
            check_payload(envelope, statement)
        if key is not None:
            check_signature(envelope, key)
    except BrokenRuleError as problem:
        yield problem
