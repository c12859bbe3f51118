"""Turns seconds into a number of checks, once, before a run: the number alone says which checks run."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from conformance.planning.shard import mean_costs
from conformance.values.errors import RunLogError

_ENGINE_NS = 2_000_000
"""What a check costs outside the worker: it is made, sent, judged, logged and reported."""
_MEAN_NS = {"numpy": 3_500_000, "onnxruntime": 4_500_000, "torch": 4_000_000, "openvino": 35_000_000}
"""The mean cost of a check on one core of a small machine, all included, for adapters without an earlier log."""
_OTHER_MEAN_NS = 10_000_000
_START_S = 5.0
"""Until the cases are read and the frameworks imported."""


def checks_within(budget_s: float, adapters: Sequence[str], jobs: int, log: Path) -> int:
    """The number of checks that targets of these adapters do in so many seconds, in `jobs` processes; at least one.

    It follows from the times in an earlier log, if there is one, else from means that come with the project.
    """
    recorded = dict[str, int]()
    if log.is_file():
        with suppress(RunLogError):  # of an older version
            recorded = {adapter: mean_ns + _ENGINE_NS for adapter, mean_ns in mean_costs(log).items()}
    cost_ns = sum(recorded.get(name, _MEAN_NS.get(name, _OTHER_MEAN_NS)) for name in adapters)
    return max(1, int(max(0.0, budget_s - _START_S) * 1e9 * jobs / cost_ns))
