"""How outputs are compared with those that the page requires; the one place that assumes bits.

A judgement, a recorded wrong answer, a control and a certificate ask the acceptance of the case. That of operators that
move data is `Exact`. Another one, with bounds for operators that compute, is a further answer of `acceptance_of`.
"""

from __future__ import annotations

from typing import Protocol

from conformance.judging.hypotheses.step_evidence import differing_indices
from conformance.language.case import Case, Runs, due_runs
from conformance.language.check import Check
from conformance.values.tensor import Tensor, has_same_bits, outputs_digest


class Acceptance(Protocol):
    """How outputs are compared with the required ones. Of two tensors that it compares, dtype and shape agree."""

    digest_decides: bool
    """Whether the digest of outputs alone shows that they are not accepted."""

    def accepts(self, required: Tensor, actual: Tensor) -> bool:
        """Whether the actual output is accepted."""

    def unlike(self, required: Tensor, actual: Tensor) -> list[int]:
        """The row-major numbers of the elements that are not accepted."""

    def accepts_digest(self, required: Runs, digest: str) -> bool:
        """Whether the digest is that of outputs which are accepted for sure."""


class Exact:
    """Bit for bit: every meaningful bit of every element."""

    digest_decides = True

    def accepts(self, required: Tensor, actual: Tensor) -> bool:
        """Whether all bits are equal."""
        return has_same_bits(required, actual)

    def unlike(self, required: Tensor, actual: Tensor) -> list[int]:
        """The elements with other bits."""
        return differing_indices(required, actual)

    def accepts_digest(self, required: Runs, digest: str) -> bool:
        """Whether the digest is that of the required outputs."""
        return outputs_digest(required) == digest


_EXACT = Exact()


def acceptance_of(_case: Case) -> Acceptance:
    """How the outputs of a case are compared: bit for bit, since every operator so far moves data."""
    return _EXACT


def is_right(check: Check, digest: str) -> bool:
    """Whether the digest is that of outputs which the page, or one interpretation of it, accepts."""
    acceptance = acceptance_of(check.case)
    return any(acceptance.accepts_digest(runs, digest) for runs in due_runs(check.steps).values())
