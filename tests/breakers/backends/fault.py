"""A fault: a function that takes the place of one step of a correct backend."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import partial
from typing import Any, Protocol

from conformance.adapter import Call


class Backend(Protocol):
    """One prepared call of a correct backend. Its steps are methods."""

    call: Call


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One departure from a correct backend.

    `function` is called with the backend, its own correct step, and the step's own arguments. It replaces the step for
    operators that `operators` matches; others keep the correct step.
    """

    theme: Theme
    step: str
    operators: str
    function: Callable[..., Any]

    @property
    def name(self) -> str:
        return self.function.__name__

    @property
    def says(self) -> str:
        """What is wrong, in one line."""
        return (self.function.__doc__ or "").strip()

    def concerns(self, operator: str) -> bool:
        """Whether a version of an operator can show it."""
        return fnmatchcase(operator, self.operators)

    def break_step(self, backend: Backend) -> None:
        """Put the fault in the place of the step, if it concerns the operator."""
        if self.concerns(backend.call.operator):
            setattr(backend, self.step, partial(self.function, backend, getattr(backend, self.step)))


@dataclass(frozen=True, slots=True, eq=False)
class Theme:
    """Faults of one kind, in the order of their file. `limit_s` are the seconds after which one of them hangs."""

    name: str
    limit_s: float = 60.0
    faults: list[Fault] = field(default_factory=list)

    def fault(self, step: str, only: str = "*") -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Enter a function as the faulty form of a step."""

        def enter(function: Callable[..., Any]) -> Callable[..., Any]:
            self.faults.append(Fault(theme=self, step=step, operators=only, function=function))
            return function

        return enter


def faults_named(themes: Iterable[Theme], name: str) -> tuple[Fault, ...]:
    """The faults of that name: one for each family of operators that has one.

    Raises:
        KeyError: there is none.
    """
    found = tuple(fault for theme in themes for fault in theme.faults if fault.name == name)
    if not found:
        raise KeyError(name)
    return found
