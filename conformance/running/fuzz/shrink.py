"""Makes a find plain: each feature becomes its plainest choice, and the data small, as long as the same cause shows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace

from conformance.border.form import Form
from conformance.language.making.call import choices_of
from conformance.running.fuzz.draw import MadeCheck, made_check

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
