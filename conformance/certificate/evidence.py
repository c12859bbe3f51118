"""What a certificate is derived from: the reviewed log, the claims, the profile and the deviations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from conformance.certificate.assessment import Assessment
from conformance.certificate.profile import Profile
from conformance.certificate.review import Review, Terms
from conformance.certificate.rules import BrokenRuleError, Rule
from conformance.judging.deviation import Deviation
from conformance.records.record import Header

_MOST_CHARACTERS = 100


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """Everything that a certificate is derived from; `log` is the uncompressed log, and `header` its first line.

    `whole` verdicts were judged again from complete records, `by_digest` from the digest of the outputs alone.
    """

    claims: Claims
    profile: Profile
    header: Header
    assessment: Assessment
    deviations: Sequence[Deviation]
    whole: int
    by_digest: int
    log: Path


def evidence_of(claims: Claims, terms: Terms, found: Review, log: Path) -> Evidence | None:
    """The evidence of a log that was reviewed by these terms; None if the review yields no result."""
    if found.header is None or found.assessment is None:
        return None
    return Evidence(
        claims=claims,
        profile=terms.profile,
        header=found.header,
        assessment=found.assessment,
        deviations=terms.deviations,
        whole=found.whole,
        by_digest=found.by_digest,
        log=log,
    )
