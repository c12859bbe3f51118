"""What faults of several operators have in common: what they accept, refuse, and read as something else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from fault import Theme

from ..mover import ZERO, Array, Integers, Mover, refuse


def accepts(theme: Theme, only: str, **faults: str) -> None:
    """Enter faults that accept calls which break one of these clauses, and copy the data."""

    def accepting(clauses: str) -> Callable[..., Array]:
        def accept(mover: Mover, correct: Callable[[str], Array], clause: str) -> Array:
            if clause not in clauses.split():
                return correct(clause)
            return np.arange(mover.sources[0].size).reshape(mover.shape) if mover.sources else np.full((), ZERO)

        return accept

    theme.step("broken", only)(**{name: accepting(clauses) for name, clauses in faults.items()})


def refuses(theme: Theme, only: str, **faults: Callable[[Mover], Any]) -> None:
    """Enter faults that refuse some of the valid calls."""

    def refusing(name: str, is_refused: Callable[[Mover], Any]) -> Callable[..., Array]:
        def decline(mover: Mover, right: Array) -> Array:
            if is_refused(mover):
                refuse(name.replace("_", " "))
            return right

        return decline

    theme.step("find", only)(**{name: refusing(name, is_refused) for name, is_refused in faults.items()})


def each(change: Callable[[Mover, int], int], of: str = "") -> Callable[..., Integers]:
    """Each integer is read as another one: of one argument, or of all."""

    def read(mover: Mover, correct: Callable[[str, Integers], Integers], role: str, values: Integers) -> Integers:
        return correct(role, [change(mover, value) for value in values] if of in ("", role) else values)

    return read
