"""Writes made calls as cases of a file: their arguments as they are, and the outputs by the law."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from conformance.border.form import Form
from conformance.formats.case_file import families_from_document
from conformance.formats.suite import Suite
from conformance.formats.yaml_document import document_from_bytes
from conformance.language.case import Argument, Case, Disputed, Value
from conformance.language.operator import Operator, Role
from conformance.planning.lint import check_suite
from conformance.values.fill import Fill
from conformance.values.tensor import array_from_tensor
from conformance.values.text import counted, one_line


def made_case_text(case: Case, name: str, form: Form) -> str:
    """A made call as an entry of `cases`, with this id and form."""
    operator = case.operator
    lines = [
        f"- id: {name}",
        f'  versions: "=={operator.version}"',
        f"  clauses: [{operator.result_clause}]",
        f"  forms: [{form.value}]",
        "  arguments:",
        *(f"    {key}: {json.dumps(value)}" for key, value in _written(case).items()),
        f"  declared_outputs: {case.declared_outputs}",
        *_expected(case),
    ]
    return "\n".join(lines) + "\n"


def made_case_file(about: str, cases: Sequence[tuple[Case, str, Form, str]]) -> tuple[str, list[Case]]:
    """The text of a file of made calls of one operator, and its cases as a reader of the file gets them.

    Each call has its id, its form and a remark.

    Raises:
        ExceptionGroup: of `CaseFileError`: problems that `conformance check` would report.
    """
    family = cases[0][0].operator.family
    lines = [f"operator: {family}", f"about: {json.dumps(one_line(about, 400))}", "cases:"]
    for case, name, form, remark in cases:
        lines.append(f"  # {one_line(remark, 400)}")
        lines += [f"  {line}" for line in made_case_text(case, name, form).splitlines()]
    text = "\n".join(lines) + "\n"
    versions = list({case.operator.id: case.operator for case, *_ in cases}.values())
    families = families_from_document(document_from_bytes(text.encode(), "made"), versions)
    _, problems = check_suite(Suite(root=Path(), digest="", operators=(), families=tuple(families)))
    if problems:
        raise ExceptionGroup(f"{counted(len(problems), 'problem')} in made cases of {family}", problems)
    return text, [case for one in families for case in one.cases()]


def _expected(case: Case) -> Iterator[str]:
    """The outputs by the law, under each reading if the page leaves the call open."""
    if not isinstance(case.expectation, Disputed):
        yield "  outputs: law"
        return
    yield "  disputed:"
    for reading in case.expectation.interpretations:
        yield from (f"    {reading.name}:", f"      reason: {json.dumps(reading.reason)}", "      outputs: law")
        if reading.nan_payloads_may_differ:
            yield "      nan_payloads: any"


def _written(case: Case) -> dict[str, Any]:
    """The arguments in the words of a case file; variadic inputs are a list under one name."""
    found: dict[str, Any] = {}
    first = 0  # a reader of the file numbers the elements of all data in turn
    for argument in case.arguments:
        numbered = argument.value if case.operator.is_data(argument.name) else None
        written = _value(case.operator, argument, 0 if numbered is None else first)
        variadic = next((p.name for p in case.operator.inputs if p.is_variadic and p.takes(argument.name)), "")
        if variadic:
            found.setdefault(variadic, []).append(written)
        else:
            found[argument.name] = written
        if isinstance(numbered, Value):
            first += math.prod(numbered.shape)
    return found


def _value(operator: Operator, argument: Argument, first: int) -> Any:
    """An argument in the words of a case file; elements that do not follow from the number of the first are listed."""
    value = argument.value
    if not isinstance(value, Value):
        plain = list(value) if isinstance(value, tuple) else value
        is_input_too = any(p.role is Role.INPUT for p in operator.parameters_named(argument.name))
        return {"attribute": plain} if is_input_too else plain
    described = {"dtype": value.dtype, "shape": list(value.shape)}
    if value.data is not None or value.start != first:
        return {**described, "values": array_from_tensor(value.tensor()).tolist()}
    return described if value.fill is Fill.DISTINCT else {**described, "fill": value.fill.value}
