"""One call of an operator as it is put to a backend: everything but what must come of it.

Pure data on both sides of the pipe: the engine makes it, the protocol carries it, an adapter reads it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any

from conformance.values.tensor import Tensor, array_from_tensor

if TYPE_CHECKING:
    from numpy.typing import NDArray

MODEL_DATA_FILE = "model.data"
"""The file that an ONNX model with external data reads, in the folder of the model."""

Attribute = int | float | str | Sequence[int] | Sequence[float] | Sequence[str]


class Surroundings(Enum):
    """What stands beside the operator in the graph that is asked for."""

    NONE = "none"
    AFTER_RELU = "after-relu"
    """A Relu takes the data, and the operator what comes of that."""
    BEFORE_CONCAT = "before-concat"
    """A Concat takes all outputs in order, and its result is the graph's only output."""
    UNUSED_OUTPUTS = "unused-outputs"
    """Nothing takes every second output: those of the graph are the first, the third, and so on."""


class Spelling(Enum):
    """How an ONNX model says the call, where it can say it in more than one way."""

    PLAIN = "plain"
    EMPTY_INPUT_NAME = "empty-input-name"
    """An optional input that is left out stands among the inputs of the node, with an empty name."""
    UNNAMED_OUTPUTS = "unnamed-outputs"
    """Every second output of the node has an empty name, so that there is no place where anything could take it."""
    EXTERNAL_DATA = "external-data"
    """The elements of constants lie in a file beside that of the model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    """One input of the operator.

    `dtype` has its NumPy or ml_dtypes name. `dims` is the shape that the model may know when it is prepared, with None
    for a dim that it may not, or None where it may not even know how many there are. `constant` holds the value if it
    is part of the model; it is None for an input that comes with each run.
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
    """One call of one operator version, as `openvino.VariadicSplit-1`, without what must come of it.

    `inputs` and `attributes` carry the spec's names; inputs stand in the spec's order, and only those that are given.
    `declared_outputs` is the number of outputs that a node of a model declares. `model` is the call as an ONNX model,
    for adapters that ask for it in `Description.onnx_models`; its inputs and outputs are named as here, and outputs
    `output_0`, `output_1` and so on. `concat_axis` is the axis of the Concat in its surroundings, counted from the
    front. `model` follows `spelling`; with external data, it reads its constants from the file `MODEL_DATA_FILE` in
    its own folder, whose content is `model_data`.

    A control (`is_control`) is the graph of another call without its operator, in whose place the inputs go on as
    `passed_on` says: through what stands around it, or through a copy where nothing does. `operator` then only names
    the version of the page, there are no attributes, and `declared_outputs` is 1.
    """

    operator: str
    attributes: Mapping[str, Attribute]
    inputs: tuple[Input, ...]
    declared_outputs: int
    surroundings: Surroundings = Surroundings.NONE
    concat_axis: int | None = None
    spelling: Spelling = Spelling.PLAIN
    model: bytes | None = None
    model_data: bytes | None = None
    is_control: bool = False

    @property
    def dialect(self) -> str:
        """The spec family, `openvino` or `onnx`."""
        return self.operator.partition(".")[0]

    @property
    def graph_outputs(self) -> slice:
        """Which of the operator's outputs are to be outputs of the graph, save where a Concat takes them all."""
        is_every_second = self.surroundings is Surroundings.UNUSED_OUTPUTS or self.spelling is Spelling.UNNAMED_OUTPUTS
        return slice(None, None, 2 if is_every_second else 1)

    @property
    def passed_on(self) -> tuple[Input, ...]:
        """Of a control, what takes the place of the operator's outputs: the inputs in order.

        In front of a Concat all of them come a second time. A framework moves what is read twice, as it moves what an
        operator gave, and takes the input of a graph where it lies.
        """
        return self.inputs * 2 if self.surroundings is Surroundings.BEFORE_CONCAT else self.inputs

    def input(self, name: str) -> Input | None:
        """The input of that name, or None where the call leaves it out."""
        return next((item for item in self.inputs if item.name == name), None)
