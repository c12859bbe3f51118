"""A space of parameters: which combinations of values are possible, and which of these a set of rows lacks.

Pure: knows neither cases nor files.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

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
    """Parameters with their values, in the order of the file, and the exclusions.

    Parameters in `pairs_only` are combined with one other parameter at a time, whatever the strength.
    """

    parameters: Mapping[str, tuple[str, ...]]
    exclusions: tuple[Exclusion, ...] = ()
    pairs_only: frozenset[str] = frozenset()
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

    def _obstacle(self, row: dict[str, str], free: Sequence[str]) -> Exclusion | None:
        """The exclusion that `row` meets, or the first one if every completion meets one; else None."""
        met = next((exclusion for exclusion in self.exclusions if exclusion.holds_of(row)), None)
        if met is not None or not free:
            return met
        for value in self.parameters[free[0]]:
            obstacle = self._obstacle({**row, free[0]: value}, free[1:])
            if obstacle is None:
                return None
            met = met or obstacle
        return met


@dataclass(frozen=True, slots=True)
class Coverage:
    """How far a set of rows covers the combinations of some parameters.

    `possible` is the number of combinations that are not excluded, whether a row has them or not, `missing` those of
    them that no row has, `left_out` the number of combinations that each exclusion rules out and no row has.
    """

    names: tuple[str, ...]
    possible: int
    missing: tuple[Row, ...]
    left_out: Mapping[Exclusion, int]

    @property
    def covered(self) -> int:
        """The number of possible combinations that a row has."""
        return self.possible - len(self.missing)


def coverages(space: Space, rows: Iterable[Sequence[str]], strength: int) -> Iterator[Coverage]:
    """The coverage of each set of `strength` parameters.

    Each row has one value per parameter, in the order of the space; an unknown value matches nothing.
    """
    indices = _indices(space, rows)
    sound = _sound(space, indices)
    names = list(space.parameters)
    for positions in itertools.combinations(range(len(names)), min(strength, len(names))):
        if strength <= 2 or space.pairs_only.isdisjoint(names[position] for position in positions):
            yield _coverage(space, indices, sound, positions)


def _indices(space: Space, rows: Iterable[Sequence[str]]) -> NDArray[np.int64]:
    """The rows as indices of values; -1 for an unknown value."""
    import numpy as np

    numbers = [{value: number for number, value in enumerate(values)} for values in space.parameters.values()]
    known = [[column.get(value, -1) for column, value in zip(numbers, row, strict=True)] for row in rows]
    return np.array(known, dtype=np.int64).reshape(len(known), len(numbers))


def _coverage(
    space: Space, indices: NDArray[np.int64], sound: NDArray[np.int64], positions: tuple[int, ...]
) -> Coverage:
    import numpy as np

    names = tuple(list(space.parameters)[position] for position in positions)
    sizes = tuple(len(space.parameters[name]) for name in names)
    lacking, unproved = _without(indices, positions, sizes), _without(sound, positions, sizes)
    missing: list[Row] = []
    left_out: dict[Exclusion, int] = {}
    excluded = 0
    for combination in np.argwhere(unproved):
        row = {name: space.parameters[name][number] for name, number in zip(names, combination, strict=True)}
        exclusion = space.exclusion_of(row)
        excluded += exclusion is not None
        if lacking[tuple(combination)]:
            if exclusion is None:
                missing.append(row)
            else:
                left_out[exclusion] = left_out.get(exclusion, 0) + 1
    return Coverage(names, math.prod(sizes) - excluded, tuple(missing), left_out)


def _sound(space: Space, indices: NDArray[np.int64]) -> NDArray[np.int64]:
    """The rows that meet no exclusion: the combinations in them are possible."""
    import numpy as np

    is_sound = (indices >= 0).all(axis=1)
    for exclusion in space.exclusions:
        meets = np.ones(len(indices), dtype=np.bool_)
        for position, (name, values) in enumerate(space.parameters.items()):
            if name in exclusion.when:
                numbers = [number for number, value in enumerate(values) if value in exclusion.when[name]]
                meets &= np.isin(indices[:, position], numbers)
        is_sound &= ~meets
    return indices[is_sound]


def _without(indices: NDArray[np.int64], positions: tuple[int, ...], sizes: tuple[int, ...]) -> NDArray[np.bool_]:
    """Which combinations of some parameters are in no row."""
    import numpy as np

    chosen = indices[:, positions]
    chosen = chosen[(chosen >= 0).all(axis=1)]
    is_lacking = np.ones(math.prod(sizes), dtype=np.bool_)
    is_lacking[np.ravel_multi_index(tuple(chosen.T), sizes)] = False
    return is_lacking.reshape(sizes)
