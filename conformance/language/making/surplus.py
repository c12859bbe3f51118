"""Calls with a surplus argument: one that no version has, or one of another version."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial

from conformance.border.call import Attribute
from conformance.language.case import Argument, Case, Value, whole_numbers
from conformance.language.kinds import ArgumentKind
from conformance.language.operator import Operator, Parameter, Role
from conformance.values.tensor import pack_integers

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
