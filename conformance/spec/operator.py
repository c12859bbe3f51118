"""The specification of an operator: its signature by version, the allowed types, and its clauses.

Plain data; `operator_file` knows the file format.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from fnmatch import fnmatchcase
from functools import cached_property

from conformance.protocol.call import Attribute
from conformance.protocol.form import Form
from conformance.spec.expression import DataInput, Law, LawError, LawNames, as_law_errors, expression, names_in

# The kinds of arguments: what an argument means, whichever operator takes it.


class ArgumentKind(Enum):
    """What an argument is. `data` has the elements of the outputs."""

    DATA = "data"
    AXIS = "axis"
    AXES = "axes"
    PERMUTATION = "permutation"
    SHAPE = "shape"
    TARGET = "target"
    """A shape to which the data is repeated."""
    LENGTHS = "lengths"
    COUNT = "count"
    INDICES = "indices"
    PLACES = "places"
    """Rows of indices, each of which names a place of the data or a slice of it."""
    BOUNDS = "bounds"
    STEPS = "steps"
    MASK = "mask"
    FLAG = "flag"
    MODE = "mode"
    PADS = "pads"
    NUMBER = "number"
    """A number that stands in an output, such as the value of a padding."""
    IGNORED = "ignored"

    @property
    def is_one_number(self) -> bool:
        """Whether it is one whole number or truth value, which may be given as a tensor with one element."""
        return self in (ArgumentKind.AXIS, ArgumentKind.COUNT, ArgumentKind.FLAG)

    @property
    def is_one_value(self) -> bool:
        """Whether it is one number or one word, and not a list."""
        return self.is_one_number or self is ArgumentKind.MODE


def output_rank(
    rules: Sequence[str], shapes: Mapping[str, tuple[int, ...]], attributes: Mapping[str, Attribute]
) -> int | None:
    """The rank by the first rule whose arguments are all given; None if there is none.

    A model declares the rank of each output, valid call or not, and never its dims. A rule is an expression of the law
    language, as `rank(data) - size(axes)`. `shapes` has the shape of each input; an attribute that is a list counts as
    an input of rank 1. The rank of an invalid call is what the rule gives, and at least 0; None if it gives no number.
    """
    lists = {name: (len(value),) if isinstance(value, Sequence) else () for name, value in attributes.items()}
    names = LawNames({name: DataInput(shape, 0) for name, shape in {**lists, **shapes}.items()})
    rule = next((rule for rule in rules if names_in(rule) <= names.keys()), None)
    if rule is None:
        return None
    try:
        with as_law_errors():
            return max(0, int(expression(rule)(names)))
    except LawError:
        return None


class Role(Enum):
    """How a version takes an argument."""

    INPUT = "input"
    ATTRIBUTE = "attribute"


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """One argument of one version; a variadic one takes any number of inputs.

    `kind` is what it means; `constraint` names the type constraint of an input. `default_dtype` is the type of a bare
    number or list in a case, such as int64 for an axis that is an input. `one_of` are the words that a mode can be, and
    `shape` is the shape of data other than the main one, in the language of laws.
    """

    name: str
    role: Role
    kind: ArgumentKind | None = None
    constraint: str | None = None
    default_dtype: str = "int64"
    is_variadic: bool = False
    one_of: tuple[str, ...] = ()
    shape: str | None = None

    def takes(self, name: str) -> bool:
        """Whether this parameter takes an argument: a variadic one takes its own name with a number, as `inputs_0`."""
        if not self.is_variadic:
            return name == self.name
        stem, _, number = name.rpartition("_")
        return stem == self.name and number.isdecimal()


@dataclass(frozen=True, slots=True, kw_only=True)
class Clause:
    """One testable statement of the page, in our own words, with the section that states it."""

    id: str
    versions: tuple[int, ...]
    kind: str
    section: str
    says: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputRule:
    """What the page says of the outputs of every call: their type and their rank.

    `dtype` is an element type; if it is empty, the outputs have the type of the argument `type_of`. `ranks` are rules
    for their rank, of which the first holds whose arguments are all given.
    """

    dtype: str = ""
    type_of: str = ""
    ranks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenCalls:
    """Calls that the page leaves open, by a condition on their arguments, and why; in all forms if it names none.

    One that breaks another clause than the `clauses` is wrong in any reading; if there are none, no call is.
    """

    when: str
    says: str
    forms: tuple[Form, ...] = ()
    clauses: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Source:
    """A page that specifies the operator."""

    title: str
    url: str


@dataclass(frozen=True, kw_only=True)
class Operator:
    """One operator version, such as `openvino.VariadicSplit-1`.

    `data` names the arguments whose elements the outputs hold, the main one first. `last_opset` is the last opset in
    which this version holds, as far as it is known; None for the newest version. `outputs` is what holds of the outputs
    of every call, and `law` what stands at each of their places. `elsewhere` are the parameters of other versions that
    this one does not have as they are there.

    An operator that splits its data names the argument `split_axis`, which selects the dimension, with `default_axis`
    if the page has a default. `takes_negative_axis` is whether the page lets that axis count from the end. An axis that
    does anything else, as that of Gather, is an argument like all others.
    """

    dialect: str
    name: str
    version: int
    parameters: tuple[Parameter, ...]
    constraints: dict[str, tuple[str, ...]]
    clauses: dict[str, Clause]
    data: tuple[str, ...]
    outputs: OutputRule
    last_opset: int | None = None
    split_axis: str | None = None
    default_axis: int | None = None
    takes_negative_axis: bool = False
    num_outputs: str | None = None
    lengths: str | None = None
    sources: tuple[Source, ...] = ()
    law: Law | None = None
    open: tuple[OpenCalls, ...] = ()
    elsewhere: tuple[Parameter, ...] = ()

    @cached_property
    def inputs(self) -> tuple[Parameter, ...]:
        """Inputs in the order of the page."""
        return tuple(p for p in self.parameters if p.role is Role.INPUT)

    @cached_property
    def data_inputs(self) -> tuple[Parameter, ...]:
        """The inputs among them whose elements the outputs hold."""
        return tuple(p for p in self.inputs if p.name in self.data)

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
        constraint = next(p.constraint for p in self.parameters if p.name == self.data[0])
        return self.constraints[constraint or ""]

    @property
    def splits(self) -> bool:
        """Whether the outputs are parts of the data, one after the other along an axis."""
        return self.split_axis is not None

    @property
    def has_one_output(self) -> bool:
        """Whether every call has one output: no argument determines their number."""
        return not self.splits and self.num_outputs is None and self.lengths is None

    def counts_outputs_by(self, name: str) -> bool:
        """Whether this argument is the lengths, and their number alone determines the number of outputs, because no
        node of a model declares it.
        """
        return name == self.lengths and self.num_outputs is None

    @property
    def result_clause(self) -> str:
        """The id of the clause that says what the outputs hold."""
        results = [clause.id for clause in self.clauses.values() if clause.kind == "result"]
        return next((clause for clause in results if clause.startswith("outputs.")), results[0])

    def parameters_named(self, name: str) -> tuple[Parameter, ...]:
        """The ways in which this version takes an argument: none, one, or two (`split` of ONNX Split-1)."""
        return tuple(p for p in self.parameters if p.takes(name))

    def place_of(self, name: str) -> int:
        """The place of an argument in the order of the page; those that this version does not have are last."""
        places = enumerate(self.parameters)
        return next((place for place, parameter in places if parameter.takes(name)), len(self.parameters))

    def is_data(self, name: str) -> bool:
        """Whether the outputs hold elements of this argument."""
        return any(p.takes(name) for p in self.data_inputs)

    def output_rank(self, shapes: Mapping[str, tuple[int, ...]], attributes: Mapping[str, Attribute]) -> int | None:
        """The rank of the outputs of a call by the page, from the shapes of its inputs; None if no rule tells."""
        firsts = ((p.name, next((shapes[name] for name in shapes if p.takes(name)), None)) for p in self.inputs)
        return output_rank(self.outputs.ranks, {name: s for name, s in firsts if s is not None}, attributes)

    def signature(self, given: Sequence[str]) -> tuple[str, ...]:
        """The names of all inputs by position, with those that a call leaves out; a variadic one is last."""
        taken = [[name for name in given if p.takes(name)] if p.is_variadic else [p.name] for p in self.inputs]
        return tuple(dict.fromkeys(name for names in taken for name in names))


def operator_order(operator: str) -> tuple[str, int]:
    """The place of an operator version in every list: by dialect and name, the newest version first."""
    family, _, version = operator.rpartition("-")
    return (family, -int(version)) if version.isdecimal() and len(version) < 10 else (operator, 0)


def is_named(operator: str, patterns: Iterable[str]) -> bool:
    """Whether an operator version, such as `onnx.Split-18`, matches one of the patterns, such as `onnx.*` or
    `onnx.Split`, which stands for all versions.
    """
    family = operator.rpartition("-")[0]
    return any(pattern == family or fnmatchcase(operator, pattern) for pattern in patterns)
