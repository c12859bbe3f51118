"""Writes drafts: a case from the options of a command, and the page of a new operator."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from textwrap import indent

from jinja2 import Environment, PackageLoader, StrictUndefined

from conformance.authoring.lint import check_suite
from conformance.spec.operator import ArgumentKind, Operator, Source
from conformance.suite.case_file import CaseFamily, families_from_document
from conformance.suite.suite import OPERATOR_FILE, Suite, bundled_folder
from conformance.suite.yaml_file import document_from_bytes
from conformance.tensors.errors import UsageError
from conformance.tensors.files import appended, refuse_foreign, written
from conformance.tensors.text import one_line

_PART = re.compile(r"\d+:\d+(/\d+)?")
_TENSOR = re.compile(r"([a-z]\w*)\[([0-9, ]*)\]")
_NUMBERS = re.compile(r"-?\d+(, *-?\d+)+")
_FILE = re.compile(r"[a-z0-9][a-z0-9_-]{0,79}\.yaml")
_FIRST_CASE = re.compile(r"^( *)- +id:", re.MULTILINE)
_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9 ,.()/=-]*")


def items_in(text: str) -> list[str]:
    """The words of a list whose commas, brackets and quotes are optional."""
    return [item for item in re.split(r"[,\s]+", text.strip("[] ").replace('"', "")) if item]


def argument_from(operator: Operator, name: str, text: str) -> str:
    """The value of an argument in YAML: `float32[2,6]` is a tensor of that type and shape, `2,4` a list of numbers."""
    tensors = [f"{{dtype: {dtype}, shape: {_list(dims)}}}" for dtype, dims in _TENSOR.findall(text)]
    if tensors and not _TENSOR.sub("", text).strip(", "):
        is_variadic = any(p.name == name and p.is_variadic for p in operator.parameters)
        return f"[{', '.join(tensors)}]" if is_variadic or len(tensors) > 1 else tensors[0]
    return _list(text) if _NUMBERS.fullmatch(text) else text


def outputs_from(text: str) -> str:
    """Expected outputs in YAML: parts of the data need no quotes, as `0:2,2:6`, and mappings no brackets."""
    parts = items_in(text)
    if parts and all(_PART.fullmatch(part) for part in parts):
        return "[" + ", ".join(f'"{part}"' for part in parts) + "]"
    return f"[{text}]" if text.startswith("{") else text


def _list(text: str) -> str:
    return f"[{', '.join(items_in(text))}]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A case for one operator version. Values of `arguments` and `outputs` are YAML texts of one line.

    `declared_outputs` is None if the number follows from the call. A case with `rejected`, the clause that the call
    breaks, has no outputs. `versions` is empty if the case is for all versions of the operator.
    """

    operator: Operator
    clauses: tuple[str, ...]
    arguments: Mapping[str, str]
    id: str
    declared_outputs: int | None = None
    outputs: str = "law"
    rejected: str | None = None
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


def write_case(draft: Draft, suite: Suite, name: str, about: str) -> Path:
    """Write the case into a new file of its operator's folder, or behind the last case of the file of that name.

    Raises:
        ExceptionGroup: of `CaseFileError`: what `conformance check` says of the case; nothing is written.
        UsageError: the name is not one of a case file, the file has no list of cases at its end, or the id exists.
    """
    operator = draft.operator
    if not _FILE.fullmatch(name):
        fix = "write small letters, digits, - and _, then .yaml, without a folder"
        raise UsageError("--file", f"{name!r} is not the name of a case file", fix=fix)
    if any(family.id == f"{operator.id}/{draft.id}" for family in suite.families):
        raise UsageError(f"{operator.id}/{draft.id}", "exists already, and stays as it is", fix="write another --id")
    folder = suite.root / operator.dialect / operator.name
    path, shown = folder / name, f"{suite.root.name}/{operator.dialect}/{operator.name}/{name}"
    refuse_foreign(path)
    families = _families_in(_new_file(draft, about), suite, operator, shown, folder)
    _, problems = check_suite(Suite(root=suite.root, digest="", operators=(), families=families))
    if problems:
        raise ExceptionGroup(f"nothing is written to {shown}", problems)
    old = path.read_text(encoding="utf-8") if path.exists() else ""
    added = _behind_last(old, draft) if old else _new_file(draft, about)
    if old:
        before = [family.entry for family in suite.families if family.file == path]
        try:
            after = [family.entry for family in _families_in(old + added, suite, operator, shown, folder)]
        except ExceptionGroup:
            after = []
        if after != [*before, *(family.entry for family in families)]:
            raise UsageError(shown, "does not end with its list of cases", fix="name another file")
    folder.mkdir(parents=True, exist_ok=True)
    with appended(path) as stream:
        stream.write(added.encode())
    return path


def _families_in(text: str, suite: Suite, operator: Operator, shown: str, folder: Path) -> tuple[CaseFamily, ...]:
    versions = [one for one in suite.operators if one.family == operator.family]
    return families_from_document(document_from_bytes(text.encode(), shown), versions, folder)


def _new_file(draft: Draft, about: str) -> str:
    shown = about if _PLAIN.fullmatch(about) else json.dumps(about, ensure_ascii=False)
    return f"operator: {draft.operator.family}\nabout: {shown}\ncases:\n{indent(draft.text(), '  ')}"


def _behind_last(old: str, draft: Draft) -> str:
    """The case as it goes behind the last one of a file, indented as the cases before it."""
    first = _FIRST_CASE.search(old)
    line_ends = "\n" if old.endswith("\n") else "\n\n"
    return f"{line_ends}{indent(draft.text(), first[1] if first else '')}"


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
