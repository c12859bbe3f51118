"""The worker: runs in a child process, loads one adapter, and answers requests until the engine closes the pipe.

It never gets the expectation. An adapter runs in this process and can replace any of its code, so every report of the
worker is only the adapter's word: its answers, `lowered`, `ran_on`, `aliases_input`, costs, times, and whether string
inputs changed. The engine itself sees changes to other inputs (`arena`), except those undone before the answer.

Standard output belongs to the protocol: what a framework prints goes to standard error. Needs NumPy and ml_dtypes only.
"""

from __future__ import annotations

import faulthandler
import importlib.util
import os
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from io import BufferedReader, FileIO
from pathlib import Path
from time import perf_counter_ns
from typing import Any, BinaryIO

import numpy as np

from conformance.adapter import AdapterProtocol, NotExpressible, Prepared, Rejected, Unsupported
from conformance.border import messages
from conformance.border.call import Call
from conformance.border.layout import laid_out
from conformance.border.measurement import Effort, Measurement, NotMeasured
from conformance.border.outcome import (
    AdapterFailed,
    NotExpressibleOutcome,
    Produced,
    Provenance,
    RejectedOutcome,
    Stage,
    UnsupportedOutcome,
)
from conformance.border.protocol import Frame, read_frame
from conformance.border.request import Request
from conformance.values import procfs
from conformance.values.dtypes import DTYPES
from conformance.values.tensor import Bytes, Tensor, is_lacking, tensor_from_array
from conformance.worker.arena_map import ArenaMap, Inputs
from conformance.worker.cost_meter import CostMeter
from conformance.worker.fork_server import Begin, can_fork, serve_by_forks
from conformance.worker.loaded import ADAPTER_MODULE, loaded_digest, loaded_modules
from conformance.worker.sampling import affinity, copy_call, elapsed_ns, samples_of

MAX_CALL_BYTES = 1 << 40
"""The engine is trusted; its own limits are stricter."""


def main() -> None:
    """Serve the engine on the original standard input and output.

    An argument names the folder of the adapter here; without one, the engine names it.
    """
    faulthandler.enable()
    incoming, outgoing = _take_over_standard_streams()
    hello = read_frame(incoming, MAX_CALL_BYTES)
    if hello is None:
        return
    if refusal := messages.refusal(hello):
        _write(outgoing, refusal)
        return
    arena = _arena(hello)
    try:
        adapter = load_adapter(Path(sys.argv[1] if sys.argv[1:] else hello.header["adapter"]), hello.header["options"])
    except BaseException as error:  # noqa: BLE001  (any failure of an adapter is reported to the engine)
        _send_failure(outgoing, error)
        return
    by_forks = messages.wants_forks(hello) and can_fork(adapter)
    if not by_forks:
        incoming = BufferedReader(FileIO(os.dup(incoming.fileno())))  # all that comes is for this process
    greet = partial(_greet, adapter, outgoing, by_forks=by_forks, arena=arena is not None)
    serve = partial(_serve, adapter, incoming, outgoing, arena)
    if by_forks:
        serve_by_forks(greet, serve, lambda *death: _write(outgoing, messages.died(*death)))
    elif greet():
        serve(_send_nothing)


def _serve(
    adapter: AdapterProtocol, incoming: BinaryIO, outgoing: BinaryIO, arena: ArenaMap | None, begin: Begin
) -> bool:
    """Answer requests until the engine requests a fresh process (returns True) or closes the pipe (returns False).

    `begin` gets the number of each request before it runs.
    """
    placed_request: _PlacedRequest | None = None
    with CostMeter() as meter:
        while (frame := read_frame(incoming, MAX_CALL_BYTES)) is not None:
            if messages.is_next_process(frame):
                if placed_request is not None:
                    return True
            elif frame.header["type"] == "loaded":
                _write(outgoing, messages.loaded(loaded_digest(Path(frame.header["adapter"]))))
            elif frame.header["type"] == "time" and placed_request is not None:
                number, effort = messages.effort_from_frame(frame)
                _write(outgoing, messages.measurement_to_bytes(number, _measured(adapter, placed_request, effort)))
            else:
                number, request = messages.request_from_frame(frame)
                begin(number)
                if lacking := _lacking_type(request.call):
                    _write(outgoing, messages.answer_to_bytes(number, NotExpressibleOutcome(message=lacking)))
                    continue
                placed_request = _PlacedRequest(request, () if arena is None else arena.inputs(request))
                on_stage = partial(_send_stage, outgoing, number) if messages.wants_stages(frame) else _send_nothing
                _write(outgoing, _answer_bytes(number, _answer(adapter, placed_request, meter, on_stage)))
    return False


# CPython keeps frames in chunks of 16 KiB, and allocates or frees a chunk whenever a call crosses a boundary: at an
# unlucky depth, a framework's compiler took eight times as long. With a larger stack, all frames share one chunk.
_serve.__code__ = _serve.__code__.replace(co_stacksize=1 << 16)


@dataclass(frozen=True, slots=True)
class _PlacedRequest:
    """A request, and for each run the arrays of the inputs that the engine placed, if it placed any."""

    request: Request
    placed: Inputs

    def inputs(self) -> list[dict[str, np.ndarray[Any, Any]]]:
        """The inputs of each run. Inputs that the engine did not place are copies, so their tensors stay unchanged."""
        layout = self.request.layout
        return [
            {**arrays, **{name: laid_out(tensor, layout) for name, tensor in run.items()}}
            for run, arrays in zip(self.request.runs, self.placed or [{}] * len(self.request.runs), strict=True)
        ]


def _lacking_type(call: Call) -> str:
    """Why no array of this Python can hold an input or output of the call; empty if arrays can."""
    dtypes = [*(item.dtype for item in call.inputs), call.output_dtype]
    lacking = next((name for name in dtypes if name in DTYPES and is_lacking(name)), None)
    if lacking is None:
        return ""
    import ml_dtypes

    return f"ml_dtypes {ml_dtypes.__version__} in its Python has no {lacking}"


def _take_over_standard_streams() -> tuple[BinaryIO, BinaryIO]:
    """The protocol's streams; file descriptors 0 and 1 are redirected away from them."""
    incoming = BufferedReader(FileIO(os.dup(0)), 1)  # no read-ahead: the next bytes may be for a fork
    outgoing = os.fdopen(os.dup(1), "wb", buffering=0)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return incoming, outgoing


def _arena(hello: Frame) -> ArenaMap | None:
    """The memory that the engine shares; None if this process cannot reach it, such as in a container."""
    path = messages.arena_path(hello)
    try:
        return ArenaMap(path) if path else None
    except OSError:
        return None


def _greet(adapter: AdapterProtocol, outgoing: BinaryIO, *, by_forks: bool, arena: bool) -> bool:
    """Send the adapter's description, or why it cannot start; returns whether it can."""
    try:
        described = adapter.describe()
        _write(outgoing, messages.ready(described, by_forks=by_forks, arena=arena, modules=loaded_modules()))
    except BaseException as error:  # noqa: BLE001  (any failure of an adapter is reported to the engine)
        _send_failure(outgoing, error)
        return False
    return True


def _send_failure(outgoing: BinaryIO, error: BaseException) -> None:
    traceback.print_exception(error)
    _write(outgoing, messages.failed(_described(error)))


def load_adapter(folder: Path, options: Mapping[str, str]) -> AdapterProtocol:
    """The adapter of a folder. The folder itself stays off the import path, where `openvino` would shadow the
    framework.

    Raises:
        ImportError: there is no `adapter.py`, or it cannot be imported.
        AttributeError: it defines no class `Adapter`.
    """
    name = f"{ADAPTER_MODULE}{folder.name}"
    path = folder / "adapter.py"
    spec = importlib.util.spec_from_file_location(name, path, submodule_search_locations=[str(folder)])
    if spec is None or spec.loader is None or not path.is_file():
        raise ImportError(f"{folder} has no adapter.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    adapter: AdapterProtocol = module.Adapter(dict(options))
    return adapter


def _answer_bytes(number: int, answer: messages.WorkerAnswer) -> list[Bytes]:
    try:
        return messages.answer_to_bytes(number, answer)
    except (TypeError, ValueError, MemoryError) as error:  # a field of the answer that no message can hold
        return messages.answer_to_bytes(number, AdapterFailed(message=f"while answering: {_described(error)}"))


def _send_stage(stream: BinaryIO, number: int, stage: Stage) -> None:
    _write(stream, messages.stage_to_bytes(number, stage))


def _send_nothing(_: object) -> None:
    pass


@contextmanager
def _rejecting_for_want_of_memory() -> Iterator[None]:
    """Turns a `MemoryError` of the framework into a rejection.

    Raises:
        Rejected: the framework raised a `MemoryError`.
    """
    try:
        yield
    except MemoryError as error:
        raise Rejected(_described(error)) from error


def _answer(
    adapter: AdapterProtocol, placed_request: _PlacedRequest, meter: CostMeter, on_stage: Callable[[Stage], None]
) -> messages.WorkerAnswer:
    """The outcome of a request. `on_stage` gets each stage before it begins; the prepared call is released here."""
    stage, provenance = Stage.PREPARING, Provenance()
    run_ns = list[int]()
    try:
        on_stage(stage)
        meter.begin()
        started = perf_counter_ns()
        with _rejecting_for_want_of_memory():
            prepared = adapter.prepare(placed_request.request.call)
        prepare_ns = perf_counter_ns() - started
        provenance = Provenance(lowered=prepared.lowered, ran_on=prepared.ran_on, prepare_ns=prepare_ns)
        stage = Stage.RUNNING
        on_stage(stage)
        return _run(prepared, placed_request, meter, provenance, run_ns)
    except Rejected as error:
        cost = meter.cost(placed_request.request.nbytes)
        provenance = replace(provenance, run_ns=tuple(run_ns))
        return RejectedOutcome(stage=stage, message=str(error), answered=len(run_ns), cost=cost, provenance=provenance)
    except Unsupported as error:
        return UnsupportedOutcome(message=str(error))
    except NotExpressible as error:
        return NotExpressibleOutcome(message=str(error))
    except BaseException as error:  # noqa: BLE001  (neither a fault of the adapter nor its call of `exit` ends the run)
        traceback.print_exc()
        return AdapterFailed(message=f"while {stage.value}: {_described(error)}")
    finally:
        on_stage(Stage.RELEASING)


def _measured(adapter: AdapterProtocol, placed_request: _PlacedRequest, effort: Effort) -> Measurement | NotMeasured:
    """One round of timing the last run of a request, prepared anew, with inputs in NumPy's own memory."""
    try:
        request = placed_request.request
        arrays = placed_request.placed[-1] if placed_request.placed else {}
        tensors = {**{name: tensor_from_array(array) for name, array in arrays.items()}, **request.runs[-1]}
        inputs = {name: laid_out(tensor, request.layout) for name, tensor in tensors.items()}
        started = perf_counter_ns()
        prepared = adapter.prepare(request.call)
        prepare_ns = perf_counter_ns() - started
        call = partial(prepared.run, inputs) if prepared.bind is None else prepared.bind(inputs)
        first_run_ns = elapsed_ns(call)
        packed = _packed_bytes(tensors.values())
        return Measurement(
            prepare_ns=prepare_ns,
            first_run_ns=first_run_ns,
            run=samples_of(call, effort),
            copy=samples_of(copy_call(packed, packed.copy()), effort),
            is_framework_alone=prepared.bind is not None,
            threads=procfs.thread_count(),
            affinity=affinity(),
        )
    except BaseException as error:  # noqa: BLE001  (any error means that there is no time)
        traceback.print_exc()
        return NotMeasured(reason=f"while it was timed: {_described(error)}")


def _packed_bytes(tensors: Iterable[Tensor]) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """The bytes of the largest runtime input, cut to the size that they have with sub-byte elements packed."""
    data = max(tensors, key=lambda tensor: len(tensor.data))
    packed = -(-data.size * data.kind.bits // 8) if data.kind.itemsize else len(data.data)
    return np.frombuffer(data.data, np.uint8)[:packed]


def _run(
    prepared: Prepared, placed_request: _PlacedRequest, meter: CostMeter, provenance: Provenance, run_ns: list[int]
) -> Produced:
    arrays: list[tuple[np.ndarray[Any, Any] | Tensor, ...]] = []
    fed = placed_request.inputs()
    for inputs in fed:
        meter.next_stage()
        started = perf_counter_ns()
        with _rejecting_for_want_of_memory():
            outputs = tuple(prepared.run(inputs))
        run_ns.append(perf_counter_ns() - started)
        _require_arrays(outputs)
        arrays.append(outputs)
    # Read outputs only after the last run, to detect a framework that overwrites earlier outputs.
    aliases = any(
        np.may_share_memory(np.frombuffer(output.data, np.uint8) if isinstance(output, Tensor) else output, given)
        for inputs, outputs in zip(fed, arrays, strict=True)
        for output in outputs
        for given in inputs.values()
        if given.size
    )
    runs = tuple(
        tuple(output if isinstance(output, Tensor) else tensor_from_array(np.asarray(output)) for output in outputs)
        for outputs in arrays
    )
    changed, inferred = _changed(fed, placed_request.request), prepared.inferred
    provenance = replace(provenance, aliases_input=aliases, changed_inputs=changed, run_ns=tuple(run_ns))
    return Produced(runs=runs, inferred=None if inferred is None else tuple(inferred), provenance=provenance)


def _changed(fed: Sequence[Mapping[str, np.ndarray[Any, Any]]], request: Request) -> tuple[str, ...]:
    """The inputs outside the arena whose bits changed: a read-only flag does not stop a framework from writing."""
    changed = (
        name
        for inputs, run in zip(fed, request.runs, strict=True)
        for name, tensor in run.items()
        if not _has_bytes(tensor_from_array(inputs[name]), tensor.data)
    )
    return tuple(dict.fromkeys(changed))


def _has_bytes(tensor: Tensor, data: Bytes) -> bool:
    return np.array_equal(np.frombuffer(tensor.data, np.uint8), np.frombuffer(data, np.uint8))


def _require_arrays(outputs: tuple[object, ...]) -> None:
    """Refuse outputs without an element type, such as lists: NumPy would invent one, and the framework be blamed."""
    for index, output in enumerate(outputs):
        if not isinstance(output, np.ndarray | np.generic | Tensor):
            raise TypeError(f"output {index} is {type(output).__name__!r}, neither a NumPy array nor a Tensor")


def _described(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


def _write(stream: BinaryIO, pieces: list[Bytes]) -> None:
    """Write all pieces; small pieces are joined, so that an answer takes one system call."""
    if len(pieces) > 1 and sum(memoryview(piece).nbytes for piece in pieces) <= 1 << 16:
        pieces = [b"".join(pieces)]
    for piece in pieces:
        rest = memoryview(piece)
        while rest.nbytes:
            rest = rest[stream.write(rest) :]


if __name__ == "__main__":
    main()
