"""`certificate.yaml`: the only module that knows its format. `evidence` derives it from a log; the table reads it."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Annotated

from pydantic import Field

from conformance import __version__
from conformance.certificate.profile_file import ProfileCount
from conformance.formats.file_schema import FileModel, words
from conformance.formats.yaml_document import Plain


class Result(Enum):
    """The result that a certificate states, from best to worst."""

    CONFORMANT = "conformant"
    RECORDED = "conformant but for known deviations"
    PARTIAL = "partial"
    NOT_CONFORMANT = "not conformant"


class Claim(Enum):
    """Whether a target claims an operator."""

    CLAIMED = "claimed"
    LOWERED = "through other operators"
    """The backend lowered the operator to others in every answer, so it does not claim it."""
    NOT_CLAIMED = "not claimed"


ResultWord = Annotated[Result, Field(strict=False, description="the best stands first")]


class TallyEntry(FileModel):
    """How many checks count in which way; `required` is the denominator: all but those not counted."""

    required: int
    passed: int
    deviating: int
    failed: int
    unanswered: int
    not_counted: int

    @property
    def rate(self) -> str:
        """`passed/required`."""
        return f"{self.passed:,}/{self.required:,}"

    @property
    def answered(self) -> int:
        """The checks that the backend answered, correctly or not."""
        return self.passed + self.deviating + self.failed


def tally_of(counts: Mapping[ProfileCount, int]) -> TallyEntry:
    """The entry with these numbers of checks."""
    named = {count.value: counts.get(count, 0) for count in ProfileCount}
    return TallyEntry(required=sum(named.values()) - named[ProfileCount.NOT_COUNTED.value], **named)


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
    claim: Annotated[Claim, words(Claim), Field(title="Claim")]
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
    excused: dict[str, int]
    excuses: list[str]


class BasisEntry(FileModel):
    """What the verdicts rest on."""

    recorded: int = Field(description="verdicts that follow from all that was recorded")
    digest: int = Field(description="verdicts that follow from the digest of the outputs alone")
    adapter: list[str] = Field(description="facts that only the adapter reports")


class Assessment(FileModel):
    """The result of a run under a profile, with the counts behind it: the part of a certificate that its log decides.

    `counts`, `recorded`, `below`, `excused`, `excuses`, `ruled_out` and `not_counted` cover claimed operators only.
    """

    result: ResultWord
    claimed: list[str] = Field(description="versions of operators")
    not_claimed: list[str] = Field(description="versions in the profile that the adapter does not declare")
    through_others: list[str] = Field(description="versions that the product reaches only through other operators")
    recorded: dict[str, int] = Field(description="checks that deviate as recorded, by what is wrong, the worst first")
    below: list[str] = Field(description="operators and clauses that pass less than the profile requires")
    excused: dict[str, int] = Field(description="checks that a control excuses, by what stands beside the operator")
    excuses: list[str] = Field(description="operators of which controls excuse more than a twentieth of the checks")
    findings: list[str] = Field(description="what is declared and not done, or done and not declared")
    counts: TallyEntry
    includes: dict[str, IncludedEntry] = Field(description="profiles that are a part of this one")
    not_counted: dict[str, int] = Field(description="checks that count neither for nor against, by reason")
    ruled_out: dict[str, int] = Field(description="checks that the description of the adapter rules out in advance")
    lowered: int = Field(description="answers through other operators; none of them counts as passed")
    operators: list[OperatorEntry]
    deviations: dict[str, int] = Field(description="checks that deviate as recorded, by the id of the deviation")


class CertificateFile(Assessment):
    """The summary of a certificate; vendor, product, issuer and reproducers do not follow from the log."""

    issuer: str = Field(description="who ran the suite and issues this certificate")
    product: ProductEntry
    suite: CertifiedSuite
    run: str = Field(description="when it started, in UTC")
    log: str = Field(description="SHA-256 of the unmodified, uncompressed log")
    rests_on: BasisEntry
    reproducers: dict[str, str] = Field(
        description="SHA-256 of the script of each deviation, by its path in the folder of the adapter"
    )

    def to_plain(self) -> dict[str, Plain]:
        """The contents of the file, in the order in which its keys stand there."""
        plain = self.model_dump(mode="json")
        return {key: plain[key] for key in _KEYS}

    @property
    def stated_result(self) -> str:
        """The result as readers see it, with the worst kind of known deviation, and an older release."""
        version = self.suite.version
        worst = next((f" (worst known: {kind})" for kind in self.recorded), "")
        of_older = f", by the cases of opconform {version}, an older release than {__version__}"
        return self.result.value + worst + (of_older if version != __version__ else "")


_KEYS = (
    *("result", "claimed", "not_claimed", "through_others", "recorded", "below", "excused", "excuses", "findings"),
    *("issuer", "product", "suite", "run", "log", "counts", "includes", "not_counted", "ruled_out", "lowered"),
    *("rests_on", "reproducers", "operators", "deviations"),
)
"""Verification compares the bytes of the file, and so the order of its keys."""
