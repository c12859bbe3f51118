"""What a backend did with one check, not what it means.

Each kind of outcome is a class, so that a crash cannot pass for a rejection, and type checking fails for a new kind
until it is judged.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from conformance.border.cost import Cost
from conformance.values.tensor import KnownShape, Tensor


class Stage(Enum):
    """The stages of a call in a worker, in this order."""

    PREPARING = "preparing"
    RUNNING = "running"
    RELEASING = "releasing"
    """After the last run, while the prepared call is destroyed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """How a result was produced, and how long it took.

    `lowered` says in a few words how the call was converted to the framework's own operator; empty for a native
    result. `ran_on` is the device, provider or kernel that ran, as the framework names it. `aliases_input` is whether
    the framework's outputs shared memory with its inputs before the adapter copied them. `changed_inputs` names the
    inputs that a run wrote to. Times are nanoseconds in the worker, around the adapter's call only; `run_ns` has one
    for each run.
    """

    lowered: str = ""
    ran_on: str = ""
    aliases_input: bool = False
    changed_inputs: tuple[str, ...] = ()
    prepare_ns: int = 0
    run_ns: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Produced:
    """The framework answered: the outputs of each run, in order.

    `inferred` holds the shape of each output that the framework inferred before it ran; None if it inferred none.
    """

    runs: tuple[tuple[Tensor, ...], ...]
    inferred: tuple[KnownShape, ...] | None = None
    provenance: Provenance = field(default_factory=Provenance)


@dataclass(frozen=True, slots=True, kw_only=True)
class RejectedOutcome:
    """The framework rejected the arguments with an error of its own, while preparing or while running.

    `answered` is the number of runs answered before, `cost` the cost of preparing and of the rejected run.
    """

    stage: str
    message: str
    answered: int = 0
    cost: Cost = field(default_factory=Cost)
    provenance: Provenance = field(default_factory=Provenance)


@dataclass(frozen=True, slots=True, kw_only=True)
class UnsupportedOutcome:
    """The framework reports that it has no implementation."""

    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NotExpressibleOutcome:
    """The framework has no way to express the request; it did not run."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NotDeclaredOutcome:
    """The adapter does not declare the operator, form or type, so its framework was not asked."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Crashed:
    """The worker crashed on this check, also when it ran first in a fresh process.

    `stage` is a value of `Stage`; empty if the worker did not report one.
    """

    death: str
    stderr: str = ""
    stage: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Killed:
    """The worker was killed on this check, and again when the check ran first in a fresh process, by a signal that the
    engine did not send. Whoever sent it, the framework gave no answer.
    """

    death: str
    stderr: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TimedOut:
    """The worker gave no answer within the limit, also when the check ran first in a fresh process."""

    limit_s: float
    stderr: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unstable:
    """The worker crashed, hung or deviated on this check, but not when the check ran alone in a fresh process.

    Memory damaged by an earlier check can cause this; `suspects` are the earlier checks of the same process. `first`
    and `alone` describe both outcomes.
    """

    first: str
    alone: str
    suspects: tuple[str, ...] = ()
    stderr: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AdapterFailed:
    """The adapter, not the framework, raised an error or returned something that is not an answer."""

    message: str
    stderr: str = ""


Outcome = (
    Produced
    | RejectedOutcome
    | UnsupportedOutcome
    | NotExpressibleOutcome
    | NotDeclaredOutcome
    | Crashed
    | Killed
    | TimedOut
    | Unstable
    | AdapterFailed
)
