"""The forms in which one case reaches a framework.

Frameworks run different code for constant and runtime arguments, for known and unknown dims, and for one operator and a
graph. So no form stands for another: each is a check with its own record.
"""

from __future__ import annotations

from enum import Enum


class Form(Enum):
    """How the arguments of a case reach the framework. The data is a runtime input unless a form says otherwise."""

    CONSTANT = "constant"
    """All other inputs are constants of the model; the shape of the data is known."""
    RUNTIME = "runtime"
    """All inputs are given at run time; their shapes are known."""
    RUNTIME_LENGTHS = "runtime-lengths"
    """As `constant`, but the lengths are given at run time."""
    RUNTIME_AXIS = "runtime-axis"
    """As `constant`, but the axis is given at run time."""
    DYNAMIC = "dynamic"
    """As `constant`, but of the data only the rank is known."""
    RUNTIME_DYNAMIC = "runtime-dynamic"
    """All inputs are given at run time, and only their ranks are known. If the lengths alone determine the number of
    outputs, their number is known, too.
    """
    UNCOUNTED_LENGTHS = "uncounted-lengths"
    """As `runtime-dynamic`, and the number of lengths is unknown, too."""
    DYNAMIC_RANK = "dynamic-rank"
    """As `constant`, but not even the rank of the data is known."""
    RUNTIME_DYNAMIC_RANK = "runtime-dynamic-rank"
    """All inputs are given at run time, and no rank is known, except that of lengths which alone determine the number
    of outputs.
    """
    AXIS_FROM_END = "axis-from-end"
    """As `constant`, with the axis written as `axis - rank`."""
    SECOND_CALL = "second-call"
    """As `dynamic`; the model is called with the case's data, with more data of another shape, and with the case's data
    again. The axis is longer if the lengths of the parts follow from it. An invalid case follows a valid call.
    """
    SECOND_RANK = "second-rank"
    """As `dynamic-rank`; the model is called with the case's data, with data of a higher rank, and with the case's data
    again.
    """
    SAME_CALL_TWICE = "same-call-twice"
    """As `constant`; the model is called twice with the same data, and with other elements in between."""
    SECOND_ARGUMENTS = "second-arguments"
    """As `runtime-dynamic`; the model is called with the case's arguments, with another axis and other lengths, with
    more data, and with the case's arguments again. An invalid case follows a valid call.
    """
    STRIDED = "strided"
    """As `constant`; the elements of the data are not contiguous in memory."""
    TRANSPOSED = "transposed"
    """As `constant`; the data is in column-major order in memory."""
    REVERSED = "reversed"
    """As `constant`; the data is in memory from the last element to the first."""
    BROADCAST = "broadcast"
    """As `constant`; the data is constant along one axis that is not split, and its stride there is 0."""
    OFFSET = "offset"
    """As `constant`; the data is in the middle of a larger buffer, with other elements around it."""
    AFTER_RELU = "after-relu"
    """As `constant`; the data goes through a Relu before it reaches the operator. A valid call runs twice: with
    negative elements, which become 0, and with the case's data, which the Relu does not change.
    """
    BEFORE_CONCAT = "before-concat"
    """As `constant`; a Concat joins the outputs again. A valid call runs twice, here and in the next form."""
    CONSTANT_FOLDED = "constant-folded"
    """The data is a constant, too, so that the whole model can be folded."""
    UNUSED_OUTPUTS = "unused-outputs"
    """As `constant`; every second output is not an output of the graph, and no node uses it."""
    UNNAMED_OUTPUTS = "unnamed-outputs"
    """As `constant`; every second output of an ONNX node has an empty name."""
    EMPTY_INPUT_NAME = "empty-input-name"
    """As `constant`; a missing optional input of an ONNX node is written with an empty name."""
    EXTERNAL_DATA = "external-data"
    """As `constant-folded`; the elements of all constants are in a file beside the ONNX model."""

    @property
    def has_runtime_arguments(self) -> bool:
        """Whether all inputs are given at run time."""
        return self in (
            Form.RUNTIME,
            Form.RUNTIME_DYNAMIC,
            Form.UNCOUNTED_LENGTHS,
            Form.RUNTIME_DYNAMIC_RANK,
            Form.SECOND_ARGUMENTS,
        )

    @property
    def has_unknown_dims(self) -> bool:
        """Whether only the ranks of the inputs are known when the model is prepared."""
        return self in (
            Form.DYNAMIC,
            Form.RUNTIME_DYNAMIC,
            Form.UNCOUNTED_LENGTHS,
            Form.SECOND_CALL,
            Form.SECOND_ARGUMENTS,
        )

    @property
    def has_unknown_ranks(self) -> bool:
        """Whether not even the ranks of the inputs are known when the model is prepared."""
        return self in (Form.DYNAMIC_RANK, Form.RUNTIME_DYNAMIC_RANK, Form.SECOND_RANK)

    @property
    def has_constant_data(self) -> bool:
        """Whether the data is a constant, too, so that nothing is given at run time."""
        return self in (Form.CONSTANT_FOLDED, Form.EXTERNAL_DATA)

    @property
    def leaves_outputs_out(self) -> bool:
        """Whether every second output is not an output of the graph."""
        return self in (Form.UNUSED_OUTPUTS, Form.UNNAMED_OUTPUTS)

    @property
    def is_of_onnx(self) -> bool:
        """Whether the form is a way to write an ONNX model that other dialects do not have."""
        return self in (Form.UNNAMED_OUTPUTS, Form.EMPTY_INPUT_NAME, Form.EXTERNAL_DATA)

    @property
    def has_other_calls(self) -> bool:
        """Whether the form adds calls to those of the case: a valid one before an invalid one."""
        return self in (Form.SECOND_CALL, Form.SECOND_RANK, Form.SECOND_ARGUMENTS)

    @property
    def neighbour(self) -> str:
        """The nodes beside the operator in the graph; the compiler if there are none."""
        return _NEIGHBOURS.get(self, "the compiler")

    @property
    def is_usual(self) -> bool:
        """Whether cases that name no forms run in this one."""
        unusual = (
            Form.RUNTIME_LENGTHS,
            Form.RUNTIME_AXIS,
            Form.UNCOUNTED_LENGTHS,
            Form.SECOND_RANK,
            Form.SAME_CALL_TWICE,
            Form.SECOND_ARGUMENTS,
        )
        return self not in unusual and not self.must_be_declared

    @property
    def must_be_declared(self) -> bool:
        """Whether an adapter that does not know the form would silently ignore what it adds."""
        return self in (
            Form.STRIDED,
            Form.TRANSPOSED,
            Form.REVERSED,
            Form.BROADCAST,
            Form.OFFSET,
            Form.AFTER_RELU,
            Form.BEFORE_CONCAT,
            Form.CONSTANT_FOLDED,
            Form.UNUSED_OUTPUTS,
            Form.UNNAMED_OUTPUTS,
            Form.EMPTY_INPUT_NAME,
            Form.EXTERNAL_DATA,
        )


_NEIGHBOURS = {
    **dict.fromkeys((Form.STRIDED, Form.TRANSPOSED, Form.REVERSED, Form.BROADCAST, Form.OFFSET), "the input"),
    Form.AFTER_RELU: "the Relu",
    Form.BEFORE_CONCAT: "the Concat",
    Form.CONSTANT_FOLDED: "the constant",
    Form.EXTERNAL_DATA: "the constant",
}
