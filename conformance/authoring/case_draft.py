"""A new case: its text, whether it is sound, and its place in a file.

Nothing that a file holds ever changes: a new case goes into a new file or behind
the last case of an existing one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from textwrap import indent

from conformance.authoring.case_answers import argument_from
from conformance.authoring.proposed_outputs import proposed_outputs
from conformance.formats.case_file import CaseFamily, families_from_document
from conformance.formats.file_schema import SchemaError
from conformance.formats.suite import Suite
from conformance.formats.yaml_document import document_from_bytes
from conformance.language.broken_clause import BrokenClauseError
from conformance.language.case import Case, Value
from conformance.language.operator import Operator
from conformance.planning.lint import check_suite
from conformance.values.errors import CaseFileError, UsageError, nearest
from conformance.values.regular_file import appended, refuse_foreign

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
