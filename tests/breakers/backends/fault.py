"""A fault: a function that takes the place of one step of a correct backend."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from inspect import signature
from typing import Any, Protocol

from conformance.adapter import Call


class Backend(Protocol):
    """One prepared call of a correct backend. Its steps are methods."""

    call: Call


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One departure from a correct backend.

    `function` replaces the step for operators that `operators` matches; others keep the correct step. It gets what its
    parameters name: the backend as `split` or `mover`, its `correct` step, the `right` result of that, and the step's
    own arguments.
    """

    theme: Theme
    step: str
    operators: str
    name: str
    function: Callable[..., Any]

    def concerns(self, operator: str) -> bool:
        """Whether a version of an operator can show it."""
        return fnmatchcase(operator, self.operators)

    def break_step(self, backend: Backend) -> None:
        """Put the fault in the place of the step, if it concerns the operator."""
        if self.concerns(backend.call.operator):
            setattr(backend, self.step, _replacement(self.function, backend, getattr(backend, self.step)))


def _replacement(function: Callable[..., Any], backend: Backend, correct: Callable[..., Any]) -> Callable[..., Any]:
    taken = signature(correct).parameters
    named = signature(function).parameters

    def replaced(*arguments: Any) -> Any:
        known = {
            type(backend).__name__.lower(): backend,
            "correct": correct,
            **dict(zip(taken, arguments, strict=True)),
        }
        if "right" in named:
            known["right"] = correct(*arguments)
        return function(**{name: value for name, value in known.items() if name in named})

    return replaced


@dataclass(frozen=True, slots=True, eq=False)
class Theme:
    """Faults of one kind, in the order of their file. `limit_s` are the seconds after which one of them hangs."""

    name: str
    limit_s: float = 60.0
    faults: list[Fault] = field(default_factory=list)

    def step(self, step: str, only: str = "*") -> Callable[..., None]:
        """Takes functions by the names of the faults that they are, instead of a step of some operators."""

        def enter(**functions: Callable[..., Any]) -> None:
            for name, function in functions.items():
                self.faults.append(Fault(theme=self, step=step, operators=only, name=name, function=function))

        return enter

    def fault(self, step: str, only: str = "*") -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Enter a function as the faulty form of a step."""

        def enter(function: Callable[..., Any]) -> Callable[..., Any]:
            self.step(step, only)(**{function.__name__: function})
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
