"""The content of each message: requests, answers and descriptions as frames of the protocol, and back.

Both sides use it; everything from the other side is validated.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NewType, TypeVar, get_args

from conformance import __version__
from conformance.protocol.call import Call, Input, MemoryPlace, Request
from conformance.protocol.form import Encoding, Form, Graph, Layout
from conformance.protocol.frames import (
    VERSION,
    Attachments,
    Frame,
    Json,
    frame_to_bytes,
    is_dim,
    tensor_from_json,
    text,
)
from conformance.protocol.outcome import (
    PLAIN_FORMS,
    AdapterFailed,
    Cost,
    Description,
    Effort,
    Measurement,
    NotExpressibleOutcome,
    NotMeasured,
    Outcome,
    Produced,
    Provenance,
    RejectedOutcome,
    Samples,
    Stage,
    UnsupportedOutcome,
    said_of,
    types_of,
)
from conformance.tensors.errors import HarnessError, ProtocolError
from conformance.tensors.machine import NAMES
from conformance.tensors.tensor import Bytes, KnownShape

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

CODE = str(Path(__file__).resolve().parents[1])
"""The folder of the code that this process runs."""
MAX_NAME_CHARACTERS = 80
_NAMES = {"framework": "My framework", "version": "2.1"}
_OPERATORS = 'operators=["onnx.*"] for a whole dialect, "onnx.Split" for all versions, "onnx.Split-13" for one'
_SENT_OTHERWISE = frozenset({"inputs", "model", "model_data", "is_control", "graph", "encoding"})
_SMALL_FIELDS = [item.name for item in fields(Call) if item.name not in _SENT_OTHERWISE]
"""The fields of a call that a request has by the same name."""

_Spoken = TypeVar("_Spoken")
Version = NewType("Version", str)
WorkerAnswer = Produced | RejectedOutcome | UnsupportedOutcome | NotExpressibleOutcome | AdapterFailed


class CannotStartError(HarnessError):
    """The adapter could not be loaded, or its framework could not be imported."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Handshake:
    """The worker's answer to `hello`: the adapter's description, whether the worker takes requests for `timing` and for
    what it has `loaded` and inputs from the `arena`, and the Python and the NumPy that it runs. `opconform` and `code`
    are the version and the folder of the code that serves a Python adapter, and `modules` where its modules lie; other
    workers leave them empty.
    """

    description: Description
    timing: bool
    loaded: bool
    modules: Mapping[str, str]
    arena: bool
    opconform: Version
    code: str
    python: Version
    numpy: Version
    by_forks: bool


def hello(folder: str, options: Mapping[str, str], *, forks: bool = False, arena: str = "") -> list[Bytes]:
    """The engine's first message: the adapter and its options.

    With `forks`, the engine announces that it will request many processes, one after the other. `arena` is the path of
    the arena; empty if there is none.
    """
    header: Json = {"type": "hello", "protocol": VERSION, "opconform": __version__}
    header |= {"adapter": folder, "options": dict(options)}
    if forks:
        header["forks"] = True
    if arena:
        header["arena"] = arena
    return frame_to_bytes(header)


def version_problem(worker: str, engine: str) -> str:
    """What is wrong if both sides are opconform, of these versions; empty if nothing is, or if one side is not."""
    is_same = worker == engine or not (worker and engine)
    return "" if is_same else f"its worker is opconform {worker}, and the engine {engine}"


def refusal(hello: Frame) -> list[Bytes] | None:
    """The answer of a worker of ours to an engine of another version; None if both are of the same."""
    problem = version_problem(__version__, text(hello.header, "opconform"))
    return failed(problem) if problem else None


def failed(problem: str) -> list[Bytes]:
    """A message that the worker cannot start."""
    return frame_to_bytes({"type": "failed", "message": problem})


def next_process() -> list[Bytes]:
    """Requests a fresh process for the next requests; a process without requests so far continues."""
    return frame_to_bytes({"type": "next process"})


def died(number: int, code: int, stderr: str) -> list[Bytes]:
    """Reports a crashed process: its last request (0 for none), its exit code (-n for signal n) and its last output."""
    return frame_to_bytes({"type": "died", "id": number, "code": code, "stderr": stderr})


def death_from_frame(frame: Frame) -> tuple[int, int, str] | None:
    """The last request of a process that crashed, its exit code, and its last output; None for other messages.

    Raises:
        ProtocolError: a field has another type.
    """
    header = frame.header
    if header.get("type") != "died":
        return None
    number, code = header.get("id"), header.get("code")
    if type(number) is not int or type(code) is not int:
        raise ProtocolError("adapter", "the fields 'id' and 'code' must be whole numbers")
    return number, code, text(header, "stderr")


def ready(
    description: Description, *, by_forks: bool = False, arena: bool = False, modules: Mapping[str, str] | None = None
) -> list[Bytes]:
    """The worker's answer to `hello`.

    With `by_forks`, each further process is a fork of the worker. With `arena`, the worker takes inputs from the arena.
    `modules` says where each module of Python lies that is not of Python itself.
    """
    import platform

    import numpy as np

    header: Json = {"type": "ready", "protocol": VERSION, **lists_of(description)}
    header |= {"timing": True, "by_forks": by_forks, "arena": arena, "opconform": __version__, "code": CODE}
    header |= {"loaded": True, "modules": dict(modules or {})}
    return frame_to_bytes(header | {"python": platform.python_version(), "numpy": np.__version__})


def lists_of(description: Description) -> Json:
    """The fields of a description by name, as JSON has them; an adapter may give sets and other iterables."""
    found: Json = {}
    for name, kind in types_of(Description).items():
        value = getattr(description, name)
        found[name] = value if kind is str or value is None else list(value)
    return found | {"details": dict(description.details)}


def handshake_from_frame(frame: Frame) -> Handshake:
    """The worker's answer to `hello`.

    Raises:
        CannotStartError: the worker reports that it cannot start.
        ProtocolError: a field is missing or has another type.
    """
    header = frame.header
    if header.get("type") == "failed":
        raise CannotStartError("adapter", f"it cannot start: {text(header, 'message')}")
    if header.get("type") != "ready" or header.get("protocol") != VERSION:
        raise ProtocolError("adapter", f"the first answer must be `ready` of protocol {VERSION}, not {_kind(header)}")
    description = _read(Description, header)
    if header.get("forms") is None:
        description = replace(description, forms=PLAIN_FORMS)
    _require_neighbours(description.controls)
    _require_name("framework", description.framework)
    _require_name("version", description.version)
    _require_operators(description.operators)
    _require_level(description.instruction_set)
    return _read(Handshake, header, description=description)


def _require_neighbours(controls: Sequence[str]) -> None:
    """Refuse a control of a form without a neighbour: it could excuse the operator's own faults.

    Raises:
        ProtocolError: there is one.
    """
    alone = [form.value for form in Form if not form.neighbour]
    named = [name for name in controls if name in alone]
    if named:
        with_neighbour = [form.value for form in Form if form.neighbour]
        what = f"`controls` names {', '.join(map(repr, named))}, where no node stands beside the operator"
        raise ProtocolError("adapter", what, fix=f"leave them out; these can have one: {', '.join(with_neighbour)}")


def request_to_bytes(number: int, request: Request, *, stages: bool = False) -> list[Bytes]:
    """A request as a message; its answer repeats `number`.

    With `stages` the worker reports each stage before it begins.
    """
    call, attachments = request.call, Attachments()
    header: Json = {"type": "call", "id": number, **{name: getattr(call, name) for name in _SMALL_FIELDS}}
    header |= {
        "graph": call.graph.value,
        "encoding": call.encoding.value,
        "inputs": [
            {**_fields_of(item), "constant": item.constant and attachments.add_tensor(item.constant)}
            for item in call.inputs
        ],
        "runs": [
            {name: attachments.add_tensor(tensor) for name, tensor in run.items()}
            | {name: _fields_of(place) for name, place in places.items()}
            for run, places in zip(request.runs, request.places or [{}] * len(request.runs), strict=True)
        ],
        "layout": request.layout.value,
        "model": None if call.model is None else attachments.add(call.model),
        "model_data": None if call.model_data is None else attachments.add(call.model_data),
    }
    if stages:
        header["stages"] = True
    if call.is_control:
        header["is_control"] = True
    return frame_to_bytes(header, attachments.items)


def stage_to_bytes(number: int, stage: Stage) -> list[Bytes]:
    """A message that a stage of a request begins."""
    return frame_to_bytes({"type": "stage", "id": number, "stage": stage.value})


def stage_from_frame(frame: Frame, number: int) -> Stage | None:
    """The stage that a message reports; None for other messages."""
    header = frame.header
    if header.get("type") != "stage" or header.get("id") != number:
        return None
    return next((stage for stage in Stage if stage.value == header.get("stage")), None)


def request_from_frame(frame: Frame) -> tuple[int, Request]:
    """The number and the request of a message from the engine.

    Raises:
        ProtocolError: a tensor reference is broken.
        KeyError: a field is missing; the worker trusts the engine to keep the protocol.
    """
    header = frame.header
    small = {name: header[name] for name in _SMALL_FIELDS}
    small |= {"graph": Graph(header["graph"]), "encoding": Encoding(header["encoding"])}
    call = Call(
        **{**small, "signature": tuple(header["signature"])},
        inputs=tuple(_input(item, frame.attachments) for item in header["inputs"]),
        model=_attached(header["model"], frame.attachments),
        model_data=_attached(header["model_data"], frame.attachments),
        is_control=header.get("is_control", False),
    )
    runs = tuple(
        {name: tensor_from_json(reference, frame.attachments) for name, reference in run.items() if "data" in reference}
        for run in header["runs"]
    )
    places = tuple(
        {name: _place(reference) for name, reference in run.items() if "start" in reference} for run in header["runs"]
    )
    return header["id"], Request(
        call=call, runs=runs, layout=Layout(header["layout"]), places=places if any(places) else ()
    )


def answer_to_bytes(number: int, answer: WorkerAnswer) -> list[Bytes]:
    """An answer as a message."""
    header: Json = {"type": "answer", "id": number}
    attachments = Attachments()
    header |= {"outcome": answer.tag, **said_of(answer)}
    if isinstance(answer, Produced):
        header["runs"] = [[attachments.add_tensor(tensor) for tensor in run] for run in answer.runs]
        if answer.inferred is not None:
            header["inferred"] = answer.inferred
    if isinstance(answer, RejectedOutcome) and answer.stage is not None:
        header["stage"] = answer.stage.value
    return frame_to_bytes(header, attachments.items)


def what_is_loaded(folder: str) -> list[Bytes]:
    """Asks for the digest of what the worker has loaded beside the adapter's folder."""
    return frame_to_bytes({"type": "loaded", "adapter": folder})


def loaded(digest: str) -> list[Bytes]:
    """The digest of what the worker has loaded; empty if it is not known."""
    return frame_to_bytes({"type": "loaded", "digest": digest})


def loaded_from_frame(frame: Frame) -> str:
    """The digest that a worker gives; empty if it gives none.

    Raises:
        ProtocolError: a field is of another type.
    """
    return text(frame.header, "digest")[:MAX_NAME_CHARACTERS]


def time_to_bytes(number: int, effort: Effort) -> list[Bytes]:
    """Requests one round of timing the call that was answered last."""
    return frame_to_bytes({"type": "time", "id": number, "effort": asdict(effort)})


def effort_from_frame(frame: Frame) -> tuple[int, Effort]:
    """The number and the effort of a request to measure."""
    return frame.header["id"], Effort(**frame.header["effort"])


def measurement_to_bytes(number: int, measured: Measurement | NotMeasured) -> list[Bytes]:
    """A measurement as a message, or the reason why there is none."""
    return frame_to_bytes({"type": "measured", "id": number, **asdict(measured)})


def measurement_from_frame(frame: Frame) -> Measurement | NotMeasured:
    """The measurement that a worker reports; `NotMeasured` if a field is wrong."""
    header = frame.header
    try:
        if reason := text(header, "reason"):
            return NotMeasured(reason=reason)
        return _read(Measurement, header)
    except ProtocolError as error:
        return NotMeasured(reason=f"the answer is not a measurement: {error.what}")


def answer_from_frame(frame: Frame, calls: int, *, is_read: bool = True) -> Outcome:
    """The outcome of a request with `calls` calls, as the worker reports it; `AdapterFailed` if a field is wrong.

    Without `is_read`, the attachments were not read, so that tensors have no data.
    """
    try:
        return _answer(frame.header, frame.attachments if is_read else None, calls)
    except ProtocolError as error:
        return AdapterFailed(message=f"the answer is not one: {error.what}")


def _answer(header: Json, attachments: Sequence[Bytes] | None, calls: int) -> Outcome:
    tag = str(header.get("outcome"))
    kind = next((kind for kind in get_args(WorkerAnswer) if kind.tag == tag), None)
    if kind is None:
        raise ProtocolError("adapter", f"{tag!r} is not an outcome")
    said = {**header, "stderr": ""}  # what a process writes to standard error, the engine reads itself
    if kind is not Produced:
        outcome: Outcome = _read(kind, said)
        if isinstance(outcome, RejectedOutcome):
            _require_answered(header, outcome, calls)
        return outcome
    runs = header.get("runs")
    if not isinstance(runs, list) or not all(isinstance(run, list) for run in runs):
        raise ProtocolError("adapter", "the field 'runs' must be a list with a list of tensors for each run")
    tensors = tuple(tuple(tensor_from_json(item, attachments) for item in run) for run in runs)
    return _read(Produced, said, runs=tensors)


def _read(kind: Callable[..., _Spoken], header: Json, **given: Any) -> _Spoken:
    """A value of a class whose fields a header has by name; each is read as its type says, except those given."""
    said = {name: _READERS[of](header, name) for name, of in types_of(kind).items() if name not in given}
    return kind(**said, **given)


def _stage(header: Json, field: str) -> Stage:
    """The stage of a rejection, which may leave out that it is *running*."""
    value = text(header, field) or Stage.RUNNING.value
    if value not in [stage.value for stage in Stage]:
        raise ProtocolError("adapter", f"the field {field!r} is {value[:40]!r}, which is not a stage")
    return Stage(value)


def _known_shapes(header: Json, field: str) -> tuple[KnownShape, ...] | None:
    """Shapes with null for unknown dims and ranks; None if the message has none."""
    value = header.get(field)
    if value is None:
        return None
    if not isinstance(value, list) or not all(_is_known_shape(shape) for shape in value):
        raise ProtocolError(
            "adapter", f"the field {field!r} must be a list with a list of dims, or null, for each output"
        )
    return tuple(None if shape is None else tuple(shape) for shape in value)


def _is_known_shape(shape: object) -> bool:
    if shape is None:
        return True
    return isinstance(shape, list) and all(dim is None or is_dim(dim) for dim in shape)


def _require_answered(header: Json, outcome: RejectedOutcome, calls: int) -> None:
    """Check the number of calls answered before the rejected one, which decides whether the rejection is correct."""
    if "answered" not in header and outcome.stage is not Stage.PREPARING and calls > 1:
        raise ProtocolError(
            "adapter", f"`answered` must be how many of {calls} calls were answered before the rejected one"
        )
    if outcome.answered >= calls:
        what = f"{outcome.answered} of {calls} calls were answered, which leaves none to reject"
        raise ProtocolError("adapter", what)


def _samples(header: Json, field: str) -> Samples:
    found = header.get(field)
    if not isinstance(found, dict):
        raise ProtocolError("adapter", f"the field {field!r} must be an object with `loops` and `elapsed_ns`")
    loops, elapsed, busy = _number(found, "loops"), _numbers(found, "elapsed_ns"), found.get("busy_cores", 0.0)
    if loops < 1 or not elapsed or not all(elapsed):
        raise ProtocolError("adapter", f"the field {field!r} has no batches, or empty ones")
    if not isinstance(busy, int | float) or not 0 <= busy < 1 << 20:
        raise ProtocolError("adapter", f"the field {field!r} must say with a number how many cores were busy")
    return Samples(loops=loops, elapsed_ns=elapsed, busy_cores=float(busy))


def _measured(header: Json, field: str) -> int | None:
    """A non-negative integer; None if it is missing or null."""
    return None if header.get(field) is None else _number(header, field)


def _number(header: Json, field: str) -> int:
    """A non-negative integer; 0 if it is missing."""
    return _numbers({field: [header.get(field, 0)]}, field)[0]


def _numbers(header: Json, field: str) -> tuple[int, ...]:
    value = header.get(field, [])
    if not isinstance(value, list) or not all(type(item) is int and 0 <= item < 1 << 63 for item in value):
        raise ProtocolError("adapter", f"the field {field!r} must hold whole numbers that are not negative")
    return tuple(value)


def _fields_of(value: DataclassInstance) -> Json:
    """The fields of a value by name. `asdict` would copy what they hold."""
    return {name: getattr(value, name) for name in value.__dataclass_fields__}


def _place(reference: Json) -> MemoryPlace:
    return MemoryPlace(**{**reference, "shape": tuple(reference["shape"]), "strides": _as_tuple(reference["strides"])})


def _as_tuple(items: list[Any] | None) -> tuple[Any, ...] | None:
    return None if items is None else tuple(items)


def _attached(index: int | None, attachments: Sequence[Bytes]) -> bytes | None:
    return None if index is None else bytes(attachments[index])


def _input(item: Mapping[str, Any], attachments: Sequence[Bytes]) -> Input:
    constant = None if item["constant"] is None else tensor_from_json(item["constant"], attachments)
    return Input(**{**item, "dims": _as_tuple(item["dims"]), "constant": constant})


def _details(header: Json, field: str) -> dict[str, str]:
    details = header.get(field, {})
    if not isinstance(details, dict):
        raise ProtocolError("adapter", f"the field {field!r} must be a mapping of text")
    return {str(key): text(details, key) for key in details}


def _require_name(field: str, value: str) -> None:
    """Check a field that becomes part of names and headings."""
    if not value:
        fix = f"let the description say it: {field}={_NAMES[field]!r}"
        raise ProtocolError("adapter", f"its description has no {field!r}", fix=fix)
    if len(value) > MAX_NAME_CHARACTERS or not value.isprintable():
        what = f"the field {field!r} is not a name: {value[:MAX_NAME_CHARACTERS]!r}"
        raise ProtocolError("adapter", what, fix=f"give up to {MAX_NAME_CHARACTERS} printable characters")


def _require_operators(patterns: Sequence[str]) -> None:
    """Check the patterns of the operators that the adapter declares: only what it names does a certificate speak of."""
    if not patterns:
        raise ProtocolError("adapter", "its description has no 'operators'", fix=f"name what it takes: {_OPERATORS}")
    for pattern in patterns:
        if "." not in pattern and "*" not in pattern:
            what = f"its description has {pattern[:MAX_NAME_CHARACTERS]!r} in 'operators', which is not an operator"
            raise ProtocolError("adapter", what, fix=f"write its dialect as well: {_OPERATORS}")


def _require_level(name: str) -> None:
    if name and name not in NAMES:
        what = f"the field 'instruction_set' is {name[:MAX_NAME_CHARACTERS]!r}, which is not a level"
        raise ProtocolError("adapter", what, fix=f"give one of {', '.join(NAMES)}, or leave it empty")


def _texts(header: Json, field: str) -> tuple[str, ...] | None:
    value = header.get(field)
    if value is None:
        return None
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ProtocolError("adapter", f"the field {field!r} must be a list of text")
    return tuple(item.encode("utf-8", "replace").decode() for item in value)


def _kind(header: Json) -> str:
    return f"{str(header.get('type'))[:40]!r} of protocol {str(header.get('protocol'))[:10]}"


_READERS: Mapping[object, Callable[[Json, str], object]] = {
    bool: lambda header, field: header.get(field) is True,
    str: text,
    Version: lambda header, field: text(header, field)[:MAX_NAME_CHARACTERS],
    int: _number,
    int | None: _measured,
    Stage | None: _stage,
    Samples: _samples,
    Cost: lambda header, _: _read(Cost, header),
    Provenance: lambda header, _: _read(Provenance, header),
    Mapping[str, str]: _details,
    Sequence[str]: lambda header, field: _texts(header, field) or (),
    Sequence[str] | None: _texts,
    tuple[int, ...]: _numbers,
    tuple[str, ...]: lambda header, field: _texts(header, field) or (),
    tuple[KnownShape, ...] | None: _known_shapes,
}
"""How a field is read, by its type. The fields of a cost and of provenance stand among those of their outcome."""
