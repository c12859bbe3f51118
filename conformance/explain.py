"""Why outputs differ, in the terms of the operator: hypotheses about what a backend did, tried in turn.

Each hypothesis rebuilds what a backend with one particular fault would have answered, and fits only if that is, bit
for bit, what came. The first that fits names the cause.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any

from conformance.case import Case, expected_outputs
from conformance.dtypes import Kind, Specials
from conformance.tensor import Bytes, Tensor, array_from_tensor, mask_unused_bits, slices_along, unpack_strings

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Outputs = Sequence[Tensor]

_SHIFT_BYTES = 32 << 20
_MAX_OUTPUTS_TOLD = 8


class _Evidence:
    """What one call should have given, and what it gave."""

    def __init__(self, calls: Sequence[Case], runs: Sequence[Outputs], number: int, expected: Outputs) -> None:
        self.call = calls[number]
        self.expected = expected
        self.actual = runs[number]
        self.earlier = runs[:number]
        self.later = calls[number + 1 :]

    @property
    def has_same_shapes(self) -> bool:
        """Whether count, dtypes and shapes are right, so that only bits differ."""
        return [(t.dtype, t.shape) for t in self.expected] == [(t.dtype, t.shape) for t in self.actual]


Explanation = tuple[str, str]


def explain(calls: Sequence[Case], runs: Sequence[Outputs]) -> Explanation:
    """A short cause to group by, and a sentence about this check.

    `calls` and `runs` are the calls of one check and what came of each; at least one output differs.
    """
    for number, (call, actual) in enumerate(zip(calls, runs, strict=True)):
        expected = expected_outputs(call.expectation, call)
        if _equal(expected, actual):
            continue
        cause, sentence = _explained(_Evidence(calls, runs, number, expected))
        return cause, sentence if len(calls) == 1 else f"call {number + 1} of {len(calls)}: {sentence}"
    raise ValueError("explain was asked about outputs that do not differ")


def _explained(evidence: _Evidence) -> Explanation:
    for hypothesis in _HYPOTHESES:
        found = hypothesis(evidence)
        if found is not None:
            return found
    return _plain_count(evidence)


def only_nan_bits_differ(expected: Tensor | None, actual: Tensor | None) -> bool:
    """Whether two tensors of one dtype and shape differ in nothing but the payload or sign of NaNs."""
    if expected is None or actual is None or (expected.dtype, expected.shape) != (actual.dtype, actual.shape):
        return False
    pairs = _float_patterns(expected), _float_patterns(actual)
    if pairs[0] is None or pairs[1] is None:
        return False
    want, have = pairs[0], pairs[1]
    both_nan = _is_nan(expected, want) & _is_nan(actual, have)
    return bool(((want == have) | both_nan).all())


def differing_indices(expected: Tensor, actual: Tensor) -> list[int]:
    """Row-major numbers of the elements whose meaningful bits differ, for tensors of one dtype and shape."""
    import numpy as np

    if expected.kind.itemsize == 0:
        strings = zip(unpack_strings(expected), unpack_strings(actual), strict=True)
        return [index for index, (want, have) in enumerate(strings) if want != have]
    width = expected.kind.itemsize
    rows = [np.frombuffer(mask_unused_bits(t), np.uint8).reshape(-1, width) for t in (expected, actual)]
    found: list[int] = np.flatnonzero((rows[0] != rows[1]).any(axis=1)).tolist()
    return found


def _number_of_outputs(evidence: _Evidence) -> Explanation | None:
    want, have = evidence.expected, evidence.actual
    if len(want) == len(have):
        return None
    counts = f"{len(want)} outputs were expected and {len(have)} came"
    if _equal([tensor for tensor in want if tensor.size], have):
        return "empty output dropped", f"{counts}: the empty ones are missing"
    return "wrong number of outputs", counts


def _element_type(evidence: _Evidence) -> Explanation | None:
    for index, (want, have) in enumerate(zip(evidence.expected, evidence.actual, strict=True)):
        if want.dtype != have.dtype:
            return f"{want.dtype} became {have.dtype}", f"output {index} is {have.dtype}, not {want.dtype}"
    return None


def _swapped(evidence: _Evidence) -> Explanation | None:
    places: dict[object, deque[int]] = {}
    for index, want in enumerate(evidence.expected):
        places.setdefault((want.dtype, want.shape, _bits(want)), deque()).append(index)
    order = []
    for have in evidence.actual:
        found = places.get((have.dtype, have.shape, _bits(have)))
        if not found:
            return None
        order.append(found.popleft())
    shown = ", ".join(map(str, order[:16])) + (", ..." if len(order) > 16 else "")
    return "outputs swapped", f"the outputs came in the order [{shown}]"


def _stale(evidence: _Evidence) -> Explanation | None:
    for number, outputs in enumerate(evidence.earlier, 1):
        if _equal(outputs, evidence.actual):
            return "stale values of an earlier call", f"the answer is the one already given to call {number}"
    return None


def _overwritten(evidence: _Evidence) -> Explanation | None:
    """Outputs begin with what a later call should give: each in memory of its own, or all in one piece."""
    have = [_bits(tensor) for tensor in evidence.actual]
    for call in evidence.later:
        new = [_bits(tensor) for tensor in expected_outputs(call.expectation, call)]
        if len(have) == len(new) and (_begin_alike(have, new) or _begin_alike([b"".join(have)], [b"".join(new)])):
            return "overwritten by a later call", "the outputs hold what the next call put into the same memory"
    return None


def _begin_alike(one: Sequence[bytes], other: Sequence[bytes]) -> bool:
    pairs = [(left, right, min(len(left), len(right))) for left, right in zip(one, other, strict=True)]
    return any(size for *_, size in pairs) and all(left[:size] == right[:size] for left, right, size in pairs)


def _other_boundaries(evidence: _Evidence) -> Explanation | None:
    """The outputs are stretches of the data along the right axis, cut at other places."""
    axis, data = evidence.call.axis_from_front, evidence.call.data
    if axis is None or data is None:
        return None
    lengths = _lengths_along(axis, data.shape, evidence.actual)
    if lengths is None or sum(lengths) > data.shape[axis]:
        return None
    bounds = [0, *accumulate(lengths)]
    if not _equal(_cut(data.tensor(), axis, bounds), evidence.actual):
        return None
    wanted = [tensor.shape[axis] for tensor in evidence.expected]
    expected_bounds = [0, *accumulate(wanted)]
    sentence = f"along axis {axis} the data was cut at {bounds}, not at {expected_bounds}"
    if data.shape[axis] % len(lengths) and lengths == _spread(data.shape[axis], len(lengths)):
        return "remainder spread over the first parts", sentence
    if max(abs(a - b) for a, b in zip(bounds, expected_bounds, strict=True)) == 1:
        return "boundary off by one", sentence
    return "cut at other places", sentence


def _shifted(evidence: _Evidence) -> Explanation | None:
    """Outputs have the right shapes, but one starts elsewhere in the data."""
    axis, data = evidence.call.axis_from_front, evidence.call.data
    if axis is None or data is None or not evidence.has_same_shapes:
        return None
    whole, start = data.tensor(), 0
    for index, (want, have) in enumerate(zip(evidence.expected, evidence.actual, strict=True)):
        length = want.shape[axis]
        if not _equal([want], [have]):
            for other in _starts_near(start, data.shape[axis] - length, len(have.data)):
                if _equal(slices_along(whole, axis, [(other, other + length)]), [have]):
                    cause = "boundary off by one" if abs(other - start) == 1 else "cut at other places"
                    return cause, f"output {index} starts at {other} along axis {axis}, not at {start}"
            return None
        start += length
    return None


def _starts_near(start: int, last: int, nbytes: int) -> list[int]:
    """Places from 0 to `last` where a part of so many bytes may begin, nearest first; no more than can be tried."""
    reach = max(1, min(last, _SHIFT_BYTES // max(1, nbytes)))
    places = range(max(0, start - reach), min(last, start + reach) + 1)
    return sorted(places, key=lambda place: abs(place - start))


def _wrong_axis(evidence: _Evidence) -> Explanation | None:
    axis, data = evidence.call.axis_from_front, evidence.call.data
    if axis is None or data is None:
        return None
    for other in range(len(data.shape)):
        lengths = _lengths_along(other, data.shape, evidence.actual)
        if other == axis or lengths is None or sum(lengths) > data.shape[other]:
            continue
        if _equal(_cut(data.tensor(), other, [0, *accumulate(lengths)]), evidence.actual):
            return "wrong axis", f"the data was cut along axis {other}, not along axis {axis}"
    return None


def _shape(evidence: _Evidence) -> Explanation | None:
    for index, (want, have) in enumerate(zip(evidence.expected, evidence.actual, strict=True)):
        if want.shape != have.shape:
            return "wrong shape", f"output {index} has the shape {have.shape}, not {want.shape}"
    return None


def _nan_bits(evidence: _Evidence) -> Explanation | None:
    pairs = list(_unequal_pairs(evidence))
    if not all(only_nan_bits_differ(want, have) for want, have in pairs):
        return None
    quieted = all(_quieted(want) == _bits(have) for want, have in pairs)
    total = sum(len(differing_indices(want, have)) for want, have in pairs)
    if quieted:
        return "NaN quieted", f"{_elements(total)}: a signalling NaN came back quiet, its payload otherwise kept"
    return "NaN payload changed", f"{_elements(total)}: a NaN came back with other bits"


def _negative_zero(evidence: _Evidence) -> Explanation | None:
    total = 0
    for want, have in _unequal_pairs(evidence):
        before, after = _float_patterns(want), _float_patterns(have)
        layout = want.kind.layout
        if before is None or after is None or layout is None:
            return None
        if not layout.sign_bits or layout.specials is Specials.ONE_NAN:
            return None
        sign = 1 << (layout.exponent_bits + layout.mantissa_bits)
        unequal = before != after
        if not ((before[unequal] == sign) & (after[unequal] == 0)).all():
            return None
        total += int(unequal.sum())
    return "-0.0 lost", f"{_elements(total)}: a negative zero came back positive"


def _subnormals(evidence: _Evidence) -> Explanation | None:
    total = 0
    for want, have in _unequal_pairs(evidence):
        before, after = _float_patterns(want), _float_patterns(have)
        layout = want.kind.layout
        if before is None or after is None or layout is None:
            return None
        magnitude = (1 << (layout.exponent_bits + layout.mantissa_bits)) - 1
        unequal = before != after
        subnormal = ((before & magnitude) < (1 << layout.mantissa_bits)) & ~_is_nan(want, before)
        if not (subnormal & ((after & magnitude) == 0))[unequal].all():
            return None
        total += int(unequal.sum())
    return "subnormals flushed to zero", f"{_elements(total)}: a subnormal number came back as zero"


_NARROWER = {
    "int64": ("int32",),
    "uint64": ("uint32", "int32"),
    "float64": ("float32",),
    "complex128": ("complex64",),
}


def _narrowed(evidence: _Evidence) -> Explanation | None:
    pairs = list(_unequal_pairs(evidence))
    for want, have in pairs:
        if not any(_bits(have) == _through(want, narrower) for narrower in _NARROWER.get(want.dtype, ())):
            return None
    total = sum(len(differing_indices(want, have)) for want, have in pairs)
    return "element narrowed to 32 bits", f"{_elements(total)} went through a 32-bit type on the way"


def _through(tensor: Tensor, narrower: str) -> bytes:
    """The bits of a tensor after a trip through a narrower type."""
    import numpy as np

    with np.errstate(all="ignore"):
        return array_from_tensor(tensor).astype(narrower).astype(tensor.dtype).tobytes()


def _plain_count(evidence: _Evidence) -> Explanation:
    pairs = list(zip(evidence.expected, evidence.actual, strict=True))
    unequal = [index for index, (want, have) in enumerate(pairs) if not _equal([want], [have])]
    parts = []
    for index in unequal[:_MAX_OUTPUTS_TOLD]:
        want, have = pairs[index]
        indices = differing_indices(want, have)
        first = _index_text(indices[0], want.shape)
        parts.append(f"output {index}: {len(indices)} of {_elements(want.size)} differ, the first at {first}")
    more = len(unequal) - len(parts)
    return "other values", "; ".join(parts) + (f"; and {more} more outputs" if more else "")


_HYPOTHESES: tuple[Callable[[_Evidence], Explanation | None], ...] = (
    _stale,
    _overwritten,
    _number_of_outputs,
    _element_type,
    _swapped,
    _other_boundaries,
    _wrong_axis,
    _shape,
    _nan_bits,
    _negative_zero,
    _subnormals,
    _narrowed,
    _shifted,
)


def _equal(one: Outputs, other: Outputs) -> bool:
    return len(one) == len(other) and all(
        (a.dtype, a.shape) == (b.dtype, b.shape) and _bits(a) == _bits(b) for a, b in zip(one, other, strict=True)
    )


def _bits(tensor: Tensor) -> bytes:
    return bytes(mask_unused_bits(tensor))


def _unequal_pairs(evidence: _Evidence) -> Iterator[tuple[Tensor, Tensor]]:
    for want, have in zip(evidence.expected, evidence.actual, strict=True):
        if not _equal([want], [have]):
            yield want, have


def _lengths_along(axis: int, shape: tuple[int, ...], outputs: Outputs) -> list[int] | None:
    """The outputs' lengths along an axis, or None where another dim is not the data's."""
    lengths = []
    for tensor in outputs:
        if len(tensor.shape) != len(shape) or tensor.shape[:axis] + tensor.shape[axis + 1 :] != (
            shape[:axis] + shape[axis + 1 :]
        ):
            return None
        lengths.append(tensor.shape[axis])
    return lengths


def _cut(whole: Tensor, axis: int, bounds: Sequence[int]) -> tuple[Tensor, ...]:
    return slices_along(whole, axis, pairwise(bounds))


def _spread(length: int, parts: int) -> list[int]:
    return [length // parts + (index < length % parts) for index in range(parts)]


def _float_patterns(tensor: Tensor) -> NDArray[Any] | None:
    """The bit patterns of a floating-point tensor, or of both parts of a complex one, as unsigned integers."""
    import numpy as np

    if tensor.kind.layout is None:
        return None
    width = tensor.kind.itemsize // (2 if tensor.kind.kind is Kind.COMPLEX else 1)
    return np.frombuffer(mask_unused_bits(tensor), np.dtype(f"<u{width}"))


def _is_nan(tensor: Tensor, patterns: NDArray[Any]) -> NDArray[np.bool_]:
    layout = tensor.kind.layout
    assert layout is not None
    magnitude = patterns & ((1 << (layout.exponent_bits + layout.mantissa_bits)) - 1)
    top = ((1 << layout.exponent_bits) - 1) << layout.mantissa_bits
    nan: NDArray[np.bool_]
    match layout.specials:
        case Specials.IEEE:
            nan = magnitude > top
        case Specials.TOP_NAN:
            nan = magnitude == top | ((1 << layout.mantissa_bits) - 1)
        case Specials.ONE_NAN:
            nan = patterns == 1 << (layout.exponent_bits + layout.mantissa_bits)
        case Specials.NONE:
            nan = magnitude < 0
    return nan


def _quieted(tensor: Tensor) -> Bytes | None:
    """The bits of a tensor with every NaN made quiet, or None for a format without signalling NaNs."""
    patterns, layout = _float_patterns(tensor), tensor.kind.layout
    if patterns is None or layout is None or layout.specials is not Specials.IEEE:
        return None
    quiet = patterns.dtype.type(1 << (layout.mantissa_bits - 1))
    made = patterns.copy()
    made[_is_nan(tensor, patterns)] |= quiet
    return made.tobytes()


def _elements(count: int) -> str:
    return f"{count} element" if count == 1 else f"{count} elements"


def _index_text(number: int, shape: tuple[int, ...]) -> str:
    """The index of an element from its row-major number."""
    index: list[int] = []
    for dim in reversed(shape):
        index.insert(0, number % dim)
        number //= dim
    return f"({', '.join(map(str, index))})"
