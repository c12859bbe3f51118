"""Backends that are right though they differ: each reads what the page of an operator version leaves open in its way.

A variant answers some calls of its operator versions otherwise than the reference. A check that accuses one of them
asks for what the page does not say.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from conformance.spec.broken_clause import Arguments, BrokenClauseError
from conformance.tensors.tensor import Tensor, array_from_tensor, tensor_from_array, unpack_integers

Plain = Callable[[Arguments], Sequence[Tensor]]
"""The answer of the reference to a call of the same operator version."""
Answer = Callable[[Plain, Arguments], Sequence[Tensor]]
Evaluate = Callable[[str, Arguments, int], Sequence[Tensor]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """What another right backend answers in some operator versions."""

    versions: Sequence[str]
    answer: Answer

    def around(self, evaluate: Evaluate) -> Evaluate:
        """The reference, with the answers of the variant in its versions."""

        def evaluated(name: str, arguments: Arguments, declared_outputs: int) -> Sequence[Tensor]:
            def plain(given: Arguments) -> Sequence[Tensor]:
                return evaluate(name, given, declared_outputs)

            return self.answer(plain, arguments) if name in self.versions else plain(arguments)

        return evaluated


def _numbers(arguments: Arguments, name: str) -> list[int]:
    given = arguments.get(name)
    if isinstance(given, Tensor):
        return unpack_integers(given) if given.dtype in ("int32", "int64") else []
    return [one for one in given if type(one) is int] if isinstance(given, (list, tuple)) else []


def _shape(arguments: Arguments, name: str) -> tuple[int, ...]:
    given = arguments.get(name)
    return given.shape if isinstance(given, Tensor) else ()


def _refusing(is_refused: Callable[[Arguments], bool]) -> Answer:
    def answer(plain: Plain, arguments: Arguments) -> Sequence[Tensor]:
        if is_refused(arguments):
            raise BrokenClauseError("variant", "the backend reads the page so")
        return plain(arguments)

    return answer


def _reading(change: Callable[[Arguments], Arguments]) -> Answer:
    return lambda plain, arguments: plain({**arguments, **change(arguments)})


def _has_no_entries(arguments: Arguments) -> bool:
    lists = [arguments.get(name) for name in ("pads", "paddings", "starts", "ends", "axes")]
    return any(isinstance(given, (list, tuple)) and not given for given in lists)


def _mirrored_with_the_ends(plain: Plain, arguments: Arguments) -> Sequence[Tensor]:
    """The mode reflect of SciPy; the numbers of Pad-1 come first for all begins, as its text says."""
    pads, data = _numbers(arguments, "pads") or _numbers(arguments, "paddings"), arguments["data"]
    outputs = plain(arguments)
    if arguments.get("mode") != "reflect" or not isinstance(data, Tensor) or min(pads, default=0) < 0:
        return outputs
    pairs = list(zip(pads[: len(pads) // 2], pads[len(pads) // 2 :], strict=True))
    array: np.ndarray[Any, Any] = array_from_tensor(data)
    return [tensor_from_array(np.pad(array, pairs, mode="symmetric"))] if pairs else outputs


def _by_dims(arguments: Arguments) -> Arguments:
    pads = arguments.get("paddings")
    if not isinstance(pads, (list, tuple)) or len(pads) % 2:
        return {}
    return {"paddings": [*pads[::2], *pads[1::2]]}


def _mirrors_beyond_what_is_left(arguments: Arguments) -> bool:
    """Whether elements are removed first, and fewer are left than the mode reflect mirrors; or it mirrors twice."""
    pads, shape = _numbers(arguments, "pads"), _shape(arguments, "data")
    axes = _numbers(arguments, "axes") if "axes" in arguments else range(len(shape))
    if arguments.get("mode") != "reflect" or len(pads) != 2 * len(axes):
        return False
    for axis, before, behind in zip(axes, pads[: len(axes)], pads[len(axes) :], strict=True):
        if -len(shape) <= axis < len(shape):
            left = shape[axis] + min(before, 0) + min(behind, 0)
            if max(before, behind) >= max(left, 1):
                return True
    return False


def _with_missing_dims(arguments: Arguments) -> Arguments:
    """Dims of 1 in front of those of the tensors of lower rank."""
    data = {name: value for name, value in arguments.items() if isinstance(value, Tensor) and name.startswith("inputs")}
    rank = max((len(value.shape) for value in data.values()), default=0)
    if not all(value.shape for value in data.values()):
        return {}
    return {name: replace(one, shape=(1,) * (rank - len(one.shape)) + one.shape) for name, one in data.items()}


def _has_a_bound_before_the_dim(arguments: Arguments, *, knows_the_least: bool) -> bool:
    shape, starts, ends = _shape(arguments, "data"), _numbers(arguments, "starts"), _numbers(arguments, "ends")
    axes = _numbers(arguments, "axes") if "axes" in arguments else list(range(len(starts)))
    steps = _numbers(arguments, "steps") if "steps" in arguments else [1] * len(starts)
    for axis, start, end, step in zip(axes, starts, ends, steps, strict=False):
        if not -len(shape) <= axis < len(shape):
            continue
        is_least = knows_the_least and step < 0 and end in (-(1 << 31), -(1 << 63))
        if start < -shape[axis] or (end < -shape[axis] and not is_least):
            return True
    return False


def _with_the_rest(arguments: Arguments) -> Arguments:
    lengths, shape, axis = _numbers(arguments, "split"), _shape(arguments, "input"), arguments.get("axis", 0)
    if lengths.count(-1) != 1 or type(axis) is not int or not -len(shape) <= axis < len(shape):
        return {}
    rest = shape[axis] - sum(lengths) - 1
    return {"split": [rest if length == -1 else length for length in lengths]}


def _from_the_end(name: str, data: str) -> Callable[[Arguments], Arguments]:
    """An axis, or each of several, may count from the end."""

    def change(arguments: Arguments) -> Arguments:
        given, rank = arguments.get(name), len(_shape(arguments, data))
        if type(given) is int:
            return {name: given + rank if -rank <= given < 0 else given}
        if isinstance(given, (list, tuple)) and given and all(type(one) is int for one in given):
            return {name: [one + rank if -rank <= one < 0 else one for one in _numbers(arguments, name)]}
        return {}

    return change


def _inferred_beside_zero(plain: Plain, arguments: Arguments) -> Sequence[Tensor]:
    """A -1 beside a copied length of 0 is 0, and a 0 without a dim to copy is a length."""
    data, lengths = arguments.get("data"), _numbers(arguments, "shape")
    if not isinstance(data, Tensor) or 0 not in data.shape or not lengths or arguments.get("allowzero", 0) != 0:
        return plain(arguments)
    copied = [data.shape[d] if length == 0 and d < len(data.shape) else length for d, length in enumerate(lengths)]
    if copied.count(-1) > 1 or min(copied) < -1 or 0 not in copied:
        return plain(arguments)
    return [replace(data, shape=tuple(max(length, 0) for length in copied))]


def _without_the_rank(arguments: Arguments) -> Arguments:
    axes, rank = arguments.get("axes"), len(_shape(arguments, "data"))
    is_list = isinstance(axes, (list, tuple)) and all(type(one) is int for one in axes)
    return {"axes": [axis for axis in _numbers(arguments, "axes") if axis != rank]} if is_list else {}


def _with_indices_from_the_end(arguments: Arguments) -> Arguments:
    indices, axis, shape = arguments.get("indices"), arguments.get("axis", 0), _shape(arguments, "data")
    if not isinstance(indices, Tensor) or indices.dtype not in ("int32", "int64") or type(axis) is not int:
        return {}
    if not -len(shape) <= axis < len(shape):
        return {}
    numbers, length = array_from_tensor(indices), shape[axis]
    is_before = (-length <= numbers) & (numbers < 0)
    return {"indices": tensor_from_array(np.where(is_before, numbers + length, numbers).astype(numbers.dtype))}


_PAD = [f"onnx.Pad-{version}" for version in (11, 13, 18, 19, 21, 23, 24, 25)]
_RESHAPE = [f"onnx.Reshape-{version}" for version in (5, 13, 14, 19, 21, 23, 24, 25)]
_SPLIT, _CONCAT = ["onnx.Split-1", "onnx.Split-2"], ["onnx.Concat-1", "onnx.Concat-4"]
VARIANTS: Mapping[str, Variant] = {
    "only-adds": Variant(
        versions=["onnx.Pad-1"], answer=_refusing(lambda given: min(_numbers(given, "paddings"), default=0) < 0)
    ),
    "pads-dim-by-dim": Variant(versions=["onnx.Pad-1"], answer=_reading(_by_dims)),
    "reflects-as-scipy": Variant(versions=["onnx.Pad-1", "onnx.Pad-2"], answer=_mirrored_with_the_ends),
    "removes-first-and-mirrors-once": Variant(versions=_PAD, answer=_refusing(_mirrors_beyond_what_is_left)),
    "wants-entries": Variant(
        versions=["onnx.Pad-1", "onnx.Pad-2", "onnx.Slice-1", "onnx.Unsqueeze-1", "onnx.Unsqueeze-11"],
        answer=_refusing(_has_no_entries),
    ),
    "joins-other-ranks": Variant(versions=_CONCAT, answer=_reading(_with_missing_dims)),
    "joins-from-the-end": Variant(versions=_CONCAT, answer=_reading(_from_the_end("axis", "inputs_0"))),
    "slices-nothing-before-the-dim": Variant(
        versions=["onnx.Slice-1", "onnx.Slice-10"],
        answer=_refusing(partial(_has_a_bound_before_the_dim, knows_the_least=False)),
    ),
    "slices-nothing-before-the-dim-but-to-the-least": Variant(
        versions=["onnx.Slice-11"], answer=_refusing(partial(_has_a_bound_before_the_dim, knows_the_least=True))
    ),
    "splits-the-rest": Variant(versions=_SPLIT, answer=_reading(_with_the_rest)),
    "splits-from-the-end": Variant(versions=_SPLIT, answer=_reading(_from_the_end("axis", "input"))),
    "reshapes-nothing-to-nothing": Variant(versions=_RESHAPE, answer=_inferred_beside_zero),
    "squeezes-nothing-at-the-rank": Variant(versions=["onnx.Squeeze-1"], answer=_reading(_without_the_rank)),
    "gathers-from-the-end": Variant(versions=["onnx.Gather-1"], answer=_reading(_with_indices_from_the_end)),
    "gathers-no-scalar": Variant(
        versions=["openvino.Gather-1"], answer=_refusing(lambda given: _shape(given, "indices") == ())
    ),
}
"""The variants by name."""
