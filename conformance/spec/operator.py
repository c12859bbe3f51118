"""The specification of an operator: its signature by version, the allowed types, and its clauses.

Plain data; `operator_file` knows the file format.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from fnmatch import fnmatchcase


class Role(Enum):
    """How a version takes an argument."""

    INPUT = "input"
    ATTRIBUTE = "attribute"


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """One argument of one version. `constraint` names the type constraint of an input. `default_dtype` is the type of a
    bare number or list in a case, such as int64 for an axis that is an input.
    """

    name: str
    role: Role
    constraint: str | None = None
    default_dtype: str = "int64"


@dataclass(frozen=True, slots=True, kw_only=True)
class Clause:
    """One testable statement of the page, in our own words, with the section that states it."""

    id: str
    versions: tuple[int, ...]
    kind: str
    section: str
    says: str


@dataclass(frozen=True, slots=True)
class Source:
    """A page that specifies the operator."""

    title: str
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Operator:
    """One operator version, such as `openvino.VariadicSplit-1`.

    `data` names the argument that is split, and `axis` the one that selects the dimension, with `default_axis` if the
    page has a default. `takes_negative_axis` is whether the page lets an axis count from the end.
    """

    dialect: str
    name: str
    version: int
    parameters: tuple[Parameter, ...]
    constraints: dict[str, tuple[str, ...]]
    clauses: dict[str, Clause]
    data: str
    axis: str
    default_axis: int | None
    takes_negative_axis: bool
    num_outputs: str | None = None
    lengths: str | None = None
    sources: tuple[Source, ...] = ()

    @property
    def id(self) -> str:
        """The full name: dialect, operator and version."""
        return f"{self.family}-{self.version}"

    @property
    def family(self) -> str:
        """The name without version, such as `onnx.Split`."""
        return f"{self.dialect}.{self.name}"

    @property
    def data_dtypes(self) -> tuple[str, ...]:
        """Types that the page allows for the data, in the order of `operator.yaml`."""
        constraint = next(p.constraint for p in self.parameters if p.name == self.data)
        return self.constraints[constraint or ""]

    @property
    def inputs(self) -> tuple[Parameter, ...]:
        """Inputs in the order of the page."""
        return tuple(p for p in self.parameters if p.role is Role.INPUT)

    def counts_outputs_by(self, name: str) -> bool:
        """Whether this argument is the lengths, and their number alone determines the number of outputs, because no
        node of a model declares it.
        """
        return name == self.lengths and self.num_outputs is None

    def parameters_named(self, name: str) -> tuple[Parameter, ...]:
        """The ways in which this version takes an argument: none, one, or two (`split` of ONNX Split-1)."""
        return tuple(p for p in self.parameters if p.name == name)


def is_named(operator: str, patterns: Iterable[str]) -> bool:
    """Whether an operator version, such as `onnx.Split-18`, matches one of the patterns, such as `onnx.*`."""
    return any(fnmatchcase(operator, pattern) for pattern in patterns)
