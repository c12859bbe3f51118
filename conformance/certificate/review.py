"""Reviews every line of a log against the suite and a profile, in one pass and without running a check.

The review trusts only what the backend alone can know: that it answered, rejected or crashed, and when. It derives
everything else again and compares.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from packaging.version import InvalidVersion, Version

from conformance import __version__
from conformance.adapter import Description
from conformance.certificate.assessment import Assessment, Tallies
from conformance.certificate.profile_file import Profile
from conformance.certificate.recompute import Basis, recompute
from conformance.certificate.rules import BrokenRuleError, Rule
from conformance.formats.adapter_file import NAME_PATTERN
from conformance.formats.suite import Suite
from conformance.judging.deviation import Deviation, unmatched
from conformance.records.build_header import circumstances_of, deviation_entry, selection_entry, suite_entry
from conformance.records.log_file import lines_as_they_stand
from conformance.records.record import CheckRecord, Footer, Header, Line, TargetEntry
from conformance.selection.selection import Selection, checks_of, families_selected
from conformance.spec.check import Check
from conformance.spec.operator import Operator
from conformance.spec.outcome import NotExpressibleOutcome, UnsupportedOutcome
from conformance.spec.verdict import Verdict
from conformance.values.errors import RunLogError
from conformance.values.instruction_set import NAMES
from conformance.workers.dispatch import declined_by

MAX_PROBLEMS = 100
_LOG = "run.jsonl"
_OTHER_CHECKS = (Rule.WHOLE, Rule.CHALLENGE, Rule.RELEASE, Rule.VERSION)
"""If one of these rules is broken, the records belong to other or unknown checks: each of them would be reported."""
_LEAST_LITERAL = 3
"""A pattern with fewer characters than this, wildcards not counted, matches practically everything."""
LONGEST_REVIEW = timedelta(days=366)
_LONGEST_VERSION = 100
_CLOCKS_DIFFER = timedelta(days=1)
_BRANCHES = re.compile(r"main|master|trunk|head|tip|dev|develop|devel|nightly|latest|branch|unknown", re.IGNORECASE)


@dataclass(slots=True)
class Review:
    """The broken rules and the assessment of a log; the assessment is None if the review stopped early.

    `whole` verdicts were judged again from complete records, `by_digest` from the digest of the outputs alone.
    """

    header: Header | None = None
    broken: list[BrokenRuleError] = field(default_factory=list)
    assessment: Assessment | None = None
    whole: int = 0
    by_digest: int = 0


class _EnoughError(Exception):
    """Stops the review: after MAX_PROBLEMS problems, or when the records no longer match the run plan."""


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

    @property
    def in_our_words(self) -> bool:
        """Whether this release wrote the log."""
        return self.version == __version__


def review(log: Path, terms: Terms) -> Review:
    """Review every line of a log; broken rules are returned, not raised."""
    reviewer = _Reviewer(terms)
    try:
        reviewer.review(lines_as_they_stand(log))
    except _EnoughError:
        pass
    except RunLogError as error:
        reviewer.found.broken.append(BrokenRuleError(Rule.READABLE, error.where.replace(str(log), _LOG), error.what))
    return reviewer.found


@dataclass(slots=True)
class _Reviewer:
    """Reads a log once and collects its problems."""

    terms: Terms
    found: Review = field(default_factory=Review)
    verdicts: Counter[Verdict] = field(default_factory=Counter)
    planned: int = 0

    def review(self, lines: Iterator[Line]) -> None:
        """Review all lines.

        Raises:
            RunLogError: one of them is no line of a log.
            _EnoughError: there are too many problems, or the records do not match the run plan.
        """
        header = next(lines, None)
        if not isinstance(header, Header):
            self._report(Rule.READABLE, _LOG, "does not start with the header of a run log")
            return
        self.found.header = header
        if len(header.targets) != 1 or header.targets[0].problem:
            names = ", ".join(f"{target.name} {target.problem}".strip() for target in header.targets) or "none"
            self._report(Rule.ONE_TARGET, f"{_LOG}:1", f"its targets are {names[:500]}")
            return
        target, made = header.targets[0], self._made_again(header)
        for problem in (*_header_problems(header, made), *_run_problems(header), *_target_problems(target)):
            self._add(problem)
        if any(problem.broken in _OTHER_CHECKS for problem in self.found.broken):
            return
        for problem in _deviation_problems(header, target, self.terms.deviations, self.terms.suite):
            self._add(problem)
        tallies = Tallies(self.terms.profile, target, self.terms.deviations, self.terms.suite)
        footer = self._review_records(lines, tallies)
        self._review_footer(footer, header.planned, tallies)
        self.found.assessment = tallies.assessment()
        if not header.selection.is_part:
            for deviation in self.terms.deviations:
                if not self.found.assessment.deviations.get(deviation.id):
                    self._report(Rule.DEVIATIONS, f"deviations.yaml: {deviation.id}", "was met by no check of the run")

    def _made_again(self, header: Header) -> Header:
        """The header with every field that suite, profile and deviations determine derived again."""
        families = families_selected(self.terms.suite, self.terms.selection)
        return replace(
            header,
            suite=replace(suite_entry(self.terms.suite, families), version=self.terms.version),
            selection=selection_entry(self.terms.selection),
            deviations=[deviation_entry(header.targets[0].name, deviation) for deviation in self.terms.deviations],
        )

    def _review_records(self, lines: Iterator[Line], tallies: Tallies) -> Footer | None:
        """Compare each record with the next check of the plan, and return the footer, if there is one."""
        checks = checks_of(families_selected(self.terms.suite, self.terms.selection), self.terms.selection)
        description = described_by(tallies.target)
        for number, line in enumerate(lines, 2):
            where = f"{_LOG}:{number}"
            if isinstance(line, Footer):
                for left in checks:
                    self.planned += 1
                    self._report(Rule.RECORDS, where, f"no record of {left.case.id} ({left.form.value})")
                if next(lines, None) is not None:
                    self._report(Rule.COMPLETE, f"{_LOG}:{number + 1}", "follows the closing line")
                return line
            if not isinstance(line, CheckRecord):
                self._report(Rule.RECORDS, where, "is no record of a check")
                continue
            check = next(checks, None)
            self.planned += check is not None
            due = (tallies.target.name, check.case.id, check.form) if check is not None else None
            if check is None or due != (line.target, line.case, line.form):
                what = f"is of {line.target[:80]}, {line.case[:200]} ({line.form.value})"
                turn = f"it is the turn of {check.case.id} ({check.form.value})" if check else "all others came before"
                self._report(Rule.RECORDS, where, f"{what}; {turn}")
                raise _EnoughError  # all later records would be out of step
            self.verdicts[line.verdict] += 1
            self._review_record(where, check, line, description)
            if line.verdict.meaning.is_certifiable:
                tallies.add(line)
        return None

    def _review_record(self, where: str, check: Check, record: CheckRecord, description: Description) -> None:
        header, name = self.found.header, f"{record.case} ({record.form.value})"
        assert header is not None
        if not (record.verdict.meaning.is_certifiable and record.judged.meaning.is_certifiable):
            self._report(Rule.JUDGED, where, f"{name} is {record.verdict.value}: {record.explanation[:200]}")
            return
        declined = declined_by(description, check)
        if declined is not None and not is_declined(record, declined):
            recorded = f"{record.outcome[:80]!r} with {record.message[:200]!r}"
            self._report(Rule.DESCRIBED, where, f"{name}: {message_of(declined)}; {recorded} is recorded")
            return
        again = recompute(
            check,
            record,
            self.terms.deviations,
            timeout_s=header.timeout_s,
            in_our_words=self.terms.in_our_words,
        )
        if again.basis is Basis.WHOLE:
            self.found.whole += 1
        else:
            self.found.by_digest += 1
        for problem in again.problems:
            self._report(Rule.VERDICTS, where, f"{name}: {problem}")

    def _review_footer(self, footer: Footer | None, planned: int, tallies: Tallies) -> None:
        if footer is None or not footer.complete or footer.reason:
            what = "it has no closing line" if footer is None else f"the run ended early: {footer.reason[:200]}"
            self._report(Rule.COMPLETE, _LOG, what, fix="run again, to the end")
            return
        if planned != self.planned:
            self._report(Rule.WHOLE, f"{_LOG}:1", f"{planned} checks were planned; the profile has {self.planned}")
        counted = {verdict.value: number for verdict, number in self.verdicts.items()}
        if footer.records != self.planned or footer.verdicts != {tallies.target.name: counted}:
            what = f"it counts {footer.records} records, {footer.verdicts}; the log holds {counted}"
            self._report(Rule.COUNTS, _LOG, what[:500])
        ended, header = time_of(footer.ended), self.found.header
        started = time_of(header.started) if header is not None else None
        if ended is None or (started is not None and ended < started):
            self._report(Rule.COMPLETE, _LOG, f"it ended at {footer.ended[:40]!r}, which is no time after it started")

    def _report(self, rule: Rule, where: str, what: str, *, fix: str = "") -> None:
        self._add(BrokenRuleError(rule, where, what, fix=fix))

    def _add(self, problem: BrokenRuleError) -> None:
        self.found.broken.append(problem)
        if len(self.found.broken) >= MAX_PROBLEMS:
            raise _EnoughError


def _header_problems(header: Header, made: Header) -> Iterator[BrokenRuleError]:
    where = f"{_LOG}:1"
    if header.suite.digest != made.suite.digest or header.suite.version != made.suite.version:
        what = f"is of suite {header.suite.version}, digest {header.suite.digest[:12]}; here is {made.suite.version}"
        yield BrokenRuleError(Rule.RELEASE, where, f"{what}, digest {made.suite.digest[:12]}")
    elif header.suite != made.suite:
        yield BrokenRuleError(Rule.HEADER, where, "clauses or disputes are not those of the suite")
    if header.selection.challenge != made.selection.challenge:
        seeds = f"{header.selection.challenge!r}, not {made.selection.challenge!r}"
        yield BrokenRuleError(Rule.CHALLENGE, where, f"the seed is {seeds}", fix="name the seed with --challenge")
    elif header.selection != made.selection:
        yield BrokenRuleError(Rule.WHOLE, where, "the selection is not that of the profile", fix="run the profile")
    if not _is_same_record(header, made):
        what = "the deviations are not those of deviations.yaml that speak of the target"
        yield BrokenRuleError(Rule.DEVIATIONS, where, what)


def _run_problems(header: Header) -> Iterator[BrokenRuleError]:
    """Values in the header that no run of a profile writes."""
    started, level = time_of(header.started), header.targets[0].instruction_set
    if started is None:
        yield BrokenRuleError(Rule.HEADER, f"{_LOG}:1", f"{header.started[:40]!r} is no time")
    elif started > datetime.now(UTC) + _CLOCKS_DIFFER:
        yield BrokenRuleError(Rule.HEADER, f"{_LOG}:1", f"the run starts at {header.started}, which is to come")
    if not 0 < header.timeout_s < math.inf:
        yield BrokenRuleError(Rule.HEADER, f"{_LOG}:1", f"a check may take {header.timeout_s:g} s")
    if header.timing is not None:
        yield BrokenRuleError(Rule.HEADER, f"{_LOG}:1", "times were measured, which is no profile's business")
    if level not in ("", *NAMES):
        yield BrokenRuleError(Rule.HEADER, f"{_LOG}:1", f"{level[:40]!r} is no level of an instruction set")


def time_of(text: str) -> datetime | None:
    """The time that a run wrote, in UTC and to the second; None for any other text."""
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        return None
    return time if time.utcoffset() == timedelta() and time.isoformat(timespec="seconds") == text else None


def _is_same_record(header: Header, made: Header) -> bool:
    """Whether the log has the expected deviations; another release may word their conditions differently."""
    given = header.deviations
    if header.suite.version != __version__ and len(given) == len(made.deviations):
        given = [replace(entry, where=due.where) for entry, due in zip(given, made.deviations, strict=True)]
    return given == made.deviations


def described_by(target: TargetEntry) -> Description:
    """The target's description of itself, as recorded in a log."""
    return Description(
        framework=target.framework,
        version=target.version,
        operators=tuple(target.operators or ()),
        dtypes=None if target.dtypes is None else tuple(target.dtypes),
        forms=tuple(target.forms or ()),
    )


def message_of(declined: NotExpressibleOutcome | UnsupportedOutcome) -> str:
    """The message recorded for a check that the target's description rules out."""
    return declined.reason if isinstance(declined, NotExpressibleOutcome) else declined.message


def is_declined(record: CheckRecord, declined: NotExpressibleOutcome | UnsupportedOutcome) -> bool:
    """Whether the record says that the target's description rules the check out."""
    outcome = "not expressible" if isinstance(declined, NotExpressibleOutcome) else "unsupported"
    return (record.outcome, record.message) == (outcome, message_of(declined))


def _target_problems(target: TargetEntry) -> Iterator[BrokenRuleError]:
    where = f"{_LOG}:1: {target.name}"
    due = f"{target.adapter}@{target.version}"
    is_named = re.fullmatch(NAME_PATTERN, target.adapter) and target.name.startswith(due) and _has_options(target)
    if not is_named:
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


def _deviation_problems(
    header: Header, target: TargetEntry, deviations: Sequence[Deviation], suite: Suite
) -> Iterator[BrokenRuleError]:
    if (started := time_of(header.started)) is None:
        return
    day = started.date()
    left = unmatched((pattern for deviation in deviations for pattern in deviation.cases), suite.case_ids())
    for deviation in deviations:
        problems = [f"no case has an id like {pattern!r}" for pattern in deviation.cases if pattern in left]
        if not deviation.conditions.hold(circumstances_of(target, header.machine.system)):
            problems.append(f"does not speak of {target.name}")
        if deviation.since > day:
            problems.append(f"is recorded since {deviation.since}, after the run on {day}")
        if not timedelta() <= deviation.review - day <= LONGEST_REVIEW:
            limit = LONGEST_REVIEW.days
            problems.append(f"is to be reviewed on {deviation.review}, not within {limit} days of the run on {day}")
        for problem in problems:
            yield BrokenRuleError(Rule.DEVIATIONS, f"deviations.yaml: {deviation.id}", problem)
        for problem in inexactness(
            deviation, target.forms or (), {operator.id: operator for operator in suite.operators}
        ):
            yield BrokenRuleError(Rule.EXACT, f"deviations.yaml: {deviation.id}", problem)


def inexactness(deviation: Deviation, forms: Collection[str], operators: Mapping[str, Operator]) -> Iterator[str]:
    """Patterns so broad that they cover unexamined cases, on which a certificate must not rest."""
    for name in deviation.operators:
        if name not in operators:
            yield f"{name!r} is no version of an operator, such as onnx.Split-18"
    clauses = {clause for name in deviation.operators if name in operators for clause in operators[name].clauses}
    names_forms = deviation.forms and not {form.value for form in deviation.forms}.issuperset(forms)
    names_clauses = deviation.clauses and not clauses.issubset(deviation.clauses)
    for pattern in deviation.cases:
        if _is_any(pattern.partition("/")[2] or pattern) and not (names_forms or names_clauses):
            yield f"{pattern!r} stands for every case: name cases, or some forms or clauses"
    for pattern in deviation.messages:
        if _is_any(pattern) and deviation.memory is None:
            yield f"{pattern!r} matches every message: name that of the rejection"


def _is_any(pattern: str) -> bool:
    """Whether a pattern with `*` and `?` has so few other characters that it matches practically everything."""
    return len(re.sub(r"[*?]", "", pattern)) < _LEAST_LITERAL
