"""The `Case` that each product of a case's matrix makes, and what is wrong with it beyond the format of its file."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from conformance.protocol.call import Attribute
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
from conformance.suite.case_entry import (
    ArgumentEntry,
    ArrangementEntry,
    AttributeEntry,
    CaseEntry,
    InterpretationEntry,
    OutputEntry,
    WrittenCall,
    WrittenTensor,
    bytes_of,
)
from conformance.suite.literals import resolved, written_value
from conformance.suite.yaml_file import KeyPath, Plain, SchemaError, kind_of, part_of, rewritten, shown
from conformance.tensors.errors import nearest
from conformance.tensors.tensor import KnownShape, allows
from conformance.tensors.text import counted

MAX_TENSOR_BYTES = 1 << 30
MAX_DESCRIBED_BYTES = (1 << 63) - 1
MAX_OUTPUTS = 1 << 16
_STRETCH = re.compile(r"(\d{1,19}):(\d{1,19})(?:/(\d{1,19}))?")


class ProductReader:
    """Makes the cases of one entry for one operator version. `memory` is the size that the largest of them needs."""

    def __init__(self, operator: Operator, entry: CaseEntry, memory: str | None) -> None:
        self.operator = operator
        self.entry = entry
        self.max_bytes = MAX_TENSOR_BYTES if memory is None else bytes_of(memory)
        self.raw: Plain = entry.model_dump(exclude_unset=True, include=set(WrittenCall.model_fields))

    def case(self, bindings: Mapping[str, Plain], case_id: str, where: str, number: int) -> Case:
        """The case of the product with these values of the matrix.

        Raises:
            SchemaError: the product is not a case of this operator version.
        """
        entry = self._entry_of(bindings)
        arguments = self._arguments(entry, {})
        expectation = self._expectation(entry, arguments)
        forms, in_turn = entry.forms or (), self.entry.forms_in_turn or ()
        if isinstance(forms, str):
            raise SchemaError(("forms",), f"{forms!r} is not a list of forms", "write one, as [constant, dynamic]")
        if both := [form.value for form in in_turn if form in forms]:
            raise SchemaError(("forms_in_turn",), f"{both[0]!r} is also one of the `forms`", "remove one of the two")
        return Case(
            id=case_id,
            operator=self.operator,
            clauses=tuple(self.entry.clauses),
            arguments=arguments,
            declared_outputs=self._declared_outputs(entry, arguments, expectation),
            expectation=expectation,
            where=where,
            forms=(*forms, *in_turn),
            forms_in_turn=tuple(in_turn),
            number=number,
            in_model=self._in_model(arguments),
            twin=self._arguments(entry, entry.twin) if entry.twin else (),
        )

    def _entry_of(self, bindings: Mapping[str, Plain]) -> WrittenCall:
        """What the file says of a product. An argument that is null there is left out."""
        raw = resolved(self.raw, bindings)
        assert isinstance(raw, dict)
        given = {name: value for name, value in raw["arguments"].items() if value is not None}
        return part_of(WrittenCall, {**raw, "arguments": given}, ())

    def _arguments(self, entry: WrittenCall, twin: Mapping[str, ArgumentEntry | None]) -> tuple[Argument, ...]:
        """The arguments in the order of the page; those of a twin take the place of the call's."""
        found: list[Argument] = []
        for name, written in {**entry.arguments, **twin}.items():
            keys = ("twin" if name in twin else "arguments", name)
            is_variadic = any(p.name == name and p.is_variadic for p in self.operator.parameters)
            if isinstance(written, list) and is_variadic:
                items = ((f"{name}_{index}", item, (*keys, index)) for index, item in enumerate(written))
                found += [self._argument(*item) for item in items]
            elif written is not None:
                found.append(self._argument(name, written, keys))
        return self._with_distinct_data(sorted(found, key=lambda argument: self.operator.place_of(argument.name)))

    def _with_distinct_data(self, arguments: list[Argument]) -> tuple[Argument, ...]:
        """Fills of several data inputs continue each other, so that all elements are distinct."""
        start = 0
        for place, argument in enumerate(arguments):
            value = argument.value
            if isinstance(value, Value) and self.operator.is_data(argument.name):
                if start:
                    arguments[place] = replace(argument, value=replace(value, start=start))
                start += math.prod(value.shape)
        return tuple(arguments)

    def _argument(self, name: str, written: ArgumentEntry | Plain, keys: KeyPath) -> Argument:
        if isinstance(written, dict):  # an item of a list of variadic inputs
            written = part_of(WrittenTensor, written, keys)
        if isinstance(written, WrittenTensor):
            return Argument(name, Role.INPUT, self._tensor(written, keys))
        if isinstance(written, AttributeEntry):
            return Argument(name, Role.ATTRIBUTE, self._attribute(written.attribute, (*keys, "attribute")))
        roles = {parameter.role: parameter for parameter in self.operator.parameters_named(name)}
        if Role.ATTRIBUTE in roles or not roles:
            return Argument(name, Role.ATTRIBUTE, self._attribute(written, keys))
        value = written_value(roles[Role.INPUT].default_dtype, written, keys)
        return Argument(name, Role.INPUT, self._of_sound_size(value, keys))

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

    def _tensor(self, written: WrittenTensor, keys: KeyPath) -> Value:
        return self._of_sound_size(written.to_value(keys), (*keys, "shape"))

    def _of_sound_size(self, value: Value, keys: KeyPath) -> Value:
        """Refuses tensors too large to allocate. A 0 counts as 1 if a form may call with data of another shape."""
        filled = replace(value, shape=tuple(max(1, dim) for dim in value.shape))
        stays_empty = 0 in value.shape and self._keeps_shapes()
        limit = MAX_DESCRIBED_BYTES if stays_empty else self.max_bytes
        if filled.nbytes <= limit:
            return value
        but_for_zeros = ", with each 0 taken as 1," if 0 in value.shape else ""
        what = f"the shape {value.shape}{but_for_zeros} describes {filled.nbytes / (1 << 30):,.1f} GiB of {value.dtype}"
        fix = f"a tensor of a case may hold {limit / (1 << 30):g} GiB"
        if stays_empty:
            fix = "write dims that describe less than 2**63 bytes"
        elif 0 in value.shape:
            fix += "; some forms call with 1 in place of 0: name others, as `forms: [constant]`"
        raise SchemaError(keys, what, fix)

    def _keeps_shapes(self) -> bool:
        """Whether every form of the case makes only calls with data of the written shape."""
        forms = (
            [] if isinstance(self.entry.forms, str) else [*(self.entry.forms or ()), *(self.entry.forms_in_turn or ())]
        )
        return bool(forms) and not any(form.has_other_calls for form in forms)

    def _in_model(self, arguments: Sequence[Argument]) -> Mapping[str, KnownShape] | None:
        """What the model of the case gives at run time, with the dims that it knows."""
        given = self.entry.in_model
        if given is None:
            return None
        shapes = {argument.name: argument.value.shape for argument in arguments if isinstance(argument.value, Value)}
        for name, dims in given.items():
            if name not in shapes:
                fix = f"write one of {', '.join(shapes)}"
                raise SchemaError(("in_model", name), "is not an input of the call", fix)
            if dims is not None and not allows(tuple(dims), shapes[name]):
                what = f"{dims} are not the dims of the shape {list(shapes[name])}"
                raise SchemaError(("in_model", name), what, "write each dim, or null for an unknown one")
        return {name: None if dims is None else tuple(dims) for name, dims in given.items()}

    def _expectation(self, entry: WrittenCall, arguments: Sequence[Argument]) -> Expectation:
        if entry.disputed is None:
            return self._settled(entry, (), arguments)
        return Disputed(
            tuple(
                Interpretation(
                    name=name,
                    reason=one.reason,
                    thread=one.thread,
                    expectation=self._settled(one, ("disputed", name), arguments),
                    nan_payloads_may_differ=one.nan_payloads == "any",
                )
                for name, one in entry.disputed.items()
            )
        )

    def _settled(
        self, entry: WrittenCall | InterpretationEntry, keys: KeyPath, arguments: Sequence[Argument]
    ) -> Settled:
        if entry.rejected is not None:
            return Rejection(entry.rejected)
        outputs, keys = entry.outputs, (*keys, "outputs")
        if outputs == "law":
            return Lawful()
        if not isinstance(outputs, list):
            raise SchemaError(keys, f"{outputs!r} is not a list of outputs", 'write one, as ["0:2", "2:6"]')
        texts = [output for output in outputs if isinstance(output, str)]
        if len(texts) == len(outputs):
            return _parts(texts, keys)
        arrangements = [output for output in outputs if isinstance(output, ArrangementEntry)]
        if len(arrangements) == len(outputs):
            constants: list[Plain] = []
            found = tuple(one.to_arrangement((*keys, index), constants) for index, one in enumerate(arrangements))
            return Elements(found, written_value(self._data_dtype(arguments), constants, keys) if constants else None)
        dtype = self._data_dtype(arguments)
        return Literals(tuple(self._literal(output, dtype, (*keys, index)) for index, output in enumerate(outputs)))

    def _literal(self, written: OutputEntry, dtype: str, keys: KeyPath) -> Value:
        match written:
            case WrittenTensor():
                return self._tensor(written, keys)
            case list():
                return self._of_sound_size(written_value(dtype, written, keys), keys)
            case _:
                raw = written if isinstance(written, str) else written.model_dump(exclude_unset=True)
                what = f"{shown(raw)} is a part of the data among literal outputs"
                raise SchemaError(keys, what, "write all outputs in one of the two ways")

    def _data_dtype(self, arguments: Sequence[Argument]) -> str:
        """The type of the data: the default for literal outputs."""
        name = self.operator.data[0]
        found = (argument for argument in arguments if argument.name.removesuffix("_0") == name)
        given = next((argument.value.dtype for argument in found if isinstance(argument.value, Value)), None)
        return given or next(p.default_dtype for p in self.operator.parameters if p.name == name)

    def _declared_outputs(self, entry: WrittenCall, arguments: Sequence[Argument], expectation: Expectation) -> int:
        count = entry.declared_outputs
        if count is not None:
            if isinstance(count, str) or not 0 <= count <= MAX_OUTPUTS:
                what = f"{count!r} is not a number of outputs"
                raise SchemaError(("declared_outputs",), what, f"write 0 to {MAX_OUTPUTS}")
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


def _parts(texts: Sequence[str], keys: KeyPath) -> Parts:
    bounds: list[tuple[int, int]] = []
    for index, text in enumerate(texts):
        bounds += _bounds_of(text, (*keys, index), MAX_OUTPUTS - len(bounds))
    return Parts(tuple(bounds))


def _bounds_of(text: str, keys: KeyPath, limit: int) -> list[tuple[int, int]]:
    """The part "start:stop" as one pair, or "start:stop/length" cut into parts of that length."""
    match = _STRETCH.fullmatch(text)
    if match is None or int(match[1]) > int(match[2]):
        raise SchemaError(keys, f"{text!r} is not a part of the data", 'write "start:stop", as "0:2"')
    start, stop = int(match[1]), int(match[2])
    length = stop - start if match[3] is None else int(match[3])
    if match[3] is not None and (length == 0 or (stop - start) % length):
        what = f"{text!r} cannot be cut into parts of length {length}"
        raise SchemaError(keys, what, "write a length that divides it")
    count = 1 if match[3] is None else (stop - start) // length
    if count > limit:
        raise SchemaError(keys, f"with {text!r} there are more than {MAX_OUTPUTS} outputs", "write fewer")
    return [(start + index * length, start + (index + 1) * length) for index in range(count)]


def _length(value: Value | Attribute) -> int | None:
    if isinstance(value, Value):
        return value.shape[0] if len(value.shape) == 1 else None
    return len(value) if isinstance(value, tuple) else None


# Checks cases of well-formed files: unknown clauses and arguments, impossible outputs, forms that do not fit.
#
# This needs no reference implementation. `authoring.lint` runs these checks, and also computes outputs.


def unknown_names(operator: Operator, entry: CaseEntry) -> Iterator[SchemaError]:
    """Clauses and arguments that the operator version does not have, in a case of which no product could be made."""
    yield from _unknown_clauses(operator, ((("clauses", index), clause) for index, clause in enumerate(entry.clauses)))
    for name in () if entry.rejected else entry.arguments:
        if not operator.parameters_named(name):
            known = [parameter.name for parameter in operator.parameters]
            fix = nearest(name, known, otherwise=f"it takes {', '.join(dict.fromkeys(known))}")
            yield SchemaError(("arguments", name), f"{operator.id} takes no argument {name!r}", fix)


def clause_errors(case: Case) -> Iterator[SchemaError]:
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
    yield from _unknown_clauses(case.operator, named)


def _unknown_clauses(operator: Operator, named: Iterable[tuple[KeyPath, str]]) -> Iterator[SchemaError]:
    for keys, clause in named:
        if clause not in operator.clauses:
            fix = nearest(clause, operator.clauses, otherwise="add it to operator.yaml, or narrow `versions`")
            yield SchemaError(keys, f"{operator.id} has no clause {clause!r}", fix)


def argument_errors(case: Case) -> Iterator[SchemaError]:
    """Arguments of another version in a case that must be accepted, impossible outputs, forms that do not fit."""
    found = [*_foreign_arguments(case), *_other_kinds(case)]
    found = found or [
        *_bad_bounds(case),
        *_absent_elements(case),
        *_other_number(case),
    ]
    yield from found or _without_effect(case)


def _without_effect(case: Case) -> Iterator[SchemaError]:
    """A case that would silently never run because none of its forms fits it."""
    if case.forms and not forms_of(case):
        what = f"the case cannot run in the form {' or '.join(form.value for form in case.forms)}"
        yield SchemaError(("forms",), what, "name another; in a matrix with `cover`, add an entry of `except`")


def _foreign_arguments(case: Case) -> Iterator[SchemaError]:
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
            yield SchemaError(keys, what, fix or nearest(argument.name, known, otherwise=other))


def _other_kinds(case: Case) -> Iterator[SchemaError]:
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
                yield _other_kind(item, "int64 needs a whole number", (*keys, index))
        elif is_list:
            yield _other_kind(value, f"`{argument.name}` takes a list", keys)
        elif argument.name in (case.operator.split_axis, case.operator.num_outputs) and not isinstance(value, int):
            yield _other_kind(value, "int64 needs a whole number", keys)


def _other_kind(value: Attribute, needed: str, keys: KeyPath) -> SchemaError:
    """An attribute of a wrong kind, with the message that an input of a wrong type gets."""
    plain = list(value) if isinstance(value, tuple) else value
    wanted = f"a {needed.rpartition(' a ')[2]}"
    return SchemaError(keys, f"{shown(plain)} is {kind_of(plain)}, and {needed}", rewritten(plain, [wanted]))


def _bad_bounds(case: Case) -> Iterator[SchemaError]:
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
        yield SchemaError(keys, what, "correct the axis, or write the outputs as literal values")
        return
    end = max((stop for expected in expectations for _, stop in expected.bounds), default=0)
    if end > data.shape[axis]:
        what = f"a part ends at {end}, but axis {axis} of the data has length {data.shape[axis]}"
        yield SchemaError(keys, what, f"end the last part at {data.shape[axis]} or before")


def _absent_elements(case: Case) -> Iterator[SchemaError]:
    """Outputs of elements that the data does not have."""
    keys = ("disputed",) if isinstance(case.expectation, Disputed) else ("outputs",)
    for expected in case.expectations:
        if isinstance(expected, Elements | Lawful):
            try:
                expected_outputs(expected, case)
            except (ValueError, IndexError) as error:
                yield SchemaError(keys, str(error), "correct the numbers, or the arguments")


def _other_number(case: Case) -> Iterator[SchemaError]:
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
        yield SchemaError(("outputs",), what, "write one output for each length")
