"""The models of the case file format. A file is validated as a whole against `CaseFile`."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeVar

from pydantic import AfterValidator, BeforeValidator, Discriminator, Field, Tag, model_validator

from conformance.protocol.form import Form
from conformance.spec.case import Value
from conformance.spec.choices import CaseSet
from conformance.spec.elements import Arrangement, Block, Joined, Permuted, Places, row_major_strides
from conformance.spec.operator import Operator
from conformance.suite.coverage_tables import ExclusionEntry
from conformance.suite.literals import data_from_bits, flat_items, label_of, shape_of, written_value
from conformance.suite.operator_file import VersionRange
from conformance.suite.yaml_file import (
    ID_PATTERN,
    OUTPUTS_PATTERN,
    REFERENCE_PATTERN,
    FileModel,
    KeyPath,
    Plain,
    SchemaError,
    shown,
    words,
)
from conformance.tensors.dtypes import DTYPES, dtype_meant
from conformance.tensors.errors import nearest
from conformance.tensors.fill import Fill

MAX_MEMORY_BYTES = 64 << 30
MAX_RANK = 64
_MEMORY = re.compile(r"([1-9][0-9]{0,5}) (MiB|GiB)")

ColumnReference = Annotated[str, Field(pattern=REFERENCE_PATTERN, description="a column of the matrix, as $dtype")]
Whole = int | ColumnReference
Wholes = list[Whole] | ColumnReference


def _clause_id(text: object) -> object:
    if isinstance(text, bool):
        raise ValueError("the clause that the call breaks has no name here; write its id, as `rejected: axis.range`")
    return text


def _choice(choice: object) -> object:
    if isinstance(choice, list | dict):
        raise ValueError(f"{shown(choice)} cannot stand in a case id; label the choices, as `{{first: [1, 3]}}`")
    return choice


BrokenClause = Annotated[
    str | None, BeforeValidator(_clause_id), Field(description="id of the clause that requires the rejection")
]
Choice = Annotated[int | bool | str, BeforeValidator(_choice)]


Resolved = TypeVar("Resolved")


def _settled(written: Resolved | str, keys: KeyPath) -> Resolved:
    """A value in whose place a reference may stand, after references are resolved."""
    if isinstance(written, str):
        raise SchemaError(keys, f"{written!r} does not fit here", "write the value itself, or one `$` before a name")
    return written


def _whole_numbers(written: Wholes, keys: KeyPath) -> tuple[int, ...]:
    return tuple(_settled(number, keys) for number in _settled(written, keys))


class WrittenTensor(FileModel):
    """A tensor: its type, its shape, and a fill, its values or its bit patterns."""

    dtype: str
    shape: Wholes | None = Field(default=None, description="left out: the shape of the values")
    fill: Literal["distinct", "special"] | ColumnReference | None = None
    values: list[Any] | int | float | bool | str | None = None
    bits: list[Any] | int | ColumnReference | None = None

    @model_validator(mode="after")
    def _has_one_content(self) -> WrittenTensor:
        given = [name for name in ("fill", "values", "bits") if name in self.model_fields_set]
        if len(given) > 1:
            raise ValueError(f"{' and '.join(given)} exclude each other; keep one")
        if self.shape is None and not {"values", "bits"} & set(given):
            raise ValueError("a tensor without values has no shape; write `shape:`, as [2, 6], or `values:`")
        return self

    def to_value(self, keys: KeyPath) -> Value:
        """The tensor, to which `keys` lead, once references are resolved.

        Raises:
            SchemaError: there is no such type, shape or fill, or the elements do not fit them.
        """
        if self.dtype not in DTYPES:
            raise SchemaError((*keys, "dtype"), f"{self.dtype!r} is not an element type", dtype_meant(self.dtype))
        shape = None if self.shape is None else _shape(self.shape, (*keys, "shape"))
        if "values" in self.model_fields_set:
            return written_value(self.dtype, self.values, (*keys, "values"), shape)
        if "bits" in self.model_fields_set:
            return written_value(self.dtype, self.bits, (*keys, "bits"), shape, data_from_bits)
        assert shape is not None
        try:
            return Value(dtype=self.dtype, shape=shape, fill=Fill(self.fill or Fill.DISTINCT))
        except ValueError:
            raise SchemaError((*keys, "fill"), f"{self.fill!r} is not a fill", "write distinct or special") from None


def _shape(written: Wholes, keys: KeyPath) -> tuple[int, ...]:
    shape = _whole_numbers(written, keys)
    if min(shape, default=0) < 0:
        raise SchemaError(keys, f"{written!r} is not a shape", "write a list of dims, as [2, 6]")
    if len(shape) > MAX_RANK:
        raise SchemaError(keys, f"the shape has {len(shape)} dims", f"write {MAX_RANK} or fewer")
    return shape


class AttributeEntry(FileModel):
    """An argument passed as an attribute although the operator has an input of that name."""

    attribute: list[Any] | int | float | str


def _entry_kind(value: object) -> str:
    if isinstance(value, AttributeEntry) or (isinstance(value, dict) and "attribute" in value):
        return "attribute"
    if isinstance(value, dict | WrittenTensor):
        return "tensor"
    return "list" if isinstance(value, list) else "scalar"


ARRANGEMENTS = frozenset({"at", "block", "joined", "permuted"})
"""The keys of which an output that holds elements of the data has exactly one."""


def _output_kind(value: object) -> str:
    is_arrangement = isinstance(value, dict) and ARRANGEMENTS & set(value)
    return "arrangement" if is_arrangement or isinstance(value, ArrangementEntry) else _entry_kind(value)


class BlockEntry(FileModel):
    """A block of elements of the data: the number of the first, the shape, and how far the number grows by dim."""

    start: Whole = 0
    shape: Wholes
    strides: Wholes | None = Field(default=None, description="left out: row-major order")

    def to_block(self, keys: KeyPath) -> Block:
        """The block, to which `keys` lead, once references are resolved.

        Raises:
            SchemaError: the strides do not fit the shape.
        """
        shape = _whole_numbers(self.shape, (*keys, "shape"))
        strides = row_major_strides(shape)
        if self.strides is not None:
            strides = _whole_numbers(self.strides, (*keys, "strides"))
        if len(strides) != len(shape) or min(shape, default=0) < 0:
            raise SchemaError(keys, f"the strides {strides} do not fit the shape {shape}", "write one for each dim")
        return Block(start=_settled(self.start, (*keys, "start")), shape=shape, strides=strides)


class ArrangementEntry(FileModel):
    """The elements of the data that an output holds, by their row-major numbers through all data inputs."""

    at: list[Any] | int | ColumnReference | None = Field(
        default=None, description="the number for each place, in nested lists; `{value: 0}` for a constant"
    )
    shape: Wholes | None = Field(default=None, description="of an empty `at`")
    block: BlockEntry | ColumnReference | None = None
    joined: list[BlockEntry] | ColumnReference | None = Field(default=None, description="blocks one after the other")
    along: Whole = Field(default=0, description="the axis of the output along which `joined` goes")
    permuted: Wholes | None = Field(default=None, description="the dims of the main data in the order of the output")

    @model_validator(mode="after")
    def _has_one_way(self) -> ArrangementEntry:
        ways = ARRANGEMENTS & self.model_fields_set
        if len(ways) != 1:
            raise ValueError(f"has {len(ways)} of {', '.join(sorted(ARRANGEMENTS))}; write exactly one")
        return self

    def to_arrangement(self, keys: KeyPath, constants: list[Plain]) -> Arrangement:
        """The arrangement, to which `keys` lead, once references are resolved; adds its constants.

        Raises:
            SchemaError: a number or a shape is not valid.
        """
        if self.block is not None:
            return _settled(self.block, (*keys, "block")).to_block((*keys, "block"))
        if self.joined is not None:
            return self._joined(_settled(self.joined, (*keys, "joined")), (*keys, "joined"))
        if self.permuted is not None:
            order = _whole_numbers(self.permuted, (*keys, "permuted"))
            if sorted(order) != list(range(len(order))):
                raise SchemaError(
                    (*keys, "permuted"), f"{order!r} is not an order of dims", "name each dim once, from 0"
                )
            return Permuted(order)
        numbers = tuple(_numbers(self.at, (*keys, "at"), constants))
        shape = shape_of(self.at, (*keys, "at"))
        return Places(shape if self.shape is None else _whole_numbers(self.shape, (*keys, "shape")), numbers)

    def _joined(self, entries: Sequence[BlockEntry], keys: KeyPath) -> Joined:
        blocks = tuple(block.to_block((*keys, index)) for index, block in enumerate(entries))
        axis = _settled(self.along, (*keys[:-1], "along"))
        if not blocks or len({len(block.shape) for block in blocks}) > 1 or not 0 <= axis < len(blocks[0].shape):
            raise SchemaError(keys, "these blocks cannot be joined", "write blocks of one rank")
        return Joined(blocks, axis)


def _numbers(at: Plain, keys: KeyPath, constants: list[Plain]) -> Iterator[int]:
    """The number of the element at each place; those of constants, which are added, count from -1 down."""
    for place, item in flat_items(at, keys):
        if isinstance(item, dict) and set(item) == {"value"}:
            if item["value"] not in constants:
                constants.append(item["value"])
            yield -1 - constants.index(item["value"])
        elif type(item) is int and item >= 0:
            yield item
        else:
            raise SchemaError(
                place, f"{item!r} is not the number of an element", "write a number from 0, or {value: 0}"
            )


ArgumentEntry = Annotated[
    Annotated[WrittenTensor, Tag("tensor")]
    | Annotated[AttributeEntry, Tag("attribute")]
    | Annotated[list[Any], Tag("list")]
    | Annotated[int | float | bool | str, Tag("scalar")],
    Discriminator(_entry_kind),
]
OutputEntry = Annotated[
    Annotated[WrittenTensor, Tag("tensor")]
    | Annotated[ArrangementEntry, Tag("arrangement")]
    | Annotated[list[Any], Tag("list")]
    | Annotated[
        Annotated[
            str,
            Field(description="part of the data along the axis, as '0:2', or '0:129/1' for 129 parts of length 1"),
        ],
        Tag("scalar"),
    ],
    Discriminator(_output_kind),
]
_ByLaw = Annotated[
    str, Field(pattern=OUTPUTS_PATTERN, description="`law`: what the law says; or a column of the matrix")
]
OutputsField = list[OutputEntry] | _ByLaw | None


def _without_repetition(forms: list[Form]) -> list[Form]:
    if len(set(forms)) < len(forms):
        raise ValueError("names a form twice; remove one of the two")
    return forms


FormsField = Annotated[list[Annotated[Form, words(Form)]], AfterValidator(_without_repetition)]


class InterpretationEntry(FileModel):
    """One way to read what the page leaves open."""

    reason: str = Field(min_length=1)
    thread: str = Field(default="", description="address of an upstream discussion")
    outputs: OutputsField = None
    rejected: BrokenClause = None
    nan_payloads: Literal["kept", "any"] = "kept"

    @model_validator(mode="after")
    def _has_one_expectation(self) -> InterpretationEntry:
        _require_exactly_one(self, ("outputs", "rejected"))
        return self


class FullSetVersions(FileModel):
    """Versions for which a case is in the full set only, because its other versions test the same."""

    full: VersionRange


WRONG = "wrong"
"""`made` of calls that the page forbids."""
_OF_WRONG_CALLS = frozenset({"id", "versions", "made", "exceptions", "set"})
_OF_MADE_CALLS = _OF_WRONG_CALLS | {"clauses", "cover", "outputs"}


class WrittenCall(FileModel):
    """A call and its expectation: what a matrix may vary, with references to it or, in a product, without."""

    arguments: dict[str, ArgumentEntry] = Field(default_factory=dict)
    forms: Annotated[FormsField, Field(min_length=1)] | ColumnReference | None = Field(
        default=None, description="forms in which the case runs; left out: the usual ones"
    )
    declared_outputs: Whole | None = Field(default=None, description="number of outputs that the node declares")
    outputs: OutputsField = None
    rejected: BrokenClause = None
    disputed: dict[str, InterpretationEntry] | None = Field(default=None, min_length=2)
    twin: dict[str, ArgumentEntry | None] = Field(
        default_factory=dict,
        description="arguments that make a `rejected` call valid, null for none; left out: the nearest that are found",
    )


class CaseEntry(WrittenCall):
    """A case: arguments by their names on the page, and the expectation."""

    id: str = Field(pattern=ID_PATTERN, description="stable name; never reused")
    versions: VersionRange = ">=0"
    clauses: list[str] = Field(
        default_factory=list, description="ids of the clauses that the case tests; a table of wrong calls has its own"
    )
    made: Literal[True, "wrong"] | None = Field(
        default=None,
        description="in place of `arguments`: calls made from all pairs of classes of the arguments. Or "
        "`wrong`: valid calls, each with one argument that is wrong in one way",
    )
    matrix: dict[str, str | list[Choice] | dict[str, Any]] = Field(default_factory=dict)
    cover: Literal[2] | None = Field(default=None, description="with `made: true`: every pair of two choices")
    exceptions: list[ExclusionEntry] = Field(default_factory=list, alias="except")
    set: Literal["full"] | FullSetVersions | None = Field(
        default=None, description="runs only with `--set full`, in all or some versions; left out: the set of the file"
    )
    forms_in_turn: FormsField | None = Field(
        default=None, min_length=2, description="further forms: one for each product, in turn; with `--set full`, all"
    )
    in_model: dict[str, list[int | None] | None] | None = Field(
        default=None,
        description="for the form as-in-the-model: the inputs given at run time, each with its dims; null if unknown",
    )

    @property
    def has_table(self) -> bool:
        """Whether the products of the case are the rows of a table."""
        return self.made is not None

    @model_validator(mode="after")
    def _keys_fit_together(self) -> CaseEntry:
        if self.made == WRONG:
            self._refuse_other_keys(_OF_WRONG_CALLS)
            return self
        if not self.clauses:
            raise ValueError("the key 'clauses' is missing; add `clauses:`")
        _require_exactly_one(self, ("outputs", "rejected", "disputed"))
        if ("arguments" in self.model_fields_set) is bool(self.made):
            raise ValueError("a case has its arguments in one place; write one of `arguments:` and `made: true`")
        if self.made:
            self._refuse_other_keys(_OF_MADE_CALLS)
        if self.made and (self.outputs != "law" or self.cover is None):
            raise ValueError("`made` has no other outputs and rows; write `outputs: law` and `cover: 2`")
        if self.forms_in_turn is not None and (not self.matrix or self.set == "full"):
            raise ValueError(
                "`forms_in_turn` is for a `matrix` in the default set; write the forms under `forms`, or add a matrix"
            )
        if self.twin and self.rejected is None:
            raise ValueError("`twin` is for a call that must be rejected; remove it, or write `rejected:`")
        if not self.made and (self.cover is not None or self.exceptions):
            raise ValueError("`cover` and `except` are for `made`; write a matrix of the wanted combinations only")
        return self

    def _refuse_other_keys(self, known: frozenset[str]) -> None:
        if others := self.model_fields_set - known:
            extra = ", ".join(f"`{name}`" for name in sorted(others))
            raise ValueError(f"{extra} cannot be combined with `made`, which chooses arguments and forms; remove it")


class CaseFile(FileModel):
    """Cases of one operator that serve one purpose."""

    operator: str
    about: str = Field(default="", description="what the file is for")
    set: Annotated[CaseSet, words(item for item in CaseSet if item is not CaseSet.SMOKE)] = Field(
        default=CaseSet.DEFAULT, description="the set of its cases; all but `default` run only with `--set NAME`"
    )
    memory: str | None = Field(
        default=None, description="memory that the largest case of a huge or timing set needs, as '6 GiB'"
    )
    cases: list[CaseEntry] = Field(min_length=1)

    @model_validator(mode="after")
    def _says_what_it_needs(self) -> CaseFile:
        if self.set is CaseSet.HUGE and self.memory is None:
            raise ValueError("a huge set needs the size of its largest case; write it, as `memory: 6 GiB`")
        if self.set not in (CaseSet.HUGE, CaseSet.TIMING) and self.memory is not None:
            raise ValueError("`memory` is for `set: huge` and `set: timing`, all others are small; remove it")
        if self.memory is not None and not 0 < bytes_of(self.memory) <= MAX_MEMORY_BYTES:
            raise ValueError(f"{self.memory!r} is not a size up to {MAX_MEMORY_BYTES >> 30} GiB; write one as `6 GiB`")
        return self


def bytes_of(memory: str) -> int:
    """A size such as `6 GiB` in bytes; 0 if the text is not a size."""
    match = _MEMORY.fullmatch(memory)
    return int(match[1]) << {"MiB": 20, "GiB": 30}[match[2]] if match else 0


def _require_exactly_one(entry: FileModel, names: Sequence[str]) -> None:
    given = [name for name in names if name in entry.model_fields_set]
    if len(given) != 1:
        found = f"{' and '.join(given)} exclude each other; keep" if given else "nothing says what is expected; write"
        raise ValueError(f"{found} one of {', '.join(f'`{name}:`' for name in names)}")
    if getattr(entry, given[0]) is None:
        raise ValueError(f"`{given[0]}` is empty; write what is expected, as `outputs: []` for no outputs")


# The columns of a case's matrix and their products: all combinations, or the rows of a covering table.

MAX_PRODUCTS = 1_000_000
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,39}")
_LABEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+-]{0,39}|-?[0-9]{1,20}")

Column = Mapping[str, Plain]
"""The choices under one name, in the order of the file: labels, which appear in ids, and their values."""


@dataclass(frozen=True, slots=True)
class Product:
    """One choice of each column: its label in ids, the value of each name, and its number among all products."""

    label: str
    bindings: Mapping[str, Plain]
    number: int


def columns_of(matrix: Mapping[str, Plain], operator: Operator) -> dict[str, Column]:
    """The choices under each name, for one operator version.

    Raises:
        SchemaError: a name or a choice cannot be used, or a column has no choice.
    """
    return {name: _column(choices, (name,), operator) for name, choices in matrix.items()}


def combinations(columns: Mapping[str, Column]) -> Iterator[Product]:
    """Every product, the last column changing fastest.

    Raises:
        SchemaError: there are more than MAX_PRODUCTS.
    """
    count = math.prod(len(column) for column in columns.values())
    if count > MAX_PRODUCTS:
        raise SchemaError((), f"makes {count} products, more than {MAX_PRODUCTS}", "split the case")
    for number, labels in enumerate(itertools.product(*columns.values())):
        yield product_of(columns, labels, number)


def product_of(columns: Mapping[str, Column], labels: Sequence[str], number: int) -> Product:
    """The product with these labels, one for each column, and with this number.

    Raises:
        KeyError: a column has no such label.
    """
    chosen = dict(zip(columns, labels, strict=True))
    label = ",".join(f"{name}={text}" for name, text in chosen.items())
    return Product(label, {name: columns[name][text] for name, text in chosen.items()}, number)


def _column(choices: Plain, keys: KeyPath, operator: Operator) -> Column:
    if not _NAME.fullmatch(str(keys[-1])):
        raise SchemaError(keys, f"{keys[-1]!r} cannot name a column", "use a word of letters, digits, _ and -")
    if not choices:
        raise SchemaError(keys, "has no choices, so the matrix makes no case", "give at least one choice")
    if isinstance(choices, str):
        return {dtype: dtype for dtype in _dtypes(choices, keys, operator)}
    if isinstance(choices, dict):
        pairs = list(choices.items())
    else:
        assert isinstance(choices, list)
        pairs = [(label_of(choice), choice) for choice in choices]
    for label, _ in pairs:
        if not _LABEL.fullmatch(label):
            fix = "label it: `{a-word: value}`; a word has letters, digits and _ . + -"
            raise SchemaError(keys, f"{label!r} cannot stand in a case id", fix)
    if len(dict(pairs)) < len(pairs):
        raise SchemaError(keys, "names a choice twice", "remove one of the two")
    return dict(pairs)


def _dtypes(choice: str, keys: KeyPath, operator: Operator) -> tuple[str, ...]:
    if choice == "all":
        return operator.data_dtypes
    if choice in operator.constraints:
        return operator.constraints[choice]
    fix = nearest(choice, ["all", *operator.constraints], otherwise="write `all` or a type constraint")
    raise SchemaError(keys, f"{operator.id} has no type constraint {choice!r}", fix)
