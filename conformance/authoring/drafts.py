"""Writes drafts: a case from the options of a command, and the page of a new operator."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, pairwise
from pathlib import Path
from textwrap import indent
from typing import Any

import numpy as np
from jinja2 import Environment, PackageLoader, StrictUndefined
from numpy.typing import NDArray

from conformance.authoring.lint import check_suite
from conformance.spec.broken_clause import BrokenClauseError
from conformance.spec.case import Case, Value, call_arguments
from conformance.spec.elements import row_major_strides
from conformance.spec.operator import ArgumentKind, Operator, Source
from conformance.spec.reference import OPERATORS, evaluate
from conformance.suite.case_file import CaseFamily, families_from_document
from conformance.suite.suite import OPERATOR_FILE, Suite, bundled_folder
from conformance.suite.yaml_file import ID_PATTERN, SchemaError, document_from_bytes
from conformance.tensors.dtypes import DTYPES, Category
from conformance.tensors.errors import CaseFileError, UsageError, nearest
from conformance.tensors.files import appended, refuse_foreign, written
from conformance.tensors.tensor import Tensor, array_from_tensor, tensor_from_array
from conformance.tensors.text import one_line

LEFT_OUT = "none"
KINDS = ("outputs", "rejection")
_PART = re.compile(r"\d+:\d+(/\d+)?")
_TENSOR = re.compile(r"([a-z]\w*)\[([0-9, ]*)\]")
_NUMBERS = re.compile(r"-?\d+(, *-?\d+)*")
_COUNT = re.compile(r"\d{1,9}")
_FILE = re.compile(r"[a-z0-9][a-z0-9_-]{0,79}\.yaml")
_NO_CASES = ("operator.yaml", "coverage.yaml")


def word_in(known: Sequence[str], text: str) -> str:
    """One of the known words.

    Raises:
        SchemaError: it is another.
    """
    if text not in known:
        fix = nearest(text, known, otherwise=f"write one of {', '.join(known)}")
        raise SchemaError((), f"{text!r} is not one of these", fix)
    return text


def operator_from(operators: Sequence[Operator], text: str) -> Operator:
    """An operator version.

    Raises:
        SchemaError: no operator has this id.
    """
    by_id = {operator.id: operator for operator in operators}
    if text not in by_id:
        fix = nearest(text, by_id, otherwise="`conformance list` has them")
        raise SchemaError((), f"{text!r} is not an operator version", fix)
    return by_id[text]


def clauses_from(operator: Operator, text: str) -> tuple[str, ...]:
    """Ids of clauses, separated by commas or spaces.

    Raises:
        SchemaError: there is none, or the operator has no such clause.
    """
    named = tuple(dict.fromkeys(_items(text)))
    for name in named:
        if name not in operator.clauses:
            fix = nearest(name, operator.clauses, otherwise=f"there are {', '.join(operator.clauses)}")
            raise SchemaError((), f"{operator.id} has no clause {name!r}", fix)
    if not named:
        raise SchemaError((), "no clause is named", f"name one of {', '.join(operator.clauses)}")
    return named


def broken_clause_from(operator: Operator, text: str) -> tuple[str, ...]:
    """The one clause that a rejected call breaks.

    Raises:
        SchemaError: it is not one clause of the operator.
    """
    named = clauses_from(operator, text)
    if len(named) > 1:
        raise SchemaError((), "a case with a rejection breaks one clause", f"name one of {', '.join(named)}")
    return named


def argument_from(operator: Operator, name: str, text: str) -> str | None:
    """The value of an argument in YAML, as a case file has it; None for `none`, which leaves it out.

    `float32[2,6]` is a tensor of that type and shape, and `2,4` a list of numbers.

    Raises:
        SchemaError: the text has several lines, or data has no element type.
    """
    if text == LEFT_OUT:
        return None
    tensors = [f"{{dtype: {dtype}, shape: {_list(dims)}}}" for dtype, dims in _TENSOR.findall(text)]
    if tensors and not _TENSOR.sub("", text).strip(", "):
        is_variadic = any(p.name == name and p.is_variadic for p in operator.parameters)
        return f"[{', '.join(tensors)}]" if is_variadic or len(tensors) > 1 else tensors[0]
    if not _NUMBERS.fullmatch(text):
        return _on_one_line(text)
    if name in operator.data:
        raise SchemaError((), f"{text!r} has no element type", "write type and shape, as float32[2,6]")
    return _list(text) if "," in text else text


def count_from(text: str) -> int:
    """A number of outputs.

    Raises:
        SchemaError: it is not a whole number.
    """
    if not _COUNT.fullmatch(text):
        raise SchemaError((), f"{text!r} is not a number of outputs", "write a whole number, as 3")
    return int(text)


def outputs_from(text: str) -> str:
    """Expected outputs as a YAML list.

    Parts of the data need no quotes, as `0:2,2:6`, and mappings no brackets, as `{permuted: [1, 0]}`.

    Raises:
        SchemaError: the text has several lines.
    """
    parts = _items(text)
    if parts and all(_PART.fullmatch(part) for part in parts):
        return "[" + ", ".join(f'"{part}"' for part in parts) + "]"
    return f"[{_on_one_line(text)}]" if text.startswith("{") else _on_one_line(text)


def id_from(taken: Collection[str], text: str) -> str:
    """The id of a case.

    Raises:
        SchemaError: it is not an id, or is taken.
    """
    if not re.fullmatch(ID_PATTERN, text):
        raise SchemaError((), f"{text!r} is not an id", "write small letters, digits, - and _, as uneven-lengths")
    if text in taken:
        raise SchemaError((), f"the case {text!r} exists already", "write another id")
    return text


def file_name_from(text: str) -> str:
    """The name of a case file.

    Raises:
        SchemaError: it is not the name of a case file.
    """
    if text in _NO_CASES:
        raise SchemaError((), f"{text} has no cases", "name another file")
    if not _FILE.fullmatch(text):
        what = f"{text!r} is not the name of a case file"
        raise SchemaError((), what, "write small letters, digits, - and _, then .yaml, without a folder")
    return text


def purpose_from(text: str) -> str:
    """The purpose of a file.

    Raises:
        SchemaError: the text is empty, or has characters that cannot be shown.
    """
    if not text or not text.isprintable():
        raise SchemaError((), f"{text!r} is not a line of text", "write one sentence")
    return text


def _items(text: str) -> list[str]:
    return [item for item in re.split(r"[,\s]+", text.strip("[] ").replace('"', "")) if item]


def _list(text: str) -> str:
    return f"[{', '.join(_items(text))}]"


def _on_one_line(text: str) -> str:
    if not text.isprintable():
        raise SchemaError((), f"{text!r} is not one line of text", "write it in one line, as {a: 1, b: [2, 3]}")
    return text


_MOST_ELEMENTS = 1024
"""More numbers than these are too many to compare with the page."""
_MOST_NUMBERS = 24
"""Larger outputs are written as blocks, not element by element."""
_CONSTANTS = {Category.BOOL: "false", Category.STRING: '""'}
"""How a type's zero is written if not as 0."""


def proposed_outputs(case: Case) -> str:
    """Parts of the data, as `0:2,2:6`, or for each output which element of the data stands at each place.

    The text is empty if the operator has no reference, or if the elements of data or outputs are too many to number.

    Raises:
        BrokenClauseError: the reference rejects the call.
    """
    if case.operator.id not in OPERATORS:
        return ""
    computed = evaluate(case.operator.id, call_arguments(case), case.declared_outputs)
    if case.operator.splits:
        assert case.split_dim is not None
        return ",".join(parts_along(case.split_dim, computed)) or "[]"
    sizes = [*(math.prod(data.shape) for data in case.data_inputs.values()), *(tensor.size for tensor in computed)]
    if sum(sizes) > _MOST_ELEMENTS:
        return ""
    assert case.data is not None
    constant = _CONSTANTS.get(DTYPES[case.data.dtype].category, "0")
    return f"[{', '.join(_arrangement(numbers, constant) for numbers in _numbers(case))}]"


def parts_along(axis: int, outputs: Iterable[Tensor]) -> list[str]:
    """The outputs of an operator that cuts data along an axis, as parts of it, such as `0:2`."""
    ends = accumulate((tensor.shape[axis] for tensor in outputs), initial=0)
    return [f"{start}:{stop}" for start, stop in pairwise(ends)]


def _numbers(case: Case) -> list[NDArray[Any]]:
    """For each output, the number of the element at each place; -1 for a constant."""
    dtype = "int64" if "int64" in case.operator.data_dtypes else "float64"
    data, start = {}, 1  # so that the 0 of a constant is not the number of an element
    for name, value in case.data_inputs.items():
        size = math.prod(value.shape)
        data[name] = tensor_from_array(np.arange(start, start + size, dtype=dtype).reshape(value.shape))
        start += size
    outputs = evaluate(case.operator.id, {**call_arguments(case), **data}, case.declared_outputs)
    return [array_from_tensor(tensor).astype(np.int64) - 1 for tensor in outputs]


def _arrangement(numbers: NDArray[Any], constant: str) -> str:
    """One output as a case file writes it."""
    shape = list(numbers.shape)
    if not numbers.size:
        return f"{{at: [], shape: {shape}}}"
    strides = strides_of(numbers, row_major_strides(numbers.shape))
    if numbers.size > _MOST_NUMBERS and numbers.min() >= 0 and strides is not None:
        return f"{{block: {{start: {numbers.flat[0]}, shape: {shape}, strides: {strides}}}}}"
    return f"{{at: {str(numbers.tolist()).replace('-1', f'{{value: {constant}}}')}}}"


def strides_of(numbers: NDArray[Any], unseen: Sequence[int]) -> list[int] | None:
    """By how much the number grows with a step along each dim; None if that differs.

    `unseen` has the strides of dims of length 1.
    """
    start = numbers.flat[0]
    strides = [
        int(numbers.take(1, axis).flat[0] - start) if dim > 1 else unseen[axis]
        for axis, dim in enumerate(numbers.shape)
    ]
    grown = start + sum(index * stride for index, stride in zip(np.indices(numbers.shape), strides, strict=True))
    return strides if np.array_equal(numbers, grown) else None


_FIRST_CASE = re.compile(r"^( *)- +id:", re.MULTILINE)
_SOME_OUTPUTS = 2
"""Declared by a call of which not all arguments are known."""
_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9 ,.()/=-]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A case for one operator version. Values of `arguments` and `outputs` are YAML texts of one line.

    `declared_outputs` is None if the number follows from the call. A case with `rejected`, the clause that the call
    breaks, has no outputs. `versions` is empty if the case is for all versions of the operator.
    """

    operator: Operator
    clauses: tuple[str, ...]
    arguments: Mapping[str, str] = field(default_factory=dict)
    declared_outputs: int | None = None
    outputs: str = "[]"
    rejected: str | None = None
    id: str = "draft"
    versions: str = ""

    def text(self) -> str:
        """The case as an entry of `cases` in a file."""
        lines = [
            f"- id: {self.id}",
            *([f'  versions: "{self.versions}"'] if self.versions else []),
            f"  clauses: [{', '.join(self.clauses)}]",
            "  arguments:" if self.arguments else "  arguments: {}",
            *(f"    {name}: {value}" for name, value in self.arguments.items()),
            *([] if self.declared_outputs is None else [f"  declared_outputs: {self.declared_outputs}"]),
            f"  outputs: {self.outputs}" if self.rejected is None else f"  rejected: {self.rejected}",
        ]
        return "\n".join(lines) + "\n"

    def with_argument(self, name: str, text: str) -> Draft:
        """The draft with an argument, as `argument_from` reads it.

        Raises:
            SchemaError: the text is not a value, or the page does not allow the argument or its type in a valid call.
        """
        known = dict.fromkeys(parameter.name for parameter in self.operator.parameters)
        if self.rejected is None and name not in known:
            fix = nearest(name, known, otherwise=f"there are {', '.join(known)}")
            raise SchemaError((), f"{self.operator.id} takes no argument {name!r}", fix)
        value = argument_from(self.operator, name, text)
        if value is None:
            return self
        made = replace(self, arguments={**self.arguments, name: value})
        call = _call_of(made, _SOME_OUTPUTS)
        if self.rejected is None:
            _require_allowed_types(call)
        return made

    @property
    def has_outputs_to_declare(self) -> bool:
        """Whether the number of outputs does not follow from the call: the node of a model declares it."""
        try:
            _call_of(self, None)
        except SchemaError:
            return True
        return False

    def proposed_outputs(self) -> str:
        """The outputs that the reference computes, as the module `proposed_outputs` writes them.

        Raises:
            SchemaError: the reference rejects the call.
        """
        try:
            return proposed_outputs(_call_of(self, self.declared_outputs))
        except BrokenClauseError as error:
            fix = f"correct the call, or expect a rejection by {error.clause}"
            raise SchemaError((), f"the reference rejects the call by {error}", fix) from None

    def require_sound(self) -> None:
        """Check the case as `conformance check` does.

        Raises:
            SchemaError: the first problem.
        """
        _, problems = check_suite(Suite(root=Path(), digest="", operators=(), families=(_family_of(self),)))
        if problems:
            raise SchemaError((), problems[0].what, problems[0].fix)


def _call_of(draft: Draft, declared_outputs: int | None) -> Case:
    """The draft without its outputs, as a case that must be rejected: that may be any call.

    Raises:
        SchemaError: an argument has no meaning.
    """
    family = _family_of(replace(draft, declared_outputs=declared_outputs, rejected=draft.clauses[0]))
    try:
        return next(family.cases())
    except CaseFileError as error:
        raise SchemaError((), error.what, error.fix) from None


def _family_of(draft: Draft) -> CaseFamily:
    try:
        document = document_from_bytes(_new_file(draft, "").encode(), "draft")
        (family,) = families_from_document(document, [draft.operator])
    except ExceptionGroup as problems:
        first = problems.exceptions[0]
        assert isinstance(first, CaseFileError)
        raise SchemaError((), first.what, first.fix) from None
    return family


def _require_allowed_types(call: Case) -> None:
    """Refuse inputs of a type that the page does not allow for them."""
    operator = call.operator
    for argument in call.arguments:
        constraints = [parameter.constraint or "" for parameter in operator.parameters_named(argument.name)]
        allowed = [dtype for constraint in constraints for dtype in operator.constraints.get(constraint, ())]
        if isinstance(argument.value, Value) and allowed and argument.value.dtype not in allowed:
            what = f"the page does not allow {argument.value.dtype} for {argument.name!r}"
            raise SchemaError((), what, f"write one of {', '.join(allowed)}")


def write_case(draft: Draft, suite: Suite, name: str, about: str) -> Path:
    """Write the case into a new file of its operator's folder, or behind the last case of the file of that name.

    Raises:
        ExceptionGroup: of `CaseFileError`: the case is not sound there; nothing is written.
        UsageError: the file has no list of cases at its end, or the case's id exists.
    """
    operator = draft.operator
    folder = suite.root / operator.dialect / operator.name
    path = folder / name
    if any(family.id == f"{operator.id}/{draft.id}" for family in suite.families):
        raise UsageError(
            f"{operator.id}/{draft.id}", "exists already, and stays as it is", fix="give the case a new id"
        )
    refuse_foreign(path)
    old = path.read_text(encoding="utf-8") if path.exists() else None
    text = _new_file(draft, about) if old is None else _behind_last(old, draft)
    versions = [one for one in suite.operators if one.family == operator.family]
    shown = f"{suite.root.name}/{operator.dialect}/{operator.name}/{name}"
    try:
        families = families_from_document(document_from_bytes(text.encode(), shown), versions, folder)
    except ExceptionGroup:
        families = ()
    before = [] if old is None else [family.entry for family in suite.families if family.file == path]
    after = [family.entry for family in families]
    if after[:-1] != before or not after or after[-1].id != draft.id:
        raise UsageError(shown, "does not end with its list of cases", fix="name another file")
    _, problems = check_suite(Suite(root=suite.root, digest="", operators=(), families=families[-1:]))
    if problems:
        raise ExceptionGroup(f"nothing is written to {shown}", problems)
    folder.mkdir(parents=True, exist_ok=True)
    with appended(path) as stream:
        stream.write((text if old is None else text[len(old) :]).encode())
    return path


def _new_file(draft: Draft, about: str) -> str:
    shown = about if _PLAIN.fullmatch(about) else json.dumps(about, ensure_ascii=False)
    return f"operator: {draft.operator.family}\nabout: {shown}\ncases:\n{indent(draft.text(), '  ')}"


def _behind_last(old: str, draft: Draft) -> str:
    """The text of a file with the case at its end, indented as the cases before it."""
    first = _FIRST_CASE.search(old)
    line_ends = "\n" if old.endswith("\n") else "\n\n"
    return f"{old}{line_ends}{indent(draft.text(), first[1] if first else '')}"


_SHOWN = 100
_SPECIFICATIONS = {
    "onnx": Source("ONNX", "https://onnx.ai/onnx/operators/"),
    "openvino": Source(
        "OpenVINO",
        "https://docs.openvino.ai/2024/documentation/openvino-ir-format/operation-sets/operation-specs.html",
    ),
}
"""Where each dialect lists the pages of its operators."""
_OPERATOR = re.compile(rf"({'|'.join(_SPECIFICATIONS)})\.([A-Z][A-Za-z0-9]{{0,79}})-([1-9][0-9]{{0,3}})")


def write_operator(operator: str, root: Path) -> tuple[Path, Path]:
    """Write `operator.yaml` and a case file of an operator version, such as `onnx.Identity-13`, and return both paths.

    The page is that of an operator that copies its data. `root` is a folder laid out as `cases/`.

    Raises:
        UsageError: the text names no operator version, the suite has the operator, or its folder exists.
    """
    match = _OPERATOR.fullmatch(operator)
    if match is None:
        fix = f"write dialect, name and version, as onnx.Identity-13; the dialects are {' and '.join(_SPECIFICATIONS)}"
        raise UsageError(f"name {one_line(repr(operator), _SHOWN)}", "is not an operator version", fix=fix)
    dialect, name, version = match.groups()
    bundled = bundled_folder("cases") / dialect / name / OPERATOR_FILE
    if bundled.is_file():
        fix = f"add a version to {bundled}, and cases with `conformance new case`"
        raise UsageError(operator, f"the suite has {dialect}.{name} already", fix=fix)
    folder = root / dialect / name
    try:
        folder.mkdir(parents=True)
    except FileExistsError as error:
        fix = "remove it, or name another operator or --cases-folder"
        raise UsageError(str(error.filename), "is there already, and stays as it is", fix=fix) from None
    environment = Environment(
        loader=PackageLoader("conformance.authoring"),
        undefined=StrictUndefined,
        keep_trailing_newline=True,
        autoescape=False,  # noqa: S701  (writes YAML; the name is of letters and digits)
    )
    page, cases = folder / OPERATOR_FILE, folder / "copied.yaml"
    source = _SPECIFICATIONS[dialect]
    for path in (page, cases):
        text = environment.get_template(f"{path.name}.j2").render(
            dialect=dialect,
            name=name,
            version=version,
            source=Source(f"{source.title} {name}-{version}", source.url),
            kinds=", ".join(kind.value for kind in ArgumentKind),
        )
        written(path, text.encode())
    return page, cases
