"""What a backend did with one check, not what it means.

Each kind of outcome is a class, so that a crash cannot pass for a rejection, and type checking fails for a new kind
until it is judged. A message of the protocol and a line of the log hold the tag of the class as `outcome`, and beside
it the fields that `said_of` gives.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from enum import Enum
from functools import cache
from typing import Any, ClassVar, Literal, get_args, get_type_hints

from conformance.border.cost import Cost
from conformance.values.tensor import KnownShape, Tensor

OutcomeTag = Literal[
    "produced",
    "rejected",
    "unsupported",
    "not expressible",
    "not declared",
    "crashed",
    "killed",
    "timed out",
    "unstable",
    "failed",
]


OUT_OF_MEMORY = "out of memory"
"""The death of a process that filled its limit of memory, or that the system killed for want of memory."""


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

    tag: ClassVar[OutcomeTag] = "produced"
    runs: tuple[tuple[Tensor, ...], ...]
    inferred: tuple[KnownShape, ...] | None = None
    provenance: Provenance = field(default_factory=Provenance)


@dataclass(frozen=True, slots=True, kw_only=True)
class RejectedOutcome:
    """The framework rejected the arguments with an error of its own, while preparing or while running.

    `stage` is None if the page rejects what another node passed on. `answered` is the number of runs answered before,
    `cost` the cost of preparing and of the rejected run.
    """

    tag: ClassVar[OutcomeTag] = "rejected"
    stage: Stage | None
    message: str
    answered: int = 0
    cost: Cost = field(default_factory=Cost)
    provenance: Provenance = field(default_factory=Provenance)


@dataclass(frozen=True, slots=True, kw_only=True)
class UnsupportedOutcome:
    """The framework reports that it has no implementation."""

    tag: ClassVar[OutcomeTag] = "unsupported"
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NotExpressibleOutcome:
    """The framework has no way to express the request; it did not run."""

    tag: ClassVar[OutcomeTag] = "not expressible"
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NotDeclaredOutcome:
    """The adapter does not declare the operator, form or type, so its framework was not asked."""

    tag: ClassVar[OutcomeTag] = "not declared"
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Crashed:
    """The worker crashed on this check, also when it ran first in a fresh process.

    `death` is a signal, an exit status or OUT_OF_MEMORY. `stage` is None if the worker did not report one.
    """

    tag: ClassVar[OutcomeTag] = "crashed"
    death: str
    stderr: str = ""
    stage: Stage | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Killed:
    """The worker was killed on this check, and again when the check ran first in a fresh process, by a signal that the
    engine did not send. Whoever sent it, the framework gave no answer.
    """

    tag: ClassVar[OutcomeTag] = "killed"
    death: str
    stderr: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TimedOut:
    """The worker gave no answer within the limit, also when the check ran first in a fresh process."""

    tag: ClassVar[OutcomeTag] = "timed out"
    limit_s: float
    stderr: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unstable:
    """The worker crashed, hung or deviated on this check, but not when the check ran alone in a fresh process.

    Memory damaged by an earlier check can cause this; `suspects` are the earlier checks of the same process. `first`
    and `alone` describe both outcomes.
    """

    tag: ClassVar[OutcomeTag] = "unstable"
    first: str
    alone: str
    suspects: tuple[str, ...] = ()
    stderr: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AdapterFailed:
    """The adapter, not the framework, raised an error or returned something that is not an answer."""

    tag: ClassVar[OutcomeTag] = "failed"
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

OUTCOMES: Mapping[str, type[Outcome]] = {kind.tag: kind for kind in get_args(Outcome)}
"""Each class by its tag."""

_TENSORS = ("runs", "inferred")


def said_of(value: Outcome | Cost | Provenance) -> dict[str, Any]:
    """The fields of an outcome by name, those of its cost and provenance among them, without its tensors."""
    said = dict[str, Any]()
    for item in fields(value):
        inner = getattr(value, item.name)
        if item.name not in _TENSORS:
            said |= said_of(inner) if isinstance(inner, Cost | Provenance) else {item.name: inner}
    return said


def outcome_of(tag: str, said: Mapping[str, Any], **tensors: Any) -> Outcome:
    """The outcome with a tag and the fields of `said_of`; a `Produced` needs `runs` and `inferred`, too."""
    outcome: Outcome = _made_of(OUTCOMES[tag], {**said, **tensors})
    return outcome


def _made_of(made: Any, said: Mapping[str, Any]) -> Any:
    kinds = types_of(made)
    return made(**{n: _made_of(kind, said) if kind in (Cost, Provenance) else said[n] for n, kind in kinds.items()})


@cache
def types_of(kind: type) -> Mapping[str, Any]:
    """The types of the fields of a class, by name."""
    hints = get_type_hints(kind)
    return {item.name: hints[item.name] for item in fields(kind)}
