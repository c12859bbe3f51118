"""The run log: JSON Lines with a header, one record a line as it happens, and a footer.

Owns the shape of what is written; `run_log` reads and writes files. Everything that a report, a certificate or a later
judgement needs is in here; nothing else is consulted for them.
"""

from __future__ import annotations

import base64
import math
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Annotated, Literal

from annotated_types import Ge, Lt

from conformance.spec.call import Attribute
from conformance.spec.form import Form
from conformance.spec.verdict import Verdict
from conformance.values.tensor import Tensor, pack_strings, unpack_strings
from conformance.workers.timing.effort import Effort

FORMAT = 1
Count = Annotated[int, Ge(0), Lt(1 << 63)]
Offset = Annotated[int, Ge(-(1 << 63)), Lt(1 << 63)]
_WHOLE_ELEMENTS = 512
STRING_BYTES = 1024
"""Of a string so many bytes are recorded at most; one that has as many may have been longer."""
_WINDOW_BEFORE, _WINDOW_AFTER = 32, 224


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetEntry:
    """A target as it described itself. `problem` says why one that could not start has nothing to describe.

    `operators` and `forms` are null in logs that do not tell them, `dtypes` for all types. `instruction_set` is the
    newest level that its kernels may have used; it is empty where the adapter could not tell. `undeclared` names what
    the target answered although it does not declare it; it is null where nobody asked.
    """

    name: str
    adapter: str
    framework: str = ""
    version: str = ""
    options: dict[str, str] = field(default_factory=dict)
    devices: list[str] = field(default_factory=list)
    operators: list[str] | None = None
    dtypes: list[str] | None = None
    forms: list[str] | None = None
    instruction_set: str = ""
    undeclared: list[str] | None = None
    details: dict[str, str] = field(default_factory=dict)
    problem: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedInterpretation:
    """One way to read what a page leaves open."""

    name: str
    reason: str
    thread: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteEntry:
    """Which cases were run: the suite's version, the digest of its files, and clauses and cases by operator."""

    version: str
    digest: str
    digests: dict[str, str] = field(default_factory=dict)
    """For each operator, without its version, the digest of its files alone."""
    operators: dict[str, dict[str, str]]
    """For each operator version, what each clause says."""
    disputes: dict[str, list[RecordedInterpretation]] = field(default_factory=dict)
    """For each disputed case, by its id without matrix, the interpretations that the case names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """Where it ran."""

    system: str
    processor: str
    cores: Count
    python: str
    numpy: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ShardEntry:
    """Which shard of a plan was asked, and of how many; `whole` is the number of checks of all of them."""

    number: Count
    of: Count
    whole: Count


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectionEntry:
    """What was asked for; empty lists mean all. `rerun` is `failed` where only checks that had failed were asked.

    `challenge` is the seed that the data was derived from; empty for the data of the case files.
    """

    operators: list[str] = field(default_factory=list)
    cases: list[str] = field(default_factory=list)
    clauses: list[str] = field(default_factory=list)
    forms: list[str] = field(default_factory=list)
    sets: list[str] = field(default_factory=list)
    rerun: str = ""
    shard: ShardEntry | None = None
    dtypes: list[str] = field(default_factory=list)
    expects: list[str] = field(default_factory=list)
    challenge: str = ""

    @property
    def is_part(self) -> bool:
        """Whether some checks of the suite were left out."""
        return bool(self.chosen().keys() - {"sets", "challenge"})

    def chosen(self) -> dict[str, str]:
        """What was chosen, in words, by the name of the field; nothing of what chooses all."""
        values = ((item.name, getattr(self, item.name)) for item in fields(self))
        return {name: _chosen_text(value) for name, value in values if value}


def _chosen_text(value: list[str] | str | ShardEntry) -> str:
    match value:
        case ShardEntry():
            return f"{value.number} of {value.of}"
        case str():
            return value
        case _:
            return ", ".join(value)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedDeviation:
    """A recorded deviation that speaks of a target of this run; it `happens` always or sometimes.

    `kind` says whether the framework is plainly wrong or arguably so, `where` on which versions, options, instruction
    sets, devices and systems it happens, `depends_on` what decides where it does not always happen.
    """

    id: str
    target: str
    kind: str = ""
    where: str = ""
    what: str
    why: str
    upstream: str
    since: str
    review: str
    reproducer: str
    happens: str = "always"
    depends_on: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """The first line. `planned` is the number of checks that each target is asked.

    With `strict_records` a recorded deviation that no longer happens fails the run; it is false for bundled cases that
    were edited since they were released.
    """

    type: Literal["header"] = "header"
    format: Count = FORMAT
    started: str
    suite: SuiteEntry
    selection: SelectionEntry
    targets: list[TargetEntry]
    deviations: list[RecordedDeviation] = field(default_factory=list)
    machine: Machine
    planned: Count
    timeout_s: float
    strict_records: bool = False
    timing: Effort | None = None
    """How times were measured; null where they were not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TensorEntry:
    """A tensor, or the stretch of it that is worth showing.

    `data` is the base64 of the packed elements from number `start` on (row-major), `count` of them; the whole has as
    many as `shape` says.
    """

    dtype: str
    shape: list[Count]
    start: Offset = 0
    count: Count = 0
    data: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class InputEntry:
    """An input of a call: whether it was a constant, what the model knew of its shape, and its value in each run.

    `dims` has null for a dim that the model did not know, and is null where it did not know their number.
    """

    name: str
    dtype: str
    dims: list[Count | None] | None
    constant: bool
    values: list[TensorEntry]


@dataclass(frozen=True, slots=True, kw_only=True)
class CallEntry:
    """What was asked, for checks that did not pass."""

    attributes: dict[str, Attribute] = field(default_factory=dict)
    inputs: list[InputEntry] = field(default_factory=list)
    declared_outputs: Count


@dataclass(frozen=True, slots=True, kw_only=True)
class DifferenceEntry:
    """One output that is not as expected. `mismatch` is the first respect: missing, surplus, dtype, shape or bits.

    `differing` counts elements where dtype and shape agree; `first` is the row-major number of the first of them.
    """

    run: Count
    output: Count
    mismatch: str
    expected: TensorEntry | None = None
    actual: TensorEntry | None = None
    differing: Count = 0
    first: Count = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ControlEntry:
    """What the same graph without the operator did, as a check of its own; the names are those of a check's record.

    `judged`, `cause`, `explanation` and `outputs` are of what the operator makes of the control's outputs if it does as
    its page says; `outputs` is empty where it takes none of that kind.
    """

    outcome: str
    judged: Verdict
    outputs: str = ""
    cause: str = ""
    explanation: str = ""
    stage: str = ""
    answered: Count = 0
    changed_inputs: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckRecord:
    """One line: what a target did with a case in a form, and how it was judged.

    `verdict` is what counts; `judged` what it was before a recorded deviation had its say. `dtype` is the element
    type of the data, empty where the call gives no data. `outputs` is the SHA-256 over dtype, shape and data of all
    outputs that came. Times are nanoseconds inside the worker.
    """

    type: Literal["check"] = "check"
    place: Offset | None = None
    """In the log of a shard, the number of the check in the whole plan, counted from 0."""
    target: str
    case: str
    form: Form
    verdict: Verdict
    judged: Verdict
    clauses: list[str]
    outcome: str
    dtype: str = ""
    outputs: str = ""
    cause: str = ""
    explanation: str = ""
    interpretation: str = ""
    deviation: str = ""
    stage: str = ""
    message: str = ""
    answered: Count = 0
    cpu_ns: Count | None = None
    """CPU time of the call that was refused; null of other checks, and where it was not measured."""
    peak_bytes: Count | None = None
    """Growth of the process's memory for a call that was refused, beyond its inputs; null likewise."""
    inferred: list[list[Count | None] | None] | None = None
    """The shape of each output as the framework told it before it ran, of checks that differ; null for what it did not
    know of it, or where it told none."""
    stderr: str = ""
    lowered: str = ""
    ran_on: str = ""
    aliases_input: bool = False
    changed_inputs: list[str] = field(default_factory=list)
    prepare_ns: Count = 0
    run_ns: list[Count] = field(default_factory=list)
    where: str = ""
    call: CallEntry | None = None
    differences: list[DifferenceEntry] = field(default_factory=list)
    control: ControlEntry | None = None
    """Of a check that deviates, what the same graph without the operator did, where that was asked."""

    @property
    def operator(self) -> str:
        """The operator version that the case asks about."""
        return self.case.partition("/")[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Footer:
    """The closing line. A log without one, or with `complete` false, is truncated; `reason` says why."""

    type: Literal["footer"] = "footer"
    complete: bool
    reason: str = ""
    ended: str
    records: Count
    verdicts: dict[str, dict[str, Count]]
    """For each target, how often each verdict was given."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeEntry:
    """The time of one call over all rounds, in nanoseconds.

    `low_ns` and `high_ns` bound the median at the confidence that the header tells; null of too few samples.
    `rounds_ns` are the medians of the rounds. `busy_cores` is how many cores the process kept busy meanwhile.
    """

    median_ns: float
    low_ns: float | None = None
    high_ns: float | None = None
    fastest_ns: float
    slowest_ns: float
    samples: Count
    loops: list[Count]
    """Calls in a sample, by round."""
    rounds_ns: list[float]
    busy_cores: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class TimingRecord:
    """One line: how long a target takes for a case of the set `timing`, or, in `reason`, why it has no time.

    `nbytes` is the size of the data, with elements of less than a byte packed, and `parts` the number of outputs.
    `prepare_ns` and `first_run_ns` have a time for each round, `run` the later calls, `copy` a plain copy of the same
    bytes. `is_framework_alone` tells that nothing of the adapter was within the measured calls, and `is_view` that the
    outputs shared memory with the input.
    """

    type: Literal["timing"] = "timing"
    target: str
    case: str
    form: Form
    dtype: str = ""
    shape: list[Count] = field(default_factory=list)
    axis: Offset | None = None
    nbytes: Count = 0
    parts: Count = 0
    reason: str = ""
    prepare_ns: list[Count] = field(default_factory=list)
    first_run_ns: list[Count] = field(default_factory=list)
    run: TimeEntry | None = None
    copy: TimeEntry | None = None
    is_framework_alone: bool = False
    is_view: bool = False
    lowered: str = ""
    ran_on: str = ""
    threads: Count = 0
    affinity: list[Count] = field(default_factory=list)

    @property
    def operator(self) -> str:
        """The operator version that the case asks about."""
        return self.case.partition("/")[0]


Line = Header | CheckRecord | TimingRecord | Footer


def tensor_entry(tensor: Tensor, around: int = 0) -> TensorEntry:
    """The whole tensor if it is small, else the stretch around an element."""
    start, count = recorded_stretch(tensor.shape, around)
    stop = start + count
    if tensor.kind.itemsize:
        width = tensor.kind.itemsize
        data = bytes(memoryview(tensor.data)[start * width : stop * width])
    else:
        items = unpack_strings(tensor)[start:stop]
        data = bytes(pack_strings([item[:STRING_BYTES] for item in items], (len(items),)).data)
    return TensorEntry(
        dtype=tensor.dtype,
        shape=list(tensor.shape),
        start=start,
        count=count,
        data=base64.b64encode(data).decode("ascii"),
    )


def recorded_stretch(shape: Sequence[int], around: int) -> tuple[int, int]:
    """The first element that is recorded of a tensor, and how many are: all if they are few, else those around one."""
    size = math.prod(shape)
    if size <= _WHOLE_ELEMENTS:
        return 0, size
    start = max(0, around - _WINDOW_BEFORE)
    return start, min(size, around + _WINDOW_AFTER) - start


def recorded_elements(entry: TensorEntry) -> Tensor:
    """The recorded stretch as a 1-D tensor.

    Raises:
        ValueError: the data is not base64.
    """
    return Tensor(entry.dtype, (entry.count,), base64.b64decode(entry.data, validate=True))


def whole_tensor(entry: TensorEntry) -> Tensor | None:
    """The tensor with its shape, or None where the log holds a stretch of it only, or nothing that can be read."""
    if entry.start or entry.count != math.prod(entry.shape) or min(entry.shape, default=1) < 0:
        return None
    try:
        stretch = recorded_elements(entry)
        if stretch.kind.itemsize and len(stretch.data) != entry.count * stretch.kind.itemsize:
            return None
        if not stretch.kind.itemsize and any(len(item) >= STRING_BYTES for item in unpack_strings(stretch)):
            return None
    except (KeyError, ValueError):
        return None
    return Tensor(entry.dtype, tuple(entry.shape), stretch.data)
