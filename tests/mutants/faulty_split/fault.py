"""A fault: a function that takes the place of one step of `Split`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import partial
from typing import Any

from .split import Split


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One departure from a correct Split.

    `function` is called with the split, its own correct step, and what the step is called with. It holds for
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

    @property
    def concerns_onnx(self) -> bool:
        """Whether an operator of ONNX can show it."""
        return self.operators == "*" or self.operators.startswith("onnx.")

    def break_step(self, split: Split) -> None:
        """Put the fault in the place of the step, if it concerns the operator."""
        if fnmatchcase(split.call.operator, self.operators):
            setattr(split, self.step, partial(self.function, split, getattr(split, self.step)))


@dataclass(frozen=True, slots=True)
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
