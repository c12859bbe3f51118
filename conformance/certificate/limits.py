"""Limits on the deviations of a certificate, so that verification takes time in proportion to its log."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from conformance.certificate.rules import BrokenRuleError, Rule
from conformance.judging.deviation import Deviation, matches


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
