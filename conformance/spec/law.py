"""What a law requires of a call: each output, element by element."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any

from conformance.protocol.call import Attribute
from conformance.spec.broken_clause import Arguments
from conformance.spec.expression import (
    NOWHERE,
    ZERO,
    DataInput,
    Law,
    LawError,
    LawNames,
    LawValue,
    Numbers,
    as_law_errors,
    expression,
)
from conformance.spec.operator import ArgumentKind, Operator
from conformance.tensors.dtypes import INTEGERS
from conformance.tensors.tensor import (
    Tensor,
    array_from_tensor,
    gathered,
    scalar_of,
    slices_along,
    unpack_integers,
    zero_of,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray


MAX_RANK = 64
_ELEMENT = 16
"""What an element of an output counts as work, so that outputs have at most 2^27 of them."""


def lawful_outputs(operator: Operator, arguments: Arguments, declared: int) -> tuple[Tensor, ...]:
    """The outputs of a call whose node declares so many outputs.

    Raises:
        LawError: the operator has no law, or it holds for no such call.
    """
    with as_law_errors():
        law, names, shapes = _shaped(operator, arguments, declared)
        sources = [value for name, value in arguments.items() if isinstance(value, Tensor) and operator.is_data(name)]
        numbers = [value for name, value in arguments.items() if _is_element(operator, name)]
        sources += [scalar_of(value, sources[0].dtype) for value in numbers]
        return _moved(sources, _numbers(law, names, shapes))


def lawful_shapes(operator: Operator, arguments: Arguments, declared: int) -> list[tuple[int, ...]]:
    """The shapes of the outputs of such a call, computed without their elements.

    Raises:
        LawError: as for `lawful_outputs`, but for elements that are not in the data.
    """
    with as_law_errors():
        return _shaped(operator, arguments, declared)[2]


def lawful_shape(operator: Operator, text: str, arguments: Arguments) -> tuple[int, ...]:
    """The shape that an expression gives for a call.

    Raises:
        LawError: it gives none, as for a call that lacks an argument.
    """
    with as_law_errors():
        return tuple(expression(text)(_names(operator, arguments)))


def _shaped(operator: Operator, arguments: Arguments, declared: int) -> tuple[Law, LawNames, list[tuple[int, ...]]]:
    """The law of an operator, what it reads of a call, and the shapes of the outputs."""
    law = operator.law
    if law is None:
        raise LawError(f"{operator.id} has no law in operator.yaml")
    names = _names(operator, arguments)
    names |= {"declared": declared, "version": operator.version}
    for name, text in law.of_call:
        names[name] = expression(text)(names)
    return law, names, _shapes(law, names, expression(law.count)(names))


def _names(operator: Operator, arguments: Arguments) -> LawNames:
    """The arguments as the law reads them."""
    names, start = LawNames(zero=ZERO), 0
    for name, value in arguments.items():
        parameter = next(iter(operator.parameters_named(name)), None)
        if parameter is None:
            raise LawError(f"the version has no argument {name}")
        if isinstance(value, Tensor) and operator.is_data(name):
            elements = DataInput(value.shape, start)
            start += value.size
            if parameter.is_variadic:
                names.setdefault(parameter.name, []).append(elements)
            else:
                names[name] = elements
        elif not _is_element(operator, name):
            names[name] = _read(value, parameter.kind)
    for name in arguments:
        if _is_element(operator, name):
            names[name] = DataInput((), start)
            start += 1
    return names


def _is_element(operator: Operator, name: str) -> bool:
    """Whether an argument is a number that may stand in an output, as an element of the type of the data."""
    return any(parameter.kind is ArgumentKind.NUMBER for parameter in operator.parameters_named(name))


def _read(value: Tensor | Attribute, kind: ArgumentKind | None) -> LawValue:
    """An argument besides the data, as its kind reads it: one number, a list, or numbers of any rank."""
    import numpy as np

    if kind is None:
        raise LawError("the law reads arguments with a kind alone")
    if not isinstance(value, Tensor):
        return value if kind.is_one_value else list(value) if isinstance(value, tuple | list) else [value]
    numbers = unpack_integers(value) if value.dtype in INTEGERS else array_from_tensor(value).reshape(-1).tolist()
    if kind in (ArgumentKind.INDICES, ArgumentKind.PLACES):
        farthest = 1 << 60  # what lies beyond is also beyond all data
        return Numbers(np.array([max(-farthest, min(n, farthest)) for n in numbers], np.int64).reshape(value.shape))
    if kind.is_one_number:
        return numbers[0]
    return [int(number) for number in numbers]


def _shapes(law: Law, names: LawNames, count: int) -> list[tuple[int, ...]]:
    """The shapes of all outputs, computed together: a dim is one number, or one for each output."""
    import numpy as np

    names["j"] = np.arange(count)
    dims = expression(law.shape)(names)
    table = np.array([np.broadcast_to(dim, count) for dim in dims], None if dims else np.int64).reshape(
        len(dims), count
    )
    if len(dims) > MAX_RANK or table.dtype.kind != "i" or (table < 0).any():
        raise LawError(f"the law makes no shapes of {dims}")
    shapes = [tuple(shape) for shape in table.T.tolist()]
    names.count(_ELEMENT * sum(map(math.prod, shapes)))
    return shapes


def _numbers(law: Law, names: LawNames, shapes: Sequence[tuple[int, ...]]) -> list[NDArray[Any]]:
    """The number of the element at each place of each output. Outputs of one shape are computed together."""
    import numpy as np

    found: dict[int, NDArray[Any]] = {}
    alike: dict[tuple[int, ...], list[int]] = {}
    for number, shape in enumerate(shapes):
        alike.setdefault(shape, []).append(number)
    for shape, outputs in alike.items():
        if 0 in shape:
            found |= dict.fromkeys(outputs, np.zeros(shape, np.int64))
            continue
        rank = len(shape)
        names["j"] = np.array(outputs).reshape(-1, *[1] * rank)
        names["o"] = [np.arange(dim).reshape(-1, *[1] * (rank - 1 - axis)) for axis, dim in enumerate(shape)]
        for name, text in law.of_place:
            names[name] = expression(text)(names)
        numbers = np.broadcast_to(expression(law.at)(names), (len(outputs), *shape))
        if (numbers == NOWHERE).any():
            output, *place = np.argwhere(numbers == NOWHERE)[0].tolist()
            raise LawError(f"element {place} of output {outputs[output]} is not in the data")
        found |= zip(outputs, numbers, strict=True)
    return [found[number] for number in range(len(shapes))]


def _moved(sources: Sequence[Tensor], outputs: Sequence[NDArray[Any]]) -> tuple[Tensor, ...]:
    """The outputs with the elements that have these numbers."""
    import numpy as np

    ends = [0, *accumulate(numbers.size for numbers in outputs)]
    flat = np.concatenate([numbers.reshape(-1) for numbers in outputs]) if outputs else np.zeros(0, np.int64)
    elements = slices_along(gathered((*sources, zero_of(sources[0])), flat), 0, pairwise(ends))
    return tuple(Tensor(part.dtype, places.shape, part.data) for part, places in zip(elements, outputs, strict=True))
