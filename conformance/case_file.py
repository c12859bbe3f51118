"""Case files: the sole owner of the format in which cases are written.

A file is checked as a whole against its model once; each case of it becomes a family, which makes its products one at
a time, so that memory does not grow with a matrix.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal, TypeVar

from pydantic import Discriminator, Field, Tag, model_validator

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
from conformance.dtypes import DTYPES
from conformance.errors import CaseFileError, nearest
from conformance.file_schema import REFERENCE_PATTERN, FileModel, first_misfit, validated
from conformance.fill import Fill
from conformance.literals import data_from_bits, data_from_values, shape_of
from conformance.operator import Operator, Role
from conformance.operator_file import VersionRange, applies_to
from conformance.yaml_document import Document, KeyPath, Plain

MAX_TENSOR_BYTES = 1 << 30
MAX_RANK = 64
MAX_PRODUCTS = 1_000_000
MAX_OUTPUTS = 1 << 16
ID_PATTERN = r"^[a-z0-9][a-z0-9_-]{0,79}$"
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,39}")
_LABEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+-]{0,39}|-?[0-9]{1,20}")
_STRETCH = re.compile(r"(\d{1,19}):(\d{1,19})(?:/(\d{1,19}))?")

Made = TypeVar("Made")
Reference = Annotated[str, Field(pattern=REFERENCE_PATTERN, description="a name of the matrix, as $dtype")]


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


class CaseEntry(FileModel):
    """A case: arguments under the names of the page, and what must come of them."""

    id: str = Field(pattern=ID_PATTERN, description="stable name; never reused")
    versions: VersionRange = ">=0"
    clauses: list[str] = Field(min_length=1, description="ids of the clauses that this tests")
    arguments: dict[str, ArgumentEntry]
    matrix: dict[str, str | list[int | bool | str] | dict[str, Any]] = Field(default_factory=dict)
    declared_outputs: int | Reference | None = Field(default=None, description="outputs that the node declares")
    outputs: OutputsField = None
    rejected: str | None = Field(default=None, description="the clause that demands a refusal")
    disputed: dict[str, InterpretationEntry] | None = Field(default=None, min_length=2)

    @model_validator(mode="after")
    def _has_one_expectation(self) -> CaseEntry:
        _demand_exactly_one(self, ("outputs", "rejected", "disputed"))
        return self


class CaseFile(FileModel):
    """Cases of one operator, gathered under one purpose."""

    operator: str
    about: str = Field(default="", description="what the file is for")
    cases: list[CaseEntry] = Field(min_length=1)


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
        names = list(self.entry.matrix)
        shared: dict[KeyPath, Any] = {}
        for product in itertools.product(*self._columns()):
            bindings = dict(zip(names, (value for _, value in product), strict=True))
            label = ",".join(f"{name}={text}" for name, (text, _) in zip(names, product, strict=True))
            yield _Product(self, bindings, f"{self.id}[{label}]" if label else self.id, shared).case()

    def _columns(self) -> list[list[tuple[str, Plain]]]:
        columns = [self._column(name, choices) for name, choices in self.entry.matrix.items()]
        count = math.prod(len(column) for column in columns)
        if count > MAX_PRODUCTS:
            raise self.problem(("matrix",), f"makes {count} products, more than {MAX_PRODUCTS}", "split the case")
        return columns

    def _column(self, name: str, choices: str | Sequence[Plain] | Mapping[str, Plain]) -> list[tuple[str, Plain]]:
        keys = ("matrix", name)
        if not _NAME.fullmatch(name):
            raise self.problem(keys, f"{name!r} cannot name a choice", "use a word of letters, digits, _ and -")
        if not choices:
            raise self.problem(keys, "leaves nothing to choose, so that no case is made", "give at least one choice")
        if isinstance(choices, str):
            return [(dtype, dtype) for dtype in self._dtypes(choices, keys)]
        pairs = list(choices.items()) if isinstance(choices, Mapping) else [(_plain_label(c), c) for c in choices]
        for label, _ in pairs:
            if not _LABEL.fullmatch(label):
                fix = "label it: `{a-word: value}`; a word has letters, digits and _ . + -"
                raise self.problem(keys, f"{label!r} cannot stand in a case id", fix)
        if len({label for label, _ in pairs}) < len(pairs):
            raise self.problem(keys, "names a choice twice", "remove one of the two")
        return pairs

    def _dtypes(self, choice: str, keys: KeyPath) -> tuple[str, ...]:
        if choice == "all":
            return self.operator.data_dtypes
        if choice in self.operator.constraints:
            return self.operator.constraints[choice]
        fix = nearest(choice, ["all", *self.operator.constraints], otherwise="write `all` or a type constraint")
        raise self.problem(keys, f"{self.operator.id} has no type constraint {choice!r}", fix)

    def problem(self, keys: KeyPath, what: str, fix: str) -> CaseFileError:
        """An error at a place of this case."""
        return CaseFileError(self.document.where((*self.keys, *keys)), what, fix=fix)


def families_from_document(document: Document, operators: Sequence[Operator]) -> tuple[CaseFamily, ...]:
    """Each case of a file for each operator version that it speaks of.

    `operators` are the versions of the operator in whose folder the file lies.

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
            CaseFamily(operator=operator, document=document, entry=entry, keys=("cases", index))
            for operator in matching
        ]
    if problems:
        raise ExceptionGroup(f"{document.path} does not fit its operator", problems)
    return tuple(families)


class _Product:
    """Turns one product of a family into a case. `shared` holds what is the same in all products, made by the first."""

    def __init__(
        self, family: CaseFamily, bindings: Mapping[str, Plain], case_id: str, shared: dict[KeyPath, Any]
    ) -> None:
        self.family = family
        self.shared = shared
        self.operator = family.operator
        self.bindings = bindings
        self.case_id = case_id

    def case(self) -> Case:
        raw = self.family.document.value
        for key in self.family.keys:
            raw = raw[key]  # type: ignore[index]
        assert isinstance(raw, dict)
        arguments = tuple(self._once(self._argument, ("arguments", name), raw) for name in raw["arguments"])
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
        if not _has_reference(raw) and not isinstance(made, Disputed | Literals):  # these take the data's type
            self.shared[keys] = made
        return made

    def _argument(self, raw: Plain, keys: KeyPath) -> Argument:
        name = str(keys[-1])
        value = self._resolved(raw, keys)
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
        if filled.nbytes > MAX_TENSOR_BYTES:
            size, limit = filled.nbytes / (1 << 30), MAX_TENSOR_BYTES >> 30
            but_for_zeros = ", but for its zeros," if 0 in value.shape else ""
            what = f"the shape {value.shape}{but_for_zeros} describes {size:,.1f} GiB of {value.dtype}"
            raise self._problem((*keys, "shape"), what, f"a tensor of a case may hold {limit} GiB")

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
        if isinstance(raw, dict):
            return {key: self._resolved(value, (*keys, key)) for key, value in raw.items()}
        if isinstance(raw, list):
            return [self._resolved(value, (*keys, index)) for index, value in enumerate(raw)]
        if not isinstance(raw, str) or not raw.startswith("$"):
            return raw
        if raw.startswith("$$"):
            return raw[1:]
        value: Plain = dict(self.bindings)
        for name in raw[1:].split("."):
            if not isinstance(value, dict) or name not in value:
                known = value if isinstance(value, dict) else self.bindings
                fix = nearest(name, known, otherwise=f"define {name!r} under `matrix`")
                raise self._problem(keys, f"{raw!r} is not bound by the matrix", fix)
            value = value[name]
        return value

    def _problem(self, keys: KeyPath, what: str, fix: str) -> CaseFileError:
        return self.family.problem(keys, what, fix)


def _has_reference(raw: Plain) -> bool:
    if isinstance(raw, dict):
        return any(_has_reference(value) for value in raw.values())
    if isinstance(raw, list):
        return any(_has_reference(value) for value in raw)
    return isinstance(raw, str) and raw.startswith("$")


def _length(value: Value | Attribute) -> int | None:
    if isinstance(value, Value):
        return value.shape[0] if len(value.shape) == 1 else None
    return len(value) if isinstance(value, tuple) else None


def _whole_number(value: Value | Attribute) -> int | None:
    if isinstance(value, Value):
        return only_integer(value)
    return value if type(value) is int else None


def _plain_label(choice: Plain) -> str:
    return str(choice).lower() if isinstance(choice, bool) else str(choice)
