"""The closed table of verdicts. Every reader of a verdict looks here and nowhere else."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, IntEnum


class ExitCode(IntEnum):
    """What the command tells its caller."""

    CONFORMING = 0
    NOT_CONFORMING = 1
    USAGE = 2
    HARNESS = 3


class Standing(Enum):
    """How a verdict counts in a rate."""

    CONFORMING = "conforming"
    DEVIATING = "deviating"
    EXCUSED = "excused"
    """Deviates, as recorded: shown apart, never added to the conforming ones."""
    INFORMATIVE = "informative"
    """Neither for nor against."""


class Severity(Enum):
    """How bad a departure is; the worst stands first."""

    MEMORY = "memory errors"
    CRASH = "crashes or hangs"
    WRONG = "wrong results"
    ACCEPTANCE = "invalid calls accepted"
    REFUSAL = "valid calls refused"
    COST = "costly refusals"


class JUnit(Enum):
    """The JUnit element that a verdict becomes; a pass has none."""

    PASSED = "passed"
    FAILURE = "failure"
    ERROR = "error"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class Meaning:
    """One row of the table: the sentence for readers, and what each kind of reader makes of it."""

    sentence: str
    standing: Standing
    exit_code: ExitCode
    colour: str
    sign: str
    junit: JUnit
    severity: Severity | None = None
    """None of a verdict that says of no departure."""


class Verdict(Enum):
    """The judgement of one outcome."""

    PASS = "pass"  # noqa: S105  (a verdict, not a password)
    WRONG_RESULT = "wrong result"
    REJECTED_VALID = "rejected though valid"
    ACCEPTED_INVALID = "accepted though invalid"
    COSTLY_REFUSAL = "refused at great cost"
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
        """Whether a report explains this verdict case by case."""
        is_told_apart = self in (Verdict.FIXED, Verdict.NEIGHBOUR)
        return is_told_apart or self.meaning.standing in (Standing.DEVIATING, Standing.EXCUSED)


_PASS, _FAIL, _HARNESS = ExitCode.CONFORMING, ExitCode.NOT_CONFORMING, ExitCode.HARNESS
_TABLE = {
    Verdict.PASS: Meaning(
        "every bit is as the spec demands, or an invalid call was refused",
        Standing.CONFORMING, _PASS, "green", "✓", JUnit.PASSED,
    ),
    Verdict.WRONG_RESULT: Meaning(
        "outputs differ from what the spec demands",
        Standing.DEVIATING, _FAIL, "red", "✗", JUnit.FAILURE, Severity.WRONG,
    ),
    Verdict.REJECTED_VALID: Meaning(
        "the framework refused a call that the spec allows",
        Standing.DEVIATING, _FAIL, "red", "⊘", JUnit.FAILURE, Severity.REFUSAL,
    ),
    Verdict.ACCEPTED_INVALID: Meaning(
        "the framework answered a call that the spec forbids",
        Standing.DEVIATING, _FAIL, "red", "!", JUnit.FAILURE, Severity.ACCEPTANCE,
    ),
    Verdict.COSTLY_REFUSAL: Meaning(
        "the refusal is right, and took seconds of CPU time or gigabytes of memory",
        Standing.DEVIATING, _FAIL, "red", "$", JUnit.FAILURE, Severity.COST,
    ),
    Verdict.UNSUPPORTED: Meaning(
        "the framework says that it has no implementation",
        Standing.INFORMATIVE, _PASS, "grey", "-", JUnit.SKIPPED,
    ),
    Verdict.CRASHED: Meaning(
        "the process died on this check, as the first that a fresh process was asked",
        Standing.DEVIATING, _FAIL, "purple", "☠", JUnit.ERROR, Severity.CRASH,
    ),
    Verdict.TIMED_OUT: Meaning(
        "no answer within the time limit to this check, as the first that a fresh process was asked",
        Standing.DEVIATING, _FAIL, "purple", "…", JUnit.ERROR, Severity.CRASH,
    ),
    Verdict.UNSTABLE: Meaning(
        "it died, hung or answered otherwise here than alone: an earlier check may have damaged the process",
        Standing.DEVIATING, _FAIL, "purple", "~", JUnit.ERROR, Severity.MEMORY,
    ),
    Verdict.FOLLOWS: Meaning(
        "the spec can be read in several ways; the framework follows the one named",
        Standing.INFORMATIVE, _PASS, "blue", "≈", JUnit.PASSED,
    ),
    Verdict.NEIGHBOUR: Meaning(
        "what stands beside the operator in the graph departs in the same way without it",
        Standing.INFORMATIVE, _PASS, "grey", "∥", JUnit.SKIPPED,
    ),
    Verdict.NOT_EXPRESSIBLE: Meaning(
        "the framework has no way to express this request",
        Standing.INFORMATIVE, _PASS, "grey", "·", JUnit.SKIPPED,
    ),
    Verdict.NOT_RUN: Meaning(
        "the run ended before this check",
        Standing.INFORMATIVE, _HARNESS, "grey", "○", JUnit.ERROR,
    ),
    Verdict.HARNESS_ERROR: Meaning(
        "the adapter or the suite failed, which says nothing about the framework",
        Standing.INFORMATIVE, _HARNESS, "orange", "?", JUnit.ERROR,
    ),
    Verdict.KNOWN: Meaning(
        "deviates exactly as recorded in the adapter's deviations",
        Standing.EXCUSED, _PASS, "amber", "≠", JUnit.SKIPPED,
    ),
    Verdict.BROKEN_BEFORE: Meaning(
        "failed in the baseline too that the log is read against; no log holds this verdict",
        Standing.EXCUSED, _PASS, "amber", "<", JUnit.SKIPPED,
    ),
    Verdict.FIXED: Meaning(
        "conforms, though an entry of deviations.yaml says that it deviates: remove or narrow the entry",
        Standing.CONFORMING, _PASS, "green", "★", JUnit.PASSED,
    ),
}  # fmt: skip
