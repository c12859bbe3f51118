"""How a fault accepts what a page forbids, and how it refuses what the page allows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from fault import Theme

from ..mover import ZERO, Array, Mover, refuse


def accepts(theme: Theme, name: str, clauses: str, *, only: str, says: str) -> None:
    """Enter a fault that accepts calls which break one of these clauses, and copies the data."""

    def accept(mover: Mover, correct: Callable[[str], Array], clause: str) -> Array:
        if clause not in clauses.split():
            return correct(clause)
        return np.arange(mover.sources[0].size).reshape(mover.shape) if mover.sources else np.full((), ZERO)

    _enter(theme, "broken", name, only, says, accept)


def refuses(theme: Theme, name: str, is_refused: Callable[[Mover], Any], *, only: str, says: str) -> None:
    """Enter a fault that refuses some of the valid calls."""

    def decline(mover: Mover, correct: Callable[[], Array]) -> Array:
        numbers = correct()
        if is_refused(mover):
            refuse(says)
        return numbers

    _enter(theme, "find", name, only, says, decline)


def _enter(theme: Theme, step: str, name: str, only: str, says: str, function: Callable[..., Array]) -> None:
    function.__name__, function.__doc__ = name, says
    theme.fault(step, only)(function)
