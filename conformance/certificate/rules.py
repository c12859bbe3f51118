"""The rules of a certificate, a sentence each, and the limits on its deviations.

The limits bound the time of verification by the size of the log.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from enum import Enum

from conformance.judging.deviation import Deviation, matches
from conformance.values.errors import UsageError


class Rule(Enum):
    """What must hold of every certificate."""

    FILES = "The folder holds the files of a certificate and nothing else."
    REGULAR = "Every file is a regular file: no link, no device, no folder."
    SIZE = "No file is larger than its limit, compressed or not, and no list longer than one verifies in time."
    READABLE = "Every file keeps its format, byte for byte as `conformance certify` writes it."
    CLAIMS = "Vendor, product and issuer are printable text of 1 to 100 characters."
    PROFILE = "The profile is one of this release."
    RELEASE = "The suite is that of an accepted release, file by file."
    ONE_TARGET = "The log is of one target, which could start."
    TARGET = "The name of the target is made of its adapter, its version and its options."
    VERSION = "The version is a released one: a number, not unknown and not the name of a branch."
    COMPLETE = "The log is complete: it has its closing line, and nothing follows it."
    WHOLE = "The run covers the whole profile, and nothing else."
    HEADER = "The header says what the suite says, and what a run of a profile writes."
    CHALLENGE = "The data is derived from the seed of the reviewer."
    RECORDS = "The log holds each check of the profile once, in the order of the plan."
    ASKED = "Every check ran in this run; no reused answers."
    JUDGED = "Every check was judged: none was not run, and none ended in an error of the harness."
    DESCRIBED = "What the description of the target rules out is recorded as the engine records it."
    VERDICTS = "Every verdict is the one that follows from what was recorded."
    COUNTS = "The closing line counts what the log holds."
    DEVIATIONS = "Every deviation applies to this target, was met, and was not overdue for review."
    EXACT = (
        "Every deviation names versions of operators and the messages of rejections; "
        "without forms and clauses, it says which calls deviate."
    )
    REPRODUCERS = "The written reproducer of a deviation is bundled or, as text, in the folder, with the stated digest."
    DECLARED = "The run also probed what the backend does not declare."
    DERIVED = "Every file says what follows from the log."
    SIGNATURE = "The envelope holds the statement, and a signature that verifies with the required key."


class BrokenRuleError(UsageError):
    """A certificate, or a run to be certified, breaks a rule."""

    def __init__(self, broken: Rule, where: str, what: str, *, fix: str = "") -> None:
        super().__init__(where, what, rule=broken.value, fix=fix)
        self.broken = broken


def _wildcards(patterns: Iterable[str]) -> int:
    return sum(pattern.count("*") + pattern.count("?") for pattern in patterns)


_Limit = tuple[int, str, Callable[[Deviation], int]]
"""The most that entries may hold of something, what that is, and how much of it an entry holds."""
_OF_THE_FILE: tuple[_Limit, ...] = (
    (400, "entries", lambda _: 1),
    (4000, "names and patterns", lambda e: len((*e.operators, *e.clauses, *e.messages, *e.deaths))),
    (400, "wildcards in operators", lambda e: _wildcards(e.operators)),
)
_OF_AN_OPERATOR: tuple[_Limit, ...] = (
    (100, "entries", lambda _: 1),
    (8000, "characters in `when`", lambda e: len(e.when)),
    (100, "wildcards in messages", lambda e: _wildcards(e.messages)),
    (32, "functions in `values`", lambda e: sum(v.count(" + ") + 1 for v in e.wrong_answers)),
)
"""Each record of the operator may be compared with all of these, and computed by each function."""


def check_limits(deviations: Sequence[Deviation], operators: Iterable[str], where: str) -> None:
    """Refuse deviations that may take too long to compare with a record.

    Raises:
        BrokenRuleError: they hold too much of something; the first that is too much is named.
    """
    _check(_OF_THE_FILE, deviations, where)
    for operator in operators:
        entries = [entry for entry in deviations if any(matches(operator, name) for name in entry.operators)]
        _check(_OF_AN_OPERATOR, entries, f"{where}: {operator}")


def _check(limits: Iterable[_Limit], entries: Sequence[Deviation], where: str) -> None:
    for most, what, held_by in limits:
        if (held := sum(map(held_by, entries))) > most:
            problem, fix = f"has {held:,} {what}, more than {most:,}", "keep the entries that a run meets"
            raise BrokenRuleError(Rule.SIZE, where, problem, fix=fix)
