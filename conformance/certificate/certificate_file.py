"""`certificate.yaml`, and the result that it states: the only module that knows its format."""

from __future__ import annotations

import hashlib
import json
import lzma
import re
import shutil
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from itertools import chain
from pathlib import Path, PurePosixPath
from typing import Annotated, TypeVar

import yaml
from pydantic import Field

from conformance import __version__
from conformance.certificate.rules import Profile, ProfileCount
from conformance.judge.deviation import Deviation, deviations_to_plain
from conformance.log.record import CheckRecord, Header, TargetEntry
from conformance.log.summary import Counts, in_order
from conformance.run.selection import families_selected
from conformance.spec.operator import is_named, operator_order
from conformance.spec.verdict import Section, Severity, Verdict
from conformance.suite.suite import Suite
from conformance.suite.yaml_file import FileModel, Plain, words
from conformance.tensors.text import counted


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


# Counts the records of a run by the rules of a profile and derives the result, in one pass, without I/O.

_Grouped = TypeVar("_Grouped")
_ORDER = list(Result)


_OPERATOR, _FORM, _TYPE = 0, 1, 2


class Tallies:
    """Counts the records of one target, one at a time.

    `families` are the ids of the families in the profile; None if all records belong to it.
    """

    def __init__(
        self,
        profile: Profile,
        target: TargetEntry,
        deviations: Sequence[Deviation],
        suite: Suite,
        families: Collection[str] | None = None,
    ) -> None:
        self._profile = profile
        self._target = target
        self._families = families
        self._of_memory = {deviation.id for deviation in deviations if deviation.memory is not None}
        self._parts = {
            part.name: Tallies(
                part, target, deviations, suite, {family.id for family in families_selected(suite, part.selection)}
            )
            for part in profile.includes
        }
        self._counts: Counter[tuple[str, str, str, ProfileCount]] = Counter()
        self._clauses: defaultdict[tuple[str, str], Counter[ProfileCount]] = defaultdict(Counter)
        self._verdicts: defaultdict[str, Counter[Verdict]] = defaultdict(Counter)
        self._severities: defaultdict[str, Counter[Severity]] = defaultdict(Counter)
        self._answered: Counter[tuple[str, bool]] = Counter()
        self._interpretations: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        self._deviations: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self.tested = set[str]()
        """The ids of the deviations for which a check counts."""
        self._excused: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._ruled_out: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._not_counted: defaultdict[str, Counter[str]] = defaultdict(Counter)

    def add(self, record: CheckRecord) -> None:
        """Count one record; records outside the profile are ignored."""
        if not self._is_in_profile(record):
            return
        operator = record.operator
        count = self._profile.count_of(record, self._target)
        self._counts[operator, record.form.value, record.dtype, count] += 1
        self._verdicts[operator][record.verdict] += 1
        for clause in record.clauses:
            self._clauses[operator, clause][count] += 1
        if record.outcome in ("produced", "rejected"):
            self._answered[operator, bool(record.lowered)] += 1
        if record.interpretation:
            self._interpretations[operator, record.case.partition("[")[0]][record.interpretation] += 1
        if record.verdict.meaning.section is Section.NEIGHBOURS:
            self._excused[operator][record.form.neighbour] += 1
        self.tested.add(record.deviation)
        if record.verdict.meaning.section is Section.KNOWN:
            self._deviations[operator][record.deviation] += 1
            self._severities[operator][self._severity(record)] += 1
        if count is ProfileCount.NOT_COUNTED:
            ruled_out = self._profile.ruled_out(record, self._target)
            self._not_counted[operator]["ruled out ahead" if ruled_out else record.verdict.value] += 1
            self._ruled_out[operator].update([ruled_out] if ruled_out else [])
        for part in self._parts.values():
            part.add(record)

    def assessment(self) -> Assessment:
        """The counts so far and the result that follows from them."""
        operators = [self._operator(operator) for operator in sorted(self._verdicts, key=operator_order)]
        named = {claim: [entry.operator for entry in operators if entry.claim is claim] for claim in Claim}
        claimed = named[Claim.CLAIMED]
        counts, severities = self._tally(claimed), _together(self._severities, claimed)
        findings = [*self._declared_alone(claimed), *_undeclared(self._target.undeclared or [])]
        below_whole = [*_too_little("all operators", counts, self._profile.least_passed.operator)]
        below = [*below_whole, *chain.from_iterable(self._below(claimed))]
        parts = {name: part.assessment() for name, part in self._parts.items()}
        excuses = [*chain.from_iterable(map(self._excuses, claimed))]
        own = _result(counts, is_part=bool(findings or below), is_refused=bool(below_whole or excuses))
        return Assessment(
            result=max((own, *(part.result for part in parts.values())), key=_ORDER.index),
            claimed=claimed,
            not_claimed=named[Claim.NOT_CLAIMED],
            through_others=named[Claim.LOWERED],
            recorded=_recorded(severities),
            below=below,
            excused=dict(sorted(_together(self._excused, claimed).items())),
            excuses=excuses,
            findings=findings,
            counts=counts,
            includes={
                name: IncludedEntry(**{field: getattr(part, field) for field in IncludedEntry.model_fields})
                for name, part in parts.items()
            },
            not_counted=dict(sorted(_together(self._not_counted, claimed).items())),
            ruled_out=dict(sorted(_together(self._ruled_out, claimed).items())),
            lowered=sum(number for (_, is_lowered), number in self._answered.items() if is_lowered),
            operators=operators,
            deviations=dict(sorted(_together(self._deviations, self._verdicts).items())),
        )

    def _is_in_profile(self, record: CheckRecord) -> bool:
        chosen = self._profile.selection
        return (
            (self._families is None or record.case.partition("[")[0] in self._families)
            and (not chosen.forms or record.form in chosen.forms)
            and (not chosen.dtypes or record.dtype in chosen.dtypes)
        )

    def _severity(self, record: CheckRecord) -> Severity:
        severity = record.judged.meaning.severity
        return Severity.MEMORY if record.deviation in self._of_memory or severity is None else severity

    def _operator(self, operator: str) -> OperatorEntry:
        claim, counts, severities = self._claim(operator), self._tally([operator]), self._severities[operator]
        below_operators, below_clauses = self._below([operator])
        is_refused = bool(below_operators) or any(self._excuses(operator))
        result = _result(counts, is_part=bool(below_clauses), is_refused=is_refused)
        return OperatorEntry(
            operator=operator,
            claim=claim,
            result=result if claim is Claim.CLAIMED else None,
            counts=counts,
            recorded=_recorded(severities),
            verdicts={kind.value: count for kind, count in in_order(Verdict, self._verdicts[operator]).items()},
            forms=self._tallies(operator, _FORM),
            types=self._tallies(operator, _TYPE),
            interpretations={
                case: dict(named) for (of, case), named in sorted(self._interpretations.items()) if of == operator
            },
        )

    def _claim(self, operator: str) -> Claim:
        if not is_named(operator, self._target.operators or ()):
            return Claim.NOT_CLAIMED
        is_native = self._answered[operator, False] or not self._answered[operator, True]
        return Claim.CLAIMED if is_native else Claim.LOWERED

    def _tallies(self, operator: str, place: int) -> dict[str, TallyEntry]:
        """The tally of each form or type of an operator."""
        names = sorted({str(key[place]) for key in self._counts if key[_OPERATOR] == operator})
        return {name: self._tally([operator], place, name) for name in names if name}

    def _tally(self, operators: Collection[str], place: int = _OPERATOR, name: str | None = None) -> TallyEntry:
        """The tally of operators, restricted to one operator, form or type if `place` and `name` are given."""
        counts: Counter[ProfileCount] = Counter()
        for key, number in self._counts.items():
            if key[_OPERATOR] in operators and (name is None or key[place] == name):
                counts[key[3]] += number
        return tally_of(counts)

    def _below(self, operators: Sequence[str]) -> tuple[list[str], list[str]]:
        """Sentences about the operators, and about their clauses, that pass less than the profile requires."""
        least = self._profile.least_passed
        tallies = {" ".join(key): tally_of(counts) for key, counts in self._clauses.items() if key[0] in operators}
        return (
            [line for name in operators for line in _too_little(name, self._tally([name]), least.operator)],
            [line for name, tally in tallies.items() for line in _too_little(name, tally, least.clause)],
        )

    def _excuses(self, operator: str) -> Iterator[str]:
        """A sentence about an operator of which controls excuse too many checks."""
        counts = Counts(self._verdicts[operator])
        if counts.is_excused_too_often:
            by = ", ".join(f"{neighbour}: {number:,}" for neighbour, number in sorted(self._excused[operator].items()))
            of = f"{counts.neighbours:,} of {counted(counts.total, 'check')}"
            yield f"{operator}: controls excuse {of} ({by}), more than a twentieth"

    def _declared_alone(self, claimed: Sequence[str]) -> Iterator[str]:
        """What the target declares but never answers, not even incorrectly."""
        target = self._target
        declared = (("operator", claimed, _OPERATOR), ("form", target.forms, _FORM), ("type", target.dtypes, _TYPE))
        for kind, names, place in declared:
            for name in names or []:
                tally = self._tally(claimed, place, name)
                is_asked = tally.required or kind == "operator"
                if is_asked and tally.required == tally.unanswered:
                    yield f"it declares the {kind} {name}, and of {tally.required} checks it answered none"


def _undeclared(answered: Iterable[str]) -> Iterator[str]:
    """A sentence for each omission of the description; `answered` names operators, and types of operators."""
    operators = defaultdict(list)
    for what in answered:
        omitted, _, operator = what.partition(" of ")
        operators[omitted].append(operator)
    for omitted, of in operators.items():
        where = f" of {of[0]}" if of[0] and len(of) == 1 else f" of {len(of):,} operators" if of[0] else ""
        yield f"it answers {omitted}{where}, which it does not declare"


def _recorded(severities: Mapping[Severity, int]) -> dict[str, int]:
    return {severity.value: count for severity, count in in_order(Severity, severities).items()}


def _result(tally: TallyEntry, *, is_part: bool, is_refused: bool) -> Result:
    """The result, from the numbers only."""
    if tally.failed or is_refused:
        return Result.NOT_CONFORMANT
    if is_part or tally.unanswered or not tally.required:
        return Result.PARTIAL
    return Result.RECORDED if tally.deviating else Result.CONFORMANT


def _too_little(what: str, tally: TallyEntry, percent: int) -> Iterator[str]:
    if 100 * tally.passed < percent * tally.answered:
        yield f"{what}: {tally.passed:,} of {tally.answered:,} answers passed, less than {percent} %"


def _together(by_operator: Mapping[str, Counter[_Grouped]], operators: Iterable[str]) -> Counter[_Grouped]:
    return sum((by_operator[operator] for operator in operators if operator in by_operator), Counter())
