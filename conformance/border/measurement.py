"""One round of timing: how hard to measure, and what came, before any statistics."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Effort:
    """When to stop measuring one call in one round, and the number of rounds.

    A round ends when the interval of the median is as narrow as `width_percent` of it, after `limit_ns`, or after
    `max_samples`, but not before `min_samples`; if these take ten times the limit, it ends then. A sample is the mean
    over as many calls as fill `batch_ns`, or a single longer call.
    """

    rounds: int
    warm_up_ns: int
    batch_ns: int
    min_samples: int
    max_samples: int
    limit_ns: int
    width_percent: float
    confidence_percent: int = 95


@dataclass(frozen=True, slots=True, kw_only=True)
class Samples:
    """The times of batches of `loops` calls, and the number of cores that the process kept busy meanwhile."""

    loops: int
    elapsed_ns: tuple[int, ...]
    busy_cores: float = 0.0

    @property
    def call_ns(self) -> tuple[float, ...]:
        """The mean time of a call in each batch."""
        return tuple(elapsed / self.loops for elapsed in self.elapsed_ns)


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurement:
    """One round: preparing anew, the first call after it, later calls, and a plain copy of the same bytes.

    `is_framework_alone` is whether the measured calls contain nothing of the adapter. `threads` counts those of the
    process, and `affinity` names the cores that it may use; 0 and empty if the system does not report them.
    """

    prepare_ns: int
    first_run_ns: int
    run: Samples
    copy: Samples
    is_framework_alone: bool = False
    threads: int = 0
    affinity: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class NotMeasured:
    """Why there is no time."""

    reason: str
