"""A case as written in its file, and the `Case` that each product of its matrix makes."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from conformance.protocol.call import Attribute
from conformance.protocol.form import Form
from conformance.spec.case import (
    Argument,
    Case,
    Disputed,
    Elements,
    Expectation,
    Interpretation,
    Lawful,
    Literals,
    Parts,
    Rejection,
    Settled,
    Value,
    expectations_of,
    expected_outputs,
    whole_number,
)
from conformance.spec.check import forms_of
from conformance.spec.operator import Operator, Role
from conformance.suite.case_entry import CaseEntry, Product, WrittenTensor, bytes_of
from conformance.suite.file_schema import SchemaError, kind_of, part_of, rewritten, shown
from conformance.suite.literals import (
    ARRANGEMENTS,
    arrangements_of,
    data_from_bits,
    data_from_values,
    names_in,
    resolved,
    shape_of,
)
from conformance.suite.yaml_document import Document, KeyPath, Plain
from conformance.tensors.dtypes import DTYPES, dtype_meant
from conformance.tensors.errors import CaseFileError, nearest
from conformance.tensors.fill import Fill
from conformance.tensors.tensor import KnownShape, allows
from conformance.tensors.text import counted

MAX_TENSOR_BYTES = 1 << 30
MAX_DESCRIBED_BYTES = (1 << 63) - 1
MAX_RANK = 64
MAX_OUTPUTS = 1 << 16
_FORMS_OF_ONE_SHAPE = frozenset(form.value for form in Form if not form.has_other_calls)
_MAX_SHARED_PARTS = 4096
"""So that the memory of a family does not grow with its matrix."""
_STRETCH = re.compile(r"(\d{1,19}):(\d{1,19})(?:/(\d{1,19}))?")

Parsed = TypeVar("Parsed")


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenCase:
    """One case of a file, for one operator version. `memory` is the size, as `6 GiB`, that the largest case needs."""

    operator: Operator
    document: Document
    entry: CaseEntry
    keys: KeyPath
    memory: str | None

    @property
    def id(self) -> str:
        """The id without the matrix product, as `onnx.Split-13/unequal-lengths`."""
        return f"{self.operator.id}/{self.entry.id}"

    def id_of(self, product: Product) -> str:
        """The id of the case that a product makes."""
        return f"{self.id}[{product.label}]" if product.label else self.id

    @property
    def where(self) -> str:
        """File and line of the case."""
        return self.document.where(self.keys).partition(": ")[0]

    @property
    def max_tensor_bytes(self) -> int:
        """The largest size of a tensor of the case."""
        return MAX_TENSOR_BYTES if self.memory is None else bytes_of(self.memory)

    @property
    def keeps_shapes(self) -> bool:
        """Whether every form of the case makes only calls with data of the written shape."""
        forms, in_turn = self.entry.forms or [], self.entry.forms_in_turn or []
        named = [] if isinstance(forms, str) else [*forms, *in_turn]
        return bool(named) and _FORMS_OF_ONE_SHAPE.issuperset(named)

    def problem(self, keys: KeyPath, what: str, fix: str) -> CaseFileError:
        """An error at a place of this case."""
        return self.document.problem((*self.keys, *keys), what, fix)

    def at(self, misfit: SchemaError, *keys: str) -> CaseFileError:
        """The same error at its place of this case, under these keys."""
        return self.problem((*keys, *misfit.keys), misfit.what, misfit.fix)


def case_maker(written: WrittenCase) -> Callable[[Product], Case]:
    """A function that makes the case of a product of `written`; what several products have in common is made once.

    It raises `CaseFileError` if a product is not a case of this operator version.
    """
    # Products with the same choices share what is made of the entry, so it has to be the same object for all.
    entry = written.entry.model_dump(exclude_unset=True, exclude={"matrix", "exceptions"})
    parts = _PartCache()

    def make(product: Product) -> Case:
        try:
            return _ProductReader(written, product, parts).case(entry)
        except SchemaError as misfit:
            raise written.at(misfit) from None

    return make


class _PartCache:
    """A cache of parsed parts of a case, shared by products that bind the same values.

    Values are compared by identity: those of one matrix are the same objects in all products. The cache keeps them.
    """

    def __init__(self) -> None:
        self._names: dict[int, tuple[Plain, frozenset[str]]] = {}
        self._made: dict[tuple[KeyPath, tuple[int, ...]], tuple[Any, list[Plain]]] = {}

    def once(
        self, make: Callable[[Any, KeyPath], Parsed], keys: KeyPath, raw: Plain, bindings: Mapping[str, Plain]
    ) -> Parsed:
        """What `make` makes of a raw part, perhaps for an earlier product."""
        bound = [bindings[name] for name in self._names_used(raw, bindings)]
        key = keys, tuple(map(id, bound))
        if key in self._made:
            found: Parsed = self._made[key][0]
            return found
        made = make(raw, keys)
        # The type of these may be that of the data, which another product may change.
        if not isinstance(made, Disputed | Elements | Literals) and len(self._made) < _MAX_SHARED_PARTS:
            self._made[key] = made, bound
        return made

    def _names_used(self, raw: Plain, bindings: Mapping[str, Plain]) -> list[str]:
        """The bound names that a value refers to, itself or through the values of other names."""
        used: dict[str, None] = {}
        left = list(self._names_in(raw))
        while left:
            name = left.pop()
            if name in bindings and name not in used:
                used[name] = None
                left += self._names_in(bindings[name])
        return list(used)

    def _names_in(self, raw: Plain) -> frozenset[str]:
        if id(raw) not in self._names:
            if len(self._names) >= _MAX_SHARED_PARTS:
                self._names.clear()
            self._names[id(raw)] = raw, frozenset(names_in(raw))
        return self._names[id(raw)][1]


class _ProductReader:
    """Turns one product of a matrix into a case; raises `SchemaError` if it is none."""

    def __init__(self, written: WrittenCase, product: Product, parts: _PartCache) -> None:
        self.written = written
        self.product = product
        self.parts = parts
        self.operator = written.operator
        self.arguments: Sequence[Argument] = ()

    def case(self, raw: Mapping[str, Any]) -> Case:
        self.arguments = arguments = self._merged(raw, "arguments")
        kind = next(kind for kind in ("outputs", "rejected", "disputed") if kind in raw)
        expectation = self._once(self._expectation, (kind,), raw)
        forms, in_turn = (
            self._once(self._forms, (name,), raw) if name in raw else () for name in ("forms", "forms_in_turn")
        )
        if both := [form.value for form in in_turn if form in forms]:
            raise SchemaError(("forms_in_turn",), f"{both[0]!r} is also one of the `forms`", "remove one of the two")
        return Case(
            id=self.written.id_of(self.product),
            operator=self.operator,
            clauses=tuple(self.written.entry.clauses),
            arguments=arguments,
            declared_outputs=self._declared_outputs(raw, arguments, expectation),
            expectation=expectation,
            where=self.written.where,
            forms=(*forms, *in_turn),
            forms_in_turn=in_turn,
            number=self.product.number,
            in_model=self._in_model(arguments),
            twin=self._merged(raw, "arguments", "twin") if "twin" in raw else (),
        )

    def _merged(self, case: Mapping[str, Any], *keys: str) -> tuple[Argument, ...]:
        """The arguments under these keys of the case; a later key replaces those of an earlier one."""
        places = {name: key for key in keys for name in case[key]}
        found = [self._once(self._arguments, (key, name), case) for name, key in places.items()]
        arguments = [argument for several in found for argument in several]
        return self._with_distinct_data(sorted(arguments, key=lambda argument: self.operator.place_of(argument.name)))

    def _in_model(self, arguments: Sequence[Argument]) -> Mapping[str, KnownShape] | None:
        """What the model of the case gives at run time, with the dims that it knows."""
        given = self.written.entry.in_model
        if given is None:
            return None
        shapes = {argument.name: argument.value.shape for argument in arguments if isinstance(argument.value, Value)}
        for name, dims in given.items():
            if name not in shapes:
                raise SchemaError(
                    ("in_model", name), "is not an input of the call", f"write one of {', '.join(shapes)}"
                )
            if dims is not None and not allows(tuple(dims), shapes[name]):
                what = f"{dims} are not the dims of the shape {list(shapes[name])}"
                raise SchemaError(("in_model", name), what, "write each dim, or null for an unknown one")
        return {name: None if dims is None else tuple(dims) for name, dims in given.items()}

    def _once(self, make: Callable[[Any, KeyPath], Parsed], keys: KeyPath, case: Mapping[str, Any]) -> Parsed:
        """What `make` makes of the value under `keys`; made once for products that differ elsewhere only."""
        raw: Any = case
        for key in keys:
            raw = raw[key]
        return self.parts.once(make, keys, raw, self.product.bindings)

    def _with_distinct_data(self, arguments: Sequence[Argument]) -> tuple[Argument, ...]:
        """Fills of several data inputs continue each other, so that all elements are distinct."""
        made, start = list(arguments), 0
        for place, argument in enumerate(arguments):
            value = argument.value
            if isinstance(value, Value) and self.operator.is_data(argument.name):
                if start:
                    made[place] = replace(argument, value=replace(value, start=start))
                start += math.prod(value.shape)
        return tuple(made)

    def _arguments(self, raw: Plain, keys: KeyPath) -> tuple[Argument, ...]:
        """The argument; several for a list of variadic inputs, and none for null, by which a matrix leaves it out."""
        name = str(keys[-1])
        value = self._resolved(raw, keys)
        if value is None:
            return ()
        if not isinstance(value, list) or not any(p.name == name and p.is_variadic for p in self.operator.parameters):
            return (self._argument(name, value, keys),)
        return tuple(self._argument(f"{name}_{index}", item, (*keys, index)) for index, item in enumerate(value))

    def _argument(self, name: str, value: Plain, keys: KeyPath) -> Argument:
        roles = {parameter.role: parameter for parameter in self.operator.parameters_named(name)}
        if isinstance(value, dict) and "attribute" in value:
            return Argument(name, Role.ATTRIBUTE, self._attribute(value["attribute"], (*keys, "attribute")))
        if isinstance(value, dict):
            return Argument(name, Role.INPUT, self._tensor(value, keys))
        if Role.ATTRIBUTE in roles or not roles:
            return Argument(name, Role.ATTRIBUTE, self._attribute(value, keys))
        return Argument(name, Role.INPUT, self._written_out(roles[Role.INPUT].default_dtype, value, keys))

    def _attribute(self, value: Plain, keys: KeyPath) -> Attribute:
        if isinstance(value, bool) and self.operator.dialect == "openvino":
            return value  # ONNX has no attributes of truth values
        items: list[Any] = value if isinstance(value, list) else [value]
        kinds = set(map(type, items))
        if len(kinds) > 1 or not kinds <= {int, float, str}:
            fix = "write a number, a text, or a list of numbers or of texts"
            raise SchemaError(keys, f"{value!r} cannot be an attribute", fix)
        if isinstance(value, float) and not math.isfinite(value):
            raise SchemaError(keys, f"{value!r} is not a finite number", "write a whole number")
        for item in items:
            if isinstance(item, int) and not -(1 << 63) <= item < 1 << 63:
                raise SchemaError(keys, f"{item} does not fit int64, the type of attributes", "write a smaller number")
        attribute: Attribute = tuple(items) if isinstance(value, list) else items[0]
        return attribute

    def _tensor(self, raw: dict[str, Any], keys: KeyPath) -> Value:
        tensor = part_of(WrittenTensor, raw, keys)  # now with the values of the matrix in place
        dtype, given = tensor.dtype, tensor.model_fields_set
        if dtype not in DTYPES:
            raise SchemaError((*keys, "dtype"), f"{dtype!r} is not an element type", dtype_meant(dtype))
        shape = self._shape(tensor.shape, (*keys, "shape")) if "shape" in given else None
        if "values" in given:
            return self._written_out(dtype, tensor.values, (*keys, "values"), shape)
        if "bits" in given:
            return self._written_out(dtype, tensor.bits, (*keys, "bits"), shape, data_from_bits)
        assert shape is not None
        self._check_size(Value(dtype=dtype, shape=shape), (*keys, "shape"))
        return Value(dtype=dtype, shape=shape, fill=Fill(tensor.fill or "distinct"))

    def _written_out(
        self,
        dtype: str,
        elements: Plain,
        keys: KeyPath,
        shape: tuple[int, ...] | None = None,
        encode: Callable[[Plain, str, KeyPath], bytes] = data_from_values,
    ) -> Value:
        """A tensor of written elements; without `shape`, it has that of the lists."""
        shape = shape_of(elements, keys) if shape is None else shape
        self._check_size(Value(dtype=dtype, shape=shape), keys)
        data = encode(elements, dtype, keys)
        count, itemsize = math.prod(shape), DTYPES[dtype].itemsize
        if itemsize and len(data) != count * itemsize:
            given = counted(len(data) // itemsize, "element")
            what = f"{given} for the shape {list(shape)}, which has {count}"
            raise SchemaError(keys, what, f"write {count}, or correct the shape")
        return Value(dtype=dtype, shape=shape, data=data)

    def _shape(self, shape: Plain, keys: KeyPath) -> tuple[int, ...]:
        if not isinstance(shape, list) or not all(type(dim) is int and dim >= 0 for dim in shape):
            raise SchemaError(keys, f"{shape!r} is not a shape", "write a list of dims, as [2, 6]")
        if len(shape) > MAX_RANK:
            raise SchemaError(keys, f"the shape has {len(shape)} dims", f"write {MAX_RANK} or fewer")
        return tuple(shape)

    def _check_size(self, value: Value, keys: KeyPath) -> None:
        """Refuses tensors too large to allocate. A 0 counts as 1 if a form may call with data of another shape."""
        filled = replace(value, shape=tuple(max(1, dim) for dim in value.shape))
        stays_empty = 0 in value.shape and self.written.keeps_shapes
        limit = MAX_DESCRIBED_BYTES if stays_empty else self.written.max_tensor_bytes
        if filled.nbytes <= limit:
            return
        but_for_zeros = ", with each 0 taken as 1," if 0 in value.shape else ""
        what = f"the shape {value.shape}{but_for_zeros} describes {filled.nbytes / (1 << 30):,.1f} GiB of {value.dtype}"
        fix = f"a tensor of a case may hold {limit / (1 << 30):g} GiB"
        if stays_empty:
            fix = "write dims that describe less than 2**63 bytes"
        elif 0 in value.shape:
            fix += "; some forms call with 1 in place of 0: name others, as `forms: [constant]`"
        raise SchemaError(keys, what, fix)

    def _forms(self, raw: Plain, keys: KeyPath) -> tuple[Form, ...]:
        names = self._resolved(raw, keys)
        if not isinstance(names, list) or not names:
            raise SchemaError(keys, f"{names!r} is not a list of forms", "write one, as [constant, dynamic]")
        known = [form.value for form in Form]
        for index, name in enumerate(names):
            if name not in known:
                fix = nearest(str(name), known, otherwise=f"there are {', '.join(known)}")
                raise SchemaError((*keys, index), f"{name!r} is not a form", fix)
        if len(set(names)) < len(names):
            raise SchemaError(keys, "names a form twice", "remove one of the two")
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

    def _settled(self, raw: Plain, keys: KeyPath) -> Settled:
        outputs = self._resolved(raw, keys)
        if keys[-1] == "rejected":
            return Rejection(str(outputs))
        if outputs == "law":
            return Lawful()
        if not isinstance(outputs, list):
            raise SchemaError(keys, f"{outputs!r} is not a list of outputs", 'write one, as ["0:2", "2:6"]')
        if all(isinstance(output, str) for output in outputs):
            bounds: list[tuple[int, int]] = []
            for index, output in enumerate(outputs):
                bounds += self._bounds_of(output, (*keys, index), MAX_OUTPUTS - len(bounds))
            return Parts(tuple(bounds))
        if all(isinstance(output, dict) and ARRANGEMENTS & set(output) for output in outputs):
            return self._elements(outputs, keys)
        return Literals(tuple(self._literal(output, (*keys, index)) for index, output in enumerate(outputs)))

    def _elements(self, outputs: Sequence[Plain], keys: KeyPath) -> Elements:
        """Outputs that say which element of the data stands at each place."""
        arrangements, constants = arrangements_of(outputs, keys)
        if not constants:
            return Elements(arrangements)
        dtype = self._data_dtype()
        data = data_from_values(constants, dtype, keys)
        return Elements(arrangements, Value(dtype=dtype, shape=(len(constants),), data=data))

    def _bounds_of(self, text: str, keys: KeyPath, limit: int) -> list[tuple[int, int]]:
        """The part "start:stop" as one pair, or "start:stop/length" cut into parts of that length."""
        match = _STRETCH.fullmatch(text)
        if match is None or int(match[1]) > int(match[2]):
            raise SchemaError(keys, f"{text!r} is not a part of the data", 'write "start:stop", as "0:2"')
        start, stop = int(match[1]), int(match[2])
        length = stop - start if match[3] is None else int(match[3])
        if match[3] is not None and (length == 0 or (stop - start) % length):
            raise SchemaError(
                keys, f"{text!r} cannot be cut into parts of length {length}", "write a length that divides it"
            )
        count = 1 if match[3] is None else (stop - start) // length
        if count > limit:
            raise SchemaError(keys, f"with {text!r} there are more than {MAX_OUTPUTS} outputs", "write fewer")
        return [(start + index * length, start + (index + 1) * length) for index in range(count)]

    def _literal(self, raw: Plain, keys: KeyPath) -> Value:
        if isinstance(raw, str):
            raise SchemaError(
                keys, f"{raw!r} is a part of the data among literal outputs", "write all outputs in one of the two ways"
            )
        return self._tensor(raw, keys) if isinstance(raw, dict) else self._written_out(self._data_dtype(), raw, keys)

    def _data_dtype(self) -> str:
        """The type of the data: the default for literal outputs."""
        name = self.operator.data[0]
        found = (argument for argument in self.arguments if argument.name.removesuffix("_0") == name)
        given = next((argument.value.dtype for argument in found if isinstance(argument.value, Value)), None)
        return given or next(p.default_dtype for p in self.operator.parameters if p.name == name)

    def _declared_outputs(self, raw: Mapping[str, Any], arguments: Sequence[Argument], expectation: Expectation) -> int:
        if "declared_outputs" in raw:
            count = self._resolved(raw["declared_outputs"], ("declared_outputs",))
            if type(count) is not int or not 0 <= count <= MAX_OUTPUTS:
                raise SchemaError(
                    ("declared_outputs",), f"{count!r} is not a number of outputs", f"write 0 to {MAX_OUTPUTS}"
                )
            return count
        counts = self._derived_counts(arguments, expectation)
        found = next((count for count in counts if count is not None and count >= 1), None)
        if found is None:
            what = "the number of outputs that the node declares follows from no argument or output"
            raise SchemaError((), what, "add `declared_outputs:`")
        return found

    def _derived_counts(self, arguments: Sequence[Argument], expectation: Expectation) -> Iterator[int | None]:
        for expected in expectations_of(expectation):
            if isinstance(expected, Parts):
                yield len(expected.bounds)
            elif isinstance(expected, Elements | Literals):
                yield len(expected.outputs)
        for argument in arguments:
            if argument.name == self.operator.lengths:
                yield _length(argument.value)
            elif argument.name == self.operator.num_outputs:
                yield whole_number(argument.value)
        if self.operator.has_one_output:
            yield 1

    def _resolved(self, raw: Plain, keys: KeyPath) -> Plain:
        """The value with each `$name` replaced by its value in this product."""
        return resolved(raw, self.product.bindings, keys)


def _length(value: Value | Attribute) -> int | None:
    if isinstance(value, Value):
        return value.shape[0] if len(value.shape) == 1 else None
    return len(value) if isinstance(value, tuple) else None


# Checks cases of well-formed files: unknown clauses and arguments, impossible outputs, forms that do not fit.
#
# This needs no reference implementation. `selection.lint` runs these checks, and also computes outputs.


def unknown_names(written: WrittenCase) -> Iterator[CaseFileError]:
    """Clauses and arguments that the operator version does not have, in a case of which no product could be made."""
    entry, operator = written.entry, written.operator
    yield from _unknown_clauses(written, ((("clauses", index), clause) for index, clause in enumerate(entry.clauses)))
    for name in () if entry.rejected else entry.arguments:
        if not operator.parameters_named(name):
            known = [parameter.name for parameter in operator.parameters]
            fix = nearest(name, known, otherwise=f"it takes {', '.join(dict.fromkeys(known))}")
            yield written.problem(("arguments", name), f"{operator.id} takes no argument {name!r}", fix)


def clause_errors(written: WrittenCase, case: Case) -> Iterator[CaseFileError]:
    """Clauses that the operator version does not have."""
    named: list[tuple[KeyPath, str]] = [(("clauses", index), clause) for index, clause in enumerate(case.clauses)]
    match case.expectation:
        case Rejection(clause=clause):
            named.append((("rejected",), clause))
        case Disputed(interpretations=interpretations):
            named += [
                (("disputed", interpretation.name, "rejected"), interpretation.expectation.clause)
                for interpretation in interpretations
                if isinstance(interpretation.expectation, Rejection)
            ]
        case Parts() | Elements() | Lawful() | Literals():
            pass
    yield from _unknown_clauses(written, named)


def _unknown_clauses(written: WrittenCase, named: Iterable[tuple[KeyPath, str]]) -> Iterator[CaseFileError]:
    for keys, clause in named:
        if clause not in written.operator.clauses:
            fix = nearest(clause, written.operator.clauses, otherwise="add it to operator.yaml, or narrow `versions`")
            yield written.problem(keys, f"{written.operator.id} has no clause {clause!r}", fix)


def argument_errors(written: WrittenCase, case: Case) -> Iterator[CaseFileError]:
    """Arguments of another version in a case that must be accepted, impossible outputs, forms that do not fit."""
    found = [*_foreign_arguments(written, case), *_other_kinds(written, case)]
    found = found or [
        *_bad_bounds(written, case),
        *_absent_elements(written, case),
        *_other_number(written, case),
    ]
    yield from found or _without_effect(written, case)


def _without_effect(written: WrittenCase, case: Case) -> Iterator[CaseFileError]:
    """A case that would silently never run because none of its forms fits it."""
    if case.forms and not forms_of(case):
        what = f"the case cannot run in the form {' or '.join(form.value for form in case.forms)}"
        yield written.problem(("forms",), what, "name another; in a matrix with `cover`, add an entry of `except`")


def _foreign_arguments(written: WrittenCase, case: Case) -> Iterator[CaseFileError]:
    if case.may_be_rejected:
        return
    for argument in case.arguments:
        roles = [parameter.role for parameter in case.operator.parameters_named(argument.name)]
        if argument.role not in roles:
            keys = ("arguments", argument.name)
            known = [parameter.name for parameter in case.operator.parameters]
            what = f"{case.operator.id} takes no {argument.role.value if roles else 'argument'} {argument.name!r}"
            fix = f"it is an {roles[0].value} there; narrow `versions`" if roles else ""
            other = f"it takes {', '.join(dict.fromkeys(known))}; write one of these, or narrow `versions`"
            yield written.problem(keys, what, fix or nearest(argument.name, known, otherwise=other))


def _other_kinds(written: WrittenCase, case: Case) -> Iterator[CaseFileError]:
    """Attributes of a case that must be accepted whose value is a text where the page wants a number, or the like."""
    if case.may_be_rejected:
        return
    for argument in case.arguments:
        value, keys = argument.value, ("arguments", argument.name)
        if isinstance(value, Value):
            continue
        is_list = argument.name == case.operator.lengths
        if is_list and isinstance(value, tuple):
            wrong = [(index, item) for index, item in enumerate(value) if not isinstance(item, int)]
            for index, item in wrong[:1]:
                yield _other_kind(written, item, "int64 needs a whole number", (*keys, index))
        elif is_list:
            yield _other_kind(written, value, f"`{argument.name}` takes a list", keys)
        elif argument.name in (case.operator.split_axis, case.operator.num_outputs) and not isinstance(value, int):
            yield _other_kind(written, value, "int64 needs a whole number", keys)


def _other_kind(written: WrittenCase, value: Attribute, needed: str, keys: KeyPath) -> CaseFileError:
    """An attribute of a wrong kind, with the message that an input of a wrong type gets."""
    plain = list(value) if isinstance(value, tuple) else value
    wanted = f"a {needed.rpartition(' a ')[2]}"
    return written.problem(keys, f"{shown(plain)} is {kind_of(plain)}, and {needed}", rewritten(plain, [wanted]))


def _bad_bounds(written: WrittenCase, case: Case) -> Iterator[CaseFileError]:
    expectations = [expected for expected in case.expectations if isinstance(expected, Parts)]
    if not expectations:
        return
    axis, data = case.split_dim, case.data
    keys = ("disputed",) if isinstance(case.expectation, Disputed) else ("outputs",)
    if axis is None or data is None:
        what = "outputs are parts of the data along the axis, but the case has no axis or no data"
        if data is not None and case.split_axis is not None:
            rank = len(data.shape)
            what = f"outputs are parts of the data, but axis {case.split_axis} addresses no dimension of rank {rank}"
        yield written.problem(keys, what, "correct the axis, or write the outputs as literal values")
        return
    end = max((stop for expected in expectations for _, stop in expected.bounds), default=0)
    if end > data.shape[axis]:
        what = f"a part ends at {end}, but axis {axis} of the data has length {data.shape[axis]}"
        yield written.problem(keys, what, f"end the last part at {data.shape[axis]} or before")


def _absent_elements(written: WrittenCase, case: Case) -> Iterator[CaseFileError]:
    """Outputs of elements that the data does not have."""
    keys = ("disputed",) if isinstance(case.expectation, Disputed) else ("outputs",)
    for expected in case.expectations:
        if isinstance(expected, Elements | Lawful):
            try:
                expected_outputs(expected, case)
            except (ValueError, IndexError) as error:
                yield written.problem(keys, str(error), "correct the numbers, or the arguments")


def _other_number(written: WrittenCase, case: Case) -> Iterator[CaseFileError]:
    """If a case gives lengths and is not disputed, it needs one output for each length."""
    lengths = case.value(case.operator.lengths)
    match case.expectation:
        case Parts(bounds=outputs) | Literals(outputs=outputs):
            pass
        case _:
            return
    match lengths:
        case Value(shape=shape):
            count = math.prod(shape)
        case tuple():
            count = len(lengths)
        case _:
            return
    if count != len(outputs):
        has, given = counted(len(outputs), "output"), counted(count, "length")
        what = f"the case has {has}, but `{case.operator.lengths}` has {given}"
        yield written.problem(("outputs",), what, "write one output for each length")
