"""Calls that a page forbids: a valid call with one argument that is wrong in the way of a class.

A class says where to look, and the reference what the page forbids there and by which clause.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from conformance.protocol.call import Attribute
from conformance.spec.broken_clause import BrokenClauseError, UncoveredCallError
from conformance.spec.case import Argument, Case, Rejection, Value, call_arguments, whole_numbers
from conformance.spec.making.clear_case import left_open
from conformance.spec.making.wrong_values import (
    AS_BEFORE,
    DISAGREEING,
    NUMBERS,
    ValidNumbers,
    WholeNumbers,
    WrongNumbers,
    WrongShape,
    wrong_shapes,
)
from conformance.spec.operator import ArgumentKind, Operator, Parameter, Role
from conformance.spec.reference import evaluate
from conformance.tensors.dtypes import DTYPES, INTEGERS
from conformance.tensors.tensor import pack_integers, tensor_from_array

_FAMILIES: tuple[frozenset[str], ...] = (
    frozenset({"constant", "edge", "reflect", "symmetric", "wrap"}),
    frozenset({"add", "max", "mean", "min", "mul", "none", "prod", "sub", "sum"}),
    frozenset({"bidirectional", "explicit", "numpy", "pdpd"}),
)
"""Words of both dialects in all versions, by what they choose."""
_MISSPELLED: Mapping[str, Callable[[str], str]] = {
    "an unknown word": lambda word: f"{word}s",
    "in capitals": str.upper,
    "capitalised": str.capitalize,
    "cut short": lambda word: word[:-1],
    "with a space": lambda word: f"{word} ",
    "an empty word": lambda _: "",
}


def other_words(operator: Operator, parameter: Parameter) -> dict[str, Callable[[str], str]]:
    """By the name of a class, what is written in the place of a word."""
    kin = {word for family in _FAMILIES if family & {*parameter.one_of} for word in family}
    kin |= {word for other in operator.elsewhere if other.name == parameter.name for word in other.one_of}
    others = sorted(kin - {*parameter.one_of})
    return {**_MISSPELLED, **{f"the word {word}": lambda _, word=word: word for word in others}}  # type: ignore[misc]


_SURPLUS = "surplus"
_NumbersOfCall = Callable[[Case, Parameter], tuple[int, ...]]


def surplus_classes(operator: Operator) -> dict[str, Callable[[Case, str], Iterator[Case]]]:
    """By the name of a class, calls with a surplus argument.

    No page of OpenVINO forbids attributes that no version has.
    """
    found: dict[str, Callable[[Case, str], Iterator[Case]]] = {"a surplus input": _surplus_input}
    if operator.dialect == "onnx":
        found["a surplus attribute"] = lambda call, _: _with_argument(call, Argument(_SURPLUS, Role.ATTRIBUTE, 1))
    others = {other.name: other for other in operator.elsewhere if not operator.parameters_named(other.name)}
    for name, other in others.items():
        found[f"with {name}"] = partial(_with_other, other)
        if other.role is Role.INPUT and other.kind is not ArgumentKind.DATA:
            found[f"with {name} as an attribute"] = partial(_with_other, replace(other, role=Role.ATTRIBUTE))
    return found


def _surplus_input(call: Case, _: str) -> Iterator[Case]:
    yield from _with_argument(call, Argument(_SURPLUS, Role.INPUT, Value.of(pack_integers([1], "int64", (1,)))))


def _with_other(other: Parameter, call: Case, _: str) -> Iterator[Case]:
    """The call with an argument of another version that fits it there, so that it may be followed or ignored."""
    value = _text_or_data(call, other)
    if value is None:
        numbers = _numbers(call, other)
        value = Value.of(pack_integers(list(numbers), other.default_dtype, (len(numbers),)))
        if other.role is Role.ATTRIBUTE:
            is_list = other.kind is None or not other.kind.is_one_number
            value = numbers if is_list else bool(numbers[0]) if _is_truth(call, other) else numbers[0]
    yield from _with_argument(call, Argument(other.name, other.role, value))


def _with_argument(call: Case, surplus: Argument) -> Iterator[Case]:
    """An input stands behind all others, so none may be left out."""
    if surplus.role is Role.ATTRIBUTE or _has_all_inputs(call):
        yield replace(call, arguments=(*call.arguments, surplus))


def _has_all_inputs(call: Case) -> bool:
    return all(any(map(parameter.takes, (one.name for one in call.arguments))) for parameter in call.operator.inputs)


def _is_truth(call: Case, other: Parameter) -> bool:
    return other.kind is ArgumentKind.FLAG and call.operator.dialect == "openvino"


def _text_or_data(call: Case, other: Parameter) -> Value | Attribute | None:
    """The value of an argument that holds text, data or a float; None for whole numbers."""
    if other.kind is ArgumentKind.MODE:
        return other.one_of[-1]
    if other.kind is ArgumentKind.NUMBER:
        return 1.0
    return None if other.kind is not ArgumentKind.DATA or call.data is None else replace(call.data, shape=(), data=None)


def _numbers(call: Case, other: Parameter) -> tuple[int, ...]:
    """Those of an argument of the same kind, or such that change nothing if a kernel follows them."""
    kin = (call.value(one.name) for one in call.operator.parameters if one.kind is other.kind)
    given = next((whole_numbers(value) for value in kin if value is not None), None)
    if given:
        return tuple(given)
    unchanged = None if other.kind is None else _UNCHANGED.get(other.kind)
    return (0,) if unchanged is None else unchanged(call, other)


def _bounds(call: Case) -> int:
    """How many bounds a call has."""
    names = [one.name for one in call.operator.parameters if one.kind is ArgumentKind.BOUNDS]
    return len(whole_numbers(value) or ()) if names and (value := call.value(names[0])) is not None else 1


_UNCHANGED: Mapping[ArgumentKind, _NumbersOfCall] = {
    ArgumentKind.AXES: lambda call, _: tuple(range(len(call.data.shape))) if call.data is not None else (0,),
    ArgumentKind.STEPS: lambda call, _: (1,) * _bounds(call),
    ArgumentKind.COUNT: lambda call, other: (call.declared_outputs if other.name == call.operator.num_outputs else 0,),
    ArgumentKind.FLAG: lambda *_: (1,),
}


CALL = "call"
"""Pseudo-argument for faults of the whole call."""
_LEFT_OUT, _OTHER_NAME = "left out", "by another name"
_MOST_OUTPUTS = 256
_LARGEST = {"float16": 1 << 11}
"""Up to here, a floating-point type holds all whole numbers; others up to 2^24."""
_OF_DATA = {
    "onnx": (
        "bool", "string", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "bfloat16",
        "float64", "complex64", "complex128", "int4", "uint4", "int2", "float8_e4m3fn", "float8_e5m2",
        "float8_e8m0fnu", "float4_e2m1fn",
    ),
    "openvino": ("bool", "string"),
}  # fmt: skip
_OF_OTHERS = (
    "bool", "string", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32",
    "float64",
)  # fmt: skip
"""Types that an argument may have though its page does not list them, if it lists any."""
_OTHER_NAMES: Mapping[ArgumentKind, tuple[str, ...]] = {
    ArgumentKind.AXIS: ("dim", "axes"),
    ArgumentKind.AXES: ("axis", "dims"),
    ArgumentKind.PERMUTATION: ("perm", "input_order"),
    ArgumentKind.SHAPE: ("shape", "target_shape"),
    ArgumentKind.PADS: ("pads", "paddings"),
    ArgumentKind.NUMBER: ("value", "constant_value"),
    ArgumentKind.LENGTHS: ("split", "split_lengths"),
    ArgumentKind.COUNT: ("num_outputs", "num_splits"),
    ArgumentKind.FLAG: ("allowzero", "special_zero"),
    ArgumentKind.MODE: ("mode", "reduction"),
}
"""The names that attributes of a kind have in one operator, version or dialect and not in another."""

_WrongCalls = Iterator[Case]
_WrongMaker = Callable[[Case, str], _WrongCalls]
"""Calls that are wrong in the argument with a name, in the order of `WrongNumbers`."""


def wrong_classes_of(operator: Operator) -> dict[str, tuple[str, ...]]:
    """By the name of an argument, or CALL, the classes that its kind, its role and its type allow."""
    return {name: tuple(classes) for name, classes in _classes_of(operator).items()}


def wrong_case(valid: Case, argument: str, name: str) -> Case | None:
    """A valid call made wrong in an argument by a class, with the clause that it breaks; None if no call is clearly
    wrong so.

    Raises:
        KeyError: the operator has no such argument or class, or no reference.
    """
    found: Case | None = None
    for call in _classes_of(valid.operator)[argument][name](valid, argument):
        clause = broken_clause_of(call)
        if found is not None and found.expectation != Rejection(clause):
            break
        if clause and not _is_by_chance(call, clause, name):
            found = replace(call, expectation=Rejection(clause), clauses=(clause,))
    if found is None or found.declared_outputs != valid.declared_outputs:
        return found
    return replace(found, twin=valid.arguments)


def _is_by_chance(call: Case, clause: str, name: str) -> bool:
    """Whether an argument was left out that the page does not require, and its default does not fit the others."""
    return name in (_LEFT_OUT, _OTHER_NAME) and call.operator.clauses[clause].kind != "must"


def broken_clause_of(call: Case) -> str:
    """The clause that a call breaks in every reading of the page; empty if its version has no such clause, or its page
    is not clear.
    """
    try:
        evaluate(call.operator.id, call_arguments(call), call.declared_outputs)
    except UncoveredCallError:
        return ""
    except BrokenClauseError as error:
        is_due = error.clause in call.operator.clauses and all(
            calls.clauses and error.clause not in calls.clauses for calls in left_open(call)
        )
        return error.clause if is_due else ""
    return ""


def _classes_of(operator: Operator) -> dict[str, dict[str, _WrongMaker]]:
    found: dict[str, dict[str, _WrongMaker]] = {}
    for parameter in operator.parameters:
        if parameter.kind is not ArgumentKind.IGNORED and parameter.kind is not None:
            found.setdefault(parameter.name, {}).update(_of_parameter(operator, parameter))
    return {**found, CALL: {**surplus_classes(operator), "no inputs": _no_inputs}}


def _of_parameter(operator: Operator, parameter: Parameter) -> dict[str, _WrongMaker]:
    kind = parameter.kind
    assert kind is not None
    if kind is ArgumentKind.DATA:
        others: Mapping[str, _WrongMaker] = {"a scalar": _scalar_data}
        if parameter.is_variadic:
            others = {"scalars": _scalars, **_VARIADIC}
        elif parameter.name != operator.data[0]:
            others = {"a scalar": _scalar_data, **_BESIDE}
        return {_LEFT_OUT: _left_out, **others, **_types(operator, parameter, _OF_DATA[operator.dialect])}
    found: dict[str, _WrongMaker] = {_LEFT_OUT: _left_out}
    found |= {name: _with_numbers(wrong, name) for name, wrong in NUMBERS.get(kind, {}).items()}
    if operator.num_outputs != parameter.name or operator.dialect != "onnx":
        found.pop(AS_BEFORE, None)  # the node of the other dialect declares no outputs
    if parameter.role is Role.INPUT:
        found |= {name: _by_shape(change) for name, change in wrong_shapes(kind).items()}
        return {**found, "as an attribute": _as_attribute, **_types(operator, parameter, _OF_OTHERS)}
    words: Mapping[str, _WrongMaker] = {}
    if kind is ArgumentKind.MODE:
        words = {name: _by_word(change) for name, change in other_words(operator, parameter).items()}
    elif kind is not ArgumentKind.NUMBER:
        words = {"a float": _retyped(_each_number(float)), "as an input": _as_input}
    is_one = kind.is_one_value or kind is ArgumentKind.NUMBER
    other = {"a list" if is_one else "a number": _retyped(_list_or_number)}
    if is_one:
        other |= {"a list of two": _retyped(lambda one: (one, one)), "an empty list": _retyped(lambda _: ())}  # type: ignore[return-value, arg-type]
    other |= {_OTHER_NAME: _by_another_name} if kind in _OTHER_NAMES and operator.dialect == "onnx" else {}
    texts = {} if kind is ArgumentKind.MODE else {"a text": _retyped(_each_number(str))}
    return {**found, **words, **other, **texts}


def _replaced(call: Case, name: str, *others: Argument) -> Case:
    """The call with these arguments in the place of one."""
    kept = [argument for argument in call.arguments if argument.name != name]
    found = sorted((*kept, *others), key=lambda argument: call.operator.place_of(argument.name))
    return replace(call, arguments=tuple(found))


def _given(call: Case, name: str, role: Role) -> Value | Attribute | None:
    return next((one.value for one in call.arguments if one.name == name and one.role is role), None)


def _given_tensor(call: Case, name: str) -> tuple[Value, Sequence[int]] | None:
    """An input with whole numbers, and these; None if the argument is none."""
    value = _given(call, name, Role.INPUT)
    items = whole_numbers(value) if isinstance(value, Value) else None
    return (value, items) if isinstance(value, Value) and items is not None else None


def _left_out(call: Case, name: str) -> _WrongCalls:
    """The call without the argument; without all of its inputs, if it is variadic."""
    parameters = call.operator.parameters_named(name) or call.operator.data_inputs
    kept = tuple(one for one in call.arguments if not any(p.takes(one.name) for p in parameters))
    if len(kept) < len(call.arguments):
        yield replace(call, arguments=kept)


def _with_numbers(wrong: WrongNumbers, name_of_class: str) -> _WrongMaker:
    """The numbers of an argument in its own role and type."""

    def calls(call: Case, name: str) -> _WrongCalls:
        value = call.value(name)
        valid = None if value is None else _valid_numbers(call, name, value)
        if value is None or valid is None:
            return
        for items in wrong(valid):
            changed = _like(value, valid.held, items)
            if changed is not None:
                found = call.with_value(name, changed)
                yield found if name_of_class == AS_BEFORE else _with_outputs(found, name, items)

    return calls


def _valid_numbers(call: Case, name: str, value: Value | Attribute) -> ValidNumbers | None:
    items = (int(value),) if isinstance(value, int) else whole_numbers(value)
    if items is None or call.data is None:
        return None
    held = DTYPES[value.dtype if isinstance(value, Value) else "int64"].integers
    return ValidNumbers(tuple(items), call.data.shape, _dims(call, name), held)


def _dims(call: Case, name: str) -> int:
    """How many dims an argument can address: those of the data, or of an output with more dims for a list of axes."""
    assert call.data is not None
    rank = len(call.data.shape)
    if all(parameter.kind is not ArgumentKind.AXES for parameter in call.operator.parameters_named(name)):
        return rank
    outputs = evaluate(call.operator.id, call_arguments(call), call.declared_outputs)
    return max(rank, *(len(output.shape) for output in outputs))


def _like(value: Value | Attribute, held: range, items: WholeNumbers) -> Value | Attribute | None:
    """These numbers as another argument is given; None if its type does not hold them."""
    if any(item not in held for item in items):
        return None
    if not isinstance(value, Value):
        return items if isinstance(value, tuple) or len(items) != 1 else items[0]
    shape = value.shape if math.prod(value.shape) == len(items) else (len(items),)
    return Value.of(pack_integers(list(items), value.dtype, shape))


def _with_outputs(call: Case, name: str, items: WholeNumbers) -> Case:
    """The call with as many outputs as its count says, or as it has lengths if no node declares them."""
    counted = items[0] if name == call.operator.num_outputs else len(items)
    if name == call.operator.num_outputs or (call.operator.counts_outputs_by(name) and call.operator.dialect != "onnx"):
        return replace(call, declared_outputs=counted) if 1 <= counted <= _MOST_OUTPUTS else call
    return call


def _types(operator: Operator, parameter: Parameter, names: Sequence[str]) -> dict[str, _WrongMaker]:
    """A class for each type that the page does not list; none if it lists no types. In ONNX, inputs with one constraint
    have one type, so that another listed one is also wrong.
    """
    sharing = [other for other in operator.inputs if other.constraint == parameter.constraint]
    is_shared = operator.dialect == "onnx" and len(sharing) > 1
    listed = operator.constraints.get(parameter.constraint or "", names)
    listed = () if is_shared and parameter.name not in operator.data and listed is not names else listed
    return {f"type {dtype}": _of_type(dtype) for dtype in names if dtype not in listed}


def _of_type(dtype: str) -> _WrongMaker:
    def calls(call: Case, name: str) -> _WrongCalls:
        if name in call.operator.data:
            inputs = call.data_inputs if call.operator.data_inputs[0].is_variadic else {name: call.value(name)}
            yield call.with_values(
                {one: replace(value, dtype=dtype) for one, value in inputs.items() if isinstance(value, Value)}
            )
            return
        value = _given(call, name, Role.INPUT)
        if isinstance(value, Value) and value.dtype != dtype and (changed := _converted(value, dtype)) is not None:
            yield call.with_value(name, changed)

    return calls


def _converted(value: Value, dtype: str) -> Value | None:
    """The numbers in another type; texts have no numbers."""
    import numpy as np

    items = whole_numbers(value) if value.dtype in INTEGERS else None
    if items is None or dtype == "string":
        return replace(value, dtype=dtype, data=None) if dtype == "string" else None
    if dtype in INTEGERS:
        fits = all(item in DTYPES[dtype].integers for item in items)
        return Value.of(pack_integers(list(items), dtype, value.shape)) if fits else None
    if any(abs(item) > _LARGEST.get(dtype, 1 << 24) for item in items):
        return None
    return Value.of(tensor_from_array(np.array(items, dtype).reshape(value.shape)))


def _scalar_data(call: Case, name: str) -> _WrongCalls:
    value = call.value(name)
    if isinstance(value, Value) and value.shape:
        yield call.with_value(name, replace(value, shape=()))


def _scalars(call: Case, _: str) -> _WrongCalls:
    yield call.with_values({name: replace(value, shape=()) for name, value in call.data_inputs.items()})


def _by_shape(change: WrongShape) -> _WrongMaker:
    """An input with other dims."""

    def calls(call: Case, name: str) -> _WrongCalls:
        value = _given(call, name, Role.INPUT)
        if isinstance(value, Value) and call.data is not None:
            yield from (call.with_value(name, other) for other in change(value, len(call.data.shape)))

    return calls


def _as_attribute(call: Case, name: str) -> _WrongCalls:
    found = _given_tensor(call, name)
    if found is not None:
        value, items = found
        attribute: Attribute = tuple(items) if value.shape else items[0]
        yield _replaced(call, name, Argument(name, Role.ATTRIBUTE, attribute))


def _as_input(call: Case, name: str) -> _WrongCalls:
    value = _given(call, name, Role.ATTRIBUTE)
    items = () if value is None else [int(value)] if isinstance(value, int) else whole_numbers(value)
    if value is not None and items:
        shape = (len(items),) if isinstance(value, tuple) else ()
        yield _replaced(call, name, Argument(name, Role.INPUT, Value.of(pack_integers(list(items), "int64", shape))))


def _retyped(change: Callable[[Attribute], Attribute | None]) -> _WrongMaker:
    """The same call with one attribute changed to a value of another kind, where the change gives one."""

    def calls(call: Case, name: str) -> _WrongCalls:
        value = _given(call, name, Role.ATTRIBUTE)
        changed = None if value is None or isinstance(value, Value) else change(value)
        if changed is not None:
            yield call.with_value(name, changed)

    return calls


def _each_number(convert: Callable[[int], float | str]) -> Callable[[Attribute], Attribute | None]:
    def changed(value: Attribute) -> Attribute | None:
        if isinstance(value, int | float):
            return convert(int(value))
        whole = isinstance(value, tuple) and value and all(isinstance(item, int) for item in value)
        return tuple(convert(int(item)) for item in value) if whole and isinstance(value, tuple) else None  # type: ignore[return-value]

    return changed


def _list_or_number(value: Attribute) -> Attribute | None:
    """A list in place of a number or a word, or a number in place of a list."""
    if isinstance(value, tuple):
        return value[0] if value else None
    if isinstance(value, str):
        return (value,)
    return (value,) if isinstance(value, float) else (int(value),) if isinstance(value, int) else None


def _by_another_name(call: Case, name: str) -> _WrongCalls:
    value = _given(call, name, Role.ATTRIBUTE)
    kinds = [parameter.kind for parameter in call.operator.parameters_named(name)]
    for other in _OTHER_NAMES.get(kinds[0], ()) if value is not None and kinds[0] is not None else ():
        if not call.operator.parameters_named(other) and value is not None:
            yield _replaced(call, name, Argument(other, Role.ATTRIBUTE, value))


def _by_word(change: Callable[[str], str]) -> _WrongMaker:
    return _retyped(lambda value: change(value) if isinstance(value, str) else None)


def _one_disagreeing(place: Callable[[int], int], least: int, change: WrongShape) -> _WrongMaker:
    """One of at least so many data inputs is changed, so that it disagrees with the others."""

    def calls(call: Case, _: str) -> _WrongCalls:
        names = list(call.data_inputs)
        if len(names) >= least:
            yield from _by_shape(change)(call, names[place(len(names))])

    return calls


_BESIDE: Mapping[str, _WrongMaker] = {name: _by_shape(change) for name, change in DISAGREEING.items()}
"""Data inputs that disagree with the main one."""
_VARIADIC: Mapping[str, _WrongMaker] = {
    f"{place} {name}": _one_disagreeing(at, least, change)
    for place, least, at in (
        ("first", 2, lambda count: 0),
        ("second", 2, lambda count: 1),
        ("inner", 4, lambda count: count // 2),
        ("last", 3, lambda count: count - 1),
    )
    for name, change in DISAGREEING.items()
}


def _no_inputs(call: Case, _: str) -> _WrongCalls:
    yield replace(call, arguments=tuple(one for one in call.arguments if one.role is not Role.INPUT))
