"""Limits on the deviations of a certificate, so that verification takes time in proportion to its log."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from conformance.certificate.rules import BrokenRuleError, Rule
from conformance.judging.deviation import Deviation, matches

MOST_COMPARISONS = 8_000_000
"""Comparisons of patterns with the ids of all cases, which take some seconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Limit:
    """The most that entries may hold of something."""

    most: int
    what: str
    held: Callable[[Deviation], int]


def _wildcards(patterns: Iterable[str]) -> int:
    return sum(pattern.count("*") + pattern.count("?") for pattern in patterns)


_OF_THE_FILE = (
    _Limit(most=400, what="entries", held=lambda _: 1),
    _Limit(
        most=4000,
        what="names and patterns",
        held=lambda e: len((*e.operators, *e.cases, *e.exceptions, *e.clauses, *e.messages, *e.deaths)),
    ),
)
_OF_AN_OPERATOR = (
    _Limit(most=100, what="entries", held=lambda _: 1),
    _Limit(most=500, what="wildcards in ids of cases", held=lambda e: _wildcards((*e.cases, *e.exceptions))),
    _Limit(most=100, what="wildcards in messages", held=lambda e: _wildcards(e.messages)),
    _Limit(most=8, what="functions in `values`", held=lambda e: sum(v.count(" + ") + 1 for v in e.wrong_answers)),
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
    for limit in limits:
        held = sum(map(limit.held, entries))
        if held > limit.most:
            what, fix = f"has {held:,} {limit.what}, more than {limit.most:,}", "keep the entries that a run meets"
            raise BrokenRuleError(Rule.SIZE, where, what, fix=fix)
