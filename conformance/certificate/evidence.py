"""The claims of a certificate, and the summary that follows from them and a reviewed log."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from conformance.certificate.certificate_file import BasisEntry, CertificateFile, CertifiedSuite, ProductEntry
from conformance.certificate.review import Review, Terms
from conformance.certificate.rules import BrokenRuleError, Rule
from conformance.formats.release_file import file_digest
from conformance.log.recompute import Basis

_MOST_CHARACTERS = 100
_WORD_OF_THE_ADAPTER = [
    "that the product gave these answers and rejections, their cost, and the time of the run",
    "on which machine and device it ran, and with which options and instruction set",
    "what it answers of what it does not declare",
    "that undeclared workarounds were not used",
    "what the same graph without the operator did, where a neighbour is said to deviate",
]
"""A certificate holds these sentences: another wording would make those that were issued invalid."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claims:
    """The facts of a certificate that no log holds."""

    vendor: str
    product: str
    issuer: str


def checked_claims(*, vendor: str, product: str, issuer: str, where: str) -> Claims:
    """The claims, if their names are printable text.

    Raises:
        BrokenRuleError: a name is empty, too long, or has characters that are not printable.
    """
    for key, name in (("vendor", vendor), ("product", product), ("issuer", issuer)):
        if not name.strip() or len(name) > _MOST_CHARACTERS or not name.isprintable():
            shown = ascii(name if len(name) <= _MOST_CHARACTERS else name[:_MOST_CHARACTERS] + "...")
            raise BrokenRuleError(Rule.CLAIMS, f"{where}: {key}", f"is {shown}", fix="write the name in plain text")
    return Claims(vendor=vendor, product=product, issuer=issuer)


def summary_of(
    claims: Claims, terms: Terms, found: Review, log: Path, reproducers: Mapping[str, str]
) -> CertificateFile | None:
    """The summary of an uncompressed log that was reviewed by these terms; None if the review yields no result.

    `reproducers` are the digests of the scripts of the deviations, by path.
    """
    header, assessment = found.header, found.assessment
    if header is None or assessment is None:
        return None
    target, suite, profile = header.targets[0], header.suite, terms.profile
    return CertificateFile(
        **dict(assessment),
        issuer=claims.issuer,
        product=ProductEntry(
            vendor=claims.vendor,
            name=claims.product,
            framework=target.framework,
            version=target.version,
            devices=target.devices,
            adapter=target.adapter,
            options=target.options,
            instruction_set=target.instruction_set,
        ),
        suite=CertifiedSuite(
            version=suite.version,
            digest=suite.digest,
            digests=suite.digests,
            profile=profile.name,
            profile_digest=profile.digest,
            challenge=header.selection.challenge,
        ),
        run=header.started,
        log=file_digest(log),
        rests_on=BasisEntry(
            recorded=found.bases[Basis.WHOLE], digest=found.bases[Basis.DIGEST], adapter=_WORD_OF_THE_ADAPTER
        ),
        reproducers=dict(sorted(reproducers.items())),
    )
