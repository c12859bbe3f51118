"""`conformance verify`: checks the folder of a certificate, for vendors before submission and for reviewers after."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from itertools import zip_longest
from pathlib import Path

from conformance import __version__
from conformance.certificate import certificate_file as made
from conformance.certificate.certificate_file import CertificateFile
from conformance.certificate.folder import (
    check_signatures,
    json_value,
    read_folder,
    reproducer_problems,
    reproducers_in,
    signatures_in,
    uncompared_of,
    unpack_log,
    witnessed_of,
)
from conformance.certificate.review import Terms, checked_claims, review, summary_of
from conformance.certificate.rules import (
    BrokenRuleError,
    Installation,
    Profile,
    Rule,
    profile_names,
    read_profile,
    release_problems,
    released_part,
)
from conformance.judge.deviation import deviations_from_document
from conformance.log.log_file import check_format
from conformance.run.process import Scratch
from conformance.suite.suite import load_suite
from conformance.suite.yaml_file import Document, Plain, document_from_bytes, validated
from conformance.tensors.errors import RunLogError


class Signature(Enum):
    """The state of a certificate's signature."""

    CHECKED = "signed with the key"
    NOT_CHECKED = "signature not checked"
    NONE = "no signature"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """The result of verifying a folder; `summary` follows from its log, and is None if the log yields none."""

    broken: tuple[BrokenRuleError, ...]
    summary: CertificateFile | None = None
    signature: Signature = Signature.NONE


@contextmanager
def verified(
    folder: Path, installation: Installation, *, key: Path | None = None, challenge: str = ""
) -> Iterator[tuple[Verification, Path]]:
    """Check the folder of a certificate without executing any of it; yields the result and the unpacked log.

    Args:
        folder: of the certificate.
        installation: the cases and profiles to check it against.
        key: PEM file with the public key that must have signed it; None requires no signature.
        challenge: the seed that the reviewer gave to the vendor.

    Raises:
        UsageError: the key cannot be read.
    """
    with Scratch() as scratch:
        log = Path(scratch) / "run.jsonl"
        yield _verification(folder, installation, log, key, challenge), log


def verify(folder: Path, installation: Installation, *, key: Path | None = None, challenge: str = "") -> Verification:
    """Check the folder of a certificate as `verified` does, without keeping the log."""
    with verified(folder, installation, key=key, challenge=challenge) as (found, _):
        return found


def _verification(
    folder: Path, installation: Installation, log: Path, key: Path | None, challenge: str
) -> Verification:
    try:
        files = read_folder(folder)
        unpack_log(files[made.LOG], log)
        _check_format(log)
        said = {name: document_from_bytes(files[name], name) for name in _DOCUMENTS}
        stated = validated(CertificateFile, said[made.SUMMARY])
        deviations = deviations_from_document(said[made.DEVIATIONS])
        product, issuer = stated.product, stated.issuer
        claims = checked_claims(vendor=product.vendor, product=product.name, issuer=issuer, where=made.SUMMARY)
        profile = _profile(stated, installation.profiles)
    except ExceptionGroup as group:
        return Verification(broken=tuple(_as_rule(problem) for problem in group.exceptions))
    except BrokenRuleError as problem:
        return Verification(broken=(problem,))
    version = stated.suite.version
    broken = [*release_problems(installation, profile, version)]
    copies, uncompared = reproducers_in(files), uncompared_of(stated.reproducers, product.adapter)
    is_here = version == __version__
    witnessed = witnessed_of(product.adapter)
    made_now = {entry.reproducer for entry in deviations if entry.id in witnessed}
    needed = [path for path in uncompared if path not in made_now]
    broken += reproducer_problems(deviations, stated.reproducers, copies, needed, version_is_here=is_here)
    try:
        terms = Terms(
            suite=released_part(load_suite(installation.cases), installation.profiles, version),
            profile=profile,
            deviations=deviations,
            challenge=challenge,
            version=version,
        )
        found = review(log, terms)
        summary = summary_of(claims, terms, found, log, stated.reproducers)
        broken += found.broken
        if summary is not None and found.header is not None:
            due = made.documents(summary, found.header, deviations)
            broken += _unlike(files, said, due, summary)
    except BrokenRuleError as problem:
        return Verification(broken=(*broken, problem))
    signature = Signature.NONE
    try:
        signature = _signature(files.get(made.ENVELOPE), files[made.STATEMENT], key)
    except BrokenRuleError as problem:
        broken.append(problem)
    return Verification(broken=tuple(broken), summary=summary, signature=signature)


def _signature(envelope: bytes | None, statement: bytes, key: Path | None) -> Signature:
    """The state of the signatures in an envelope.

    Raises:
        BrokenRuleError: it does not hold the statement, or none of its signatures verifies with the key.
    """
    signatures = [] if envelope is None else signatures_in(envelope, statement)
    if key is not None:
        check_signatures(signatures, statement, key)
        return Signature.CHECKED
    return Signature.NOT_CHECKED if signatures else Signature.NONE


def _check_format(log: Path) -> None:
    try:
        check_format(log)
    except RunLogError as error:
        raise BrokenRuleError(Rule.READABLE, f"{made.LOG}:1", error.what, fix=error.fix) from None


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


def _unlike(
    files: Mapping[str, bytes], said: Mapping[str, Document], due: Mapping[str, Plain], summary: CertificateFile
) -> Iterator[BrokenRuleError]:
    """Files that are not, byte by byte, what follows from the log, the claims and the deviations."""
    digests = {name: made.digest_of(data) for name, data in files.items() if name not in _NOT_STATED}
    statement = made.statement(summary, digests)
    compared = [(name, said[name].value, value, made.document_bytes(value)) for name, value in due.items()]
    compared.append((made.STATEMENT, _statement(files[made.STATEMENT]), statement, made.statement_bytes(statement)))
    for name, found, value, data in compared:
        way = _difference(found, value)
        if way is not None:
            where = f"{name}: {way}" if way else name
            yield BrokenRuleError(Rule.DERIVED, where, "differs from what follows from the log")
        elif files[name] != data:
            what, fix = "has the right contents in other bytes", "hand in the file as `conformance certify` wrote it"
            yield BrokenRuleError(Rule.READABLE, f"{name}:{_first_other_line(files[name], data)}", what, fix=fix)


def _first_other_line(found: bytes, due: bytes) -> int:
    """The number of the first line that differs, from 1; the bytes differ."""
    lines = zip_longest(found.split(b"\n"), due.split(b"\n"))
    return next(number for number, (said, written) in enumerate(lines, 1) if said != written)


_DOCUMENTS = (made.SUMMARY, made.DEVIATIONS, made.ENVIRONMENT)
_NOT_STATED = (made.LOG, made.STATEMENT, made.ENVELOPE)


def _difference(found: Plain, due: Plain) -> str | None:
    """The path to the first difference; None if there is none."""
    if isinstance(found, dict) and isinstance(due, dict):
        names = dict.fromkeys((*found, *due))
        ways = ((name, _difference(found[name], due[name]) if name in found and name in due else "") for name in names)
        return next((f"{name}.{way}".rstrip(".") for name, way in ways if way is not None), None)
    return None if type(found) is type(due) and found == due else ""


def _statement(data: bytes) -> Plain:
    """The value of the statement; None, which matches nothing, if it is no JSON or repeats a key."""
    try:
        return json_value(data)
    except ValueError:
        return None
