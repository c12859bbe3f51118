"""The kinds of arguments: what an argument means, whichever operator takes it."""

from __future__ import annotations

from enum import Enum


class ArgumentKind(Enum):
    """What an argument is. `data` has the elements of the outputs."""

    DATA = "data"
    AXIS = "axis"
    AXES = "axes"
    PERMUTATION = "permutation"
    SHAPE = "shape"
    TARGET = "target"
    """A shape to which the data is repeated."""
    LENGTHS = "lengths"
    COUNT = "count"
    INDICES = "indices"
    PLACES = "places"
    """Rows of indices, each of which names a place of the data or a slice of it."""
    BOUNDS = "bounds"
    STEPS = "steps"
    MASK = "mask"
    FLAG = "flag"
    MODE = "mode"
    PADS = "pads"
    NUMBER = "number"
    """A number that stands in an output, such as the value of a padding."""
    IGNORED = "ignored"

    @property
    def is_one_number(self) -> bool:
        """Whether it is one whole number or truth value, which may be given as a tensor with one element."""
        return self in (ArgumentKind.AXIS, ArgumentKind.COUNT, ArgumentKind.FLAG)

    @property
    def is_one_value(self) -> bool:
        """Whether it is one number or one word, and not a list."""
        return self.is_one_number or self is ArgumentKind.MODE
