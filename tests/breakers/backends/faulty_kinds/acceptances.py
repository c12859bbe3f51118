"""Calls that a page forbids, and what a lenient kernel makes of them: written once, for every operator and version.

A kernel follows the page where it can. A call that breaks a clause is read as another one, and answered.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from conformance.protocol.call import Attribute
from conformance.spec.broken_clause import Arguments, BrokenClauseError, UncoveredCallError
from conformance.spec.operator import ArgumentKind, Operator, Parameter
from conformance.tensors.dtypes import INTEGERS
from conformance.tensors.tensor import Tensor, array_from_tensor, pack_integers, tensor_from_array, unpack_integers

Evaluate = Callable[[str, Arguments, int], Sequence[Tensor]]
Argument = Tensor | Attribute
Reread = Callable[[Operator, Parameter, Argument, Arguments], Argument | None]
"""What an argument is taken for, beside all of them; None leaves it out."""
_DIMS = (ArgumentKind.AXIS, ArgumentKind.AXES)
_LISTS = (ArgumentKind.AXES, ArgumentKind.BOUNDS, ArgumentKind.STEPS)
_OF_OTHERS = frozenset({"add", "mul", "pdpd", "prod", "sum", "symmetric"})


@dataclass(frozen=True, slots=True)
class Acceptance:
    """A lenient kernel: each argument of some kinds of a call that breaks a clause is taken for another one."""

    kinds: tuple[ArgumentKind, ...]
    reread: Reread


def _word(change: Callable[[str, Parameter], str | None]) -> Acceptance:
    """A word is taken for another one."""
    return Acceptance((ArgumentKind.MODE,), lambda _, p, word, __: change(word, p) if isinstance(word, str) else word)


def _tensor(kinds: Sequence[ArgumentKind], change: Callable[[Tensor], Tensor]) -> Acceptance:
    """An input is taken for another one."""
    return Acceptance(tuple(kinds), lambda _, __, value, ___: change(value) if isinstance(value, Tensor) else value)


def _like_data(change: Callable[[Tensor, Tensor], Tensor]) -> Acceptance:
    """Data beside the main one is taken for such that goes with it."""

    def reread(operator: Operator, _: Parameter, value: Argument, arguments: Arguments) -> Argument:
        first = next(name for name in arguments if operator.is_data(name))
        data = arguments[first]
        return change(value, data) if isinstance(value, Tensor) and isinstance(data, Tensor) else value

    return Acceptance((ArgumentKind.DATA,), reread)


def _axis(change: Callable[[int, int], int]) -> Acceptance:
    """An axis outside the rank of the data is taken for one inside."""

    def reread(operator: Operator, _: Parameter, value: Argument, arguments: Arguments) -> Argument:
        data = next(tensor for name, tensor in arguments.items() if operator.is_data(name))
        assert isinstance(data, Tensor)
        rank = len(data.shape)
        if isinstance(value, Tensor):
            return pack_integers([change(axis, rank) for axis in unpack_integers(value)], value.dtype, value.shape)
        numbers = [value] if isinstance(value, int) else value
        assert isinstance(numbers, (list, tuple))
        found = [change(int(axis), rank) for axis in numbers]
        return found[0] if isinstance(value, int) else tuple(found)

    return Acceptance(_DIMS, reread)


def _cut_to_the_shortest(operator: Operator, _: Parameter, value: Argument, arguments: Arguments) -> Argument:
    names = [one.name for one in operator.parameters if one.kind in _LISTS and one.name in arguments]
    least = min(len(_numbers(arguments[name])) for name in names)
    numbers = _numbers(value)[:least]
    return pack_integers(numbers, value.dtype, (least,)) if isinstance(value, Tensor) else tuple(numbers)


def _numbers(value: Argument) -> list[int]:
    return unpack_integers(value) if isinstance(value, Tensor) else [int(n) for n in value]  # type: ignore[union-attr]


def _widened(value: Tensor) -> Tensor:
    """The numbers as int64, whatever they are."""
    numbers = unpack_integers(value) if value.dtype in INTEGERS else array_from_tensor(value).reshape(-1).tolist()
    return pack_integers([int(number) for number in numbers], "int64", value.shape)


def _with_shape_of(places: Callable[[Tensor], tuple[int, ...]]) -> Callable[[Tensor], Tensor]:
    return lambda value: Tensor(value.dtype, places(value), value.data)


def _first(value: Tensor) -> Tensor:
    return pack_integers(unpack_integers(value)[:1] or [0], value.dtype, ())


def _of_type(value: Tensor, data: Tensor) -> Tensor:
    return tensor_from_array(array_from_tensor(value).astype(array_from_tensor(data).dtype))


def _with_shape_of_rows(operator: Operator, parameter: Parameter, value: Argument, arguments: Arguments) -> Argument:
    """Updates with the right number of elements, in any shape."""
    data, rows = (arguments.get(name) for name in (operator.data[0], "indices"))
    if parameter.name != operator.data[-1] or not all(isinstance(one, Tensor) for one in (value, data, rows)):
        return value
    assert isinstance(value, Tensor)
    assert isinstance(data, Tensor)
    assert isinstance(rows, Tensor)
    wanted = Tensor(value.dtype, rows.shape[:-1] + data.shape[rows.shape[-1] :], value.data)
    return wanted if wanted.size == value.size else value


def _fitting_shape(change: Callable[[list[int]], list[int]]) -> Acceptance:
    """A shape is taken for one that holds all elements."""

    def reread(_: Operator, __: Parameter, value: Argument, ___: Arguments) -> Argument:
        numbers = change(_numbers(value))
        return pack_integers(numbers, value.dtype, (len(numbers),)) if isinstance(value, Tensor) else tuple(numbers)

    return Acceptance((ArgumentKind.SHAPE,), reread)


def _filled_up(operator: Operator, _: Parameter, value: Argument, arguments: Arguments) -> Argument:
    """Lengths of which the last one is what is left."""
    data, axis = arguments[operator.data[0]], arguments.get(operator.split_axis or "", 0)
    assert isinstance(data, Tensor)
    dim = unpack_integers(axis)[0] if isinstance(axis, Tensor) else axis
    assert isinstance(dim, int)
    numbers = _numbers(value)
    numbers = [*numbers[:-1], max(0, data.shape[dim] - sum(numbers[:-1]))]
    return pack_integers(numbers, value.dtype, (len(numbers),)) if isinstance(value, Tensor) else tuple(numbers)


def _of_kinds(kinds: Sequence[ArgumentKind], change: Callable[[Argument], Argument | None]) -> Acceptance:
    return Acceptance(tuple(kinds), lambda _, __, value, ___: change(value))


_NUMBERS = tuple(kind for kind in ArgumentKind if kind not in (ArgumentKind.DATA, ArgumentKind.MODE))
_ONES = tuple(kind for kind in ArgumentKind if kind.is_one_value)
_MANY = tuple(kind for kind in _NUMBERS if kind not in (*_ONES, ArgumentKind.PLACES, ArgumentKind.INDICES))
_REREAD: Mapping[str, Acceptance] = {
    "accepts.words-of-any-case": _word(lambda word, _: word.lower()),
    "accepts.words-with-spaces": _word(lambda word, _: word.strip()),
    "accepts.beginnings-of-words": _word(lambda word, p: next((one for one in p.one_of if one.startswith(word)), word)),
    "accepts.an-empty-word": _word(lambda word, _: word or None),
    "accepts.unknown-words": _word(lambda word, p: word if word in p.one_of else None),
    "accepts.words-of-other-operators": _word(lambda word, _: None if word in _OF_OTHERS else word),
    "accepts.lists-where-one-is-due": _of_kinds(_ONES, lambda v: v[0] if isinstance(v, (list, tuple)) and v else v),
    "accepts.several-numbers-where-one-is-due": _tensor(_ONES, _first),
    "accepts.columns": _tensor(_MANY, _with_shape_of(lambda value: (value.size,))),
    "accepts.lists-of-any-length": Acceptance(_LISTS, _cut_to_the_shortest),
    "accepts.an-empty-shape": _fitting_shape(lambda numbers: numbers or [-1]),
    "accepts.a-shape-with-too-few-lengths": _fitting_shape(lambda numbers: [*numbers, -1] if numbers else numbers),
    "accepts.lengths-that-do-not-add-up": Acceptance((ArgumentKind.LENGTHS,), _filled_up),
    "accepts.any-integers": _tensor(_NUMBERS, lambda v: _widened(v) if v.dtype in INTEGERS else v),
    "accepts.floats-as-integers": _tensor(_NUMBERS, lambda v: _widened(v) if v.dtype.startswith("float") else v),
    "accepts.data-of-another-width": _like_data(lambda v, data: v if v.dtype == "string" else _of_type(v, data)),
    "accepts.updates-of-any-shape": Acceptance((ArgumentKind.DATA,), _with_shape_of_rows),
    "accepts.an-axis-beyond-the-last": _axis(lambda axis, rank: min(axis, rank - 1)),
    "accepts.an-axis-before-the-first": _axis(lambda axis, rank: max(axis, -rank)),
    "accepts.axes-from-the-end": _axis(lambda axis, rank: axis % rank if -rank <= axis < rank else axis),
}
"""Lenient kernels that take an argument for another one, by name."""
NEWEST, SURPLUS, NOTHING = "accepts.newer-versions", "accepts.surplus-arguments", "accepts.no-inputs"
"""Those that take a call as one of the newest version, ignore arguments that they do not know, or answer nothing."""
ACCEPTANCES = (*_REREAD, NEWEST, SURPLUS, NOTHING)


def accepting(name: str, operators: Mapping[str, Operator], evaluate: Evaluate) -> Evaluate:
    """The reference as a lenient kernel."""

    def evaluated(version: str, arguments: Arguments, declared_outputs: int) -> Sequence[Tensor]:
        try:
            return evaluate(version, arguments, declared_outputs)
        except BrokenClauseError as refused:
            if name == NOTHING:
                if any(isinstance(value, Tensor) for value in arguments.values()):
                    raise
                return [pack_integers([0], "int8", ())] * declared_outputs
            asked, taken = _taken_for(name, operators, version, arguments)
            try:
                return evaluate(asked, taken, declared_outputs)
            except (BrokenClauseError, UncoveredCallError, ValueError, TypeError):
                raise refused from None

    return evaluated


def _taken_for(
    name: str, operators: Mapping[str, Operator], version: str, arguments: Arguments
) -> tuple[str, Arguments]:
    """The version and the arguments with which the call is answered."""
    operator = operators[version]
    if name == NEWEST:
        return [other.id for other in operators.values() if other.family == operator.family][-1], arguments
    if name == SURPLUS:
        return version, {key: value for key, value in arguments.items() if operator.parameters_named(key)}
    return version, dict(_reread(_REREAD[name], operator, arguments))


def _reread(acceptance: Acceptance, operator: Operator, arguments: Arguments) -> Sequence[tuple[str, Argument]]:
    found = []
    for name, value in arguments.items():
        parameter = next(iter(operator.parameters_named(name)), None)
        if parameter is not None and parameter.kind in acceptance.kinds:
            changed = acceptance.reread(operator, parameter, value, arguments)
            found += [] if changed is None else [(name, changed)]
        else:
            found.append((name, value))
    return found
