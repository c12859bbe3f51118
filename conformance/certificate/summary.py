"""`certificate.yaml`: the sole owner of its format, written from an assessment and read by the table of all."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pydantic import Field

from conformance.certificate.assessment import Assessment, OperatorAssessment, Tally
from conformance.certificate.claims import Claims
from conformance.file_schema import FileModel
from conformance.profile import Count, Profile
from conformance.record import Header
from conformance.verdict import Verdict

ResultWord = Literal["conformant", "conformant with recorded deviations", "partial", "not conformant"]


class TallyEntry(FileModel):
    """How many checks count in which way; `required` is the denominator: all but those apart."""

    required: int
    passed: int
    deviating: int
    failed: int
    unanswered: int
    apart: int

    @property
    def rate(self) -> str:
        """The rate with its denominator."""
        return f"{self.passed:,}/{self.required:,}"


class ProductEntry(FileModel):
    """What was tested."""

    vendor: str
    name: str
    framework: str
    version: str
    devices: list[str]
    adapter: str
    options: dict[str, str]


class SuiteEntry(FileModel):
    """With what."""

    version: str
    digest: str
    profile: str
    profile_digest: str
    challenge: str = Field(description="the reviewer's seed; empty for the data of the case files")


class OperatorEntry(FileModel):
    """What the product did with one operator."""

    operator: str
    claim: Literal["claimed", "through other operators", "not claimed"]
    result: ResultWord | None = Field(description="null of an operator that is not claimed")
    counts: TallyEntry
    verdicts: dict[str, int]
    forms: dict[str, TallyEntry]
    types: dict[str, TallyEntry]
    readings: dict[str, dict[str, int]] = Field(description="how often each reading of a disputed case was followed")


class CertificateFile(FileModel):
    """The summary of a certificate; every value but vendor and product follows from the log."""

    result: ResultWord
    findings: list[str] = Field(description="what is declared and not done, or done and not declared")
    product: ProductEntry
    suite: SuiteEntry
    run: str = Field(description="when it started, in UTC")
    log: str = Field(description="SHA-256 of the unmodified, uncompressed log")
    counts: TallyEntry
    lowered: int = Field(description="answers that came about through other operators; none of them is passed")
    operators: list[OperatorEntry]
    deviations: dict[str, int] = Field(description="checks that deviate as recorded, by the id of the record")


def certificate_file(
    claims: Claims, profile: Profile, header: Header, assessment: Assessment, log_digest: str
) -> CertificateFile:
    """The summary of a run that was reviewed."""
    target = header.targets[0]
    return CertificateFile(
        result=assessment.result.value,
        findings=list(assessment.findings),
        product=ProductEntry(
            vendor=claims.vendor,
            name=claims.product,
            framework=target.framework,
            version=target.version,
            devices=target.devices,
            adapter=target.adapter,
            options=target.options,
        ),
        suite=SuiteEntry(
            version=header.suite.version,
            digest=header.suite.digest,
            profile=profile.name,
            profile_digest=profile.digest,
            challenge=header.selection.challenge,
        ),
        run=header.started,
        log=log_digest,
        counts=_tally(assessment.tally),
        lowered=assessment.lowered,
        operators=[_operator(entry) for entry in assessment.operators],
        deviations=dict(assessment.deviations),
    )


def _operator(entry: OperatorAssessment) -> OperatorEntry:
    result = entry.result
    return OperatorEntry(
        operator=entry.operator,
        claim=entry.claim.value,
        result=None if result is None else result.value,
        counts=_tally(entry.tally),
        verdicts={verdict.value: entry.verdicts[verdict] for verdict in Verdict if entry.verdicts.get(verdict)},
        forms=_tallies(entry.forms),
        types=_tallies(entry.types),
        readings={case: dict(named) for case, named in entry.readings.items()},
    )


def _tallies(tallies: Mapping[str, Tally]) -> dict[str, TallyEntry]:
    return {name: _tally(tally) for name, tally in tallies.items()}


def _tally(tally: Tally) -> TallyEntry:
    return TallyEntry(required=tally.required, **{count.value: tally[count] for count in Count})
