"""Puts a check and an adapter's recipe together as a script and its files. Pure: writes nothing."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import assert_never

from jinja2 import Environment, PackageLoader, StrictUndefined, Template

from conformance.case import Case, Disputed, Expectation, Literals, Parts, Rejection, calls_of, expected_outputs
from conformance.operator import Clause, Operator
from conformance.plan import Check
from conformance.question import Layout, Question
from conformance.recording import call_entry
from conformance.report.call_text import call_text
from conformance.repro.recipe import Recipe
from conformance.repro.values import DataFiles
from conformance.tensor import Tensor

LIMIT_S = 120
_WIDTH = 110


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reading:
    """What must come of each run under one reading of the page, as expressions; None for a refusal."""

    name: str
    runs: list[str] | None


def files_of_script(check: Check, question: Question, recipe: Recipe, target: str, packages: str) -> dict[str, bytes]:
    """The script with all that it reads, and a README, by file name.

    `target` says whom it asks, and `packages` is what pip needs to install.
    """
    data = DataFiles()
    readings = _readings(check, data)
    runs = [
        {name: _at_run_time(data, f"{name}_{number}", tensor, question) for name, tensor in run.items()}
        for number, run in enumerate(question.runs, 1)
    ]
    constants = {
        item.name: data.tensor(item.name, item.constant)
        for item in question.call.inputs
        if item.name in recipe.constants and item.constant is not None
    }
    title = title_of(check, target)
    about = _about(check)
    tensor = check.case.data
    text = _template("script.py.j2").render(
        title=title,
        about=about.replace("\\", "\\\\").replace('"""', "'''"),
        limit_s=LIMIT_S,
        imports=("import numpy as np", *recipe.imports),
        has_files=bool(data.files or recipe.files),
        reads_files=bool(data.files),
        layout=question.layout.value,
        runs=runs,
        constants=constants,
        is_disputed=isinstance(check.case.expectation, Disputed),
        readings=readings,
        tolerant_readings=_tolerant_readings(check.case),
        dtype=tensor.dtype if tensor is not None else "",
        mask=_mask(tensor.tensor() if tensor is not None else None),
        code=recipe.code.strip(),
        has_answers=any(reading.runs is not None for reading in readings),
    )
    if "ml_dtypes." in text:
        text = text.replace("import numpy as np\n", "import ml_dtypes\nimport numpy as np\n", 1)
        packages += " ml_dtypes"
    files = {"repro.py": text.encode(), **recipe.files, **data.files}
    readme = _template("README.md.j2").render(
        title=title,
        about=about,
        packages=packages,
        limit_s=LIMIT_S,
        files={name: _what(name) for name in files},
        mark=MARK,
    )
    return {"README.md": readme.encode(), **files}


MARK = "Written by `conformance repro` of opconform."
"""The last line of each README; the folders with it may be written again."""


def title_of(check: Check, target: str) -> str:
    """What the script shows, on one line."""
    return f"{check.case.id}, form {check.form.value}, on {target}."


def _at_run_time(data: DataFiles, name: str, tensor: Tensor, question: Question) -> str:
    written = data.tensor(name, tensor)
    return written if question.layout is Layout.CONTIGUOUS else f"{question.layout.value}({written})"


def _readings(check: Check, data: DataFiles) -> list[_Reading]:
    """The readings of a disputed case; of any other the one that there is, without a name."""
    calls, expectation = calls_of(check.case, check.form), check.case.expectation
    if not isinstance(expectation, Disputed):
        return [_Reading(name="", runs=_written(data, "expected", [(call.expectation, call) for call in calls]))]
    return [
        _Reading(
            name=reading.name,
            runs=_written(data, f"expected_{number}", [(reading.expectation, call) for call in calls]),
        )
        for number, reading in enumerate(expectation.interpretations, 1)
    ]


def _written(data: DataFiles, name: str, asked: Sequence[tuple[Expectation, Case]]) -> list[str] | None:
    if any(isinstance(expectation, Rejection) for expectation, _ in asked):
        return None
    return [
        data.tensors(f"{name}_run_{number}", expected_outputs(expectation, call))
        for number, (expectation, call) in enumerate(asked, 1)
    ]


def _tolerant_readings(case: Case) -> list[str]:
    if not isinstance(case.expectation, Disputed):
        return []
    return [reading.name for reading in case.expectation.interpretations if reading.nan_payloads_may_differ]


def _mask(tensor: Tensor | None) -> str:
    bits = tensor.kind.bits if tensor is not None else 0
    return f"0x{(1 << bits) - 1:02x}" if 0 < bits < 8 else ""


def _about(check: Check) -> str:
    """The call, what must come of it, and why, in paragraphs."""
    case, form = check.case, check.form
    operator = case.operator
    paragraphs = [f"Call: {_call_line(check)}", f"Form: {form.value}.", _expectation_line(case)]
    named = [case.expectation.clause] if isinstance(case.expectation, Rejection) else list(case.clauses)
    paragraphs += [_clause_text(operator.clauses[clause]) for clause in named if clause in operator.clauses]
    if isinstance(case.expectation, Disputed):
        paragraphs += [
            f"Reading {reading.name!r}: {reading.reason}{f' See {reading.thread}' if reading.thread else ''}"
            for reading in case.expectation.interpretations
        ]
    paragraphs += _sources(operator)
    return "\n\n".join(_filled(text) for text in paragraphs)


def _filled(text: str) -> str:
    return textwrap.fill(text, _WIDTH, break_long_words=False, break_on_hyphens=False)


def _clause_text(clause: Clause) -> str:
    return f"Why ({clause.section}): {clause.says}"


def _sources(operator: Operator) -> list[str]:
    return [f"Page: {source.title}, {source.url}" for source in operator.sources if source.url][:1]


def _call_line(check: Check) -> str:
    return call_text(check.case.operator.id, call_entry(check))


def _expectation_line(case: Case) -> str:
    match case.expectation:
        case Rejection():
            return "Expected: a refusal, since the call breaks the operator's page."
        case Disputed(interpretations=readings):
            return f"Expected: one of the readings {', '.join(repr(reading.name) for reading in readings)}."
        case Parts() | Literals():
            return "Expected: the outputs that are written below, bit for bit."
        case _:
            assert_never(case.expectation)


def _what(name: str) -> str:
    if name == "repro.py":
        return "the script"
    return "elements as raw bytes, little-endian, that the script reads" if name.endswith(".bin") else "the model"


@cache
def _template(name: str) -> Template:
    environment = Environment(
        loader=PackageLoader("conformance.repro"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # noqa: S701  (Python and Markdown, no HTML)
    )
    environment.globals["expected"] = _list_of_runs
    return environment.get_template(name)


def _list_of_runs(runs: Sequence[str] | None) -> str:
    if runs is None:
        return "None"
    lines = "".join(f"{textwrap.indent(run, '    ')},\n" for run in runs)
    return f"[\n{lines}]"
