"""What a backend did with one check: what *happened*, not what it means.

Each happening is a class, so that a crash can never pass for a refusal and a new one fails type checking until judged.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from conformance.spec.cost import Cost
from conformance.values.tensor import KnownShape, Tensor


class Stage(Enum):
    """What a worker does with a call, in this order."""

    PREPARING = "preparing"
    RUNNING = "running"
    RELEASING = "releasing"
    """After the last run, while what was prepared is let go."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """How a result came about.

    `lowered` says in a few words what stood between the case and the framework's own operator; empty for a native
    result. `ran_on` is the device, provider or kernel that really ran, as the framework names it. `aliases_input` tells
    whether the framework's outputs shared memory with its inputs before the adapter copied them. `changed_inputs` names
    the inputs that a run wrote to.
    """

    lowered: str = ""
    ran_on: str = ""
    aliases_input: bool = False
    changed_inputs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """Nanoseconds inside the worker, around the adapter's call alone; one entry of `run_ns` per call."""

    prepare_ns: int = 0
    run_ns: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Produced:
    """The framework answered: the outputs of each call, in order.

    `inferred` holds the shape of each output as the framework told it before it ran, None where it told none.
    """

    runs: tuple[tuple[Tensor, ...], ...]
    inferred: tuple[KnownShape, ...] | None = None
    provenance: Provenance = field(default_factory=Provenance)
    timing: Timing = field(default_factory=Timing)


@dataclass(frozen=True, slots=True, kw_only=True)
class RejectedOutcome:
    """The framework refused the arguments with an error of its own, while preparing or while running.

    `answered` is the number of calls that it had answered before, `cost` what preparing and the refused call took.
    """

    stage: str
    message: str
    answered: int = 0
    cost: Cost = field(default_factory=Cost)
    provenance: Provenance = field(default_factory=Provenance)
    timing: Timing = field(default_factory=Timing)


@dataclass(frozen=True, slots=True, kw_only=True)
class UnsupportedOutcome:
    """The framework has no implementation for this, and says so."""

    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NotExpressibleOutcome:
    """There is no way to put this request to the framework; it was not asked."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Crashed:
    """The worker died on this check, as the first that a fresh process was asked.

    `stage` is that of `Stage` in which it was, as text; empty where the worker does not tell.
    """

    death: str
    stderr: str = ""
    stage: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TimedOut:
    """The worker gave no answer within the limit, to the first that a fresh process was asked."""

    limit_s: float
    stderr: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unstable:
    """The worker died or hung on this check, or answered with a difference, but not so when asked alone in a fresh
    process.

    Memory that an earlier check damaged can do that; `suspects` are the checks before it in the same process. `first`
    and `alone` say in words what happened in the two.
    """

    first: str
    alone: str
    suspects: tuple[str, ...] = ()
    stderr: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AdapterFailed:
    """The adapter, not the framework, raised an error or gave something that is not an answer."""

    message: str
    stderr: str = ""


Outcome = (
    Produced
    | RejectedOutcome
    | UnsupportedOutcome
    | NotExpressibleOutcome
    | Crashed
    | TimedOut
    | Unstable
    | AdapterFailed
)
