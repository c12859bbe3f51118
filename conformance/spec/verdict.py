"""The closed table of verdicts: what each one means to every reader.

A new verdict is a member and a row here, and the place in `judging.judge` that returns it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, IntEnum
from typing import Any


class ExitCode(IntEnum):
    """The exit codes of the command."""

    CONFORMING = 0
    NOT_CONFORMING = 1
    USAGE = 2
    HARNESS = 3


class Standing(Enum):
    """How a verdict counts in a rate."""

    CONFORMING = "conforming"
    DEVIATING = "deviating"
    EXCUSED = "excused"
    """Deviates as recorded: shown apart, never counted as conforming."""
    INFORMATIVE = "informative"
    """Counts neither for nor against."""


class Severity(Enum):
    """The severity of a deviation, from worst to mildest."""

    MEMORY = "memory errors"
    CRASH = "crashes or hangs"
    WRONG = "wrong results"
    ACCEPTANCE = "invalid calls accepted"
    REFUSAL = "valid calls rejected"
    COST = "costly rejections"

    @property
    def gravity(self) -> int:
        """Comparisons treat a higher number as worse: a rejection, a wrong answer, a lost process."""
        return {Severity.MEMORY: 3, Severity.CRASH: 3, Severity.WRONG: 2, Severity.ACCEPTANCE: 2}.get(self, 1)


class Rung(IntEnum):
    """The rank of a verdict in a comparison of two runs. A recorded deviation has the rank of a deviation."""

    DEVIATES = 0
    NO_ANSWER = 1
    HOLDS = 2


class Section(Enum):
    """The part of a report that explains a verdict, in the order of reports."""

    NEW = "new"
    FIXED = "fixed"
    NOT_JUDGED = "harness"
    NEIGHBOURS = "neighbours"
    BEFORE = "before"
    KNOWN = "known"


class JUnit(Enum):
    """The JUnit element that a verdict becomes; a pass has none."""

    PASSED = "passed"
    FAILURE = "failure"
    ERROR = "error"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True, kw_only=True)
class Meaning:
    """One row of the table.

    Args:
        sentence: a sentence for readers.
        standing: how it counts in a rate.
        exit_code: the exit code of a run in which it is the worst verdict.
        rung: its rank in a comparison; None if nothing was judged.
        colour, sign: how a report shows it.
        mark: the word beside a rate that counts it; empty if the rate itself counts it as conforming.
        junit: the JUnit element.
        section: the part of a report that explains it case by case; None if it needs no explanation.
        severity: the severity of the deviation; None for a verdict that is none.
        is_retried: whether such a check runs again in a fresh process if another one ran before it.
        may_be_neighbours: whether a node beside the operator can be the cause, so that a control runs.
        may_become_disputed: whether the same behaviour can be `follows an interpretation` in another suite.
        is_certifiable: whether a certificate can rest on a run that has it.
        has_script: whether a script in a report can demonstrate it.
        recorded_by: what a recorded deviation must name, so that it excuses nothing else.
    """

    sentence: str
    standing: Standing
    exit_code: ExitCode
    rung: Rung | None
    colour: str
    sign: str
    mark: str
    junit: JUnit
    section: Section | None = None
    severity: Severity | None = None
    is_retried: bool = False
    may_be_neighbours: bool = False
    may_become_disputed: bool = False
    is_certifiable: bool = True
    has_script: bool = False
    recorded_by: tuple[str, ...] = ()


class Verdict(Enum):
    """The judgement of one outcome."""

    PASS = "pass"  # noqa: S105  (a verdict, not a password)
    WRONG_RESULT = "wrong result"
    REJECTED_VALID = "rejected though valid"
    ACCEPTED_INVALID = "accepted though invalid"
    COSTLY_REJECTION = "rejected at great cost"
    UNSUPPORTED = "unsupported"
    CRASHED = "crashed"
    TIMED_OUT = "timed out"
    UNSTABLE = "unstable"
    FOLLOWS = "follows an interpretation"
    NEIGHBOUR = "neighbour deviates"
    NOT_EXPRESSIBLE = "not expressible"
    NOT_RUN = "not run"
    HARNESS_ERROR = "harness error"
    KNOWN = "known"
    BROKEN_BEFORE = "broken before"
    FIXED = "fixed"

    @property
    def meaning(self) -> Meaning:
        """This verdict's row of the table."""
        return _TABLE[self]

    @property
    def is_difference(self) -> bool:
        """Whether a report explains this verdict case by case, as a deviation of the framework."""
        return self.meaning.section not in (None, Section.NOT_JUDGED)

    @property
    def is_left_out(self) -> bool:
        """Whether the target gave a reason instead of an answer."""
        return self.meaning.rung is Rung.NO_ANSWER and self.meaning.section is None


def _deviating(sentence: str, sign: str, severity: Severity, **more: Any) -> Meaning:
    is_lost = severity.gravity == 3
    return Meaning(
        sentence=sentence,
        standing=Standing.DEVIATING,
        exit_code=ExitCode.NOT_CONFORMING,
        rung=Rung.DEVIATES,
        colour="purple" if is_lost else "red",
        sign=sign,
        mark="new",
        junit=JUnit.ERROR if is_lost else JUnit.FAILURE,
        section=Section.NEW,
        severity=severity,
        **more,
    )


def _informative(sentence: str, sign: str, mark: str, **more: Any) -> Meaning:
    row: dict[str, Any] = {
        "standing": Standing.INFORMATIVE,
        "exit_code": ExitCode.CONFORMING,
        "rung": Rung.NO_ANSWER,
        "colour": "grey",
        "junit": JUnit.SKIPPED,
    }
    return Meaning(sentence=sentence, sign=sign, mark=mark, **row | more)


def _not_judged(sentence: str, sign: str, colour: str) -> Meaning:
    return _informative(
        sentence,
        sign,
        "not judged",
        exit_code=ExitCode.HARNESS,
        rung=None,
        colour=colour,
        junit=JUnit.ERROR,
        section=Section.NOT_JUDGED,
        is_certifiable=False,
    )


def _conforming(sentence: str, sign: str, **more: Any) -> Meaning:
    row: dict[str, Any] = {"mark": "", **more}
    return Meaning(
        sentence=sentence,
        standing=Standing.CONFORMING,
        exit_code=ExitCode.CONFORMING,
        rung=Rung.HOLDS,
        colour="green",
        sign=sign,
        junit=JUnit.PASSED,
        may_become_disputed=True,
        **row,
    )


def _excused(sentence: str, sign: str, section: Section, mark: str, **more: Any) -> Meaning:
    return Meaning(
        sentence=sentence,
        standing=Standing.EXCUSED,
        exit_code=ExitCode.CONFORMING,
        rung=Rung.DEVIATES,
        colour="amber",
        sign=sign,
        mark=mark,
        junit=JUnit.SKIPPED,
        section=section,
        **more,
    )


_TABLE = {
    Verdict.PASS: _conforming("every bit is as the spec requires, or an invalid call was rejected", "✓"),
    Verdict.WRONG_RESULT: _deviating(
        "the outputs differ from what the spec requires", "✗", Severity.WRONG,
        is_retried=True, may_be_neighbours=True, may_become_disputed=True, has_script=True,
        recorded_by=("values",),
    ),
    Verdict.REJECTED_VALID: _deviating(
        "the framework rejected a call that the spec allows", "⊘", Severity.REFUSAL,
        is_retried=True, may_be_neighbours=True, may_become_disputed=True, has_script=True,
        recorded_by=("messages", "clauses", "forms"),
    ),
    Verdict.ACCEPTED_INVALID: _deviating(
        "the framework answered a call that the spec forbids", "!", Severity.ACCEPTANCE,
        is_retried=True, may_become_disputed=True, has_script=True, recorded_by=("clauses", "forms"),
    ),
    Verdict.COSTLY_REJECTION: _deviating(
        "the rejection is right, and took seconds of CPU time or gigabytes of memory", "$", Severity.COST,
        is_retried=True, recorded_by=("clauses", "forms"),
    ),
    Verdict.UNSUPPORTED: _informative("the framework says that it has no implementation", "-", "unsupported"),
    Verdict.CRASHED: _deviating(
        "the process crashed on this check, also when it ran first in a fresh process", "☠", Severity.CRASH,
        may_be_neighbours=True, has_script=True, recorded_by=("deaths", "stages"),
    ),
    Verdict.TIMED_OUT: _deviating(
        "no answer within the time limit, also when it ran first in a fresh process", "…", Severity.CRASH,
        may_be_neighbours=True, has_script=True,
    ),
    Verdict.UNSTABLE: _deviating(
        "crashed, hung or differed here and not when it ran alone: an earlier check may have damaged the process",
        "~", Severity.MEMORY,
    ),
    Verdict.FOLLOWS: _informative(
        "the spec can be read in several ways; the framework follows the interpretation named", "≈", "disputed",
        rung=Rung.HOLDS, colour="blue", junit=JUnit.PASSED,
    ),
    Verdict.NEIGHBOUR: _informative(
        "another node of the graph departs in the same way without the operator", "∥", "neighbour's",
        section=Section.NEIGHBOURS,
    ),
    Verdict.NOT_EXPRESSIBLE: _informative("the framework has no way to express this request", "·", "n/e"),
    Verdict.NOT_RUN: _not_judged("the run ended before this check", "○", "grey"),
    Verdict.HARNESS_ERROR: _not_judged(
        "the adapter or the suite failed, which says nothing about the framework", "?", "orange"
    ),
    Verdict.KNOWN: _excused(
        "deviates exactly as recorded in the adapter's deviations", "≠", Section.KNOWN, "known",
        may_become_disputed=True,
    ),
    Verdict.BROKEN_BEFORE: _excused(
        "failed in the baseline, too; no log holds this verdict", "<", Section.BEFORE, "broken before",
        is_certifiable=False,
    ),
    Verdict.FIXED: _conforming(
        "conforms, though an entry of deviations.yaml says that it deviates: remove or narrow the entry", "★",
        mark="fixed", section=Section.FIXED, is_retried=True,
    ),
}  # fmt: skip
