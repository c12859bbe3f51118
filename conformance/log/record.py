"""The run log: JSON Lines with a header, one record per line as it happens, and a footer.

Owns the types of the lines; `log_file` reads and writes the files. A log holds everything that a report, a certificate
or a later judgement needs; they read nothing else.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from enum import Enum
from typing import Annotated, Literal

from annotated_types import Ge, Lt

from conformance.judge.controls import TwinAnswer
from conformance.protocol.call import Attribute
from conformance.protocol.form import Form
from conformance.protocol.outcome import Effort, OutcomeTag, Stage
from conformance.spec.choices import CaseSet, Choices
from conformance.spec.verdict import Verdict
from conformance.tensors.tensor import Tensor, element_count, pack_strings, unpack_strings

FORMAT = 2
Count = Annotated[int, Ge(0), Lt(1 << 63)]
Offset = Annotated[int, Ge(-(1 << 63)), Lt(1 << 63)]
_WHOLE_ELEMENTS = 512
STRING_BYTES = 1024
"""Most bytes recorded of a string element; one of this length may have been longer."""
_WINDOW_BEFORE, _WINDOW_AFTER = 32, 224


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetEntry:
    """A target as its adapter described it. `problem` says why a target could not start; then the rest is empty.

    `operators` and `forms` are null in logs without them; `dtypes` is null for all types. `instruction_set` is the
    newest level that the kernels may have used, empty if the adapter does not know. `undeclared` names what the target
    answered without declaring it, null if that was not tested. `has_scripts` is whether `conformance repro` writes a
    script, or a model with inputs and outputs, of its checks. `folder` is that of an adapter whose name alone does not
    find it. `python` and `numpy` are the versions in the process of an adapter in Python, else empty. `adapter_digest`
    is of the files in the adapter's folder, `loaded_digest` of the packages and libraries that its process had loaded
    before the first check, empty if that is not known, and `deviations_digest` of its recorded deviations.
    `environment` is the one that was made for the release, whose name has the digest of what is installed there; empty
    if none was. `module` is where the framework's module was loaded from: in the environment, or in which last folders.
    """

    name: str
    adapter: str
    adapter_digest: str = ""
    loaded_digest: str = ""
    deviations_digest: str = ""
    environment: str = ""
    module: str = ""
    folder: str = ""
    python: str = ""
    numpy: str = ""
    framework: str = ""
    version: str = ""
    options: dict[str, str] = field(default_factory=dict)
    devices: list[str] = field(default_factory=list)
    operators: list[str] | None = None
    dtypes: list[str] | None = None
    forms: list[str] | None = None
    instruction_set: str = ""
    undeclared: list[str] | None = None
    has_scripts: bool = False
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
    """The suite of the run: its version, the digests of its files, clauses, laws and disputed cases."""

    version: str
    digest: str
    digests: dict[str, str] = field(default_factory=dict)
    """The digest of each operator's files, by operator without version."""
    operators: dict[str, dict[str, str]]
    """The text of each clause, by operator version and clause id."""
    laws: dict[str, list[str]] = field(default_factory=dict)
    """The lines of each operator version's law, for those that have one."""
    disputes: dict[str, list[RecordedInterpretation]] = field(default_factory=dict)
    """The interpretations of each disputed case, by its id without matrix product."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """The machine of the run."""

    system: str
    processor: str
    cores: Count
    python: str
    numpy: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ShardEntry:
    """Shard `number` of `of` shards of a run plan; `whole` is the number of checks in the whole plan."""

    number: Count
    of: Count
    whole: Count


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectionEntry(Choices):
    """The selection of a run; `rerun` is `failed` if it ran only the checks that failed in another."""

    rerun: str = ""
    shard: ShardEntry | None = None

    @property
    def is_part(self) -> bool:
        """Whether some checks of the suite were left out."""
        return CaseSet.SMOKE in self.sets or bool(self.chosen().keys() - {"sets", "challenge"})

    def chosen(self) -> dict[str, str]:
        """The non-empty fields as text, by field name."""
        values = ((item.name, getattr(self, item.name)) for item in fields(self))
        return {name: _chosen_text(value) for name, value in values if value}


def _chosen_text(value: Sequence[str | Enum] | str | int | ShardEntry) -> str:
    match value:
        case int():
            return str(value)
        case ShardEntry():
            return f"{value.number} of {value.of}"
        case str():
            return value
        case _:
            return ", ".join(item.value if isinstance(item, Enum) else item for item in value)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedDeviation:
    """A recorded deviation that applies to a target of this run; it `happens` always or sometimes.

    `kind` says whether the framework is plainly or arguably wrong. `where` gives the versions, options, instruction
    sets, devices and systems on which it happens. `depends_on` says what decides if it happens only sometimes.
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
    """The first line. `planned` is the number of checks for each target, and `left_out` of those that only the full set
    has of the same operator versions, or 0 where that is not known.

    With `strict_records`, a recorded deviation that no longer happens fails the run. It is false if bundled cases were
    edited since their release.
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
    left_out: Count = 0
    timeout_s: float
    memory_limit_bytes: Count = 0
    """Memory that a process of a worker may fill, beyond several times the inputs of the call; 0 if nothing limits it.
    """
    strict_records: bool = False
    timing: Effort | None = None
    """How times were measured; null if none were."""
    cases_folders: list[str] = field(default_factory=list)
    """The folder of the cases, empty for the bundled ones, and those of added cases; none for the bundled alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TensorEntry:
    """A tensor, or the slice of a large tensor that is recorded.

    `data` is the base64 of `count` packed elements from index `start` on, in row-major order. `shape` is that of the
    whole tensor. A dim of a wrong answer may be negative; the tensor then has no elements.
    """

    dtype: str
    shape: list[Offset]
    start: Offset = 0
    count: Count = 0
    data: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class InputEntry:
    """An input of a call: whether it was a constant, the shape that the model knew, and its value in each run.

    `dims` has null for a dim that the model did not know, and is null if the model did not know the rank.
    """

    name: str
    dtype: str
    dims: list[Count | None] | None
    constant: bool
    values: list[TensorEntry]


@dataclass(frozen=True, slots=True, kw_only=True)
class CallEntry:
    """The call of a check that a report explains. Its last fields have the meaning of those of `protocol.call.Call`."""

    attributes: dict[str, Attribute] = field(default_factory=dict)
    inputs: list[InputEntry] = field(default_factory=list)
    declared_outputs: Count
    signature: list[str] = field(default_factory=list)
    output_dtype: str | None = None
    output_rank: Count | None = None
    last_opset: Count | None = None
    concat_axis: Count | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DifferenceEntry:
    """One output that is not as expected. `mismatch` is the first fault: missing, surplus, dtype, shape or bits.

    If dtype and shape agree, `differing` is the number of elements that differ and `first` the row-major index of the
    first one.
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
    """The result of a control: the graph of a check without its operator. Fields have the meaning of a check's record.

    `judged`, `cause`, `explanation` and `outputs` are those of a correct operator applied to the control's outputs.
    `outputs` is empty if the operator must reject them. `plain` is the digest of the outputs of the same case in the
    form `constant`, without a neighbour; empty if there were none, or if the control does not account for the check.
    """

    outcome: OutcomeTag
    judged: Verdict
    outputs: str = ""
    cause: str = ""
    explanation: str = ""
    stage: Stage | None = None
    death: str = ""
    answered: Count = 0
    changed_inputs: list[str] = field(default_factory=list)
    plain: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckRecord:
    """One line: what a target did with a check, and the verdict.

    `verdict` is the one that counts, `judged` the verdict before deviations are applied. `dtype` is the element type of
    the data, empty if the call has no data. `outputs` is the SHA-256 over dtype, shape and data of all outputs that
    came. Times are nanoseconds inside the worker.
    """

    type: Literal["check"] = "check"
    place: Offset | None = None
    """In the log of a shard, the position of the check in the whole plan, counted from 0."""
    target: str
    case: str
    form: Form
    verdict: Verdict
    judged: Verdict
    clauses: list[str]
    outcome: OutcomeTag | Literal["not run"]
    dtype: str = ""
    reused: str = ""
    """Start time of the run this record was reused from; empty if the check ran in this run."""
    reused_from: str = ""
    """The log of that run, and the processor of its machine."""
    outputs: str = ""
    cause: str = ""
    explanation: str = ""
    interpretation: str = ""
    deviation: str = ""
    looks_like: str = ""
    """The recorded deviation that describes what happened to a check of another case; it excuses nothing."""
    stage: Stage | None = None
    message: str = ""
    death: str = ""
    """The signal or exit status of a process that crashed or was killed."""
    limit_s: float | None = None
    """The time limit in which no answer came."""
    first: str = ""
    """What an unstable check did among others, and `alone` in a fresh process."""
    alone: str = ""
    suspects: list[str] = field(default_factory=list)
    """The checks that ran before an unstable one in the same process."""
    answered: Count = 0
    cpu_ns: Count | None = None
    """CPU time of a rejected call; null for other outcomes and if not measured."""
    peak_bytes: Count | None = None
    """Growth of the process's memory during a rejected call, beyond its inputs; null likewise."""
    inferred: list[list[Offset | None] | None] | None = None
    """For checks that differ, the output shapes that the framework inferred before it ran; null for an unknown dim or
    shape, or if it inferred none."""
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
    """The control of a deviating check, if one ran."""
    twin: TwinAnswer | None = None
    """What the target did with the valid call nearest to a rejected call, if the verdict rests on it."""

    @property
    def operator(self) -> str:
        """The id of the operator version that the case tests."""
        return self.case.partition("/")[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Footer:
    """The closing line. A log without one, or with `complete` false, is incomplete; `reason` says why."""

    type: Literal["footer"] = "footer"
    complete: bool
    reason: str = ""
    ended: str
    records: Count
    verdicts: dict[str, dict[str, Count]]
    """The number of records by target and verdict."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeEntry:
    """The time of one call over all rounds, in nanoseconds.

    `low_ns` and `high_ns` bound the median at the confidence in the header; null if there are too few samples.
    `rounds_ns` are the medians of the rounds. `busy_cores` is the number of cores that the process kept busy meanwhile.
    """

    median_ns: float
    low_ns: float | None = None
    high_ns: float | None = None
    fastest_ns: float
    slowest_ns: float
    samples: Count
    loops: list[Count]
    """Number of calls in a sample, by round."""
    rounds_ns: list[float]
    busy_cores: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class TimingRecord:
    """One line: the times of a target for a case of the set `timing`, or, in `reason`, why there are none.

    `nbytes` is the size of the data, with elements of less than a byte packed, and `parts` the number of outputs.
    `prepare_ns` and `first_run_ns` have one time per round, `run` times the later calls, and `copy` a plain copy of the
    same bytes. `is_framework_alone`: no code of the adapter ran within the measured calls. `is_view`: the outputs
    shared memory with the input.
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
        """The id of the operator version that the case tests."""
        return self.case.partition("/")[0]


Line = Header | CheckRecord | TimingRecord | Footer


def tensor_entry(tensor: Tensor, around: int = 0) -> TensorEntry:
    """The whole tensor if it is small, else the slice around element `around`; no elements if they were not read."""
    start, count = (0, 0) if tensor.is_unread else recorded_window(tensor.shape, around)
    stop = start + count
    if tensor.element_type.itemsize:
        width = tensor.element_type.itemsize
        data = bytes(memoryview(tensor.data)[start * width : stop * width])
    else:
        items = unpack_strings(tensor)[start:stop] if count else []
        data = bytes(pack_strings([item[:STRING_BYTES] for item in items], (len(items),)).data)
    return TensorEntry(
        dtype=tensor.dtype,
        shape=list(tensor.shape),
        start=start,
        count=count,
        data=base64.b64encode(data).decode("ascii"),
    )


def recorded_window(shape: Sequence[int], around: int) -> tuple[int, int]:
    """Start and count of the elements to record: all of a small tensor, else those around element `around`."""
    size = element_count(shape)
    if size <= _WHOLE_ELEMENTS:
        return 0, size
    start = max(0, around - _WINDOW_BEFORE)
    return start, min(size, around + _WINDOW_AFTER) - start


def recorded_elements(entry: TensorEntry) -> Tensor:
    """The recorded slice as a 1-D tensor.

    Raises:
        ValueError: the data is not base64.
    """
    return Tensor(entry.dtype, (entry.count,), base64.b64decode(entry.data, validate=True))
