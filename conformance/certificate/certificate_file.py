"""`certificate.yaml`: the only module that knows its format. `evidence` derives it from a log; the table reads it."""

from __future__ import annotations

import hashlib
import json
import lzma
import re
import shutil
from collections.abc import Mapping, Sequence
from enum import Enum
from pathlib import Path, PurePosixPath
from typing import Annotated

import yaml
from pydantic import Field

from conformance import __version__
from conformance.certificate.profile_file import ProfileCount
from conformance.judge.deviation import Deviation, deviations_to_plain
from conformance.log.record import Header
from conformance.suite.file_schema import FileModel, words
from conformance.suite.yaml_document import Plain


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


# The contents of a certificate's files, derived from the log, the claims and the deviations.
#
# Verification derives them again and compares them byte by byte, except for the compressed log. The pages for readers
# are not part of a certificate.

LOG, SUMMARY, DEVIATIONS = "run.jsonl.xz", "certificate.yaml", "deviations.yaml"
ENVIRONMENT, STATEMENT, ENVELOPE = "environment.yaml", "statement.json", "statement.dsse.json"
REPRODUCERS = "reproducers"
FILES = (LOG, SUMMARY, DEVIATIONS, ENVIRONMENT, STATEMENT)
"""The files of every certificate; it may also have an envelope, if signed, and reproducers that are not bundled."""

PAYLOAD_TYPE = "application/vnd.in-toto+json"
_PREDICATE = "https://in-toto.io/attestation/test-result/v0.1"


def documents(summary: CertificateFile, header: Header, deviations: Sequence[Deviation]) -> dict[str, Plain]:
    """The contents of a certificate's YAML files, by name; `header` is that of its log."""
    return {
        SUMMARY: summary.to_plain(),
        DEVIATIONS: deviations_to_plain(deviations),
        ENVIRONMENT: _environment(header),
    }


def statement(summary: CertificateFile, digests: Mapping[str, str]) -> dict[str, Plain]:
    """An in-toto statement with a test-result predicate, whose tests are the claimed operators.

    `digests` are the SHA-256 of the certificate's other files by name, without the log: its compressed bytes may vary,
    so the statement names the digest of the uncompressed log.
    """
    suite = summary.suite
    named: dict[str, list[Plain]] = {"PASSED": [], "WARNED": [], "FAILED": []}
    for entry in summary.operators:
        if entry.result is not None:
            named[_in_toto(entry.result)].append(entry.operator)
    subjects = {"run.jsonl": summary.log, **digests}
    configuration = {f"opconform-{suite.version}-cases": suite.digest, f"profile-{suite.profile}": suite.profile_digest}
    return {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [{"name": name, "digest": {"sha256": digest}} for name, digest in sorted(subjects.items())],
        "predicateType": _PREDICATE,
        "predicate": {
            "result": _in_toto(summary.result),
            "configuration": [{"name": name, "digest": {"sha256": d}} for name, d in configuration.items()],
            "passedTests": named["PASSED"],
            "warnedTests": named["WARNED"],
            "failedTests": named["FAILED"],
        },
    }


def written(
    summary: CertificateFile, header: Header, deviations: Sequence[Deviation], reproducers: Mapping[str, bytes]
) -> dict[str, bytes]:
    """The files of a certificate by name, without the log and the envelope."""
    files = {name: document_bytes(said) for name, said in documents(summary, header, deviations).items()}
    files |= {f"{REPRODUCERS}/{name}": data for name, data in sorted(reproducers.items())}
    said = statement(summary, {name: digest_of(data) for name, data in files.items()})
    return {**files, STATEMENT: statement_bytes(said)}


def document_bytes(said: Plain) -> bytes:
    """A YAML file with these contents."""
    return yaml_text(said).encode()


def statement_bytes(said: Plain) -> bytes:
    """The statement with these contents."""
    return (json.dumps(said, indent=2) + "\n").encode()


def reproducer_name(deviation: Deviation) -> str:
    """The name of a deviation's reproducer in a certificate: the last part of its path."""
    return PurePosixPath(deviation.reproducer).name


def compressed(log: Path, target: Path) -> None:
    """Write the compressed log; its bytes depend on the version of liblzma."""
    with log.open("rb") as source, lzma.open(target, "wb", preset=6 | lzma.PRESET_EXTREME) as packed:
        shutil.copyfileobj(source, packed)


def digest_of(data: bytes) -> str:
    """SHA-256 of bytes."""
    return hashlib.sha256(data).hexdigest()


def _in_toto(result: Result) -> str:
    if result is Result.CONFORMANT:
        return "PASSED"
    return "FAILED" if result is Result.NOT_CONFORMANT else "WARNED"


def _environment(header: Header) -> dict[str, Plain]:
    target, machine = header.targets[0], header.machine
    return {
        "target": target.name,
        "framework": {"name": target.framework, "version": target.version, "options": dict(target.options)},
        "devices": list(target.devices),
        "instruction_set": target.instruction_set,
        "details": dict(target.details),
        "machine": {"system": machine.system, "processor": machine.processor, "cores": machine.cores},
        "python": target.python or machine.python,
        "numpy": target.numpy or machine.numpy,
        "opconform": header.suite.version,
        "timeout_s": header.timeout_s,
    }


_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9 .,+@/()_-]{0,100}")
_LOOKALIKES = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n"})


class _Dumper(yaml.SafeDumper):
    """Writes repeated values in full instead of as aliases."""

    def ignore_aliases(self, data: object) -> bool:
        del data
        return True


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    is_plain = _PLAIN.fullmatch(text) and text.lower() not in _LOOKALIKES and text == text.strip()
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=None if is_plain else '"')


_Dumper.add_representer(str, _text)


def yaml_text(value: Plain) -> str:
    """The value as YAML; mappings keep their order."""
    text: str = yaml.dump(value, Dumper=_Dumper, sort_keys=False, width=120)
    return text
