"""The forms in which one case reaches a framework.

Frameworks run different code for a constant and a runtime argument, and for known and unknown dims, so no form stands
for another: each is a check with a record of its own.
"""

from __future__ import annotations

from enum import Enum


class Form(Enum):
    """How the arguments of a case are put to the framework. The data is a runtime input in every form."""

    CONSTANT = "constant"
    """All other inputs are constants of the model, the shape of the data is known."""
    RUNTIME = "runtime"
    """All inputs come at run time, their shapes are known."""
    DYNAMIC = "dynamic"
    """Constants as in `constant`; of the data only the rank is known."""
    RUNTIME_DYNAMIC = "runtime-dynamic"
    """All inputs come at run time, and of each only the rank is known."""
    AXIS_FROM_END = "axis-from-end"
    """As `constant`, with the axis written as `axis - rank`."""
    SECOND_CALL = "second-call"
    """As `dynamic`; the model is called with data of another shape first, then with the case's own."""

    @property
    def has_runtime_arguments(self) -> bool:
        """Whether inputs other than the data come at run time."""
        return self in (Form.RUNTIME, Form.RUNTIME_DYNAMIC)

    @property
    def has_unknown_dims(self) -> bool:
        """Whether only the ranks of the inputs are known when the model is prepared."""
        return self in (Form.DYNAMIC, Form.RUNTIME_DYNAMIC, Form.SECOND_CALL)
