"""A space of parameters: which combinations of values are possible, and which of these a set of rows lacks.

Pure: knows neither cases nor files.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

Row = Mapping[str, str]
"""A value for some parameters, by name."""


@dataclass(frozen=True, slots=True)
class Exclusion:
    """Combinations that make no sense: those that have one of the values in `when` for each of its names."""

    when: Mapping[str, frozenset[str]]
    because: str

    def __hash__(self) -> int:
        return hash((frozenset(self.when.items()), self.because))

    def holds_of(self, row: Row) -> bool:
        """Whether the row has one of the excluded values for each name in `when`."""
        return all(row.get(name) in values for name, values in self.when.items())


@dataclass(frozen=True, slots=True)
class Space:
    """Parameters with their values, in the order of the file, and the exclusions."""

    parameters: Mapping[str, tuple[str, ...]]
    exclusions: tuple[Exclusion, ...] = ()
    _known: dict[frozenset[tuple[str, str]], Exclusion | None] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def exclusion_of(self, row: Row) -> Exclusion | None:
        """The exclusion that rules a combination out, now or in every completion; None if a full row can have it."""
        constrained = {name for exclusion in self.exclusions for name in exclusion.when}
        known = {name: value for name, value in row.items() if name in constrained}
        key = frozenset(known.items())
        if key not in self._known:
            free = sorted(constrained - set(known), key=lambda name: (len(self.parameters[name]), name))
            self._known[key] = self._obstacle(known, free)
        return self._known[key]

    def met_by(self, row: Row) -> Exclusion | None:
        """The exclusion that holds of a row as it is."""
        return next((exclusion for exclusion in self.exclusions if exclusion.holds_of(row)), None)

    def _obstacle(self, row: dict[str, str], free: Sequence[str]) -> Exclusion | None:
        """The exclusion that `row` meets, or the first one if every completion meets one; else None."""
        met = self.met_by(row)
        if met is not None or not free:
            return met
        for value in self.parameters[free[0]]:
            obstacle = self._obstacle({**row, free[0]: value}, free[1:])
            if obstacle is None:
                return None
            met = met or obstacle
        return met


def missing_combinations(space: Space, rows: Iterable[Sequence[str]], strength: int) -> Iterator[Row]:
    """The combinations of `strength` values that are not excluded and in none of the rows.

    Each row has one value per parameter, in the order of the space.
    """
    names, size = list(space.parameters), min(strength, len(space.parameters))
    found = {several for row in rows for several in itertools.combinations(zip(names, row, strict=True), size)}
    for several in itertools.combinations(names, size):
        for values in itertools.product(*(space.parameters[name] for name in several)):
            combination = tuple(zip(several, values, strict=True))
            if combination not in found and space.exclusion_of(dict(combination)) is None:
                yield dict(combination)
