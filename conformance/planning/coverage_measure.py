"""Measures how much of each operator's page, and of the classes of its arguments, the cases cover."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from conformance.formats.suite import Suite
from conformance.language.classes import classes_of, classes_of_operator
from conformance.language.operator import Operator
from conformance.planning.selection import Selection, checks_of, sound_families


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatorCoverage:
    """The coverage of one operator version: case ids by clause."""

    operator: Operator
    clauses: Mapping[str, tuple[str, ...]]
    checks: int

    @property
    def is_complete(self) -> bool:
        """Whether every clause has a case."""
        return all(self.clauses.values())


def measure(suite: Suite, selection: Selection) -> Iterator[OperatorCoverage]:
    """The coverage of each selected operator version, in the order of the suite.

    Raises:
        SelectionError: no operator has such a name.
        CaseFileError: a product has no meaning.
    """
    families = sound_families(suite, selection)
    for operator in suite.operators:
        own = [family for family in families if family.operator.id == operator.id]
        if not own:
            continue
        clauses: dict[str, dict[str, None]] = {clause: {} for clause in operator.clauses}
        count = 0
        for check in checks_of(own, selection):
            for clause in check.case.clauses:
                clauses.setdefault(clause, {})[check.case.id] = None
            count += 1
        yield OperatorCoverage(
            operator=operator,
            clauses={clause: tuple(ids) for clause, ids in clauses.items()},
            checks=count,
        )


def classes_by_operator(suite: Suite, selection: Selection) -> dict[str, dict[tuple[str, str], int]]:
    """How many cases that expect outputs have each class of each kind of argument, by operator version.

    Raises:
        SelectionError: no operator has such a name.
        CaseFileError: a product has no meaning.
    """
    counts: dict[str, dict[tuple[str, str], int]] = {}
    for family in sound_families(suite, selection):
        operator = family.operator
        found = counts.setdefault(operator.id, dict.fromkeys(classes_of_operator(operator), 0))
        for case in family.cases() if family.entry.outputs else ():
            for name in classes_of(case):
                found[name] += 1
    return counts
