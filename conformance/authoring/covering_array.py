"""Covering arrays: few rows in which every combination of a few parameters occurs.

The only module that uses the library for covering arrays, which is needed to write tables, not to read them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from conformance.formats.coverage.space import Exclusion, Space
from conformance.values.errors import UsageError


def covering_rows(space: Space, strength: int, kept: Sequence[tuple[str, ...]] = ()) -> list[tuple[str, ...]]:
    """Rows without an excluded combination, in which every other combination of `strength` values occurs.

    They include the rows in `kept`, which hold no excluded combination either. They are sorted in the order of the
    space's values, and hold a value for each parameter, in order.

    Raises:
        UsageError: the library is not installed.
    """
    try:
        from covertable import make
    except ImportError:
        fix = "in a checkout: pip install '.[cover]'"
        raise UsageError("conformance cover", "needs covertable, which is not installed", fix=fix) from None
    made = make(
        {name: list(values) for name, values in space.parameters.items()},
        strength=min(strength, len(space.parameters)),
        presets=[dict(zip(space.parameters, row, strict=True)) for row in kept],
        constraints=[_constraint(exclusion) for exclusion in space.exclusions],
    )
    rows = {tuple(row[name] for name in space.parameters) for row in made}
    order = [{value: number for number, value in enumerate(values)} for values in space.parameters.values()]
    return sorted(rows, key=lambda row: [numbers[value] for numbers, value in zip(order, row, strict=True)])


def _constraint(exclusion: Exclusion) -> dict[str, Any]:
    """The condition on a row: one of the names has none of its excluded values."""
    conditions = [
        {"operator": "not", "condition": {"operator": "in", "left": name, "values": sorted(values)}}
        for name, values in exclusion.when.items()
    ]
    return {"operator": "or", "conditions": conditions}
