"""Faults that stand behind a framework: each changes what an adapter's `prepare` and `run` give, and nothing before.

Runs in the worker beside the adapter that it was copied with.
"""

from __future__ import annotations

import ctypes
import os
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from itertools import count
from typing import Any, NoReturn

import numpy as np

from conformance.adapter import Call, Prepared, Rejected, Tensor
from conformance.tensors.dtypes import DTYPES, Category
from conformance.tensors.tensor import pack_strings, tensor_from_array, unpack_strings

Array = np.ndarray[Any, Any]
Prepare = Callable[[Call], Prepared]
Outputs = Sequence[Tensor]
MESSAGE = "seeded fault"

ALL_TYPES = frozenset(DTYPES)
OF_64_BITS = frozenset(name for name, dtype in DTYPES.items() if dtype.bits == 64)
PACKED = frozenset(name for name, dtype in DTYPES.items() if 0 < dtype.bits < 8)
STRINGS = frozenset(name for name, dtype in DTYPES.items() if dtype.category is Category.STRING)


class Concerns(Enum):
    """Which calls a fault can change, beside those of its types."""

    ANSWERED = "answered"
    REFUSED = "refused"
    UNKNOWN_DIMS = "unknown dims"
    RUNTIME_ARGUMENTS = "runtime arguments"
    FURTHER_RUNS = "further runs"
    SOME = "some of those that are answered"
    """A crash costs two processes, so that only a few are asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeededFault:
    """A fault: `behind` takes the adapter's own `prepare` and a call, and gives what the faulty copy prepares."""

    name: str
    says: str
    concerns: Concerns
    types: frozenset[str]
    behind: Callable[[Prepare, Call], Prepared]


def seeded(framework: type, name: str) -> type:
    """The class of an adapter with one fault behind its framework."""
    fault = fault_named(name)

    class Adapter(framework):  # type: ignore[misc]
        def prepare(self, call: Call) -> Prepared:
            # The fault is the operator's: a graph without the operator does not have it.
            return super().prepare(call) if call.is_control else fault.behind(super().prepare, call)

    return Adapter


def all_faults() -> tuple[SeededFault, ...]:
    """Every fault, in the order of the table."""
    return tuple(_FAULTS)


def fault_named(name: str) -> SeededFault:
    """The fault of that name."""
    return next(fault for fault in _FAULTS if fault.name == name)


_FAULTS: list[SeededFault] = []


def _enter(
    name: str,
    says: str,
    behind: Callable[[Prepare, Call], Prepared],
    concerns: Concerns = Concerns.ANSWERED,
    types: frozenset[str] = ALL_TYPES,
) -> None:
    _FAULTS.append(SeededFault(name=name, says=says, concerns=concerns, types=types, behind=behind))


def _with_outputs(change: Callable[[Outputs], Outputs]) -> Callable[[Prepare, Call], Prepared]:
    """Changes what each run gives."""

    def behind(prepare: Prepare, call: Call) -> Prepared:
        prepared = prepare(call)
        return replace(prepared, run=lambda inputs: change(_tensors(prepared.run(inputs))))

    return behind


def _tensors(outputs: Sequence[Array | Tensor]) -> list[Tensor]:
    return [output if isinstance(output, Tensor) else tensor_from_array(np.asarray(output)) for output in outputs]


def _with_elements(change: Callable[[list[bytes]], list[bytes]], tensor: Tensor) -> Tensor:
    """The tensor with other elements; each is given as its bytes."""
    width = tensor.element_type.itemsize
    if not width:
        return pack_strings(change(unpack_strings(tensor)), tensor.shape)
    rows = np.frombuffer(tensor.data, np.uint8).reshape(-1, width)
    return replace(tensor, data=b"".join(change([row.tobytes() for row in rows])))


def _moved(types: frozenset[str]) -> Callable[[Prepare, Call], Prepared]:
    """Moves the elements of each output by one place, and the last to the front."""

    def change(outputs: Outputs) -> Outputs:
        return [
            _with_elements(lambda items: items[-1:] + items[:-1], output) if output.dtype in types else output
            for output in outputs
        ]

    return _with_outputs(change)


def _exchanged(outputs: Outputs) -> Outputs:
    return [outputs[1], outputs[0], *outputs[2:]] if len(outputs) > 1 else outputs


def _zeroed(outputs: Outputs) -> Outputs:
    """The last element of the last output that has any becomes 0, and a string empty."""
    last = max((index for index, output in enumerate(outputs) if output.size), default=None)
    return [_with_last_zeroed(output) if index == last else output for index, output in enumerate(outputs)]


def _with_last_zeroed(tensor: Tensor) -> Tensor:
    return _with_elements(lambda items: [*items[:-1], bytes(tensor.element_type.itemsize)], tensor)


def _retyped(outputs: Outputs) -> Outputs:
    """The same bits under the name of another type."""
    return [replace(output, dtype=_OTHER_TYPE.get(output.dtype, output.dtype)) for output in outputs]


_OTHER_TYPE = {
    name: next(other.name for other in DTYPES.values() if other.bits == dtype.bits and other.name != name)
    for name, dtype in DTYPES.items()
    if sum(other.bits == dtype.bits for other in DTYPES.values()) > 1
}


def _refused_if(is_meant: Callable[[Call], bool]) -> Callable[[Prepare, Call], Prepared]:
    def behind(prepare: Prepare, call: Call) -> Prepared:
        if is_meant(call):
            raise Rejected(MESSAGE)
        return prepare(call)

    return behind


def _refused_types(types: frozenset[str]) -> Callable[[Prepare, Call], Prepared]:
    return _refused_if(lambda call: any(item.dtype in types for item in call.inputs[:1]))


def _has_unknown_dims(call: Call) -> bool:
    return any(item.dims is None or None in item.dims for item in call.inputs)


def _has_runtime_arguments(call: Call) -> bool:
    return any(item.constant is None for item in call.inputs[1:])


def _further_runs_refused(prepare: Prepare, call: Call) -> Prepared:
    prepared, runs = prepare(call), count()

    def run(inputs: Mapping[str, Array]) -> Sequence[Array | Tensor]:
        if next(runs):
            raise Rejected(MESSAGE)
        return prepared.run(inputs)

    return replace(prepared, run=run)


def _accepted(prepare: Prepare, call: Call) -> Prepared:
    """What the framework refuses is answered with the data in equal parts, or in nearly equal ones."""

    def answer(inputs: Mapping[str, Array]) -> Sequence[Array]:
        data = call.inputs[0].array if call.inputs[0].constant is not None else inputs[call.inputs[0].name]
        return np.array_split(data, max(1, call.declared_outputs)) if data.ndim else [data]

    try:
        prepared = prepare(call)
    except Rejected:
        return Prepared(run=answer)

    def run(inputs: Mapping[str, Array]) -> Sequence[Array | Tensor]:
        try:
            return prepared.run(inputs)
        except Rejected:
            return answer(inputs)

    return replace(prepared, run=run)


def _dies_preparing(die: Callable[[], NoReturn]) -> Callable[[Prepare, Call], Prepared]:
    def behind(prepare: Prepare, call: Call) -> Prepared:
        return die() if _is_hit(call) else prepare(call)

    return behind


def _dies_running(die: Callable[[], NoReturn]) -> Callable[[Prepare, Call], Prepared]:
    def behind(prepare: Prepare, call: Call) -> Prepared:
        prepared = prepare(call)
        return replace(prepared, run=lambda _: die()) if _is_hit(call) else prepared

    return behind


def _is_hit(call: Call) -> bool:
    """Whether a call is one of every two that crash: the engine gives a worker up that fails on everything."""
    inputs = [
        (item.name, item.dtype, item.dims, item.constant and bytes(item.constant.data)[:256]) for item in call.inputs
    ]
    told = repr((call.operator, sorted(call.attributes.items()), inputs, call.graph))
    return zlib.crc32(told.encode()) % 2 == 0


def _reads_address_zero() -> NoReturn:
    ctypes.string_at(0)
    raise AssertionError


def _aborts() -> NoReturn:
    os.abort()


_enter("elements-moved", "the elements of every output are moved by one place", _moved(ALL_TYPES))
_enter("64-bit-elements-moved", "as before, of types with 64 bits alone", _moved(OF_64_BITS), types=OF_64_BITS)
_enter("packed-elements-moved", "as before, of types with less than 8 bits alone", _moved(PACKED), types=PACKED)
_enter("strings-moved", "as before, of strings alone", _moved(STRINGS), types=STRINGS)
_enter("outputs-exchanged", "the first output is the second one, and the other way round", _with_outputs(_exchanged))
_enter("last-element-zeroed", "the last element of the last output is 0", _with_outputs(_zeroed))
_enter("another-type", "every output has another type of the same width", _with_outputs(_retyped))
_enter("float32-refused", "float32 is refused", _refused_types(frozenset({"float32"})), types=frozenset({"float32"}))
_enter("64-bit-refused", "types with 64 bits are refused", _refused_types(OF_64_BITS), types=OF_64_BITS)
_enter("packed-refused", "types with less than 8 bits are refused", _refused_types(PACKED), types=PACKED)
_enter("strings-refused", "strings are refused", _refused_types(STRINGS), types=STRINGS)
_enter(
    "unknown-dims-refused", "unknown dims are refused", _refused_if(_has_unknown_dims), concerns=Concerns.UNKNOWN_DIMS
)
_enter(
    "runtime-arguments-refused",
    "an axis and lengths that come at run time are refused",
    _refused_if(_has_runtime_arguments),
    concerns=Concerns.RUNTIME_ARGUMENTS,
)
_enter(
    "further-runs-refused",
    "every run of a model but its first is refused",
    _further_runs_refused,
    concerns=Concerns.FURTHER_RUNS,
)
_enter("refused-accepted", "what the framework refuses is answered", _accepted, concerns=Concerns.REFUSED)
_enter("crash-preparing", "SIGSEGV while preparing", _dies_preparing(_reads_address_zero), concerns=Concerns.SOME)
_enter("crash-running", "SIGSEGV while running", _dies_running(_reads_address_zero), concerns=Concerns.SOME)
_enter("abort-running", "SIGABRT while running", _dies_running(_aborts), concerns=Concerns.SOME)
