"""`certificate.yaml`: the only module that knows its format. It is built from an assessment; the table reads it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field

from conformance.certificate.assessment import Claim, OperatorAssessment, Result, Tally
from conformance.certificate.evidence import Evidence
from conformance.certificate.profile import Count
from conformance.formats.file_schema import FileModel
from conformance.formats.release_file import file_digest
from conformance.records.counts import in_order
from conformance.spec.verdict import Verdict

ResultWord = Annotated[Result, Field(strict=False, description="the best stands first")]


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
        """`passed/required`."""
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
    instruction_set: str = Field(description="newest level in force; empty if the adapter does not know it")


class CertifiedSuite(FileModel):
    """With what."""

    version: str
    digest: str
    digests: dict[str, str] = Field(description="of the case files of each operator")
    profile: str
    profile_digest: str
    challenge: str = Field(description="the reviewer's seed; empty for the data of the case files")


class OperatorEntry(FileModel):
    """What the product did with one operator."""

    operator: str
    claim: Literal["claimed", "through other operators", "not claimed"]
    result: ResultWord | None = Field(description="null of an operator that is not claimed")
    counts: TallyEntry
    recorded: dict[str, int] = Field(description="checks that deviate as recorded, by what is wrong, the worst first")
    verdicts: dict[str, int]
    forms: dict[str, TallyEntry]
    types: dict[str, TallyEntry]
    interpretations: dict[str, dict[str, int]] = Field(
        description="how often each interpretation of a disputed case was followed"
    )


class IncludedEntry(FileModel):
    """A profile that is a part of this one."""

    result: ResultWord
    counts: TallyEntry
    below: list[str]


class BasisEntry(FileModel):
    """What the verdicts rest on."""

    recorded: int = Field(description="verdicts that follow from all that was recorded")
    digest: int = Field(description="verdicts that follow from the digest of the outputs alone")
    adapter: list[str] = Field(description="what nothing but the word of the adapter stands for")


class CertificateFile(FileModel):
    """The summary of a certificate; every value but vendor, product and issuer follows from the log."""

    result: ResultWord
    claimed: list[str] = Field(description="versions of operators")
    not_claimed: list[str] = Field(description="versions in the profile that the adapter does not declare")
    through_others: list[str] = Field(description="versions that the product reaches only through other operators")
    recorded: dict[str, int] = Field(description="checks that deviate as recorded, by what is wrong, the worst first")
    below: list[str] = Field(description="operators and clauses that pass less than the profile requires")
    findings: list[str] = Field(description="what is declared and not done, or done and not declared")
    issuer: str = Field(description="who ran the suite and issues this certificate")
    product: ProductEntry
    suite: CertifiedSuite
    run: str = Field(description="when it started, in UTC")
    log: str = Field(description="SHA-256 of the unmodified, uncompressed log")
    counts: TallyEntry
    includes: dict[str, IncludedEntry] = Field(description="profiles that are a part of this one")
    apart: dict[str, int] = Field(description="checks that count neither for nor against, by reason")
    ruled_out: dict[str, int] = Field(description="checks that the description of the adapter rules out ahead")
    lowered: int = Field(description="answers through other operators; none of them counts as passed")
    rests_on: BasisEntry
    operators: list[OperatorEntry]
    deviations: dict[str, int] = Field(description="checks that deviate as recorded, by the id of the record")


_WORD_OF_THE_ADAPTER = [
    "that the product gave these answers and rejections, their cost, and the time of the run",
    "on which machine and device it ran, and with which options and instruction set",
    "what it answers of what it does not declare",
    "that answers not said to be so did not come about through other operators",
    "what the same graph without the operator did, where a neighbour is said to deviate",
]


def certificate_file(evidence: Evidence) -> CertificateFile:
    """The summary of a reviewed run."""
    header, assessment, claims, profile = evidence.header, evidence.assessment, evidence.claims, evidence.profile
    target, suite = header.targets[0], header.suite
    return CertificateFile(
        result=assessment.result,
        claimed=assessment.named(Claim.CLAIMED),
        not_claimed=assessment.named(Claim.NOT_CLAIMED),
        through_others=assessment.named(Claim.LOWERED),
        recorded={severity.value: count for severity, count in assessment.severities.items()},
        below=list(assessment.below),
        findings=list(assessment.findings),
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
        log=file_digest(evidence.log),
        counts=_tally(assessment.tally),
        includes={
            name: IncludedEntry(result=part.result, counts=_tally(part.tally), below=list(part.below))
            for name, part in assessment.included.items()
        },
        apart=dict(assessment.apart),
        ruled_out=dict(assessment.ruled_out),
        lowered=assessment.lowered,
        rests_on=BasisEntry(recorded=evidence.whole, digest=evidence.by_digest, adapter=_WORD_OF_THE_ADAPTER),
        operators=[_operator(entry) for entry in assessment.operators],
        deviations=dict(assessment.deviations),
    )


def _operator(entry: OperatorAssessment) -> OperatorEntry:
    return OperatorEntry(
        operator=entry.operator,
        claim=entry.claim.value,
        result=entry.result,
        counts=_tally(entry.tally),
        recorded={severity.value: count for severity, count in entry.severities.items()},
        verdicts={verdict.value: count for verdict, count in in_order(Verdict, entry.verdicts).items()},
        forms=_tallies(entry.forms),
        types=_tallies(entry.types),
        interpretations={case: dict(named) for case, named in entry.interpretations.items()},
    )


def _tallies(tallies: Mapping[str, Tally]) -> dict[str, TallyEntry]:
    return {name: _tally(tally) for name, tally in tallies.items()}


def _tally(tally: Tally) -> TallyEntry:
    return TallyEntry(required=tally.required, **{count.value: tally[count] for count in Count})
