"""Names the fault behind wrong outputs, in the terms of the operator, by trying hypotheses in turn.

A fault that shows in several steps of a check is one fault: a hypothesis that fits all wrong steps names the cause,
simpler ones first. Only then do hypotheses about other steps count. If none fits, the cause describes the outputs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from conformance.judge import cuts, hypotheses
from conformance.judge.hypotheses import StepEvidence, StepOutputs, differing_indices
from conformance.spec.case import Case
from conformance.tensors.tensor import has_unread
from conformance.tensors.text import counted, index_text

_MAX_OUTPUTS_SHOWN = 8

Explanation = tuple[str, str]

_NAN_QUIETED, _NAN_CHANGED = "NaN quieted", "NaN payload changed"

_HYPOTHESES: tuple[tuple[str, Callable[[StepEvidence], str | None]], ...] = (
    ("empty output dropped", cuts.empty_outputs_dropped),
    ("remainder spread over the first parts", cuts.remainder_spread),
    ("boundary off by one", cuts.boundary_off_by_one),
    (_NAN_QUIETED, hypotheses.nans_quieted),
    ("-0.0 lost", hypotheses.negative_zeros_lost),
    ("subnormals flushed to zero", hypotheses.subnormals_flushed),
    ("truncated to 32 bits", hypotheses.narrowed),
    ("boundary off by one", cuts.starts_one_off),
    ("outputs swapped", cuts.swapped),
    ("split at other places", cuts.cut_elsewhere),
    ("wrong axis", cuts.wrong_axis),
    ("split at other places", cuts.starts_elsewhere),
    (_NAN_CHANGED, hypotheses.nans_changed),
    ("stale values of an earlier call", hypotheses.stale),
    ("overwritten by a later call", hypotheses.overwritten),
    ("elements shifted", hypotheses.shifted),
    ("elements duplicated", hypotheses.duplicated),
    ("elements misplaced", hypotheses.misplaced),
)


def explain(steps: Sequence[Case], runs: Sequence[StepOutputs]) -> Explanation:
    """A short cause for grouping, and a sentence about this check.

    `runs` are the outputs of each of the `steps`; at least one output differs.
    """
    wrong = [item for item in (StepEvidence(steps, runs, number) for number in range(len(steps))) if item.is_wrong]
    if not wrong:
        raise ValueError("no output differs")
    if has_unread(runs):
        cause, sentence = _looks(next(item for item in wrong if not item.has_same_shapes))
    else:
        cause, sentence = _common_cause(wrong) or _common_cause(wrong[:1]) or _looks(wrong[0])
    return cause, sentence if len(steps) == 1 else f"call {wrong[0].number + 1} of {len(steps)}: {sentence}"


def _common_cause(wrong: Sequence[StepEvidence]) -> Explanation | None:
    """The first hypothesis that fits every one of these steps, with its sentence about the first."""
    for cause, hypothesis in _HYPOTHESES:
        sentence = hypothesis(wrong[0])
        if sentence is not None and all(hypothesis(other) is not None for other in wrong[1:]):
            return cause, sentence
    return None


def _looks(evidence: StepEvidence) -> Explanation:
    """Describes outputs that no hypothesis explains: their number, type, shape, or hypotheses."""
    want, have = evidence.expected, evidence.actual
    if len(want) != len(have):
        return "wrong number of outputs", f"{len(want)} outputs expected, {len(have)} returned"
    for index, due, came in evidence.unequal:
        if due.dtype != came.dtype:
            return f"{due.dtype} became {came.dtype}", f"output {index} has the type {came.dtype}, expected {due.dtype}"
    for index, due, came in evidence.unequal:
        if due.shape != came.shape:
            return "wrong shape", f"output {index} has the shape {came.shape}, expected {due.shape}"
    return "other values", _differing(evidence)


def _differing(evidence: StepEvidence) -> str:
    parts = []
    for index, want, have in evidence.unequal[:_MAX_OUTPUTS_SHOWN]:
        indices = differing_indices(want, have)
        first = index_text(indices[0], want.shape)
        parts.append(f"output {index}: {len(indices)} of {counted(want.size, 'element')} differ, the first at {first}")
    more = len(evidence.unequal) - len(parts)
    return "; ".join(parts) + (f"; and {more} more outputs" if more else "")
