"""A new case as answers to questions: its text, whether it is sound, and its place in a file.

Knows neither terminal nor options. Nothing that a file holds ever changes: a new case goes into a new file or behind
the last case of an existing one.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from itertools import accumulate, pairwise
from pathlib import Path
from textwrap import indent

from conformance.formats.case_file import CaseFamily, families_from_document
from conformance.formats.file_schema import MisfitError
from conformance.formats.suite import Suite
from conformance.formats.yaml_document import document_from_bytes
from conformance.selection.lint import check_suite
from conformance.spec.broken_clause import BrokenClauseError
from conformance.spec.case import call_arguments
from conformance.spec.operator import Operator
from conformance.spec.reference import evaluate
from conformance.values.errors import CaseFileError, UsageError

_FIRST_CASE = re.compile(r"^( *)- +id:", re.MULTILINE)
_UNTOLD = 2
"""The outputs that a node declares if neither lengths nor a count say how many."""
_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9 ,.()/=-]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A case for one operator version; the call leaves out each argument that is None.

    `count` is the number of parts: an argument, or else the number of outputs that the node declares. `outputs` are
    parts of the data, as `0:2`; a case with `rejected`, the clause that the call breaks, has none. `versions` is empty
    if the case is for all versions of the operator.
    """

    operator: Operator
    clauses: tuple[str, ...]
    dtype: str
    shape: tuple[int, ...]
    axis: int | None = None
    lengths: tuple[int, ...] | None = None
    count: int | None = None
    outputs: tuple[str, ...] = ()
    rejected: str | None = None
    id: str = "draft"
    versions: str = ""

    def text(self) -> str:
        """The case as an entry of `cases` in a file."""
        operator = self.operator
        has_count = operator.num_outputs is not None and bool(operator.parameters_named(operator.num_outputs))
        arguments = {
            operator.data[0]: f"{{dtype: {self.dtype}, shape: {list(self.shape)}}}",
            operator.axis: self.axis,
            operator.lengths: None if self.lengths is None else list(self.lengths),
            operator.num_outputs: self.count if has_count else None,
        }
        lines = [
            f"- id: {self.id}",
            *([f'  versions: "{self.versions}"'] if self.versions else []),
            f"  clauses: [{', '.join(self.clauses)}]",
            "  arguments:",
            *(f"    {name}: {value}" for name, value in arguments.items() if value is not None),
        ]
        declared = _UNTOLD if self.lengths is None and self.count is None else self.count
        if declared is not None and not (has_count and self.count is not None):
            lines.append(f"  declared_outputs: {declared}")
        outputs = ", ".join(f'"{part}"' for part in self.outputs)
        lines.append(f"  outputs: [{outputs}]" if self.rejected is None else f"  rejected: {self.rejected}")
        return "\n".join(lines) + "\n"

    def proposed_outputs(self) -> tuple[str, ...]:
        """The parts of the data that the reference computes.

        Raises:
            MisfitError: the reference rejects the call, or the call cannot be written.
        """
        try:
            case = next(self._family().cases())
            computed = evaluate(case.operator.id, call_arguments(case), case.declared_outputs)
        except CaseFileError as error:
            raise MisfitError((), error.what, error.fix) from None
        except BrokenClauseError as error:
            fix = f"correct the call, or expect a rejection by {error.clause}"
            raise MisfitError((), f"the reference rejects the call by {error}", fix) from None
        axis = case.axis_from_front
        assert axis is not None
        ends = accumulate((tensor.shape[axis] for tensor in computed), initial=0)
        return tuple(f"{start}:{stop}" for start, stop in pairwise(ends))

    def require_sound(self) -> None:
        """Check the case as `conformance check` does.

        Raises:
            MisfitError: the first problem.
        """
        _, problems = check_suite(Suite(root=Path(), digest="", operators=(), families=(self._family(),)))
        if problems:
            raise MisfitError((), problems[0].what, problems[0].fix)

    def _family(self) -> CaseFamily:
        (family,) = families_from_document(document_from_bytes(_new_file(self, "").encode(), "draft"), [self.operator])
        return family


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
    with path.open("x" if old is None else "a", encoding="utf-8", newline="\n") as stream:
        stream.write(text if old is None else text[len(old) :])
    return path


def _new_file(draft: Draft, about: str) -> str:
    shown = about if _PLAIN.fullmatch(about) else json.dumps(about, ensure_ascii=False)
    return f"operator: {draft.operator.family}\nabout: {shown}\ncases:\n{indent(draft.text(), '  ')}"


def _behind_last(old: str, draft: Draft) -> str:
    """The text of a file with the case at its end, indented as the cases before it."""
    first = _FIRST_CASE.search(old)
    line_ends = "\n" if old.endswith("\n") else "\n\n"
    return f"{old}{line_ends}{indent(draft.text(), first[1] if first else '')}"
