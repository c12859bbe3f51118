"""What a reference raises for arguments that a page forbids, and how it reads arguments."""

from __future__ import annotations

from collections.abc import Mapping

from conformance.spec.call import Attribute
from conformance.values.dtypes import DTYPES, Kind
from conformance.values.tensor import Tensor

Arguments = Mapping[str, Tensor | Attribute]

INTEGERS = frozenset(name for name, dtype in DTYPES.items() if dtype.kind in (Kind.SIGNED, Kind.UNSIGNED))


class BrokenClauseError(Exception):
    """The arguments break a clause of the page. `clause` is its id in `operator.yaml`."""

    def __init__(self, clause: str, message: str) -> None:
        super().__init__(f"{clause}: {message}")
        self.clause = clause


def tensor_named(arguments: Arguments, name: str, clause: str) -> Tensor:
    """A required input."""
    value = arguments.get(name)
    if not isinstance(value, Tensor):
        what = "is missing" if value is None else "must be an input, not an attribute"
        raise BrokenClauseError(clause, f"{name} {what}")
    return value


def one_integer(value: Tensor | Attribute, clause: str) -> int:
    """An attribute with one whole number."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise BrokenClauseError(clause, f"one whole number is needed, not {value!r}")
    return value


def refuse_surplus(arguments: Arguments, known: set[str], clause: str) -> None:
    """Refuse arguments that a version does not have."""
    surplus = sorted(set(arguments) - known)
    if surplus:
        raise BrokenClauseError(clause, f"the version has no argument {', '.join(surplus)}")
