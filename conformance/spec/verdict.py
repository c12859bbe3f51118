"""The closed table of verdicts: what each one means to every reader.

A new verdict is a member here, and the place in `judge.judge` that returns it. Only the modules that give a verdict
name single ones; every other module reads a column of the table.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum, IntEnum
from functools import partial
from typing import Self


class ExitCode(IntEnum):
    """The exit codes of the command."""

    CONFORMING = 0
    NOT_CONFORMING = 1
    USAGE = 2
    HARNESS = 3
    NOT_VALID = 4
    """Of a certificate that breaks a rule, whatever result it states."""


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
    REJECTION = "valid calls rejected"
    COST = "costly rejections"

    @property
    def gravity(self) -> int:
        """Comparisons treat a higher number as worse: a rejection, a wrong answer, a lost process."""
        return {Severity.MEMORY: 3, Severity.CRASH: 3, Severity.WRONG: 2, Severity.ACCEPTANCE: 2}.get(self, 1)


class Rank(IntEnum):
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


class RateMark(Enum):
    """What is counted beside a rate, the worst first."""

    NEW = "new"
    FIXED = "fixed"
    NOT_JUDGED = "not judged"
    BROKEN_BEFORE = "broken before"
    KNOWN = "known"
    UNSUPPORTED = "unsupported"
    DISPUTED = "spec ambiguous"
    NEIGHBOURS = "caused by another node"
    NOT_EXPRESSIBLE = "not expressible"
    NOT_DECLARED = "not declared"
    NOT_SHOWN = "rejection not judged"
    LOWERED = "lowered"


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
        sign, colour: how a report shows it.
        standing: how it counts in a rate.
        exit_code: the exit code of a run in which it is the worst verdict.
        rank: its rank in a comparison; None if nothing was judged.
        mark: as what it is counted beside a rate; None if the rate itself counts it as conforming.
        junit: the JUnit element.
        section: the part of a report that explains it case by case; None if it needs no explanation.
        severity: the severity of the deviation; None for a verdict that is not a deviation.
        is_retried: whether such a check runs again in a fresh process if another one ran before it.
        waits_for_limit: whether such a check takes the whole time limit, here and again in a fresh process.
        may_be_neighbours: whether a node beside the operator can be the cause, so that a control runs.
        may_become_disputed: whether the same behaviour can be `spec ambiguous` in another suite.
        was_asked: whether the target got the check; if not, `run --resume` asks it.
        is_certifiable: whether a certificate can rest on a run that has it.
        has_script: whether a script in a report can demonstrate it.
        recorded_by: what a recorded deviation must name, so that it excuses nothing else.
    """

    sentence: str = field(kw_only=False)
    sign: str = field(kw_only=False)
    standing: Standing
    exit_code: ExitCode
    rank: Rank | None
    colour: str
    mark: RateMark | None
    junit: JUnit
    section: Section | None = None
    severity: Severity | None = None
    is_retried: bool = False
    waits_for_limit: bool = False
    may_be_neighbours: bool = False
    may_become_disputed: bool = False
    was_asked: bool = True
    is_certifiable: bool = True
    has_script: bool = False
    recorded_by: tuple[str, ...] = ()


_conforming = partial(
    Meaning,
    standing=Standing.CONFORMING,
    exit_code=ExitCode.CONFORMING,
    rank=Rank.HOLDS,
    colour="green",
    mark=None,
    junit=JUnit.PASSED,
    may_become_disputed=True,
)
_deviating = partial(
    Meaning,
    standing=Standing.DEVIATING,
    exit_code=ExitCode.NOT_CONFORMING,
    rank=Rank.DEVIATES,
    colour="red",
    mark=RateMark.NEW,
    junit=JUnit.FAILURE,
    section=Section.NEW,
)
_lost = partial(_deviating, colour="purple", junit=JUnit.ERROR)
_excused = partial(
    Meaning,
    standing=Standing.EXCUSED,
    exit_code=ExitCode.CONFORMING,
    rank=Rank.DEVIATES,
    colour="amber",
    junit=JUnit.SKIPPED,
)
_informative = partial(
    Meaning,
    standing=Standing.INFORMATIVE,
    exit_code=ExitCode.CONFORMING,
    rank=Rank.NO_ANSWER,
    colour="grey",
    junit=JUnit.SKIPPED,
)
_not_judged = partial(
    _informative,
    exit_code=ExitCode.HARNESS,
    rank=None,
    mark=RateMark.NOT_JUDGED,
    junit=JUnit.ERROR,
    section=Section.NOT_JUDGED,
    is_certifiable=False,
)


class Verdict(Enum):
    """The judgement of one outcome."""

    value: str
    meaning: Meaning

    def __new__(cls, value: str, meaning: Meaning) -> Self:
        """A member whose value is the word alone."""
        verdict = object.__new__(cls)
        verdict._value_, verdict.meaning = value, meaning
        return verdict

    # fmt: off
    PASS = "pass", _conforming("every bit is as the spec requires, or an invalid call was rejected", "✓")
    WRONG_RESULT = "wrong result", _deviating(
        "the outputs differ from what the spec requires", "✗", severity=Severity.WRONG,
        is_retried=True, may_be_neighbours=True, may_become_disputed=True, has_script=True,
        recorded_by=("values",),
    )
    REJECTED_VALID = "rejected a valid call", _deviating(
        "the framework rejected a call that the spec allows", "⊘", severity=Severity.REJECTION,
        is_retried=True, may_be_neighbours=True, may_become_disputed=True, has_script=True,
        recorded_by=("messages",),
    )
    ACCEPTED_INVALID = "accepted an invalid call", _deviating(
        "the framework answered a call that the spec forbids", "!", severity=Severity.ACCEPTANCE,
        is_retried=True, may_become_disputed=True, has_script=True, recorded_by=("clauses", "forms"),
    )
    COSTLY_REJECTION = "rejection too expensive", _deviating(
        "to reject the call took seconds of CPU time or gigabytes of memory, or all that a worker may fill", "$",
        severity=Severity.COST,
        is_retried=True, recorded_by=("clauses", "forms"),
    )
    UNSUPPORTED = "unsupported", _informative(
        "the framework says that it has no implementation", "-", mark=RateMark.UNSUPPORTED
    )
    CRASHED = "crashed", _lost(
        "the process crashed on this check, also when it ran first in a fresh process", "☠", severity=Severity.CRASH,
        may_be_neighbours=True, has_script=True, recorded_by=("deaths", "stages"),
    )
    TIMED_OUT = "timed out", _lost(
        "no answer within the time limit, also when it ran first in a fresh process", "…", severity=Severity.CRASH,
        waits_for_limit=True, may_be_neighbours=True, has_script=True,
    )
    UNSTABLE = "unstable", _lost(
        "crashed, hung or differed here and not when it ran alone: an earlier check may have damaged the process",
        "~", severity=Severity.MEMORY,
    )
    FOLLOWS = "spec ambiguous", _informative(
        "the spec can be read in several ways; the framework follows the interpretation named", "≈",
        mark=RateMark.DISPUTED, rank=Rank.HOLDS, colour="blue", junit=JUnit.PASSED,
    )
    NEIGHBOUR = "caused by another node", _informative(
        "another node of the graph deviates in the same way without the operator", "∥", mark=RateMark.NEIGHBOURS,
        section=Section.NEIGHBOURS,
    )
    NOT_EXPRESSIBLE = "not expressible", _informative(
        "the framework has no way to express this request", "·", mark=RateMark.NOT_EXPRESSIBLE
    )
    NOT_DECLARED = "not declared by the adapter", _informative(
        "the adapter does not declare the operator, form or type, so its framework was not asked", "∉",
        mark=RateMark.NOT_DECLARED,
    )
    NOT_SHOWN = "rejection not judged", _informative(
        "an invalid call was rejected, but the valid call nearest to it was, too, or has no answer", "∅",
        mark=RateMark.NOT_SHOWN,
    )
    NOT_RUN = "not run", _not_judged("the run ended before this check", "○", was_asked=False)
    HARNESS_ERROR = "harness error", _not_judged(
        "the adapter or the suite failed, which says nothing about the framework", "?", colour="orange"
    )
    KNOWN = "known", _excused(
        "deviates exactly as recorded in the adapter's deviations", "±", section=Section.KNOWN, mark=RateMark.KNOWN,
        may_become_disputed=True,
    )
    BROKEN_BEFORE = "broken before", _excused(
        "failed in the baseline, too; no log holds this verdict", "<", section=Section.BEFORE,
        mark=RateMark.BROKEN_BEFORE, is_certifiable=False,
    )
    FIXED = "fixed", _conforming(
        "conforms, though an entry of deviations.yaml says that it deviates: remove or narrow the entry", "★",
        mark=RateMark.FIXED, section=Section.FIXED, is_retried=True,
    )
    # fmt: on

    @property
    def is_conforming(self) -> bool:
        """Whether the answer is right."""
        return self.meaning.standing is Standing.CONFORMING

    @property
    def is_difference(self) -> bool:
        """Whether a report explains this verdict case by case, as a deviation of the framework."""
        return self.meaning.section not in (None, Section.NOT_JUDGED)

    @property
    def is_left_out(self) -> bool:
        """Whether the target gave a reason instead of an answer."""
        return self.meaning.rank is Rank.NO_ANSWER and self.meaning.section is None
