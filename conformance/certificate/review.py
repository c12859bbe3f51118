"""Reviews every line of a log against the suite and a profile, in one pass and without running a check.

The review trusts only what the backend alone can know: that it answered, rejected or crashed, and when. It derives
everything else again and compares.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import islice
from pathlib import Path
from typing import TypeAlias

from packaging.version import InvalidVersion, Version

from conformance import __version__
from conformance.certificate.certificate_file import (
    Assessment,
    BasisEntry,
    CertificateFile,
    CertifiedSuite,
    ProductEntry,
    Tallies,
)
from conformance.certificate.rules import BrokenRuleError, Profile, Rule, check_limits
from conformance.judge.controls import TwinAnswer, is_same_message
from conformance.judge.deviation import NAMED_FORMS, Deviation
from conformance.log.build_record import Basis, recompute
from conformance.log.log_file import lines_as_they_stand
from conformance.log.record import CheckRecord, Footer, Header, Line, TargetEntry
from conformance.protocol.outcome import Description, NotDeclaredOutcome
from conformance.run.dispatch import declined_by
from conformance.run.execution import deviation_entry, selection_entry, suite_entry
from conformance.run.selection import Selection, checks_of, families_selected
from conformance.run.target_runner import TwinCall, circumstances_of, twin_call
from conformance.spec.check import Check
from conformance.spec.control import plain_of, twin_of
from conformance.spec.expression import names_in
from conformance.spec.operator import Operator, is_named
from conformance.spec.verdict import Verdict
from conformance.suite.adapter_file import NAME_PATTERN, file_digest
from conformance.suite.suite import Suite, bundled_folder, load_suite
from conformance.tensors.errors import RunLogError
from conformance.tensors.machine import NAMES

Problems: TypeAlias = Iterator[BrokenRuleError]

MAX_PROBLEMS = 100
_LOG, _DEVIATIONS = "run.jsonl", "deviations.yaml"
_OTHER_CHECKS = (Rule.WHOLE, Rule.CHALLENGE, Rule.RELEASE, Rule.VERSION)
"""If one of these rules is broken, the records belong to other or unknown checks: each of them would be reported."""
_LEAST_LITERAL = 3
"""A pattern with fewer characters than this, wildcards not counted, matches practically everything."""
LONGEST_REVIEW = timedelta(days=366)
_LONGEST_VERSION = 100
_WORK_OF_A_CHECK = 1 << 21
"""What all conditions of the deviations may take for a check, on average, in steps of the law language."""
_CLOCKS_DIFFER = timedelta(days=1)
_BRANCHES = re.compile(r"main|master|trunk|head|tip|dev|develop|devel|nightly|latest|branch|unknown", re.IGNORECASE)


@dataclass(slots=True)
class Review:
    """The broken rules and the assessment of a log; the assessment is None if the review stopped early.

    `bases` counts the verdicts that were judged again, by what they were judged from.
    """

    header: Header | None = None
    broken: list[BrokenRuleError] = field(default_factory=list)
    assessment: Assessment | None = None
    bases: Counter[Basis] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What a log is reviewed against.

    `version` is the release that wrote the log and `suite` the suite of that release. `deviations` come with the log.
    `challenge` is the seed that the run must have used.
    """

    suite: Suite
    profile: Profile
    deviations: Sequence[Deviation]
    challenge: str = ""
    version: str = __version__

    @property
    def selection(self) -> Selection:
        """The selection that the run must have used."""
        return replace(self.profile.selection, challenge=self.challenge)


def review(log: Path, terms: Terms) -> Review:
    """Review every line of a log, up to MAX_PROBLEMS problems; broken rules are returned, not raised."""
    reviewer = _Reviewer(terms)
    reviewer.found.broken.extend(islice(reviewer.problems(log), MAX_PROBLEMS))
    return reviewer.found


@dataclass(slots=True)
class _Reviewer:
    """Reads a log once and yields its problems. A problem that is raised ends the review."""

    terms: Terms
    found: Review = field(default_factory=Review)
    verdicts: Counter[Verdict] = field(default_factory=Counter)
    planned: int = 0
    twins: dict[TwinCall, TwinAnswer] = field(default_factory=dict)
    work_left: int = 1 << 30

    def problems(self, log: Path) -> Problems:
        """The problems of all lines."""
        try:
            yield from self._problems(lines_as_they_stand(log))
        except BrokenRuleError as problem:
            yield problem
        except RunLogError as error:
            yield BrokenRuleError(Rule.READABLE, error.where.replace(str(log), _LOG), error.what)

    def _problems(self, lines: Iterator[Line]) -> Problems:
        """The problems of all lines.

        Raises:
            RunLogError: one of them is no line of a log.
            BrokenRuleError: the lines after it cannot be reviewed.
        """
        header, deviations = next(lines, None), self.terms.deviations
        if not isinstance(header, Header):
            raise BrokenRuleError(Rule.READABLE, _LOG, "does not start with the header of a run log")
        check_limits(deviations, (operator.id for operator in self.terms.suite.operators), _DEVIATIONS)
        self.found.header = header
        if len(header.targets) != 1 or header.targets[0].problem:
            names = ", ".join(f"{target.name} {target.problem}".strip() for target in header.targets) or "none"
            raise BrokenRuleError(Rule.ONE_TARGET, f"{_LOG}:1", f"its targets are {names[:500]}")
        target = header.targets[0]
        problems = [*_header_problems(header, self.terms), *_run_problems(header), *_target_problems(target)]
        yield from problems
        if any(problem.broken in _OTHER_CHECKS for problem in problems):
            return
        yield from _deviation_problems(header, target, deviations, self.terms.suite)
        tallies = Tallies(self.terms.profile, target, deviations, self.terms.suite)
        footer = yield from self._record_problems(lines, header, tallies)
        yield from self._footer_problems(footer, header)
        assessment = self.found.assessment = tallies.assessment()
        if not header.selection.is_part:
            for name in (deviation.id for deviation in deviations if deviation.id not in assessment.deviations):
                what = "deviates as it says" if name in tallies.tested else "counts for it: it is untested"
                fix = "leave the entry out"
                yield BrokenRuleError(Rule.DEVIATIONS, f"{_DEVIATIONS}: {name}", f"no check of the run {what}", fix=fix)

    def _record_problems(
        self, lines: Iterator[Line], header: Header, tallies: Tallies
    ) -> Generator[BrokenRuleError, None, Footer | None]:
        """Compare each record with the next check of the plan, and return the footer, if there is one."""
        checks = checks_of(families_selected(self.terms.suite, self.terms.selection), self.terms.selection)
        target, description = header.targets[0], described_by(header.targets[0])
        for number, line in enumerate(lines, 2):
            where = f"{_LOG}:{number}"
            if isinstance(line, Footer):
                for left in checks:
                    self.planned += 1
                    yield BrokenRuleError(Rule.RECORDS, where, f"no record of {left.case.id} ({left.form.value})")
                if next(lines, None) is not None:
                    yield BrokenRuleError(Rule.COMPLETE, f"{_LOG}:{number + 1}", "follows the closing line")
                return line
            if not isinstance(line, CheckRecord):
                yield BrokenRuleError(Rule.RECORDS, where, "is not a record of a check")
                continue
            check = next(checks, None)
            self.planned += check is not None
            due = (target.name, check.case.id, check.form) if check is not None else None
            if check is None or due != (line.target, line.case, line.form):
                what = f"is of {line.target[:80]}, {line.case[:200]} ({line.form.value})"
                following = f"the next check of the plan is {check.case.id} ({check.form.value})" if check else ""
                # All later records would be out of step.
                raise BrokenRuleError(Rule.RECORDS, where, f"{what}; {following or 'all others came before'}")
            self.verdicts[line.verdict] += 1
            if line.reused:
                yield BrokenRuleError(Rule.ASKED, where, f"the answer is of a run on {line.reused[:40]}")
            for rule, problem in self._contradictions(check, line, description, header.timeout_s):
                yield BrokenRuleError(rule, where, f"{line.case} ({line.form.value}){problem}")
            if line.verdict.meaning.is_certifiable:
                tallies.add(line)
        return None

    def _contradictions(
        self, check: Check, record: CheckRecord, description: Description, limit_s: float
    ) -> Iterator[tuple[Rule, str]]:
        """The rules that a record breaks, and how."""
        if not (record.verdict.meaning.is_certifiable and record.judged.meaning.is_certifiable):
            yield Rule.JUDGED, f" is {record.verdict.value}: {record.explanation[:200]}"
            return
        declined = declined_by(description, check)
        recorded = f"{record.outcome!r} with {record.message[:200]!r} is recorded"
        if declined is not None and (NotDeclaredOutcome.tag, declined.message) != (record.outcome, record.message):
            yield Rule.DESCRIBED, f": {declined.message}; {recorded}"
            return
        if declined is None and record.outcome == NotDeclaredOutcome.tag:
            yield Rule.DESCRIBED, f": the adapter declares it; {recorded}"
            return
        if record.control is not None and record.control.plain and declined_by(description, plain_of(check)):
            yield Rule.DESCRIBED, ": its control rests on a form or type that the target does not declare"
            return
        self.work_left += _WORK_OF_A_CHECK
        for facts in check.facts:
            facts.left = self.work_left
        again = recompute(check, record, self.terms.deviations, timeout_s=limit_s)
        self.work_left -= sum(facts.work for facts in check.facts)
        if self.work_left <= 0:
            what = f"`when` of its entries takes too many steps for {check.case.id} and the checks before"
            raise BrokenRuleError(Rule.SIZE, _DEVIATIONS, what, fix="write conditions without long lists")
        self.found.bases[again.basis] += 1
        yield from ((Rule.VERDICTS, f": {problem}") for problem in again.problems)
        twin = None if record.twin is None else twin_of(check.case)
        if record.twin is not None and twin is not None:
            first = self.twins.setdefault(twin_call(twin, check.form), record.twin)
            if first.outcome != record.twin.outcome or not is_same_message(first.message, record.twin.message):
                yield Rule.VERDICTS, f": its twin is {record.twin.outcome!r}, and {first.outcome!r} elsewhere"

    def _footer_problems(self, footer: Footer | None, header: Header) -> Problems:
        if footer is None or not footer.complete or footer.reason:
            what = "it has no closing line" if footer is None else f"the run ended early: {footer.reason[:200]}"
            yield BrokenRuleError(Rule.COMPLETE, _LOG, what, fix="run again, to the end")
            return
        if header.planned != self.planned:
            what = f"{header.planned} checks were planned; the profile has {self.planned}"
            yield BrokenRuleError(Rule.WHOLE, f"{_LOG}:1", what)
        counted = {verdict.value: number for verdict, number in self.verdicts.items()}
        if footer.records != self.planned or footer.verdicts != {header.targets[0].name: counted}:
            what = f"it counts {footer.records} records, {footer.verdicts}; the log holds {counted}"
            yield BrokenRuleError(Rule.COUNTS, _LOG, what[:500])
        started, ended = time_of(header.started), time_of(footer.ended)
        if ended is None or (started is not None and ended < started):
            what = f"it ended at {footer.ended[:40]!r}, which is not a time after it started"
            yield BrokenRuleError(Rule.COMPLETE, _LOG, what)


def _header_problems(header: Header, terms: Terms) -> Problems:
    """Fields of the header that differ from what suite, profile and deviations determine."""
    where, given = f"{_LOG}:1", header.suite
    due = replace(suite_entry(terms.suite, families_selected(terms.suite, terms.selection)), version=terms.version)
    if given.digest != due.digest or given.version != due.version:
        what = f"is of suite {given.version}, digest {given.digest[:12]}; here is {due.version}"
        yield BrokenRuleError(Rule.RELEASE, where, f"{what}, digest {due.digest[:12]}")
    elif given != due:
        yield BrokenRuleError(Rule.HEADER, where, "clauses or disputes are not those of the suite")
    if header.selection.challenge != terms.challenge:
        seeds = f"{header.selection.challenge!r}, not {terms.challenge!r}"
        yield BrokenRuleError(Rule.CHALLENGE, where, f"the seed is {seeds}", fix="name the seed with --challenge")
    elif header.selection != selection_entry(terms.selection):
        yield BrokenRuleError(Rule.WHOLE, where, "the selection is not that of the profile", fix="run the profile")
    recorded = [deviation_entry(header.targets[0].name, deviation) for deviation in terms.deviations]
    if header.deviations != recorded:
        what = "the deviations are not those that deviations.yaml records for the target"
        yield BrokenRuleError(Rule.DEVIATIONS, where, what)


def _run_problems(header: Header) -> Problems:
    """Values in the header that no run of a profile writes."""
    where, started, level = f"{_LOG}:1", time_of(header.started), header.targets[0].instruction_set
    if started is None:
        yield BrokenRuleError(Rule.HEADER, where, f"{header.started[:40]!r} is not a time")
    elif started > datetime.now(UTC) + _CLOCKS_DIFFER:
        yield BrokenRuleError(Rule.HEADER, where, f"the run starts at {header.started}, which is in the future")
    if not 0 < header.timeout_s < math.inf:
        yield BrokenRuleError(Rule.HEADER, where, f"a check may take {header.timeout_s:g} s")
    if header.timing is not None:
        yield BrokenRuleError(Rule.HEADER, where, "the run measured times; a run of a profile does not")
    if level not in ("", *NAMES):
        yield BrokenRuleError(Rule.HEADER, where, f"{level[:40]!r} is not a level of an instruction set")


def time_of(text: str) -> datetime | None:
    """The time that a run wrote, in UTC and to the second; None for any other text."""
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        return None
    return time if time.utcoffset() == timedelta() and time.isoformat(timespec="seconds") == text else None


def described_by(target: TargetEntry) -> Description:
    """The target's description of itself, as recorded in a log."""
    return Description(
        framework=target.framework,
        version=target.version,
        operators=tuple(target.operators or ()),
        dtypes=None if target.dtypes is None else tuple(target.dtypes),
        forms=tuple(target.forms or ()),
    )


def _target_problems(target: TargetEntry) -> Problems:
    where = f"{_LOG}:1: {target.name}"
    due = f"{target.adapter}@{target.version}"
    has_fitting_name = (
        re.fullmatch(NAME_PATTERN, target.adapter) and target.name.startswith(due) and _has_options(target)
    )
    if not has_fitting_name:
        yield BrokenRuleError(Rule.TARGET, where, f"of {due} with the options {target.options}"[:300])
    if not is_released(target.version):
        fix = "give the version of a release, as 2.1.0"
        yield BrokenRuleError(Rule.VERSION, where, f"the version is {target.version!r}", fix=fix)
    if target.undeclared is None or target.operators is None or target.forms is None:
        fix = "run the profile with `conformance certify`, or `conformance run --profile`"
        yield BrokenRuleError(Rule.DECLARED, where, "does not say what it declares, or was not probed", fix=fix)


def _has_options(target: TargetEntry) -> bool:
    """Whether the brackets in the target's name hold options of the target, sorted, and nothing else."""
    brackets = target.name.removeprefix(f"{target.adapter}@{target.version}")
    options = [f"{name}={value}" for name, value in sorted(target.options.items())]
    named = [option for option in options if option in brackets]
    return brackets == (f"[{','.join(named)}]" if named else "")


def is_released(version: str) -> bool:
    """Whether a version is that of a release, not of a development build or a branch."""
    if len(version) > _LONGEST_VERSION or not version.isprintable() or version != version.strip():
        return False
    try:
        parsed = Version(version)
    except InvalidVersion:
        return False
    return not parsed.is_devrelease and not _BRANCHES.search(parsed.local or "")


def _deviation_problems(header: Header, target: TargetEntry, deviations: Sequence[Deviation], suite: Suite) -> Problems:
    if (started := time_of(header.started)) is None:
        return
    day = started.date()
    operators = {operator.id: operator for operator in suite.operators}
    for deviation in deviations:
        problems = list[str]()
        if not deviation.conditions.hold(circumstances_of(target, header.machine.system)):
            problems.append(f"does not apply to {target.name}")
        if deviation.since > day:
            problems.append(f"is recorded since {deviation.since}, after the run on {day}")
        if not timedelta() <= deviation.review - day <= LONGEST_REVIEW:
            limit = LONGEST_REVIEW.days
            problems.append(f"is to be reviewed on {deviation.review}, not within {limit} days of the run on {day}")
        for problem in problems:
            yield BrokenRuleError(Rule.DEVIATIONS, f"{_DEVIATIONS}: {deviation.id}", problem)
        for problem in inexactness(deviation, target.forms or (), operators):
            yield BrokenRuleError(Rule.EXACT, f"{_DEVIATIONS}: {deviation.id}", problem)


def inexactness(deviation: Deviation, forms: Collection[str], operators: Mapping[str, Operator]) -> Iterator[str]:
    """Patterns so broad that they cover unexamined cases, on which a certificate must not rest."""
    named = [operator for operator in operators.values() if is_named(operator.id, deviation.operators)]
    for name in deviation.operators:
        if _is_any(name) or not any(is_named(known, (name,)) for known in _bundled_operators()):
            yield f"{name!r} names no operator, as onnx.Split-18 or onnx.Split-* do"
    clauses = {clause for operator in named for clause in operator.clauses}
    nameable = {form.value for form in NAMED_FORMS}.intersection(forms)
    names_forms = deviation.forms and not {form.value for form in deviation.forms}.issuperset(nameable)
    names_clauses = deviation.clauses and not clauses.issubset(deviation.clauses)
    if not names_in(deviation.when) and not (names_forms or names_clauses):
        yield f"`when: {deviation.when}` stands for every call: say which, or name some forms or clauses"
    for pattern in deviation.messages:
        if _is_any(pattern) and deviation.memory is None:
            yield f"{pattern!r} matches every message: name that of the rejection"


@cache
def _bundled_operators() -> frozenset[str]:
    """The ids of all operator versions: entries of an adapter may name some that are not in the profile."""
    return frozenset(operator.id for operator in load_suite(bundled_folder("cases"), ()).operators)


def _is_any(pattern: str) -> bool:
    """Whether a pattern with `*` and `?` has so few other characters that it matches practically everything."""
    return len(re.sub(r"[*?]", "", pattern)) < _LEAST_LITERAL


# The claims of a certificate, and the summary that follows from them and a reviewed log.

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
