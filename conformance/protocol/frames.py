"""The messages between engine and worker. docs/reference/protocol.md explains them for adapters in other languages.

A frame is 4 bytes of magic, the length of a JSON header (unsigned 32 bits) and of a payload (unsigned 64 bits), both
little-endian, then the header in UTF-8, then the payload. The header's `attachments` lists the lengths of the byte
strings that follow each other in the payload; other fields refer to them by index. Tensors are raw bytes as in
`values.tensor.Tensor`; nothing is pickled, and no tensor goes through JSON.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, BinaryIO

from conformance.tensors.dtypes import DTYPES
from conformance.tensors.errors import ProtocolError
from conformance.tensors.tensor import Bytes, Tensor, unpack_strings

VERSION = 1
MAGIC = b"OPC1"
PREFIX = struct.Struct("<4sIQ")
MAX_HEADER_BYTES = 64 << 20
MAX_RANK = 64
STDERR_TAIL_BYTES = 16 << 10
"""How many bytes from the end of a process's standard error are kept."""

Json = dict[str, Any]

_encode = json.JSONEncoder(separators=(",", ":")).encode


class TruncatedFrameError(ProtocolError):
    """The stream ends within a frame: the other side is gone."""


class OversizedFrameError(ProtocolError):
    """A frame announces a larger payload than allowed. None of it was read, so the stream cannot be read further.

    Attributes:
        frame: the frame, without its attachments.
    """

    def __init__(self, frame: Frame, what: str) -> None:
        super().__init__("worker protocol", what)
        self.frame = frame


@dataclass(frozen=True, slots=True)
class Frame:
    """A message: its header and its attachments."""

    header: Json
    attachments: tuple[Bytes, ...] = ()


class Attachments:
    """Collects byte strings for one frame; `add` returns the index by which the header refers to one."""

    __slots__ = ("items",)

    def __init__(self) -> None:
        self.items: list[Bytes] = []

    def add(self, data: Bytes) -> int:
        """The index of `data` in the frame."""
        self.items.append(data)
        return len(self.items) - 1

    def add_tensor(self, tensor: Tensor) -> Json:
        """A reference to a tensor: its dtype, its shape, and where its bytes are."""
        return {"dtype": tensor.dtype, "shape": list(tensor.shape), "data": self.add(tensor.data)}


def frame_to_bytes(header: Json, attachments: Sequence[Bytes] = ()) -> list[Bytes]:
    """The pieces to write, in order; large attachments are not copied."""
    sizes = [memoryview(item).nbytes for item in attachments]
    if sizes:
        header = {**header, "attachments": sizes}
    text = _encode(header).encode()
    start = PREFIX.pack(MAGIC, len(text), sum(sizes)) + text
    return [start, *attachments]


def read_frame(stream: BinaryIO, max_payload_bytes: int) -> Frame | None:
    """The next message; None if the stream ends between two.

    Raises:
        ProtocolError: the bytes are not a frame.
        OversizedFrameError: they announce more than allowed.
        TruncatedFrameError: they end within a frame.
    """
    prefix = stream.read(PREFIX.size)
    if not prefix:
        return None
    magic = prefix[:4]
    if magic != MAGIC[: len(magic)]:
        raise _broken(f"the stream has {prefix!r} where a frame must start")
    if len(prefix) < PREFIX.size:
        raise TruncatedFrameError("worker protocol", "the stream ends within a frame's first 16 bytes")
    _, header_size, payload_size = PREFIX.unpack(prefix)
    if header_size > MAX_HEADER_BYTES:
        raise _broken(f"a header of {header_size} bytes is more than the {MAX_HEADER_BYTES} allowed")
    header = _header(_read_exactly(stream, header_size))
    if payload_size > max_payload_bytes:
        what = f"an answer of {payload_size} bytes is more than the {max_payload_bytes} allowed here"
        raise OversizedFrameError(Frame(header), what)
    return Frame(header, _attachments(header, _read_exactly(stream, payload_size)))


def tensor_from_json(reference: object, attachments: Sequence[Bytes] | None) -> Tensor:
    """The tensor of a reference in a header; one with a negative dim has no elements, whatever bytes there are. Without
    attachments, it has no data.

    Raises:
        ProtocolError: an unknown dtype, an invalid shape, or bytes that do not match it.
    """
    match reference:
        case {"dtype": str(dtype), "shape": list(shape), "data": int(index)}:
            pass
        case _:
            raise _broken(f"{_shortened(reference)} does not refer to a tensor")
    if dtype not in DTYPES:
        raise _broken(f"{_shortened(dtype)} is not a dtype of the protocol")
    if len(shape) > MAX_RANK or not all(map(is_dim, shape)):
        raise _broken(f"{_shortened(shape)} is not a shape")
    if attachments is None:
        return Tensor(dtype, tuple(shape), b"")
    if not 0 <= index < len(attachments):
        raise _broken(f"a tensor refers to attachment {index}, but the message has {len(attachments)}")
    tensor = Tensor(dtype, tuple(shape), attachments[index])
    if min(shape, default=0) < 0:
        return replace(tensor, data=b"")
    _check_size(tensor)
    return tensor


def is_dim(value: object) -> bool:
    """Whether a value is a signed 64-bit integer. A framework can answer with a negative dim, which is its fault."""
    return type(value) is int and -(1 << 63) <= value < 1 << 63


def text(header: Mapping[str, Any], field: str) -> str:
    """A text field; empty if the message does not have it.

    Lone surrogates, which JSON can express and UTF-8 cannot, become question marks.

    Raises:
        ProtocolError: the field has another type.
    """
    value = header.get(field, "")
    if not isinstance(value, str):
        raise _broken(f"the field {field!r} must be text, not {_shortened(value)}")
    return value.encode("utf-8", "replace").decode()


def _check_size(tensor: Tensor) -> None:
    if tensor.element_type.itemsize:
        needed, given = tensor.size * tensor.element_type.itemsize, memoryview(tensor.data).nbytes
        if needed != given:
            raise _broken(f"{given} bytes for a tensor {tensor.dtype}{tensor.shape}, which needs {needed}")
        return
    try:
        unpack_strings(tensor)
    except ValueError as error:
        raise _broken(str(error)) from None


def _header(data: bytes | bytearray) -> Json:
    try:
        header = json.loads(data)
    except (ValueError, RecursionError):
        raise _broken(f"the header is not JSON: {_shortened(bytes(data[:80]))}") from None
    if not isinstance(header, dict):
        raise _broken("the header is not a JSON object")
    return header


def _attachments(header: Json, payload: bytes | bytearray) -> tuple[Bytes, ...]:
    sizes = header.get("attachments", [])
    if not isinstance(sizes, list) or not all(type(size) is int and size >= 0 for size in sizes):
        raise _broken("`attachments` is not a list of lengths")
    if sum(sizes) != len(payload):
        raise _broken(f"the attachments add up to {sum(sizes)} bytes, but the payload has {len(payload)}")
    view, start, items = memoryview(payload), 0, []
    for size in sizes:
        items.append(view[start : start + size])
        start += size
    return tuple(items)


def _read_exactly(stream: BinaryIO, size: int) -> bytes | bytearray:
    data = stream.read(size)
    if len(data) < size:
        missing = size - len(data)
        raise TruncatedFrameError("worker protocol", f"the stream ends {missing} bytes before the end of a frame")
    return data


def _broken(what: str) -> ProtocolError:
    return ProtocolError(
        "worker protocol", what, fix="see docs/reference/protocol.md; print to stderr, never to the protocol's stream"
    )


def _shortened(value: object) -> str:
    shown = repr(value)
    return shown if len(shown) <= 120 else shown[:117] + "..."
