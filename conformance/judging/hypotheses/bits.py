"""Faults that leave every element in its place and change its bits."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from conformance.judging.hypotheses.step_evidence import StepEvidence, bits_of, differing_indices
from conformance.values.dtypes import FloatLayout, Kind, Specials
from conformance.values.tensor import Bytes, Tensor, array_from_tensor, mask_unused_bits
from conformance.values.text import counted

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_NARROWER = {
    "int64": ("int32",),
    "uint64": ("uint32", "int32"),
    "float64": ("float32",),
    "complex128": ("complex64",),
}


def nans_quieted(evidence: StepEvidence) -> str | None:
    """Signalling NaNs became quiet; nothing else changed."""
    total = _differing_in(evidence, lambda want, have: _quieted(want) == bits_of(have))
    became = "a signalling NaN became quiet, with the rest of its payload kept"
    return None if total is None else f"{counted(total, 'element')}: {became}"


def nans_changed(evidence: StepEvidence) -> str | None:
    """NaNs became other NaNs; nothing else changed."""
    total = _differing_in(evidence, only_nan_bits_differ)
    return None if total is None else f"{counted(total, 'element')}: a NaN became another NaN"


def negative_zeros_lost(evidence: StepEvidence) -> str | None:
    """Negative zeros became positive; nothing else changed."""
    total = _patterns_changed_in(evidence, _is_negative_zero, lambda _, after: after == 0)
    return None if total is None else f"{counted(total, 'element')}: a negative zero became positive"


def subnormals_flushed(evidence: StepEvidence) -> str | None:
    """Subnormal numbers became zeros of either sign; nothing else changed."""
    total = _patterns_changed_in(evidence, _is_subnormal, lambda layout, after: after & (layout.sign - 1) == 0)
    return None if total is None else f"{counted(total, 'element')}: a subnormal number became zero"


def narrowed(evidence: StepEvidence) -> str | None:
    """Every differing output equals the expected one after a conversion to a 32-bit type and back."""
    total = _differing_in(
        evidence,
        lambda want, have: any(bits_of(have) == _through(want, other) for other in _NARROWER.get(want.dtype, ())),
    )
    return None if total is None else f"{counted(total, 'element')}: converted to a 32-bit type and back"


def only_nan_bits_differ(expected: Tensor | None, actual: Tensor | None) -> bool:
    """Whether two tensors of one dtype and shape differ only in the payload or sign of NaNs."""
    if expected is None or actual is None or (expected.dtype, expected.shape) != (actual.dtype, actual.shape):
        return False
    layout, want, have = expected.kind.layout, _float_patterns(expected), _float_patterns(actual)
    return layout is not None and bool(((want == have) | (layout.is_nan(want) & layout.is_nan(have))).all())


def _differing_in(evidence: StepEvidence, fits: Callable[[Tensor, Tensor], bool]) -> int | None:
    """The number of differing elements, if every differing output fits."""
    if not evidence.has_same_shapes or not all(fits(want, have) for _, want, have in evidence.unequal):
        return None
    return sum(len(differing_indices(want, have)) for _, want, have in evidence.unequal)


def _patterns_changed_in(
    evidence: StepEvidence,
    concerns: Callable[[FloatLayout, NDArray[Any]], NDArray[np.bool_]],
    becomes: Callable[[FloatLayout, NDArray[Any]], NDArray[np.bool_]],
) -> int | None:
    """The number of differing bit patterns of floating-point numbers, if all were of one kind and became another."""
    total = 0
    for _, want, have in evidence.unequal if evidence.has_same_shapes else ():
        layout, before, after = want.kind.layout, _float_patterns(want), _float_patterns(have)
        unequal = before != after
        if layout is None or not (concerns(layout, before) & becomes(layout, after))[unequal].all():
            return None
        total += int(unequal.sum())
    return total or None


def _is_negative_zero(layout: FloatLayout, patterns: NDArray[Any]) -> NDArray[np.bool_]:
    has_it = layout.sign_bits and layout.specials is not Specials.ONE_NAN
    found: NDArray[np.bool_] = patterns == (layout.sign if has_it else -1)
    return found


def _is_subnormal(layout: FloatLayout, patterns: NDArray[Any]) -> NDArray[np.bool_]:
    magnitudes = patterns & (layout.sign - 1)
    found: NDArray[np.bool_] = (magnitudes > 0) & (magnitudes < (1 << layout.mantissa_bits))
    return found & ~layout.is_nan(patterns)


def _through(tensor: Tensor, narrower: str) -> bytes:
    """The bits of a tensor after a conversion to a narrower type and back."""
    import numpy as np

    with np.errstate(all="ignore"):
        return array_from_tensor(tensor).astype(narrower).astype(tensor.dtype).tobytes()


def _float_patterns(tensor: Tensor) -> NDArray[Any]:
    """The elements, or both parts of each complex one, as unsigned integers; none of a tensor without such bits."""
    import numpy as np

    if tensor.kind.layout is None:
        return np.empty(0, np.uint8)
    width = tensor.kind.itemsize // (2 if tensor.kind.kind is Kind.COMPLEX else 1)
    return np.frombuffer(mask_unused_bits(tensor), np.dtype(f"<u{width}"))


def _quieted(tensor: Tensor) -> Bytes | None:
    """The bits of a tensor with every NaN made quiet; None for a format without signalling NaNs."""
    layout = tensor.kind.layout
    if layout is None or layout.specials is not Specials.IEEE:
        return None
    made = _float_patterns(tensor).copy()
    made[layout.is_nan(made)] |= made.dtype.type(1 << (layout.mantissa_bits - 1))
    return made.tobytes()
