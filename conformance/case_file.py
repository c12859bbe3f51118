"""Case files: the sole owner of the format in which cases are written.

A file is checked as a whole against its model once; each case of it becomes a family, which makes its products one at
a time, so that memory does not grow with a matrix.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from pydantic import Discriminator, Field, Tag, model_validator

from conformance.bindings import has_reference, label_of, resolved
from conformance.call import Attribute
from conformance.case import (
    Argument,
    Case,
    Disputed,
    Expectation,
    Interpretation,
    Literals,
    Parts,
    Rejection,
    Value,
    only_integer,
)
from conformance.coverage.space import Exclusion, Space
from conformance.coverage.table import rows_of_table, table_path
from conformance.dtypes import DTYPES
from conformance.errors import CaseFileError, nearest
from conformance.file_schema import REFERENCE_PATTERN, FileModel, MisfitError, first_misfit, validated
from conformance.fill import Fill
from conformance.form import Form
from conformance.literals import data_from_bits, data_from_values, shape_of
from conformance.matrix import Column, Product, columns_of, combinations, product_of
from conformance.operator import Operator, Role
from conformance.operator_file import VersionRange, applies_to
from conformance.yaml_document import Document, KeyPath, Plain

MAX_TENSOR_BYTES = 1 << 30
MAX_MEMORY_BYTES = 64 << 30
MAX_RANK = 64
MAX_OUTPUTS = 1 << 16
ID_PATTERN = r"^[a-z0-9][a-z0-9_-]{0,79}$"
_MEMORY = re.compile(r"([1-9][0-9]{0,5}) (MiB|GiB)")
_STRETCH = re.compile(r"(\d{1,19}):(\d{1,19})(?:/(\d{1,19}))?")

Made = TypeVar("Made")
Reference = Annotated[str, Field(pattern=REFERENCE_PATTERN, description="a name of the matrix, as $dtype")]


class CaseSet(Enum):
    """How much is asked: each file belongs to one set, and a run chooses among them."""

    DEFAULT = "default"
    FULL = "full"
    HUGE = "huge"


class TensorEntry(FileModel):
    """A tensor: its type, its shape, and a fill, its values or its bit patterns."""

    dtype: str
    shape: list[int | Reference] | Reference | None = Field(default=None, description="left out: that of the values")
    fill: Literal["distinct", "special"] | Reference | None = None
    values: list[Any] | int | float | bool | str | None = None
    bits: list[Any] | int | Reference | None = None

    @model_validator(mode="after")
    def _has_one_content(self) -> TensorEntry:
        given = [name for name in ("fill", "values", "bits") if name in self.model_fields_set]
        if len(given) > 1:
            raise ValueError(f"{' and '.join(given)} exclude each other; keep one")
        if self.shape is None and not {"values", "bits"} & set(given):
            raise ValueError("a tensor without values needs a `shape`")
        return self


def _entry_kind(value: object) -> str:
    if isinstance(value, dict | TensorEntry):
        return "tensor"
    return "list" if isinstance(value, list) else "scalar"


ArgumentEntry = Annotated[
    Annotated[TensorEntry, Tag("tensor")]
    | Annotated[list[Any], Tag("list")]
    | Annotated[int | float | bool | str, Tag("scalar")],
    Discriminator(_entry_kind),
]
OutputEntry = Annotated[
    Annotated[TensorEntry, Tag("tensor")]
    | Annotated[list[Any], Tag("list")]
    | Annotated[
        Annotated[
            str, Field(description="a stretch of the data along the axis, as '0:2', or '0:129/1' for 129 of length 1")
        ],
        Tag("scalar"),
    ],
    Discriminator(_entry_kind),
]
OutputsField = list[OutputEntry] | Reference | None


class InterpretationEntry(FileModel):
    """One reading of what the page leaves open."""

    reason: str = Field(min_length=1)
    thread: str = Field(default="", description="address of an upstream discussion")
    outputs: OutputsField = None
    rejected: str | None = Field(default=None, description="the clause that demands a refusal")
    nan_payloads: Literal["kept", "any"] = "kept"

    @model_validator(mode="after")
    def _has_one_expectation(self) -> InterpretationEntry:
        _demand_exactly_one(self, ("outputs", "rejected"))
        return self


class ExceptionEntry(FileModel):
    """Combinations of a covered matrix that make no sense: every product with one of these choices in each column."""

    when: dict[str, int | bool | str | list[int | bool | str]] = Field(
        min_length=1, description="by column: labels, or a type constraint"
    )
    because: str = Field(min_length=1)
    versions: VersionRange = ">=0"


class CaseEntry(FileModel):
    """A case: arguments under the names of the page, and what must come of them."""

    id: str = Field(pattern=ID_PATTERN, description="stable name; never reused")
    versions: VersionRange = ">=0"
    clauses: list[str] = Field(min_length=1, description="ids of the clauses that this tests")
    arguments: dict[str, ArgumentEntry]
    matrix: dict[str, str | list[int | bool | str] | dict[str, Any]] = Field(default_factory=dict)
    cover: Literal[1, 2, 3] | None = Field(
        default=None, description="products in which each choice of as many columns occurs, instead of all combinations"
    )
    exceptions: list[ExceptionEntry] = Field(default_factory=list, alias="except")
    forms: Annotated[list[str], Field(min_length=1)] | Reference | None = Field(
        default=None, description="left out: the usual forms of such a case"
    )
    declared_outputs: int | Reference | None = Field(default=None, description="outputs that the node declares")
    outputs: OutputsField = None
    rejected: str | None = Field(default=None, description="the clause that demands a refusal")
    disputed: dict[str, InterpretationEntry] | None = Field(default=None, min_length=2)

    @model_validator(mode="after")
    def _has_one_expectation(self) -> CaseEntry:
        _demand_exactly_one(self, ("outputs", "rejected", "disputed"))
        return self

    @model_validator(mode="after")
    def _covers_a_matrix(self) -> CaseEntry:
        if self.cover is not None and not self.matrix:
            raise ValueError("`cover` chooses products of a matrix, and there is none")
        if self.cover is None and self.exceptions:
            raise ValueError("`except` is for a case with `cover`; write the combinations that are meant otherwise")
        return self


class CaseFile(FileModel):
    """Cases of one operator, gathered under one purpose."""

    operator: str
    about: str = Field(default="", description="what the file is for")
    set: Literal["default", "full", "huge"] = Field(default="default", description="asked only by `--set` of that name")
    memory: str | None = Field(default=None, description="what the largest case of a huge set needs, as '6 GiB'")
    cases: list[CaseEntry] = Field(min_length=1)

    @model_validator(mode="after")
    def _says_what_it_needs(self) -> CaseFile:
        if self.set == "huge" and self.memory is None:
            raise ValueError("a huge set needs `memory`, what its largest case takes, as `memory: 6 GiB`")
        if self.set != "huge" and self.memory is not None:
            raise ValueError("`memory` is for `set: huge`; all other cases are small")
        if self.memory is not None and not 0 < _bytes_of(self.memory) <= MAX_MEMORY_BYTES:
            raise ValueError(f"{self.memory!r} is no size up to {MAX_MEMORY_BYTES >> 30} GiB; write one as `6 GiB`")
        return self


def _bytes_of(memory: str) -> int:
    """A size such as `6 GiB` in bytes; 0 where it is none."""
    match = _MEMORY.fullmatch(memory)
    return int(match[1]) << {"MiB": 20, "GiB": 30}[match[2]] if match else 0


def _demand_exactly_one(entry: FileModel, names: Sequence[str]) -> None:
    given = [name for name in names if name in entry.model_fields_set]
    if len(given) != 1:
        found = " and ".join(given) or "none"
        raise ValueError(f"exactly one of {', '.join(names)} is needed, found {found}")
    if getattr(entry, given[0]) is None:
        raise ValueError(f"`{given[0]}` says nothing; write what must come, as `outputs: []` for no outputs")


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseFamily:
    """One case of a file for one operator version: all products of its matrix, made one at a time."""

    operator: Operator
    document: Document
    entry: CaseEntry
    keys: KeyPath
    set: CaseSet
    memory: str | None
    folder: Path | None

    @property
    def id(self) -> str:
        """The id of a case without the matrix product, as `onnx.Split-13/unequal-lengths`."""
        return f"{self.operator.id}/{self.entry.id}"

    @property
    def where(self) -> str:
        """File and line of the case."""
        return self.document.where(self.keys).partition(": ")[0]

    def cases(self) -> Iterator[Case]:
        """Every product of the matrix, in the order in which it is written.

        Raises:
            CaseFileError: a product has no meaning for this operator version.
        """
        shared: dict[KeyPath, Any] = {}
        for product in self._products():
            yield _ProductReader(self, product, shared).case()

    def columns(self) -> dict[str, Column]:
        """The choices of the matrix for this operator version.

        Raises:
            CaseFileError: a name or a choice has no meaning.
        """
        try:
            return columns_of(self.entry.matrix, self.operator)
        except MisfitError as error:
            raise self.problem(("matrix", *error.keys), error.what, error.fix) from None

    def _products(self) -> Iterator[Product]:
        columns = self.columns()
        if self.entry.cover is not None:
            yield from (product_of(columns, labels) for labels in rows_of_table(self.table, columns))
            return
        try:
            yield from combinations(columns)
        except MisfitError as error:
            raise self.problem(("matrix", *error.keys), error.what, error.fix) from None

    @property
    def table(self) -> Path:
        """The table of a case with `cover`: that of this operator version, or else of the newest one before it."""
        versions = range(self.operator.version, 0, -1)
        paths = [table_path(self.file, self.entry.id, version) for version in versions]
        return next((path for path in paths if path.is_file()), paths[0])

    @property
    def file(self) -> Path:
        """The case file itself."""
        return (self.folder or Path()) / self.document.path.rpartition("/")[2]

    def space(self) -> Space:
        """The combinations that a case with `cover` is to have, and those that it leaves out.

        Raises:
            CaseFileError: an exception names no choice.
        """
        columns = {name: tuple(column) for name, column in self.columns().items()}
        exclusions = [
            Exclusion(
                {name: self._excluded(index, name, labels, columns) for name, labels in entry.when.items()},
                entry.because,
            )
            for index, entry in enumerate(self.entry.exceptions)
            if applies_to(entry.versions, self.operator.version)
        ]
        return Space(columns, tuple(exclusions))

    def _excluded(self, index: int, name: str, labels: Plain, columns: Mapping[str, tuple[str, ...]]) -> frozenset[str]:
        """The labels of one column that an exception names, one by one or by their type constraint."""
        keys = ("except", index, "when", name)
        if name not in columns:
            fix = nearest(name, columns, otherwise=f"there are {', '.join(columns)}")
            raise self.problem(keys, f"{name!r} is no column of the matrix", fix)
        if isinstance(labels, str) and labels in self.operator.constraints:
            return frozenset(self.operator.constraints[labels]) & frozenset(columns[name])
        named = [label_of(label) for label in (labels if isinstance(labels, list) else [labels])]
        for label in named:
            if label not in columns[name]:
                fix = nearest(label, columns[name], otherwise=f"there are {', '.join(columns[name])}")
                raise self.problem(keys, f"{label!r} is no choice of {name!r}", fix)
        if not named:
            raise self.problem(keys, "names no choice, so that nothing is left out", "name one, or remove the entry")
        return frozenset(named)

    @property
    def max_tensor_bytes(self) -> int:
        """How large a tensor of the case may be."""
        return MAX_TENSOR_BYTES if self.memory is None else _bytes_of(self.memory)

    def problem(self, keys: KeyPath, what: str, fix: str) -> CaseFileError:
        """An error at a place of this case."""
        return CaseFileError(self.document.where((*self.keys, *keys)), what, fix=fix)


def families_from_document(
    document: Document, operators: Sequence[Operator], folder: Path | None = None
) -> tuple[CaseFamily, ...]:
    """Each case of a file for each operator version that it speaks of.

    `operators` are the versions of the operator in whose `folder` the file lies, with its tables beside it.

    Raises:
        ExceptionGroup: of `CaseFileError`, one for each problem.
    """
    file = validated(CaseFile, document)
    name = f"{operators[0].dialect}.{operators[0].name}"
    problems = []
    if file.operator != name:
        what = f"the file is in the folder of {name}, but speaks of {file.operator!r}"
        problems.append(CaseFileError(document.where(("operator",)), what, fix=f"write `operator: {name}`"))
    families = []
    for index, entry in enumerate(file.cases):
        matching = [operator for operator in operators if applies_to(entry.versions, operator.version)]
        if not matching:
            known = ", ".join(str(operator.version) for operator in operators)
            where = document.where(("cases", index, "versions"))
            problems.append(CaseFileError(where, f"{entry.versions!r} holds no version", fix=f"there are {known}"))
        families += [
            CaseFamily(
                operator=operator,
                document=document,
                entry=entry,
                keys=("cases", index),
                set=CaseSet(file.set),
                memory=file.memory,
                folder=folder,
            )
            for operator in matching
        ]
    if problems:
        raise ExceptionGroup(f"{document.path} does not fit its operator", problems)
    return tuple(families)


class _ProductReader:
    """Turns one product of a family into a case. `shared` holds what is the same in all products, made by the first."""

    def __init__(self, family: CaseFamily, product: Product, shared: dict[KeyPath, Any]) -> None:
        self.family = family
        self.shared = shared
        self.operator = family.operator
        self.bindings = product.bindings
        self.case_id = f"{family.id}[{product.label}]" if product.label else family.id

    def case(self) -> Case:
        raw = self.family.document.value
        for key in self.family.keys:
            raw = raw[key]  # type: ignore[index]
        assert isinstance(raw, dict)
        found = [self._once(self._argument, ("arguments", name), raw) for name in raw["arguments"]]
        arguments = tuple(argument for argument in found if argument is not None)
        order = [parameter.name for parameter in self.operator.parameters]
        arguments = tuple(sorted(arguments, key=lambda a: order.index(a.name) if a.name in order else len(order)))
        kind = next(kind for kind in ("outputs", "rejected", "disputed") if kind in raw)
        expectation = self._once(self._expectation, (kind,), raw)
        return Case(
            id=self.case_id,
            operator=self.operator,
            clauses=tuple(self.family.entry.clauses),
            arguments=arguments,
            declared_outputs=self._declared_outputs(raw, arguments, expectation),
            expectation=expectation,
            where=self._once(lambda _, __: self.family.where, ("id",), raw),
            forms=self._once(self._forms, ("forms",), raw) if "forms" in raw else (),
        )

    def _once(self, make: Callable[[Any, KeyPath], Made], keys: KeyPath, case: Mapping[str, Any]) -> Made:
        """What `make` makes of the value under some keys; made once for all products where it names no `$reference`."""
        if keys in self.shared:
            found: Made = self.shared[keys]
            return found
        raw: Any = case
        for key in keys:
            raw = raw[key]
        made = make(raw, keys)
        if not has_reference(raw) and not isinstance(made, Disputed | Literals):  # these take the data's type
            self.shared[keys] = made
        return made

    def _argument(self, raw: Plain, keys: KeyPath) -> Argument | None:
        """The argument, or None where the matrix binds its value to null: this product leaves it out."""
        name = str(keys[-1])
        value = self._resolved(raw, keys)
        if value is None:
            return None
        roles = {parameter.role: parameter for parameter in self.operator.parameters_named(name)}
        if isinstance(value, dict):
            self._demand_tensor(value, keys)
            return Argument(name, Role.INPUT, self._tensor(value, keys))
        if Role.ATTRIBUTE in roles or not roles:
            return Argument(name, Role.ATTRIBUTE, self._attribute(value, keys))
        entry = {"dtype": roles[Role.INPUT].default_dtype, "values": value}
        return Argument(name, Role.INPUT, self._tensor(entry, keys))

    def _attribute(self, value: Plain, keys: KeyPath) -> Attribute:
        if isinstance(value, list) and all(type(item) is type(value[0]) for item in value):
            items = tuple(value)
            if all(isinstance(item, (int, float, str)) and not isinstance(item, bool) for item in items):
                self._demand_int64(items, keys)
                return items
        elif isinstance(value, (int, float, str)) and not isinstance(value, bool):
            if isinstance(value, float) and not math.isfinite(value):
                raise self._problem(keys, f"{value!r} is not a finite number", "write a whole number")
            self._demand_int64([value], keys)
            return value
        raise self._problem(keys, f"{value!r} is no attribute", "write a number, a text, or a list of one of them")

    def _demand_int64(self, items: Sequence[int | float | str], keys: KeyPath) -> None:
        for item in items:
            if isinstance(item, int) and not -(1 << 63) <= item < 1 << 63:
                raise self._problem(keys, f"{item} does not fit int64, as attributes are", "write a smaller number")

    def _tensor(self, raw: Mapping[str, Any], keys: KeyPath) -> Value:
        dtype = raw["dtype"]
        if not isinstance(dtype, str) or dtype not in DTYPES:
            fix = nearest(str(dtype), DTYPES, otherwise="use a NumPy or ml_dtypes name")
            raise self._problem((*keys, "dtype"), f"{dtype!r} is not an element type", fix)
        name = next((name for name in ("values", "bits") if name in raw), None)
        try:
            shape = shape_of(raw[name]) if name is not None and "shape" not in raw else self._shape(raw, keys)
            self._check_size(Value(dtype=dtype, shape=shape), keys)
            if name is None:
                return Value(dtype=dtype, shape=shape, fill=Fill(raw.get("fill", "distinct")))
            encode = data_from_values if name == "values" else data_from_bits
            return self._with_data(Value(dtype=dtype, shape=shape, data=encode(raw[name], dtype)), keys)
        except ValueError as error:
            raise self._problem((*keys, name or "fill"), str(error), "") from None

    def _demand_tensor(self, raw: Mapping[str, Any], keys: KeyPath) -> None:
        """Check a tensor as the file's model does, now that the matrix has put in its values."""
        misfit = first_misfit(TensorEntry, dict(raw))
        if misfit is not None:
            place, what, fix = misfit
            raise self._problem((*keys, *place), what, fix)

    def _with_data(self, value: Value, keys: KeyPath) -> Value:
        """The value, if its data fills its shape."""
        assert value.data is not None
        count = math.prod(value.shape)
        itemsize = DTYPES[value.dtype].itemsize
        if itemsize and len(value.data) != count * itemsize:
            given = len(value.data) // itemsize
            what = f"{given} elements are given for the shape {value.shape}, which has {count}"
            raise self._problem(keys, what, "give as many as the shape has")
        return value

    def _shape(self, raw: Mapping[str, Any], keys: KeyPath) -> tuple[int, ...]:
        shape = raw["shape"]
        if not isinstance(shape, list) or not all(type(dim) is int and dim >= 0 for dim in shape):
            raise self._problem((*keys, "shape"), f"{shape!r} is not a shape", "write a list of dims, as [2, 6]")
        if len(shape) > MAX_RANK:
            raise self._problem((*keys, "shape"), f"the shape has {len(shape)} dims", f"give up to {MAX_RANK}")
        return tuple(shape)

    def _check_size(self, value: Value, keys: KeyPath) -> None:
        """Refuse what cannot be allocated. A dim of 0 counts as 1: a second call gives it an element."""
        filled = replace(value, shape=tuple(max(1, dim) for dim in value.shape))
        limit = self.family.max_tensor_bytes
        if filled.nbytes > limit:
            size = filled.nbytes / (1 << 30)
            but_for_zeros = ", but for its zeros," if 0 in value.shape else ""
            what = f"the shape {value.shape}{but_for_zeros} describes {size:,.1f} GiB of {value.dtype}"
            raise self._problem((*keys, "shape"), what, f"a tensor of a case may hold {limit / (1 << 30):g} GiB")

    def _forms(self, raw: Plain, keys: KeyPath) -> tuple[Form, ...]:
        names = self._resolved(raw, keys)
        if not isinstance(names, list) or not names:
            raise self._problem(keys, f"{names!r} is not a list of forms", "write one, as [constant, dynamic]")
        known = [form.value for form in Form]
        for index, name in enumerate(names):
            if name not in known:
                fix = nearest(str(name), known, otherwise=f"there are {', '.join(known)}")
                raise self._problem((*keys, index), f"{name!r} is not a form", fix)
        if len(set(names)) < len(names):
            raise self._problem(keys, "names a form twice", "remove one of the two")
        return tuple(Form(name) for name in names)

    def _expectation(self, raw: Any, keys: KeyPath) -> Expectation:
        if keys == ("disputed",):
            return Disputed(tuple(self._interpretation(name, entry, (*keys, name)) for name, entry in raw.items()))
        return self._settled(raw, keys)

    def _interpretation(self, name: str, raw: Mapping[str, Any], keys: KeyPath) -> Interpretation:
        kind = "rejected" if "rejected" in raw else "outputs"
        return Interpretation(
            name=name,
            reason=raw["reason"],
            thread=raw.get("thread", ""),
            expectation=self._settled(raw[kind], (*keys, kind)),
            nan_payloads_may_differ=raw.get("nan_payloads") == "any",
        )

    def _settled(self, raw: Plain, keys: KeyPath) -> Parts | Literals | Rejection:
        outputs = self._resolved(raw, keys)
        if keys[-1] == "rejected":
            return Rejection(str(outputs))
        if not isinstance(outputs, list):
            raise self._problem(keys, f"{outputs!r} is not a list of outputs", 'write one, as ["0:2", "2:6"]')
        if all(isinstance(output, str) for output in outputs):
            stretches: list[tuple[int, int]] = []
            for index, output in enumerate(outputs):
                stretches += self._stretches(output, (*keys, index), MAX_OUTPUTS - len(stretches))
            return Parts(tuple(stretches))
        return Literals(tuple(self._literal(output, (*keys, index)) for index, output in enumerate(outputs)))

    def _stretches(self, text: str, keys: KeyPath, limit: int) -> list[tuple[int, int]]:
        """The stretch "start:stop", or, for "start:stop/length", the stretches of that length that it falls into."""
        match = _STRETCH.fullmatch(text)
        if match is None or int(match[1]) > int(match[2]):
            raise self._problem(keys, f"{text!r} is not a stretch of the data", 'write "start:stop", as "0:2"')
        start, stop = int(match[1]), int(match[2])
        length = stop - start if match[3] is None else int(match[3])
        if match[3] is not None and (length == 0 or (stop - start) % length):
            raise self._problem(keys, f"{text!r} does not fall into parts of {length}", "let the length divide it")
        count = 1 if match[3] is None else (stop - start) // length
        if count > limit:
            raise self._problem(keys, f"with {text!r} there are more than {MAX_OUTPUTS} outputs", "ask for fewer")
        return [(start + index * length, start + (index + 1) * length) for index in range(count)]

    def _literal(self, raw: Plain, keys: KeyPath) -> Value:
        if isinstance(raw, str):
            raise self._problem(
                keys, f"{raw!r} stands among literal outputs", "write all outputs in one of the two ways"
            )
        if isinstance(raw, dict):
            self._demand_tensor(raw, keys)
            return self._tensor(raw, keys)
        return self._tensor({"dtype": self._data_dtype(), "values": raw}, keys)

    def _data_dtype(self) -> Plain:
        """The type of the data, which a literal output has unless it names its own."""
        data = self.family.entry.arguments.get(self.operator.data)
        return self._resolved(data.dtype if isinstance(data, TensorEntry) else "float32", ("arguments",))

    def _declared_outputs(self, raw: Mapping[str, Any], arguments: Sequence[Argument], expectation: Expectation) -> int:
        if "declared_outputs" in raw:
            count = self._resolved(raw["declared_outputs"], ("declared_outputs",))
            if type(count) is not int or not 0 <= count <= MAX_OUTPUTS:
                raise self._problem(
                    ("declared_outputs",), f"{count!r} is not a number of outputs", f"write 0 to {MAX_OUTPUTS}"
                )
            return count
        for count in self._derived_counts(arguments, expectation):
            if count is not None and count >= 1:
                return count
        what = "it cannot be told how many outputs the node declares"
        raise self._problem((), what, "add `declared_outputs:`")

    def _derived_counts(self, arguments: Sequence[Argument], expectation: Expectation) -> Iterator[int | None]:
        readings = (
            [reading.expectation for reading in expectation.interpretations]
            if isinstance(expectation, Disputed)
            else [expectation]
        )
        for reading in readings:
            if isinstance(reading, Parts):
                yield len(reading.stretches)
            elif isinstance(reading, Literals):
                yield len(reading.outputs)
        for argument in arguments:
            if argument.name == self.operator.lengths:
                yield _length(argument.value)
            elif argument.name == self.operator.num_outputs:
                yield _whole_number(argument.value)

    def _resolved(self, raw: Plain, keys: KeyPath) -> Plain:
        """The value with each `$name` replaced by what this product binds to it."""
        try:
            return resolved(raw, self.bindings)
        except MisfitError as error:
            raise self._problem((*keys, *error.keys), error.what, error.fix) from None

    def _problem(self, keys: KeyPath, what: str, fix: str) -> CaseFileError:
        return self.family.problem(keys, what, fix)


def _length(value: Value | Attribute) -> int | None:
    if isinstance(value, Value):
        return value.shape[0] if len(value.shape) == 1 else None
    return len(value) if isinstance(value, tuple) else None


def _whole_number(value: Value | Attribute) -> int | None:
    if isinstance(value, Value):
        return only_integer(value)
    return value if type(value) is int else None
