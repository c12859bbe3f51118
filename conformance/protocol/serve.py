"""The worker: runs in a child process, loads one adapter, and answers requests until the engine closes the pipe.

It never gets the expectation. An adapter runs in this process and can replace any of its code, so every report of the
worker is only the adapter's word: its answers, `lowered`, `ran_on`, `aliases_input`, costs, times, and whether string
inputs changed. The engine itself sees changes to other inputs (`arena`), except those undone before the answer.

Standard output belongs to the protocol: what a framework prints goes to standard error. Needs NumPy and ml_dtypes only.
"""

from __future__ import annotations

import faulthandler
import gc
import importlib.util
import math
import os
import re
import sys
import traceback
from bisect import insort
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from io import BufferedReader, FileIO
from itertools import chain, repeat
from mmap import PAGESIZE, mmap
from pathlib import Path
from time import perf_counter_ns, process_time_ns
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from conformance.adapter import AdapterProtocol, NotExpressible, Prepared, Rejected, Unsupported
from conformance.protocol import messages
from conformance.protocol.call import Call, MemoryPlace, Request
from conformance.protocol.fork_server import Begin, can_fork, serve_by_forks
from conformance.protocol.frames import Frame, read_frame, text
from conformance.protocol.layout import laid_out
from conformance.protocol.messages import CODE
from conformance.protocol.outcome import (
    AdapterFailed,
    Cost,
    Effort,
    Measurement,
    NotExpressibleOutcome,
    NotMeasured,
    Produced,
    Provenance,
    RejectedOutcome,
    Samples,
    Stage,
    UnsupportedOutcome,
    median_interval,
)
from conformance.tensors import machine as procfs
from conformance.tensors.dtypes import DTYPES
from conformance.tensors.files import files_digest
from conformance.tensors.tensor import Bytes, Tensor, is_lacking, numpy_dtype, tensor_from_array

if TYPE_CHECKING:
    from typing import Self  # since Python 3.11


# Measures a call in the worker. Needs the standard library and NumPy only.

_WARM_UP_WINDOWS = 10
_STILL_FASTER = 0.98
_LOOK_EVERY = 8
_PATIENCE = 10

TimedCall = Callable[[], object]


def samples_of(call: TimedCall, effort: Effort) -> Samples:
    """Steady times of a call: after a warm-up, without garbage collection, until the median is precise enough."""
    with _no_garbage_collection():
        loops = max(1, math.ceil(effort.batch_ns / _warm_up(call, effort)))
        elapsed: list[int] = []
        ordered: list[int] = []
        started, cpu_started = perf_counter_ns(), process_time_ns()
        while not _is_enough(ordered, perf_counter_ns() - started, effort):
            elapsed.append(elapsed_ns(call, loops))
            insort(ordered, elapsed[-1])
        wall_ns, cpu_ns = perf_counter_ns() - started, process_time_ns() - cpu_started
    return Samples(loops=loops, elapsed_ns=tuple(elapsed), busy_cores=round(cpu_ns / wall_ns, 2))


def elapsed_ns(call: TimedCall, loops: int = 1) -> int:
    """The time of that many calls together; the loop is that of `timeit`."""
    turns = repeat(None, loops)
    started = perf_counter_ns()
    for _ in turns:
        call()
    return perf_counter_ns() - started


def copy_call(source: NDArray[np.uint8], target: NDArray[np.uint8]) -> TimedCall:
    """A plain copy of the bytes of one array into another.

    Write to `target` once before: page faults must not be timed.
    """
    return partial(np.copyto, target, source)


def affinity() -> tuple[int, ...]:
    """The cores that this process may use; empty if the system does not report them."""
    return tuple(sorted(os.sched_getaffinity(0))) if hasattr(os, "sched_getaffinity") else ()


def _warm_up(call: TimedCall, effort: Effort) -> float:
    """Repeat the call until it no longer gets faster, or to the limit; returns the shortest time of one call."""
    window_ns, least = effort.warm_up_ns / _WARM_UP_WINDOWS, math.inf
    for _ in range(_WARM_UP_WINDOWS):
        now = _call_ns(call, window_ns)
        if now > least * _STILL_FASTER:
            break
        least = now
    return min(now, least)


def _call_ns(call: TimedCall, window_ns: float) -> float:
    """The time of one call, measured over as many as fill a window."""
    loops = 1
    while (elapsed := elapsed_ns(call, loops)) * 2 < window_ns:
        loops = min(2 * loops, max(loops + 1, int(loops * window_ns / max(elapsed, 1))))
    return max(elapsed, 1) / loops


def _is_enough(ordered: list[int], passed_ns: int, effort: Effort) -> bool:
    size = len(ordered)
    if size < effort.min_samples:
        return size > 0 and passed_ns > _PATIENCE * effort.limit_ns
    if size >= effort.max_samples or passed_ns >= effort.limit_ns:
        return True
    if size % _LOOK_EVERY:
        return False
    interval = median_interval(ordered, effort.confidence_percent)
    return interval is not None and interval.high - interval.low <= effort.width_percent / 100 * ordered[size // 2]


@contextmanager
def _no_garbage_collection() -> Iterator[None]:
    was_enabled = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


# Measures the CPU time and memory of a framework's calls, in the worker.
#
# CPU time covers all threads of the process. Memory is the peak of resident memory, which Linux can reset: neither
# earlier peaks nor reserved but untouched memory count. Other systems report only the peak since the process started,
# which hides later ones, so memory is not measured there.

_RESET_PEAK = b"5"
_PEAK_KIB = re.compile(rb"^VmHWM:\s*(\d+) kB", re.MULTILINE)
_KIB = 1 << 10
_STATUS_BYTES = 1 << 14
"""More than the system writes to such a file."""


class CostMeter:
    """Measures requests one after the other: `begin` before each, `next_stage` before each of its runs, then `cost`.

    A context manager.
    """

    def __init__(self) -> None:
        self._status = procfs.opened("self/status", "r")
        self._statm = procfs.opened("self/statm", "r")
        self._reset = procfs.opened("self/clear_refs", "w")
        self._cpu_ns = 0
        self._resident_bytes: int | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for file in (self._status, self._statm, self._reset):
            if file is not None:
                file.close()

    def begin(self) -> None:
        """Start to measure a request."""
        self._resident_bytes = self._read_resident() if self._has_reset_peak() else None
        self.next_stage()

    def next_stage(self) -> None:
        """Measure CPU time from here; a framework that compiles for seconds also does so for valid calls."""
        self._cpu_ns = process_time_ns()

    def cost(self, inputs_bytes: int) -> Cost:
        """CPU time since the last stage began, and memory since `begin`, without the size of the inputs."""
        cpu_ns = process_time_ns() - self._cpu_ns
        if self._resident_bytes is None or (peak_bytes := self._read_peak()) is None:
            return Cost(cpu_ns=cpu_ns)
        return Cost(cpu_ns=cpu_ns, peak_bytes=max(0, peak_bytes - self._resident_bytes - inputs_bytes))

    def _has_reset_peak(self) -> bool:
        try:
            return self._reset is not None and self._reset.write(_RESET_PEAK) == len(_RESET_PEAK)
        except OSError:
            return False

    def _read_resident(self) -> int:
        """Resident bytes now, from `statm`, which is three times as fast to read as `status`."""
        return int(_text(self._statm).split()[1]) * PAGESIZE

    def _read_peak(self) -> int | None:
        found = _PEAK_KIB.search(_text(self._status))
        return int(found[1]) * _KIB if found is not None else None


def _text(file: FileIO | None) -> bytes:
    return b"" if file is None else os.pread(file.fileno(), _STATUS_BYTES, 0)


# The worker's side of the arena: arrays over the inputs that the engine placed there. Needs NumPy only.

Inputs = tuple[Mapping[str, np.ndarray[Any, Any]], ...]
"""The arrays of the inputs by name, for each run."""


class ArenaMap:
    """Maps the arena at a path. Forks inherit the mapping.

    Raises:
        OSError: the file cannot be opened.
    """

    def __init__(self, path: str) -> None:
        self._file = os.open(path, os.O_RDWR)  # until the process ends
        self._memory: mmap | None = None

    def inputs(self, request: Request) -> Inputs:
        """Read-only arrays of the placed inputs. The engine sees what a framework writes to them."""
        return tuple({name: self._array(place) for name, place in run.items()} for run in request.places)

    def _array(self, place: MemoryPlace) -> np.ndarray[Any, Any]:
        if self._memory is None or place.stop > len(self._memory):
            self._memory = mmap(self._file, 0)  # arrays keep the previous mapping alive
        array: np.ndarray[Any, Any] = np.ndarray(
            place.shape, numpy_dtype(place.dtype), self._memory, place.start, place.strides
        )
        array.flags.writeable = False
        return array


# What this process has loaded: packages and modules of Python, and libraries.

ADAPTER_MODULE = "opconform_adapter_"
"""How the name of an adapter's own module begins."""
_NO_FILES = ("/memfd:", "/dev/")
"""What code that a process made itself is mapped from."""


def loaded_modules() -> dict[str, str]:
    """The folder of each package, and the file of each other module, by name.

    Those of Python itself, of this worker and of its adapter are left out.
    """
    return {name: places[0] for name, places in _modules().items() if not name.startswith(ADAPTER_MODULE)}


def loaded_digest(adapter: Path) -> str:
    """The digest of the files of these modules, and of the libraries that the process has mapped.

    The adapter's own folder is left out: the engine has its digest. Empty if a file cannot be read.
    """
    places = {Path(place) for place in chain(_libraries(), *_modules().values())} - {adapter}
    outermost = [place for place in places if places.isdisjoint(place.parents)]
    return files_digest(outermost) if all(map(Path.exists, places)) else ""


def _modules() -> dict[str, list[str]]:
    """The folders of each package, or the file of a module."""
    found = {}
    for name, module in [*sys.modules.items()]:
        if "." not in name and name not in sys.stdlib_module_names and not name.startswith("__"):
            said = getattr(module, "__dict__", {})
            found[name] = list(map(str, said.get("__path__") or filter(None, [said.get("__file__")])))
    return {name: places for name, places in found.items() if places not in ([], [CODE])}


def _libraries() -> set[str]:
    """The files whose code is mapped, as far as the system says it."""
    lines = (line.split(maxsplit=5) for line in procfs.text("self/maps").splitlines())
    mapped = {words[5] for words in lines if len(words) == 6 and "x" in words[1]}
    return {path for path in mapped if path.startswith("/") and not path.startswith(_NO_FILES)}


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
    by_forks = hello.header.get("forks") is True and can_fork(adapter)
    if not by_forks:
        incoming = BufferedReader(FileIO(os.dup(incoming.fileno())))  # all that comes is for this process
    greet = partial(_greet, adapter, outgoing, by_forks=by_forks, arena=arena is not None)
    serve = partial(_serve, adapter, incoming, outgoing, arena)
    if by_forks:
        serve_by_forks(greet, serve, lambda *death: _write(outgoing, messages.died(*death)))
    elif greet():
        serve(_ignore)


def _serve(
    adapter: AdapterProtocol, incoming: BinaryIO, outgoing: BinaryIO, arena: ArenaMap | None, begin: Begin
) -> bool:
    """Answer requests until the engine requests a fresh process (returns True) or closes the pipe (returns False).

    `begin` gets the number of each request before it runs.
    """
    placed_request: _PlacedRequest | None = None
    with CostMeter() as meter:
        while (frame := read_frame(incoming, MAX_CALL_BYTES)) is not None:
            if frame.header["type"] == "next process":
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
                on_stage = partial(_send_stage, outgoing, number) if frame.header.get("stages") is True else _ignore
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
    path = text(hello.header, "arena")
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


def _ignore(_: object) -> None:
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
    packed = -(-data.size * data.element_type.bits // 8) if data.element_type.itemsize else len(data.data)
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
