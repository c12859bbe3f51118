"""What a backend did with one check, not what it means.

Each kind of outcome is a class, so that a crash cannot pass for a rejection, and type checking fails for a new kind
until it is judged. A message of the protocol and a line of the log hold the tag of the class as `outcome`, and beside
it the fields that `said_of` gives.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from enum import Enum
from functools import cache, lru_cache
from statistics import median
from typing import Any, ClassVar, Literal, get_args, get_type_hints

from conformance.protocol.form import Form
from conformance.tensors.tensor import KnownShape, Tensor

# What a call may cost, and the only place with the limits of it.
#
# A rejection looks at a few numbers and takes milliseconds. The limits are far above that, so that no slow machine,
# debug build or interpreter comes near them, and still below a cost that would bring down a public service.

_SECOND, _MIB = 10**9, 1 << 20
CPU_LIMIT_NS = 5 * _SECOND
"""CPU time: waiting and other processes do not change it."""
PEAK_LIMIT_BYTES = 1024 * _MIB
"""Memory beyond the size of the inputs, which a framework may copy."""

ANSWER_BYTES = 64 * _MIB
"""What every answer may have; more for larger inputs."""
MEMORY_LIMIT_BYTES = 4096 * _MIB
"""Memory that each process of a worker may fill, beyond `INPUTS_KEPT` times the inputs of the call.

It does not depend on the machine: what fills memory without a limit ends here, before most machines have none left.
"""
INPUTS_KEPT = 8
"""How often the data of a valid call may lie in memory at once: as inputs, outputs, copies and in caches."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """The cost of a rejection; None for what was not measured.

    `cpu_ns` is the CPU time of all threads of the process in the stage that rejected the call. `peak_bytes` is the
    largest growth of the process's memory while it prepared and ran the call, minus the size of the inputs.
    """

    cpu_ns: int | None = None
    peak_bytes: int | None = None

    @property
    def excess(self) -> str:
        """What exceeds its limit, such as `1,526 MiB of memory (at most 1,024)`; empty if nothing does."""
        return " and ".join(self._excess())

    def _excess(self) -> Iterator[str]:
        if self.peak_bytes is not None and self.peak_bytes > PEAK_LIMIT_BYTES:
            yield f"{self.peak_bytes / _MIB:,.0f} MiB of memory (at most {PEAK_LIMIT_BYTES / _MIB:,.0f})"
        if self.cpu_ns is not None and self.cpu_ns > CPU_LIMIT_NS:
            yield f"{self.cpu_ns / _SECOND:.1f} s of CPU time (at most {CPU_LIMIT_NS / _SECOND:g})"


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
    """The outcome with a tag and the fields of `said_of`; a `Produced` also needs `runs` and `inferred`."""
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


# One round of timing: how hard to measure, and what came, before any statistics.


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


# Medians with intervals that assume no distribution: only ranks decide, so outliers need no rule.


@dataclass(frozen=True, slots=True)
class Interval:
    """An interval, from low to high."""

    low: float
    high: float

    def is_apart_from(self, other: Interval) -> bool:
        """Whether both intervals have no value in common."""
        return self.high < other.low or other.high < self.low


def median_interval(ordered: Sequence[float], confidence_percent: int) -> Interval | None:
    """The interval of the sign test for the median of the distribution; None for too few values.

    `ordered` is ascending. Equal values do no harm.
    """
    outside = _ranks_outside(len(ordered), confidence_percent)
    return Interval(ordered[outside - 1], ordered[len(ordered) - outside]) if outside else None


def interval_over_rounds(rounds: Sequence[Sequence[float]], confidence_percent: int) -> Interval | None:
    """The interval for the median of values from several rounds; None for too few values.

    Values of one round resemble each other more than those of another. So the interval of all values is widened to hold
    that of the rounds' medians, if there are enough rounds.
    """
    pooled = median_interval(sorted(value for values in rounds for value in values), confidence_percent)
    between = median_interval(sorted(median(values) for values in rounds), confidence_percent)
    if pooled is None or between is None:
        return pooled
    return Interval(min(pooled.low, between.low), max(pooled.high, between.high))


@lru_cache(maxsize=4096)
def _ranks_outside(size: int, confidence_percent: int) -> int:
    """How many values at either end lie outside the interval, including its own bound; 0 if no interval is certain."""
    below, outside = 0, 0
    while 200 * (outside + math.comb(size, below)) <= (100 - confidence_percent) * 2**size:
        outside += math.comb(size, below)
        below += 1
    return below


# What a worker says of its adapter before the first call.

SCRATCH_FOLDER = "CONFORMANCE_SCRATCH_FOLDER"
"""The environment variable that names the worker's folder for temporary files. The engine removes the folder when the
process has ended, for any reason.
"""

PLAIN_FORMS = tuple(form.value for form in Form if not form.must_be_declared)
"""The forms of an adapter that declares none. Other forms must be declared: an adapter that does not know them would
silently ignore what they add, and a framework may refuse models without ranks, which ONNX requires.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Description:
    """The adapter's description of its framework, made once before the first call.

    `operators` are patterns such as `onnx.*`; an adapter without any does not start. `dtypes` and `forms` are plain
    names; no `dtypes` means all. `onnx_models`
    names the dialects whose calls the adapter wants as ONNX models. `controls` are the forms whose graph it can run
    without the operator (`Call.is_control`); only a form in which something stands beside the operator has a control.
    `instruction_set` is the newest level that the framework's kernels may use here, a value of
    `conformance.tensors.machine.InstructionSet`; it is empty if the adapter does not know it, or the device has
    none. `details` are further versions and settings for readers, such as a device's full name or the number of
    threads.
    """

    framework: str
    version: str
    devices: Sequence[str] = ()
    operators: Sequence[str] = ()
    dtypes: Sequence[str] | None = None
    forms: Sequence[str] = PLAIN_FORMS
    onnx_models: Sequence[str] = ()
    instruction_set: str = ""
    controls: Sequence[str] = ()
    details: Mapping[str, str] = field(default_factory=dict)
