"""What a reference raises for arguments that a page forbids, and how it reads arguments."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from conformance.protocol.call import Attribute
from conformance.tensors.dtypes import INTEGERS
from conformance.tensors.tensor import KnownShape, Tensor, allows, unpack_integers

Arguments = Mapping[str, Tensor | Attribute]


class BrokenClauseError(Exception):
    """The arguments break a clause of the page. `clause` is its id in `operator.yaml`."""

    def __init__(self, clause: str, message: str) -> None:
        super().__init__(f"{clause}: {message}")
        self.clause = clause


class UncoveredCallError(KeyError):
    """A valid call that the suite does not cover, such as one that computes. The text says why."""


def required(arguments: Arguments, name: str) -> Tensor | Attribute:
    """An argument that the page requires, of whatever role."""
    if name not in arguments:
        raise BrokenClauseError(f"{name}.required", f"{name} is missing")
    return arguments[name]


def tensor_named(arguments: Arguments, name: str, clause: str) -> Tensor:
    """A required input."""
    value = arguments.get(name)
    if not isinstance(value, Tensor):
        what = "is missing" if value is None else "must be an input, not an attribute"
        raise BrokenClauseError(clause, f"{name} {what}")
    return value


def attribute(arguments: Arguments, name: str, default: Attribute | None = None) -> Attribute | None:
    """An argument that the version takes as an attribute; the default if it is left out."""
    value = arguments.get(name, default)
    if isinstance(value, Tensor):
        raise BrokenClauseError("arguments", f"{name} is an attribute, not an input")
    return value


def one_integer(value: Tensor | Attribute | None, clause: str) -> int:
    """An attribute with one whole number."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise BrokenClauseError(clause, f"one whole number is needed, not {value!r}")
    return value


def input_list(
    given: Tensor, name: str, type_clause: str, rank_clause: str, types: Collection[str] = INTEGERS
) -> list[int]:
    """The whole numbers of an input with one dim."""
    if given.dtype not in types:
        needed = "integers" if types is INTEGERS else " or ".join(types)
        raise BrokenClauseError(type_clause, f"{name} must be {needed}, not {given.dtype}")
    if len(given.shape) != 1:
        raise BrokenClauseError(rank_clause, f"{name} must be 1-D, not of shape {given.shape}")
    return unpack_integers(given)


def attribute_list(given: Tensor | Attribute | None, name: str, clause: str) -> list[int]:
    """The whole numbers of an attribute that is a list."""
    if not isinstance(given, (list, tuple)) or not all(type(item) is int for item in given):
        raise BrokenClauseError(clause, f"{name} must be a list of whole numbers, not {given!r}")
    return [int(item) for item in given]


def axis_from_front(axis: int, rank: int, clause: str, dims: str, *, allows_negative: bool = True) -> int:
    """The axis counted from the front; `dims` says in the message what it must address."""
    if not (-rank if allows_negative else 0) <= axis < rank:
        raise BrokenClauseError(clause, f"axis {axis} addresses no {dims} {rank}")
    return axis % rank


def refuse_surplus(arguments: Arguments, known: set[str], clause: str = "arguments") -> None:
    """Refuse arguments that a version does not have."""
    surplus = sorted(set(arguments) - known)
    if surplus:
        raise BrokenClauseError(clause, f"the version has no argument {', '.join(surplus)}")


# Compares the shapes that a framework inferred before it ran with those of its outputs.
#
# Compilers plan memory and kernels with inferred shapes, and so do users: a wrong one is a fault even if the outputs
# are correct.


def contradiction(inferred: Sequence[KnownShape] | None, runs: Sequence[Sequence[Tensor]]) -> str:
    """The first output whose shape contradicts the inferred one, as a sentence; empty if there is none."""
    if inferred is None:
        return ""
    for number, outputs in enumerate(runs):
        call = f"call {number + 1} of {len(runs)}: " if len(runs) > 1 else ""
        if len(inferred) != len(outputs):
            return f"{call}{len(inferred)} outputs were inferred, {len(outputs)} returned"
        for index, (shape, output) in enumerate(zip(inferred, outputs, strict=True)):
            if not allows(shape, output.shape):
                return f"{call}output {index} was inferred as {_shown(shape)}, but has the shape {_shown(output.shape)}"
    return ""


def _shown(shape: KnownShape) -> str:
    return "[" + ", ".join("?" if dim is None else str(dim) for dim in shape or ()) + "]"
