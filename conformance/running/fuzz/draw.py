"""Draws checks from a seed: an operator version, the features of a call, and a form. The same seed draws the same."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from conformance.border.form import Form
from conformance.language.case import Case, Value
from conformance.language.check import Check
from conformance.language.form_steps import forms_of
from conformance.language.making.call import Asked, choices_of
from conformance.language.making.clear_case import can_be_judged, clear_case, has_form
from conformance.language.making.setting import Dice
from conformance.language.operator import Operator, is_named
from conformance.log.record import TargetEntry
from conformance.planning.selection import refuse_unknown_operators
from conformance.values.errors import SelectionError

_DRAWN = 1000
"""Draws for one check: many choices do not fit together, or make no clear call."""
_RARE = "more than 255"
"""A number of inputs whose calls take long, which written cases have."""
_SEEDS = 1 << 31


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeCheck:
    """A check with what it is made of; `case` follows from all the others."""

    operator: Operator
    features: Mapping[str, str]
    seed: int
    form: Form
    case: Case

    @property
    def check(self) -> Check:
        """The check itself."""
        return Check(self.case, self.form)

    @property
    def size(self) -> int:
        """The number of elements in all inputs."""
        values = (argument.value for argument in self.case.arguments)
        return sum(math.prod(value.shape) for value in values if isinstance(value, Value))

    @property
    def name(self) -> str:
        """Operator version, form and features on one line."""
        named = ", ".join(f"{name}={choice}" for name, choice in self.features.items())
        return f"{self.operator.id} in the form {self.form.value} with {named}; seed {self.seed}"


def made_check(operator: Operator, features: Asked, seed: int, form: Form) -> MadeCheck | None:
    """The check with these features. None if they make no clear call, or if the call does not fit the form."""
    case = clear_case(operator, features, seed)
    if case is None or not has_form(case, form):
        return None
    return MadeCheck(operator=operator, features=dict(features), seed=seed, form=form, case=case)


def operators_named(operators: Sequence[Operator], names: Sequence[str]) -> tuple[Operator, ...]:
    """The operator versions that calls can be drawn of; with names, only these, with or without a version.

    Raises:
        SelectionError: no operator has such a name, or no calls of it can be made.
    """
    drawable = tuple(operator for operator in operators if can_be_judged(operator))
    refuse_unknown_operators(operators, names)
    for name in names:
        if not any(name in (operator.id, operator.family) for operator in drawable):
            fix = f"name another one, such as {drawable[0].id}"
            raise SelectionError(f"--operator {name!r}", "no calls can be made of it", fix=fix)
    return tuple(one for one in drawable if not names or {one.id, one.family} & set(names))


class Draws:
    """The checks that a seed draws for a target, by their numbers.

    Args:
        operators: those of the calls; those that the target does not declare are left out.
        target: what the adapter declares.
        seed: any text.

    Raises:
        SelectionError: the target declares none of the operators.
    """

    def __init__(self, operators: Sequence[Operator], target: TargetEntry, seed: str) -> None:
        self._seed = seed
        self._forms = [form for form in Form if target.forms is None or form.value in target.forms]
        self._families: dict[str, list[Operator]] = {}
        self._choices: dict[str, dict[str, list[str]]] = {}
        for operator in operators:
            choices = _declared_choices(operator, target)
            if choices["dtype"] and (target.operators is None or is_named(operator.id, target.operators)):
                self._families.setdefault(operator.family, []).append(operator)
                self._choices[operator.id] = choices
        if not self._families:
            fix = "leave --operator out, or name another target"
            raise SelectionError(target.name, "declares none of these operators", fix=fix)

    def at(self, number: int) -> MadeCheck | None:
        """The check of this number: the operators take turns. None if no draw made a clear call."""
        families = list(self._families.values())
        dice = Dice("fuzz", self._seed, number)
        for _ in range(_DRAWN):
            operator = dice.one_of(families[number % len(families)])
            features = {name: dice.one_of(known) for name, known in self._choices[operator.id].items()}
            seed = dice.number(0, _SEEDS - 1)
            case = clear_case(operator, features, seed)
            forms = forms_of(replace(case, forms=tuple(self._forms))) if case is not None else ()
            form = dice.one_of(forms) if forms else None
            if case is not None and form is not None and has_form(case, form):
                return MadeCheck(operator=operator, features=features, seed=seed, form=form, case=case)
        return None


def _declared_choices(operator: Operator, target: TargetEntry) -> dict[str, list[str]]:
    choices = {name: [item for item in known if item != _RARE] for name, known in choices_of(operator).items()}
    if target.dtypes is not None:
        choices["dtype"] = [dtype for dtype in choices["dtype"] if dtype in target.dtypes]
    return choices
