"""Draws checks from a seed, and makes a find plain. The same seed draws the same checks."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from conformance.log.record import TargetEntry
from conformance.protocol.form import Form
from conformance.run.selection import refuse_unknown_operators
from conformance.spec.case import Case, Value
from conformance.spec.check import Check, forms_of
from conformance.spec.making.call import Asked, choices_of
from conformance.spec.making.clear_case import can_be_judged, clear_case, has_form
from conformance.spec.making.setting import Dice
from conformance.spec.operator import Operator, is_named
from conformance.tensors.errors import SelectionError

_MAX_DRAWS = 1000
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
        for _ in range(_MAX_DRAWS):
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


_MOST_TRIES = 80
"""Checks that are asked to shrink one find."""
_CHOICES_TRIED = 3
_SEEDS_TRIED = 2
_SEEDS_OF_FEATURES, _SEEDS_OF_SIZES, _SIZES_TRIED = 24, 200, 12
_PLAINEST = {"dtype": ("float32", "int32"), "rank": ("1", "2", "3", "4", "0")}
_PLAINEST_TYPES = ("int64", "int32")
"""Types of arguments, simplest first. Other choices are in that order already; an omitted argument is the simplest."""


class BudgetOverError(Exception):
    """No time is left to shrink a find."""


def shrunk(found: MadeCheck, shows: Callable[[MadeCheck], bool]) -> MadeCheck:
    """The plainest check with the same cause that was found; `found` itself if none is plainer.

    `shows` asks a check and says whether the cause is the same. It is called at most _MOST_TRIES times, and raises
    `BudgetOverError` to end with what was found by then.
    """
    shrinking = _Shrinking(found, shows)
    with suppress(BudgetOverError):
        shrinking.take_a_plain_form()
        while shrinking.take_a_plainer_choice():
            pass
        shrinking.take_a_smaller_call()
    return shrinking.best


class _Shrinking:
    """The plainest check so far, and what was tried."""

    def __init__(self, found: MadeCheck, shows: Callable[[MadeCheck], bool]) -> None:
        self.best = found
        self._shows = shows
        self._tried: set[tuple[object, ...]] = {_key(found)}
        self._order = {name: plainest_first(name, known) for name, known in choices_of(found.operator).items()}

    def take_a_plain_form(self) -> None:
        """Try the form `constant`."""
        made = made_check(self.best.operator, self.best.features, self.best.seed, Form.CONSTANT)
        if made is not None:
            self._take(made)

    def take_a_plainer_choice(self) -> bool:
        """Try plainer choices of each feature in turn; returns whether one of them shows the same."""
        taken = [name for name in self.best.features if self._takes_plainer(name)]
        return bool(taken)

    def take_a_smaller_call(self) -> None:
        """Try smaller calls with the same features, the smallest ones first."""
        smaller = (one for one in self._made(self.best, _SEEDS_OF_SIZES) if one.size < self.best.size)
        for made in sorted(smaller, key=lambda one: one.size)[:_SIZES_TRIED]:
            if self._take(made):
                return

    def _takes_plainer(self, name: str) -> bool:
        order = self._order[name]
        for choice in order[: order.index(self.best.features[name])][:_CHOICES_TRIED]:
            asked = replace(self.best, features={**self.best.features, name: choice})
            same_seed = made_check(asked.operator, asked.features, asked.seed, asked.form)
            others = sorted(self._made(asked, _SEEDS_OF_FEATURES), key=lambda one: one.size)[:_SEEDS_TRIED]
            if any(self._take(made) for made in (*others, same_seed) if made is not None):
                return True
        return False

    def _made(self, asked: MadeCheck, seeds: int) -> Iterator[MadeCheck]:
        for seed in range(seeds):
            made = made_check(asked.operator, asked.features, seed, asked.form)
            if made is not None:
                yield made

    def _take(self, made: MadeCheck) -> bool:
        """Whether a check that was not tried yet shows the same cause; then it is the best one."""
        if _key(made) in self._tried or len(self._tried) > _MOST_TRIES:
            return False
        self._tried.add(_key(made))
        if not self._shows(made):
            return False
        self.best = made
        return True


def plainest_first(name: str, choices: Sequence[str]) -> list[str]:
    """The choices of a feature, the plainest one first."""
    known = _PLAINEST.get(name, _PLAINEST_TYPES)
    return [*(choice for choice in known if choice in choices), *(item for item in choices if item not in known)]


def _key(made: MadeCheck) -> tuple[object, ...]:
    return (*made.features.items(), made.seed, made.form)
