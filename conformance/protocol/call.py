"""One call of an operator as an adapter gets it, without the expected outputs.

Plain data on both sides of the pipe: the engine builds it, the protocol carries it, an adapter reads it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from conformance.protocol.form import Encoding, Graph, Layout
from conformance.tensors.dtypes import DTYPES
from conformance.tensors.tensor import Tensor, array_from_tensor

if TYPE_CHECKING:
    from numpy.typing import NDArray

MODEL_DATA_FILE = "model.data"
"""The file with the external data of an ONNX model, in the folder of the model."""

Attribute = bool | int | float | str | Sequence[int] | Sequence[float] | Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    """One input of the operator.

    `dtype` is the NumPy or ml_dtypes name. `dims` is the shape that the model knows before it runs: None for an unknown
    dim, or None as a whole for an unknown rank. `constant` holds the value of a constant of the model; it is None for
    an input that is given at run time.
    """

    name: str
    dtype: str
    dims: tuple[int | None, ...] | None
    constant: Tensor | None = None

    @property
    def array(self) -> NDArray[Any]:
        """The constant's value as a read-only array.

        Raises:
            ValueError: the input is not a constant.
        """
        if self.constant is None:
            raise ValueError(f"input {self.name!r} comes at run time and has no value yet")
        return array_from_tensor(self.constant)


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call of one operator version, such as `openvino.VariadicSplit-1`, without the expected outputs.

    `inputs` and `attributes` have the spec's names and hold only what is given; inputs are in the spec's order.
    `declared_outputs` is the number of outputs that the node of a model declares. `model` is the call as an ONNX model,
    for adapters that ask for it in `Description.onnx_models`: inputs have the same names, outputs are `output_0`,
    `output_1` and so on. The model follows `encoding`; with external data, it reads its constants from the file
    `MODEL_DATA_FILE` in its own folder, whose content is `model_data`. `concat_axis` is the axis of the Concat in the
    `graph`, counted from the front.

    `signature` names all inputs of the operator by position, also those that the call leaves out. `output_dtype` and
    `output_rank` are what the page says of the outputs of every such call: None if it depends on values, or if the
    inputs do not tell. `last_opset` is the last ONNX opset in which the version holds; None for the newest.

    A control (`is_control`) is the graph of another call without its operator. The inputs take the place of the
    operator's outputs as `passed_on` says: they go through what stands beside it, or through a copy.
    `operator` then only names the version of the page, there are no attributes, and `declared_outputs` is 1.
    """

    operator: str
    attributes: Mapping[str, Attribute]
    inputs: tuple[Input, ...]
    declared_outputs: int
    graph: Graph = Graph.NONE
    concat_axis: int | None = None
    signature: tuple[str, ...] = ()
    output_dtype: str | None = None
    output_rank: int | None = None
    last_opset: int | None = None
    encoding: Encoding = Encoding.PLAIN
    model: bytes | None = None
    model_data: bytes | None = None
    is_control: bool = False

    @property
    def dialect(self) -> str:
        """The spec family, `openvino` or `onnx`."""
        return self.operator.partition(".")[0]

    @property
    def placed_inputs(self) -> tuple[Input | None, ...]:
        """The inputs by position: None for one that is left out in front of another, never a shift.

        Inputs that the operator does not have follow the others.
        """
        placed = [self.input(name) for name in self.signature]
        while placed and placed[-1] is None and self.encoding is not Encoding.EMPTY_INPUT_NAME:
            placed.pop()
        return (*placed, *(item for item in self.inputs if item.name not in self.signature))

    @property
    def graph_outputs(self) -> slice:
        """Which of the operator's outputs are outputs of the graph, unless a node joins them all."""
        is_every_second = self.graph is Graph.UNUSED_OUTPUTS or self.encoding is Encoding.UNNAMED_OUTPUTS
        return slice(None, None, 2 if is_every_second else 1)

    @property
    def passed_on(self) -> tuple[Input, ...]:
        """For a control: the inputs that take the place of the operator's outputs, in order.

        In front of a Concat each of them appears twice: a framework copies what is read twice, as it copies the outputs
        of an operator, but uses the input of a graph in place.
        """
        return self.inputs * 2 if self.graph.join_outputs else self.inputs

    def input(self, name: str) -> Input | None:
        """The input with that name; None if the call does not have it."""
        return next((item for item in self.inputs if item.name == name), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryPlace:
    """The place of a tensor in memory that engine and worker share (`arena`).

    `start` is the place of its first element, and `strides` are in bytes; None for row-major order.
    """

    dtype: str
    shape: tuple[int, ...]
    start: int
    strides: tuple[int, ...] | None

    @property
    def nbytes(self) -> int:
        """Size of all elements in bytes, without gaps."""
        return math.prod(self.shape) * DTYPES[self.dtype].itemsize

    @property
    def stop(self) -> int:
        """The place behind the last byte of an element."""
        if self.strides is None or not self.nbytes:
            return self.start + self.nbytes
        steps = ((length - 1) * max(stride, 0) for length, stride in zip(self.shape, self.strides, strict=True))
        return self.start + sum(steps) + DTYPES[self.dtype].itemsize


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A call and, for each run, the tensors of its runtime inputs by name, with their layout.

    `places` holds, for each run, the places of inputs that are in shared memory and so not in `runs`.
    """

    call: Call
    runs: tuple[Mapping[str, Tensor], ...]
    layout: Layout = Layout.CONTIGUOUS
    places: tuple[Mapping[str, MemoryPlace], ...] = ()

    @property
    def nbytes(self) -> int:
        """Size in bytes of all tensors that the backend gets."""
        constants = sum(len(item.constant.data) for item in self.call.inputs if item.constant is not None)
        placed = sum(place.nbytes for run in self.places for place in run.values())
        return constants + placed + sum(len(tensor.data) for run in self.runs for tensor in run.values())
