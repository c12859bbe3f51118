"""A correct Split of every version, in steps small enough that each can be got wrong alone.

Written for the mutants, apart from `conformance.spec.reference`: it reads arrays, has a model and runs of it, and
looks at what a compiler would look at. Where a page is silent it refuses, as the reference does.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from conformance.adapter import Call, NotExpressible, Rejected
from conformance.protocol.form import Graph
from conformance.tensors.dtypes import DTYPES, Category
from conformance.tensors.tensor import type_name

Array = np.ndarray[Any, Any]

_ARGUMENTS = {
    "openvino.VariadicSplit-1": ({"data", "axis", "split_lengths"}, set()),
    "openvino.Split-1": ({"data", "axis"}, {"num_splits"}),
    "onnx.Split-1": ({"input", "split"}, {"axis", "split"}),
    "onnx.Split-2": ({"input"}, {"axis", "split"}),
    "onnx.Split-11": ({"input"}, {"axis", "split"}),
    "onnx.Split-13": ({"input", "split"}, {"axis"}),
    "onnx.Split-18": ({"input", "split"}, {"axis", "num_outputs"}),
}
_FLOATS = {"float16", "float32", "float64"}
_ONNX_TYPES = _FLOATS | {
    "bool", "complex64", "complex128", "object",
    "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
}  # fmt: skip


class Split:
    """One prepared call, with what its present run has found out so far.

    `model` outlives a run and `process` outlives the call: room for what faulty backends keep.
    """

    def __init__(self, call: Call, process: dict[str, Any]) -> None:
        self.call = call
        self.process = process
        self.model: dict[str, Any] = {}
        self.runs = 0
        self.dialect = call.dialect
        self.version = int(call.operator.rpartition("-")[2])
        self.given: dict[str, Any] = {}
        self.data: Array = np.empty(0)
        self.written_axis = 0
        self.axis = 0
        self.length = 0
        self.lengths: list[int] = []

    @property
    def dtype(self) -> str:
        """The type of the data; strings are `object`."""
        return type_name(self.data.dtype)

    @property
    def rank(self) -> int:
        return self.data.ndim

    @property
    def inner(self) -> int:
        """Elements from one place of the axis to the next."""
        return math.prod(self.data.shape[self.axis + 1 :])

    @property
    def outer(self) -> int:
        """Rows in front of the axis."""
        return math.prod(self.data.shape[: self.axis])

    @property
    def has_unknown_rank(self) -> bool:
        """Whether the model did not know how many dims the data has."""
        return bool(self.call.inputs) and self.call.inputs[0].dims is None

    @property
    def has_unknown_dims(self) -> bool:
        """Whether the model did not know the shape of the data."""
        return self.has_unknown_rank or (bool(self.call.inputs) and None in (self.call.inputs[0].dims or ()))

    @property
    def is_folded(self) -> bool:
        """Whether the data is a part of the model, so that all can be computed ahead."""
        return bool(self.call.inputs) and self.call.inputs[0].constant is not None

    def is_runtime(self, name: str) -> bool:
        """Whether this argument is an input that comes with each run."""
        item = self.call.input(name)
        return item is not None and item.constant is None

    @property
    def has_runtime_lengths(self) -> bool:
        return self.is_runtime("split_lengths") or self.is_runtime("split")

    # The steps, in their order. A fault replaces one of them.

    def build(self) -> None:
        """Prepare the call."""
        names = [item.name for item in self.call.inputs]
        if len({*names, *self.call.attributes}) < len(names) + len(self.call.attributes):
            raise NotExpressible("an argument is an input or an attribute, not both")

    def run(self, inputs: Mapping[str, Array]) -> list[Array]:
        """The outputs of one run."""
        self.runs += 1
        constants = {item.name: item.array for item in self.call.inputs if item.constant is not None}
        self.given = {**constants, **inputs, **self.call.attributes}
        self.check_arguments()
        self.data = self.read_data(self.given["data" if self.dialect == "openvino" else "input"])
        if self.call.graph is Graph.AFTER_RELU:
            self.data = self.relu(self.data)
        self.check_type()
        self.written_axis = self.read_axis()
        self.axis = self.front_axis(self.written_axis, self.rank)
        self.length = self.data.shape[self.axis]
        self.lengths = self.find_lengths()
        outputs = self.answer([self.store(part) for part in self.cut(self.data, self.axis, self.lengths)])
        return self.joined(outputs) if self.call.graph is Graph.BEFORE_CONCAT else self.used(outputs)

    def check_arguments(self) -> None:
        """Refuse missing and surplus arguments, and those in another role."""
        inputs, attributes = _ARGUMENTS[self.call.operator]
        needed = {"input"} if self.dialect == "onnx" else inputs | attributes
        self.requirement("required", needed <= set(self.given))
        self.requirement("surplus", set(self.given) <= inputs | attributes)
        given_as_input = {name for name, value in self.given.items() if isinstance(value, np.ndarray)}
        self.requirement("role", given_as_input <= inputs and set(self.given) - given_as_input <= attributes)

    def read_data(self, array: Array) -> Array:
        """The data in row-major order."""
        return np.ascontiguousarray(array).reshape(array.shape)

    def check_type(self) -> None:
        """Refuse types that the version does not list."""
        if self.dialect == "onnx":
            types = _FLOATS if self.version == 1 else _ONNX_TYPES
            self.requirement("type", self.dtype in types or (self.dtype == "bfloat16" and self.version >= 13))

    def read_axis(self) -> int:
        """The axis as it is written."""
        axis = self.given.get("axis", 0)
        if not isinstance(axis, np.ndarray):
            self.requirement("axis type", type(axis) is int)
            return int(axis)
        shapes = [(), (1,)] if "Variadic" in self.call.operator else [()]
        self.requirement("axis type", is_integer(axis))
        self.requirement("axis shape", axis.shape in shapes)
        return self.integers(axis, "axis")[0]

    def integers(self, array: Array, name: str) -> list[int]:
        """The elements of an integer tensor."""
        del name
        return [int(item) for item in array.reshape(-1)]

    def front_axis(self, axis: int, rank: int) -> int:
        """The axis counted from the front."""
        lowest = 0 if self.call.operator in ("onnx.Split-1", "onnx.Split-2") else -rank
        self.requirement("axis range", lowest <= axis < rank)
        return axis % rank if rank else 0

    def find_lengths(self) -> list[int]:
        """The length of each output along the axis."""
        if self.call.operator == "openvino.Split-1":
            return self.of_num_splits(self.given["num_splits"])
        lengths = self.read_lengths()
        if self.dialect == "openvino":
            return self.without_remainder(lengths or [], self.length)
        return self.of_onnx(lengths)

    def of_num_splits(self, count: int) -> list[int]:
        """Lengths of OpenVINO's Split."""
        self.requirement("count type", type(count) is int)
        self.requirement("count range", 1 <= count <= self.length)
        self.requirement("divides", self.length % max(count, 1) == 0)
        return self.equal(self.length, count)

    def read_lengths(self) -> list[int] | None:
        """The lengths as they are written, or None where there are none."""
        lengths = self.given.get("split_lengths" if self.dialect == "openvino" else "split")
        if not isinstance(lengths, np.ndarray):
            self.requirement("lengths type", lengths is None or _is_list_of_integers(lengths))
            return None if lengths is None else [int(item) for item in lengths]
        if self.version == 1 and self.dialect == "onnx":
            self.requirement("lengths type", lengths.dtype == self.data.dtype and _is_whole(lengths))
            return [int(item) for item in lengths.reshape(-1)]
        has_type = is_integer(lengths) if self.dialect == "openvino" else lengths.dtype == np.int64
        self.requirement("lengths type", has_type)
        self.requirement("lengths rank", lengths.ndim == 1)
        return self.integers(lengths, "lengths")

    def without_remainder(self, lengths: list[int], length: int) -> list[int]:
        """VariadicSplit's lengths with -1 replaced by what the others leave."""
        self.lengths = lengths
        self.requirement("below -1", all(item >= -1 for item in lengths))
        self.requirement("two remainders", lengths.count(-1) <= 1)
        rest = length - sum(item for item in lengths if item != -1)
        self.requirement("sum", rest >= 0 if -1 in lengths else rest == 0)
        return [rest if item == -1 else item for item in lengths]

    def of_onnx(self, lengths: list[int] | None) -> list[int]:
        """Lengths of ONNX's Split, given or equal."""
        count = self.call.declared_outputs
        if self.version >= 18:
            self.requirement("exclusive", (lengths is None) == ("num_outputs" in self.given))
            count = self.given.get("num_outputs", count)
            self.requirement("count type", type(count) is int)
        self.requirement("count range", count >= 1 and self.call.declared_outputs >= 1)
        if lengths is None:
            if self.version >= 18:
                self.requirement("declared", count == self.call.declared_outputs)
                return self.uneven(self.length, max(count, 1))
            self.requirement("divides", self.length % max(count, 1) == 0)
            return self.equal(self.length, max(count, 1))
        self.lengths = lengths
        self.requirement("negative length", all(item >= 0 for item in lengths))
        self.requirement("sum", sum(lengths) == self.length)
        self.requirement("declared", len(lengths) == self.call.declared_outputs)
        return lengths

    def equal(self, length: int, count: int) -> list[int]:
        """As many equal lengths."""
        return [length // max(count, 1)] * count

    def uneven(self, length: int, count: int) -> list[int]:
        """Equal lengths, but for a smaller last one (ONNX Split-18)."""
        part = -(-length // count)
        last = length - part * (count - 1)
        self.requirement("remainder", last >= 0)
        return [part] * (count - 1) + [last]

    def cut(self, data: Array, axis: int, lengths: Sequence[int]) -> list[Array]:
        """The parts, one after the other."""
        return [self.part(data, axis, start, stop) for start, stop in pairwise([0, *accumulate(lengths)])]

    def part(self, data: Array, axis: int, start: int, stop: int) -> Array:
        """One part, in memory of its own."""
        return taken(data, axis, start, stop)

    def store(self, part: Array) -> Array:
        """A part as it is written to its output."""
        return part

    def answer(self, outputs: list[Array]) -> list[Array]:
        """The outputs as they are handed over."""
        return outputs

    def relu(self, data: Array) -> Array:
        """The data as the Relu in front gives it."""
        return np.where(data < 0, np.zeros((), data.dtype), data)

    def joined(self, outputs: list[Array]) -> list[Array]:
        """The outputs as the Concat behind gives them."""
        return [np.concatenate(outputs, axis=self.call.concat_axis)]

    def used(self, outputs: list[Array]) -> list[Array]:
        """Those outputs that the graph has."""
        return outputs[self.call.graph_outputs]

    def requirement(self, clause: str, holds: bool) -> None:  # noqa: FBT001  (what was found, not a mode)
        """Refuse the call where it breaks a clause."""
        if not holds:
            raise Rejected(f"breaks: {clause}")


def refuse(why: str) -> None:
    """Refuse a call."""
    raise Rejected(why)


def taken(data: Array, axis: int, start: int, stop: int) -> Array:
    """A stretch of the data along an axis, in memory of its own."""
    return data[(slice(None),) * axis + (slice(max(start, 0), max(stop, 0)),)].copy()


def zeros_like(part: Array) -> Array:
    """Memory that was never written to: zeros, or empty texts."""
    return np.full_like(part, "" if part.dtype == object else 0)


def is_integer(array: Array) -> bool:
    """Whether the elements are integers, of any width."""
    return str(array.dtype) in DTYPES and DTYPES[str(array.dtype)].category in (Category.SIGNED, Category.UNSIGNED)


def _is_list_of_integers(value: object) -> bool:
    return isinstance(value, (list, tuple)) and all(type(item) is int for item in value)


def _is_whole(array: Array) -> bool:
    return all(math.isfinite(item) and item == int(item) for item in map(float, array.reshape(-1)))
