"""The families of operators that have a faulty backend, with its faults and ONNX's own node tests."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import faulty_mover.faults
import faulty_split.faults
from fault import Fault, Theme

from conformance.spec.reference import OPERATORS

_HERE = Path(__file__).parent
UNMUTATED = "none"
"""The name of the backend without a fault."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Family:
    """Operators of one meaning.

    `backend` is the folder with the faulty backend, and `themes` are its faults. `node_tests` is the module of ONNX's
    node tests.
    """

    name: str
    backend: Path
    themes: tuple[Theme, ...]
    operators: tuple[str, ...]
    node_tests: str

    @property
    def versions(self) -> tuple[str, ...]:
        """The operator versions, as `onnx.Split-18`."""
        return tuple(sorted(name for name in OPERATORS if name.partition("-")[0] in self.operators))

    @property
    def faults(self) -> tuple[Fault, ...]:
        """The faults that concern an operator version of the family, in the order of their themes."""
        every = (fault for theme in self.themes for fault in theme.faults)
        return tuple(fault for fault in every if any(map(fault.concerns, self.versions)))

    def fault_named(self, name: str) -> Fault:
        """The family's fault of that name.

        Raises:
            KeyError: there is none.
        """
        return {fault.name: fault for fault in self.faults}[name]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """The faulty backend of a family with one fault, or without any."""

    family: Family
    fault: Fault | None = None

    @property
    def option(self) -> str:
        """The value of the backend's option `mutant`."""
        return UNMUTATED if self.fault is None else self.fault.name

    @property
    def name(self) -> str:
        """The family and the fault, as `Split.outputs_are_reversed`."""
        return f"{self.family.name}.{self.option}"

    @property
    def limit_s(self) -> float:
        """Seconds after which a check hangs."""
        return 60.0 if self.fault is None else self.fault.theme.limit_s

    @property
    def versions(self) -> tuple[str, ...]:
        """The operator versions that the fault concerns; in others the mutant is correct."""
        return tuple(name for name in self.family.versions if self.fault is None or self.fault.concerns(name))

    @property
    def concerns_onnx(self) -> bool:
        """Whether an operator of ONNX can show the fault."""
        return any(name.startswith("onnx.") for name in self.versions)


def _moving(name: str, *openvino: str) -> Family:
    return Family(
        name=name,
        backend=_HERE / "faulty_mover",
        themes=faulty_mover.faults.THEMES,
        operators=(f"onnx.{name}", *(f"openvino.{operator}" for operator in openvino)),
        node_tests=name.lower(),
    )


FAMILIES: tuple[Family, ...] = (
    Family(
        name="Split",
        backend=_HERE / "faulty_split",
        themes=faulty_split.faults.THEMES,
        operators=("onnx.Split", "openvino.Split", "openvino.VariadicSplit"),
        node_tests="split",
    ),
    _moving("Transpose", "Transpose"),
    _moving("Concat", "Concat"),
    _moving("Slice", "Slice", "StridedSlice"),
    _moving("Gather", "Gather"),
    _moving("Reshape", "Reshape"),
    _moving("Squeeze", "Squeeze"),
    _moving("Unsqueeze", "Unsqueeze"),
)


def all_mutants() -> tuple[Mutant, ...]:
    """Every fault in every family that it concerns."""
    return tuple(Mutant(family=family, fault=fault) for family in FAMILIES for fault in family.faults)


def mutant_named(name: str) -> Mutant:
    """The mutant of that name.

    Raises:
        KeyError: there is no such family or fault.
    """
    family_name, _, option = name.partition(".")
    family = {family.name: family for family in FAMILIES}[family_name]
    return Mutant(family=family, fault=None if option == UNMUTATED else family.fault_named(option))
