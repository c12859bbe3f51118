"""The forms in which one case reaches a framework.

Frameworks run different code for a constant and a runtime argument, for known and unknown dims, and for one operator
and a graph, so no form stands for another: each is a check with a record of its own.
"""

from __future__ import annotations

from enum import Enum


class Form(Enum):
    """How the arguments of a case are put to the framework. The data is a runtime input where nothing else is said."""

    CONSTANT = "constant"
    """All other inputs are constants of the model, the shape of the data is known."""
    RUNTIME = "runtime"
    """All inputs come at run time, their shapes are known."""
    RUNTIME_LENGTHS = "runtime-lengths"
    """As `constant`; of the inputs besides the data, the lengths alone come at run time."""
    RUNTIME_AXIS = "runtime-axis"
    """As `constant`; of the inputs besides the data, the axis alone comes at run time."""
    DYNAMIC = "dynamic"
    """Constants as in `constant`; of the data only the rank is known."""
    RUNTIME_DYNAMIC = "runtime-dynamic"
    """All inputs come at run time, and of each only the rank is known; of lengths that alone tell how many outputs
    there are, their number too."""
    UNCOUNTED_LENGTHS = "uncounted-lengths"
    """As `runtime-dynamic`; the model does not know how many lengths there are, either."""
    DYNAMIC_RANK = "dynamic-rank"
    """Constants as in `constant`; of the data not even the rank is known."""
    RUNTIME_DYNAMIC_RANK = "runtime-dynamic-rank"
    """All inputs come at run time, and of none the rank is known, save that of lengths that alone tell how many outputs
    there are."""
    AXIS_FROM_END = "axis-from-end"
    """As `constant`, with the axis written as `axis - rank`."""
    SECOND_CALL = "second-call"
    """As `dynamic`; the model is called with the case's data, with more data of another shape, and with the case's
    again. The axis is longer where the lengths of the parts follow from it. An invalid case comes after a valid
    call."""
    SECOND_RANK = "second-rank"
    """As `dynamic-rank`; the model is called with the case's data, with data of a higher rank, and with the case's
    again."""
    SAME_CALL_TWICE = "same-call-twice"
    """As `constant`; the model is called twice with the same data, and with other elements in between."""
    SECOND_ARGUMENTS = "second-arguments"
    """As `runtime-dynamic`; the model is called with the case's arguments, with another axis and other lengths, with
    more data, and with the case's again. An invalid case comes after a valid call."""
    STRIDED = "strided"
    """As `constant`; the elements of the data do not follow each other in memory."""
    TRANSPOSED = "transposed"
    """As `constant`; the elements of the data follow each other in memory in column-major order."""
    REVERSED = "reversed"
    """As `constant`; the elements of the data follow each other in memory from the last to the first."""
    BROADCAST = "broadcast"
    """As `constant`; the data is equal along one axis that is not cut, and lies in memory once for all of it."""
    OFFSET = "offset"
    """As `constant`; the data lies in the middle of a larger buffer, with other elements around it."""
    AFTER_RELU = "after-relu"
    """As `constant`; the data goes through a Relu before it reaches the operator. A valid call is made twice: with
    elements below zero, which become 0, and with the case's data, of which the Relu changes none."""
    BEFORE_CONCAT = "before-concat"
    """As `constant`; a Concat puts the outputs together again. A valid call is made twice, here and in the next one."""
    CONSTANT_FOLDED = "constant-folded"
    """The data is a constant too, so that the whole model can be computed ahead."""
    UNUSED_OUTPUTS = "unused-outputs"
    """As `constant`; every second output is no output of the graph, and nothing else takes it."""
    UNNAMED_OUTPUTS = "unnamed-outputs"
    """As `constant`; every second output of an ONNX node has an empty name."""
    EMPTY_INPUT_NAME = "empty-input-name"
    """As `constant`; an optional input that is left out stands in an ONNX node with an empty name."""
    EXTERNAL_DATA = "external-data"
    """As `constant-folded`; the elements of all constants lie in a file beside the ONNX model."""

    @property
    def has_runtime_arguments(self) -> bool:
        """Whether all inputs come at run time."""
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
        """Whether the data is a constant too, and nothing comes at run time."""
        return self in (Form.CONSTANT_FOLDED, Form.EXTERNAL_DATA)

    @property
    def leaves_outputs_out(self) -> bool:
        """Whether every second output is none of the graph's."""
        return self in (Form.UNUSED_OUTPUTS, Form.UNNAMED_OUTPUTS)

    @property
    def is_of_onnx(self) -> bool:
        """Whether it is a way to write an ONNX model, which other dialects have nothing like."""
        return self in (Form.UNNAMED_OUTPUTS, Form.EMPTY_INPUT_NAME, Form.EXTERNAL_DATA)

    @property
    def has_other_calls(self) -> bool:
        """Whether other calls than those of the case are made: a valid one before a call that is to be refused."""
        return self in (Form.SECOND_CALL, Form.SECOND_RANK, Form.SECOND_ARGUMENTS)

    @property
    def neighbour(self) -> str:
        """What stands beside the operator in the graph; the compiler where it is nothing else."""
        return _NEIGHBOURS.get(self, "the compiler")

    @property
    def is_usual(self) -> bool:
        """Whether cases that name no forms are asked in this one."""
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
        """Whether an adapter that has never heard of the form could answer another request without noticing."""
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
