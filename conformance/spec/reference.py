"""The operators in NumPy, written from their pages: a second oracle beside the expectation of each case."""

from __future__ import annotations

from conformance.spec.broken_clause import Arguments
from conformance.spec.references import broadcast, concat, expand, gather, pad, reshape, split, transpose
from conformance.spec.references import slice as slices
from conformance.spec.references.signature import Reference
from conformance.tensors.tensor import Tensor

_REFERENCES: dict[str, Reference] = {
    **split.REFERENCES,
    **expand.REFERENCES,
    **broadcast.REFERENCES,
    **pad.REFERENCES,
    **transpose.REFERENCES,
    **concat.REFERENCES,
    **gather.REFERENCES,
    **reshape.REFERENCES,
    **slices.REFERENCES,
}
OPERATORS = frozenset(_REFERENCES)
"""Every operator version with a reference."""


def evaluate(operator: str, arguments: Arguments, declared_outputs: int) -> tuple[Tensor, ...]:
    """The outputs that the page of an operator version requires.

    `declared_outputs` is the number of outputs that the node declares. Only ONNX uses it; OpenVINO's operators derive
    their outputs from the arguments.

    Raises:
        BrokenClauseError: the page forbids the arguments.
        KeyError: there is no operator with that name.
    """
    return _REFERENCES[operator](arguments, declared_outputs)
