"""Compares the shapes that a framework inferred before it ran with those of its outputs.

Compilers plan memory and kernels with inferred shapes, and so do users: a wrong one is a fault even if the outputs are
correct.
"""

from __future__ import annotations

from collections.abc import Sequence

from conformance.values.tensor import KnownShape, Tensor, allows


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
