"""The facts of a certificate that no log holds: product, vendor, issuer."""

from __future__ import annotations

from dataclasses import dataclass

from conformance.certificate.rules import BrokenRuleError, Rule

_MOST_CHARACTERS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Claims:
    """Vendor, product and issuer."""

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
