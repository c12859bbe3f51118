"""What a certificate follows from: the log as it was reviewed, and what no log can tell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from conformance.certificate.assessment import Assessment
from conformance.certificate.claims import Claims
from conformance.certificate.profile import Profile
from conformance.judging.deviation import Deviation
from conformance.records.record import Header


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """All that a certificate follows from; `log` is the uncompressed one, of which `header` is the first line.

    `whole` verdicts follow from all that was recorded, `by_digest` from the digest of the outputs alone.
    """

    claims: Claims
    profile: Profile
    header: Header
    assessment: Assessment
    deviations: Sequence[Deviation]
    whole: int
    by_digest: int
    log: Path
