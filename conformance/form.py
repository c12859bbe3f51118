"""The forms in which one case reaches a framework.

Frameworks run different code for a constant and a runtime argument, for known and unknown dims, and for one operator
and a graph, so no form stands for another: each is a check with a record of its own.
"""

from __future__ import annotations

from enum import Enum


class Form(Enum):
    """How the arguments of a case are put to the framework. The data is a runtime input in every form but the last."""

    CONSTANT = "constant"
    """All other inputs are constants of the model, the shape of the data is known."""
    RUNTIME = "runtime"
    """All inputs come at run time, their shapes are known."""
    DYNAMIC = "dynamic"
    """Constants as in `constant`; of the data only the rank is known."""
    RUNTIME_DYNAMIC = "runtime-dynamic"
    """All inputs come at run time, and of each only the rank is known."""
    DYNAMIC_RANK = "dynamic-rank"
    """Constants as in `constant`; of the data not even the rank is known."""
    RUNTIME_DYNAMIC_RANK = "runtime-dynamic-rank"
    """All inputs come at run time, and of none the rank is known."""
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
    AFTER_RELU = "after-relu"
    """As `constant`; the data goes through a Relu before it reaches the operator. A valid call is made twice: with
    elements below zero, which become 0, and with the case's data, of which the Relu changes none."""
    BEFORE_CONCAT = "before-concat"
    """As `constant`; a Concat puts the outputs together again. A valid call is made twice, here and in the next one."""
    CONSTANT_FOLDED = "constant-folded"
    """The data is a constant too, so that the whole model can be computed ahead."""

    @property
    def has_runtime_arguments(self) -> bool:
        """Whether inputs other than the data come at run time."""
        return self in (Form.RUNTIME, Form.RUNTIME_DYNAMIC, Form.RUNTIME_DYNAMIC_RANK, Form.SECOND_ARGUMENTS)

    @property
    def has_unknown_dims(self) -> bool:
        """Whether only the ranks of the inputs are known when the model is prepared."""
        return self in (Form.DYNAMIC, Form.RUNTIME_DYNAMIC, Form.SECOND_CALL, Form.SECOND_ARGUMENTS)

    @property
    def has_unknown_ranks(self) -> bool:
        """Whether not even the ranks of the inputs are known when the model is prepared."""
        return self in (Form.DYNAMIC_RANK, Form.RUNTIME_DYNAMIC_RANK, Form.SECOND_RANK)

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
        unusual = (Form.SECOND_RANK, Form.SAME_CALL_TWICE, Form.SECOND_ARGUMENTS)
        return self not in unusual and not self.must_be_declared

    @property
    def must_be_declared(self) -> bool:
        """Whether an adapter that has never heard of the form could answer another question without noticing."""
        return self in (
            Form.STRIDED,
            Form.TRANSPOSED,
            Form.AFTER_RELU,
            Form.BEFORE_CONCAT,
            Form.CONSTANT_FOLDED,
        )


_NEIGHBOURS = {
    Form.AFTER_RELU: "the Relu",
    Form.BEFORE_CONCAT: "the Concat",
    Form.CONSTANT_FOLDED: "the constant",
}
