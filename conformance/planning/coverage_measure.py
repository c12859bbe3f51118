"""Measures how much of each operator's page and parameter space the cases cover."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from conformance.formats.coverage.features import features_of
from conformance.formats.coverage.space import Coverage, Space, coverages
from conformance.formats.suite import Suite
from conformance.language.check import Check
from conformance.language.classes import classes_of, classes_of_operator
from conformance.language.operator import Operator
from conformance.planning.selection import Selection, checks_of, sound_families


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatorCoverage:
    """The coverage of one operator version: case ids by clause, and its combinations if it has a space."""

    operator: Operator
    clauses: Mapping[str, tuple[str, ...]]
    checks: int
    combinations: tuple[Coverage, ...]

    @property
    def is_complete(self) -> bool:
        """Whether every clause has a case, and every combination is covered or excluded."""
        return all(self.clauses.values()) and not any(coverage.missing for coverage in self.combinations)


def measure(suite: Suite, selection: Selection, strength: int) -> Iterator[OperatorCoverage]:
    """The coverage of each selected operator version, in the order of the suite.

    For combinations only checks that expect outputs count; for clauses all count.

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
        rows: set[tuple[str, ...]] = set()
        space = suite.spaces.get(operator.id)
        count = 0
        for check in checks_of(own, selection):
            for clause in check.case.clauses:
                clauses.setdefault(clause, {})[check.case.id] = None
            count += 1
            if space is not None:
                rows.update(_rows(check, space))
        yield OperatorCoverage(
            operator=operator,
            clauses={clause: tuple(ids) for clause, ids in clauses.items()},
            checks=count,
            combinations=() if space is None else tuple(coverages(space, rows, strength)),
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
        for case in () if family.entry.rejected else family.cases():
            for name in classes_of(case):
                found[name] += 1
    return counts


def _rows(check: Check, space: Space) -> Iterable[tuple[str, ...]]:
    """The points of the space that a check covers; several if its data has several kinds."""
    features = features_of(check.case, check.form)
    if features is None:
        return ()
    return itertools.product(*(sorted(features[name]) or [""] for name in space.parameters))
