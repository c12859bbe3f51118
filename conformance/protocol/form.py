"""The forms in which one case reaches a framework, as a closed table of what each of them decides.

Frameworks run different code for constant and runtime arguments, for known and unknown dims, and for one operator and a
graph. So no form stands for another: each is a check with its own record. `form_steps` has the calls of each form.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from conformance.tensors.tensor import Tensor, rectified

if TYPE_CHECKING:
    from typing import Self  # since Python 3.11


class AtRunTime(Enum):
    """The inputs that are given at run time; all others are constants of the model."""

    DATA = "data"
    ALL = "all"
    LENGTHS = "data and lengths"
    AXIS = "data and axis"
    NOTHING = "nothing"
    AS_IN_THE_MODEL = "as in the model"
    """Those that the case names, as they are in the model that it comes from."""


class KnownShapes(Enum):
    """What the model knows of the shapes of its runtime inputs."""

    SHAPES = "shapes"
    SOME = "ranks and every second dim"
    RANKS = "ranks"
    """Only ranks, and the number of lengths if they alone determine the number of outputs."""
    UNCOUNTED_RANKS = "ranks, but not the number of lengths"
    NOTHING = "nothing"
    """Not even ranks, but the number of lengths if they alone determine the number of outputs."""
    AS_IN_THE_MODEL = "as in the model"
    """The dims that the case names, as they are in the model that it comes from."""


class Layout(Enum):
    """The memory layout of a runtime input."""

    CONTIGUOUS = "contiguous"
    STRIDED = "strided"
    """Every second element of a buffer that is twice as long along the last axis."""
    TRANSPOSED = "transposed"
    """Column-major order."""
    REVERSED = "reversed"
    """The last element first: every stride is negative."""
    BROADCAST = "broadcast"
    """Stride 0 along each axis along which all elements are equal."""
    OFFSET = "offset"
    """Row-major order in the middle of a larger buffer, from its second element on."""


class Graph(Enum):
    """The nodes beside the operator in the graph."""

    NONE = "none"
    AFTER_RELU = "after-relu"
    """The data goes through a Relu before it reaches the operator."""
    BEFORE_CONCAT = "before-concat"
    """A Concat takes all outputs in order; its result is the graph's only output."""
    UNUSED_OUTPUTS = "unused-outputs"
    """Every second output is unused: the outputs of the graph are the first, the third, and so on."""

    @property
    def join_outputs(self) -> bool:
        """Whether a node joins all outputs, so that the graph has one."""
        return self is Graph.BEFORE_CONCAT

    def passed_on(self, data: Tensor) -> Tensor:
        """The data when it reaches the operator."""
        return rectified(data) if self is Graph.AFTER_RELU else data


class Encoding(Enum):
    """How an ONNX model writes the call, where ONNX allows more than one way."""

    PLAIN = "plain"
    EMPTY_INPUT_NAME = "empty-input-name"
    """A missing optional input is written as an input of the node with an empty name."""
    UNNAMED_OUTPUTS = "unnamed-outputs"
    """Every second output of the node has an empty name, so nothing can use it."""
    UNNAMED_DIMS = "unnamed-dims"
    """Dims that the model does not know have no names."""
    SHAPELESS_OUTPUTS = "shapeless-outputs"
    """The outputs of the graph have a type and no shape."""
    EXTERNAL_DATA = "external-data"
    """The elements of constants are in a file beside the model."""

    @property
    def is_of_nodes(self) -> bool:
        """Whether nodes or constants are written in another way, and not only the declared shapes."""
        return self not in (Encoding.PLAIN, Encoding.UNNAMED_DIMS, Encoding.SHAPELESS_OUTPUTS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Properties:
    """What a form decides apart from its calls; by default, what `constant` does.

    `has_other_calls` is whether the form adds calls to those of the case: a valid one before an invalid one. `is_usual`
    is whether cases that name no forms run in it; forms that adapters have to declare never are. `neighbour` is what
    stands beside the operator in the graph; empty if nothing does.
    """

    at_run_time: AtRunTime = AtRunTime.DATA
    known: KnownShapes = KnownShapes.SHAPES
    layout: Layout = Layout.CONTIGUOUS
    graph: Graph = Graph.NONE
    encoding: Encoding = Encoding.PLAIN
    has_other_calls: bool = False
    is_usual: bool = True
    neighbour: str = ""


_PLAIN = Properties()
_INPUT, _CONSTANT = "the input", "the constant"


class Form(Enum):
    """How the arguments of a case reach the framework. The data is a runtime input unless a form says otherwise."""

    value: str
    properties: Properties

    def __new__(cls, value: str, properties: Properties = _PLAIN) -> Self:
        """A member whose value is the name alone."""
        form = object.__new__(cls)
        form._value_, form.properties = value, properties
        return form

    CONSTANT = "constant"
    """All other inputs are constants of the model; the shape of the data is known."""
    AS_IN_THE_MODEL = (
        "as-in-the-model",
        Properties(at_run_time=AtRunTime.AS_IN_THE_MODEL, known=KnownShapes.AS_IN_THE_MODEL, is_usual=False),
    )
    """What `in_model` of the case says: which inputs are given at run time, and which of their dims are known. All
    other inputs are constants, the data too.
    """
    RUNTIME = "runtime", Properties(at_run_time=AtRunTime.ALL)
    """All inputs are given at run time; their shapes are known."""
    RUNTIME_LENGTHS = "runtime-lengths", Properties(at_run_time=AtRunTime.LENGTHS, is_usual=False)
    """As `constant`, but the lengths are given at run time."""
    RUNTIME_AXIS = "runtime-axis", Properties(at_run_time=AtRunTime.AXIS, is_usual=False)
    """As `constant`, but the axis is given at run time."""
    DYNAMIC = "dynamic", Properties(known=KnownShapes.RANKS)
    """As `constant`, but of the data only the rank is known."""
    SOME_DIMS = "some-dims", Properties(known=KnownShapes.SOME, is_usual=False)
    """As `dynamic`, but every second dim of the data is known, from the second one on."""
    RUNTIME_DYNAMIC = "runtime-dynamic", Properties(at_run_time=AtRunTime.ALL, known=KnownShapes.RANKS)
    """All inputs are given at run time, and only their ranks are known. If the lengths alone determine the number of
    outputs, their number is known, too.
    """
    UNCOUNTED_LENGTHS = (
        "uncounted-lengths",
        Properties(at_run_time=AtRunTime.ALL, known=KnownShapes.UNCOUNTED_RANKS, is_usual=False),
    )
    """As `runtime-dynamic`, and the number of lengths is unknown, too."""
    DYNAMIC_RANK = "dynamic-rank", Properties(known=KnownShapes.NOTHING)
    """As `constant`, but not even the rank of the data is known."""
    RUNTIME_DYNAMIC_RANK = "runtime-dynamic-rank", Properties(at_run_time=AtRunTime.ALL, known=KnownShapes.NOTHING)
    """All inputs are given at run time, and no rank is known, except that of lengths which alone determine the number
    of outputs.
    """
    AXIS_FROM_END = "axis-from-end"
    """As `constant`, with the axis written as `axis - rank`."""
    SECOND_CALL = "second-call", Properties(known=KnownShapes.RANKS, has_other_calls=True)
    """As `dynamic`; the model is called with the case's data, with more data of another shape, and with the case's data
    again. The axis is longer if the lengths of the parts follow from it. An invalid case follows a valid call.
    """
    SECOND_RANK = "second-rank", Properties(known=KnownShapes.NOTHING, has_other_calls=True, is_usual=False)
    """As `dynamic-rank`; the model is called with the case's data, with data of a higher rank, and with the case's data
    again.
    """
    SAME_CALL_TWICE = "same-call-twice", Properties(is_usual=False)
    """As `constant`; the model is called twice with the same data, and with other elements in between."""
    SECOND_ARGUMENTS = (
        "second-arguments",
        Properties(at_run_time=AtRunTime.ALL, known=KnownShapes.RANKS, has_other_calls=True, is_usual=False),
    )
    """As `runtime-dynamic`; the model is called with the case's arguments, with another axis and other lengths, with
    more data, and with the case's arguments again. An invalid case follows a valid call.
    """
    STRIDED = "strided", Properties(layout=Layout.STRIDED, neighbour=_INPUT)
    """As `constant`; the elements of the data are not contiguous in memory."""
    RUNTIME_STRIDED = (
        "runtime-strided",
        Properties(at_run_time=AtRunTime.ALL, layout=Layout.STRIDED, neighbour=_INPUT),
    )
    """As `runtime`; the elements of no input are contiguous in memory."""
    TRANSPOSED = "transposed", Properties(layout=Layout.TRANSPOSED, neighbour=_INPUT)
    """As `constant`; the data is in column-major order in memory."""
    REVERSED = "reversed", Properties(layout=Layout.REVERSED, neighbour=_INPUT)
    """As `constant`; the data is in memory from the last element to the first."""
    BROADCAST = "broadcast", Properties(layout=Layout.BROADCAST, neighbour=_INPUT)
    """As `constant`; the data is constant along one axis that is not split, and its stride there is 0."""
    OFFSET = "offset", Properties(layout=Layout.OFFSET, neighbour=_INPUT)
    """As `constant`; the data is in the middle of a larger buffer, with other elements around it."""
    AFTER_RELU = "after-relu", Properties(graph=Graph.AFTER_RELU, neighbour="the Relu")
    """As `constant`; the data goes through a Relu before it reaches the operator. A valid call runs twice: with
    negative elements, which become 0, and with the case's data, which the Relu does not change.
    """
    BEFORE_CONCAT = "before-concat", Properties(graph=Graph.BEFORE_CONCAT, neighbour="the Concat")
    """As `constant`; a Concat joins the outputs again. A valid call runs twice, here and in the next form."""
    CONSTANT_FOLDED = "constant-folded", Properties(at_run_time=AtRunTime.NOTHING, neighbour=_CONSTANT)
    """The data is a constant, too, so that the whole model can be folded."""
    UNUSED_OUTPUTS = "unused-outputs", Properties(graph=Graph.UNUSED_OUTPUTS)
    """As `constant`; every second output is not an output of the graph, and no node uses it."""
    UNNAMED_OUTPUTS = "unnamed-outputs", Properties(encoding=Encoding.UNNAMED_OUTPUTS)
    """As `constant`; every second output of an ONNX node has an empty name."""
    EMPTY_INPUT_NAME = "empty-input-name", Properties(encoding=Encoding.EMPTY_INPUT_NAME)
    """As `constant`; a missing optional input of an ONNX node is written with an empty name."""
    UNNAMED_DIMS = (
        "unnamed-dims",
        Properties(known=KnownShapes.RANKS, encoding=Encoding.UNNAMED_DIMS, is_usual=False),
    )
    """As `dynamic`; the unknown dims of an ONNX model have no names, as no exporter writes them."""
    SHAPELESS_OUTPUTS = "shapeless-outputs", Properties(encoding=Encoding.SHAPELESS_OUTPUTS, is_usual=False)
    """As `constant`; the outputs of an ONNX model have no shape, which its specification requires."""
    EXTERNAL_DATA = (
        "external-data",
        Properties(at_run_time=AtRunTime.NOTHING, encoding=Encoding.EXTERNAL_DATA, neighbour=_CONSTANT),
    )
    """As `constant-folded`; the elements of all constants are in a file beside the ONNX model."""

    @property
    def has_unknown_dims(self) -> bool:
        """Whether dims of the inputs are unknown when the model is prepared, though the ranks are known."""
        return self.properties.known in (KnownShapes.SOME, KnownShapes.RANKS, KnownShapes.UNCOUNTED_RANKS)

    @property
    def has_unknown_ranks(self) -> bool:
        """Whether not even the ranks of the inputs are known when the model is prepared."""
        return self.properties.known is KnownShapes.NOTHING

    @property
    def has_constant_data(self) -> bool:
        """Whether the data is a constant, too, so that nothing is given at run time."""
        return self.properties.at_run_time is AtRunTime.NOTHING

    @property
    def joins_outputs(self) -> bool:
        """Whether the graph has one output: a node joins those of the operator."""
        return self.properties.graph.join_outputs

    @property
    def is_of_onnx(self) -> bool:
        """Whether the form is a way to write an ONNX model that other dialects do not have."""
        return self.properties.encoding is not Encoding.PLAIN

    @property
    def has_other_calls(self) -> bool:
        """Whether the form adds calls to those of the case: a valid one before an invalid one."""
        return self.properties.has_other_calls

    @property
    def neighbour(self) -> str:
        """What stands beside the operator in the graph and has a control; empty if nothing does."""
        return self.properties.neighbour

    @property
    def is_usual(self) -> bool:
        """Whether cases that name no forms run in this one."""
        return self.properties.is_usual and not self._adds_what_is_easily_ignored

    @property
    def has_own_graph(self) -> bool:
        """Whether the graph differs from that of the operator with runtime data."""
        row = self.properties
        return row.graph is not Graph.NONE or row.encoding.is_of_nodes or self.has_constant_data

    @property
    def must_be_declared(self) -> bool:
        """Whether only adapters that declare the form get it: one that does not know it would silently ignore what it
        adds, or its framework refuses models without ranks, which ONNX's specification requires.
        """
        return self._adds_what_is_easily_ignored or self.has_unknown_ranks

    @property
    def _adds_what_is_easily_ignored(self) -> bool:
        return self.has_own_graph or self.is_of_onnx or self.properties.layout is not Layout.CONTIGUOUS
