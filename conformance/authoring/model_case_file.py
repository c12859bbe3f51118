"""The file of one operator's cases from a model: its path, its text, and the forms that each case fits."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

from conformance.border.form import Form
from conformance.formats.case_file import CaseFamily, families_from_document
from conformance.formats.suite import Suite
from conformance.formats.yaml_document import document_from_bytes
from conformance.language.form_steps import forms_of
from conformance.language.operator import Operator
from conformance.planning.lint import check_suite
from conformance.values.text import counted, one_line

NodesByText: TypeAlias = Mapping[str, Mapping[str, str]]
"""The cases without ids and forms, each with the names of its nodes by their places."""
_AS_IT_IS = Form.AS_IN_THE_MODEL


def case_file(model: Path, operator: Operator, texts: NodesByText, forms: Sequence[Form]) -> tuple[str, str]:
    """The path in the folder of a suite and the text of a file.

    Args:
        model: the file that the cases come from.
        operator: that of all the cases.
        texts: the cases.
        forms: forms of each case that it fits, other than the one that it has in the model.

    Raises:
        ExceptionGroup: of `CaseFileError`: problems that `conformance check` would report.
    """
    stem = _stem(model)
    path = f"{operator.family.replace('.', '/')}/{stem}-{operator.version}.yaml"
    text = _text(model, stem, operator, texts, [(_AS_IT_IS,)] * len(texts))
    families = families_from_document(document_from_bytes(text.encode(), path), [operator])
    _, problems = check_suite(Suite(root=Path(), digest="", operators=(), families=tuple(families)))
    if problems:
        raise ExceptionGroup(f"nothing is written to {path}", problems)
    if not forms:
        return path, text
    return path, _text(model, stem, operator, texts, [_fitting(family, forms) for family in families])


def _fitting(family: CaseFamily, forms: Sequence[Form]) -> tuple[Form, ...]:
    """The form that a case has in the model, and those of the others that it fits."""
    (case,) = family.cases()
    return forms_of(replace(case, forms=(_AS_IT_IS, *forms)))


def _text(model: Path, stem: str, operator: Operator, texts: NodesByText, forms: Sequence[Sequence[Form]]) -> str:
    about = json.dumps(f"Calls in the model {one_line(model.name)}.")
    lines = [f"operator: {operator.family}", f"about: {about}", "cases:"]
    for number, ((text, names), of_case) in enumerate(zip(texts.items(), forms, strict=True), 1):
        first, *others = names.values()
        more = f", and {counted(len(others), 'other node')} with the same call" if others else ""
        lines.append(f"  # node {json.dumps(one_line(first))}{more}")
        lines.append(f"  - id: {stem}-{number}")
        lines.append(f"    forms: [{', '.join(form.value for form in of_case)}]")
        lines += [f"    {line}" for line in text.splitlines()]
    return "\n".join(lines) + "\n"


def _stem(path: Path) -> str:
    """The name of a model as an id has it."""
    return re.sub(r"[^a-z0-9]+", "-", path.stem.lower()).strip("-")[:60] or "model"
