"""Conditions on calls: what is true of the calls that a recorded deviation covers, such as `axis < 0`.

A condition is an expression of the law language over the kinds of arguments, and so holds for every operator that has
them, also for calls that no case file has.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from conformance.protocol.call import Attribute
from conformance.spec.case import Case, Value, whole_number, whole_numbers
from conformance.spec.expression import DataInput, LawError, LawNames, as_law_errors, expression, names_in
from conformance.spec.operator import ArgumentKind, Role

_KINDS = [kind for kind in ArgumentKind if kind not in (ArgumentKind.DATA, ArgumentKind.IGNORED)]
_OF_CALL = ("data", "data_type", "inputs", "declared", "version", "surplus_inputs", "surplus_attributes")
_WHOLE = (*_OF_CALL, *(kind.value for kind in _KINDS))
_FACTS = ("type", "rank", "1", "2", "3", "4", "5")
NAMES = frozenset((*_WHOLE, *(f"{kind.value}_{fact}" for kind in _KINDS for fact in _FACTS)))
"""The names that a condition may use.

`data` is the main data and `inputs` the list of all data inputs; both have a `.shape`. Each kind has the number or the
numbers of the arguments of that kind, in the order of the operator: `axis` is a number, `lengths` a list. `axis_rank`
is 0 for a number or a scalar, and `axis_type` and `data_type` are element types. `mask_2` is the second mask of the
operator alone, and an empty list if the call leaves it out. `declared` is the number of outputs
that the node declares, and `version` that of the operator. `surplus_inputs` and `surplus_attributes` are the numbers of
those whose names the version does not have. What a call leaves out is not given: `given(axis)`.
"""
_MAX_STEPS = 1 << 28
"""The work of one condition on one call: a certificate of a stranger has many of them."""


def checked_condition(text: str) -> str:
    """A condition that can be evaluated.

    Raises:
        ValueError: it is not an expression of the law language, or has an unknown name.
    """
    expression(text)
    if unknown := sorted(names_in(text) - NAMES):
        known = f"{', '.join(_WHOLE)}, or an argument's with _type, _rank or, for one of several, _1"
        raise ValueError(f"{unknown[0]!r} is none of the names that a condition has: {known}")
    return text


def facts_of(step: Case) -> LawNames:
    """What a condition reads of a call. An invalid call may lack anything."""
    data = [DataInput(value.shape, 0) for value in step.data_inputs.values()]
    facts = LawNames(inputs=data, declared=step.declared_outputs, version=step.operator.version)
    if step.data is not None:
        facts |= {"data": data[0], "data_type": step.data.dtype}
    kinds = {parameter.name: parameter.kind for parameter in step.operator.parameters}
    for role in Role:
        surplus = [one for one in step.arguments if one.role is role and not step.operator.parameters_named(one.name)]
        facts[f"surplus_{role.value}s"] = len(surplus)
    places = Counter[ArgumentKind]()
    for name, kind in kinds.items():
        if kind in _KINDS:
            places[kind] += 1
            _add(facts, kind, places[kind], step.value(name))
    return facts


def holds(condition: str, facts: LawNames) -> bool:
    """Whether a condition is true of a call; not if it takes long, or says something of what the call does not have."""
    facts.most = min(facts.work + _MAX_STEPS, facts.left)
    try:
        with as_law_errors():
            return bool(expression(condition)(facts))
    except LawError:
        return False


def _add(facts: LawNames, kind: ArgumentKind, place: int, value: Value | Attribute | None) -> None:
    """Add an argument to those of its kind."""
    name = kind.value
    facts[f"{name}_{place}"] = []
    if value is None:
        return
    if isinstance(value, Value):
        facts |= {f"{name}_type": value.dtype, f"{name}_rank": len(value.shape)}
    else:
        facts[f"{name}_rank"] = int(isinstance(value, Sequence) and not isinstance(value, str))
    if kind.is_one_value:
        one = value if isinstance(value, int | str) else whole_number(value)
        if one is not None:
            facts[name] = facts[f"{name}_{place}"] = one
    elif (numbers := [value] if isinstance(value, int) else whole_numbers(value)) is not None:
        facts[f"{name}_{place}"] = list(numbers)
        facts[name] = [*facts.get(name, ()), *numbers]
