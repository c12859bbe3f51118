"""The text of a script: what it demonstrates about a check, combined with an adapter's recipe. Writes no files."""

from __future__ import annotations

import base64
import importlib.util
import re
import sys
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import assert_never

import numpy as np
from jinja2 import Environment, PackageLoader, StrictUndefined, Template

from conformance.adapter import NotExpressible
from conformance.log.build_record import call_entry
from conformance.log.record import TargetEntry
from conformance.protocol.call import Call, Request
from conformance.protocol.form import Layout
from conformance.report.sources import DataFiles, ModelSource, dtype_expression, model_source
from conformance.report.tensors import call_text
from conformance.spec.case import (
    Case,
    Disputed,
    Elements,
    Expectation,
    Lawful,
    Literals,
    Parts,
    Rejection,
    expected_outputs,
)
from conformance.spec.check import Check
from conformance.suite.adapter_file import NAME_PATTERN, Adapter, AdapterFile, read_adapter
from conformance.suite.suite import bundled_folder
from conformance.tensors.dtypes import DTYPES, Category
from conformance.tensors.tensor import Tensor, array_from_tensor

# How a script calls a framework: the `recipe` in the `repro.py` of an adapter's folder.
#
# Such a module imports from here. It defines `recipe(request, options)`, which takes a request and the target's
# options and returns a `Recipe`. It runs in the engine's own process and imports no framework.

__all__ = [
    "Call",
    "ModelSource",
    "NotExpressible",
    "Recipe",
    "Request",
    "dtype_expression",
    "has_recipe",
    "model_source",
    "recipe_function",
    "recipe_of_recorded_target",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """The framework's part of a script.

    `run` are statements that set `actual` to a list with the outputs of each call: arrays of NumPy's or ml_dtypes'
    types, strings as arrays of objects. They read the inputs of each call, as arrays by name, from `RUNS`, the
    constants named in `constants` from `CONSTANTS`, and `files` from the folder `HERE`. `code` defines the functions
    that they call.

    `model` is code that stands before the inputs and makes an ONNX model (`model_source`).

    `rejections` is an expression for the exception types with which the framework rejects a call. Some of these errors
    are not a rejection: the framework has no implementation, or its interface cannot express the request. `no_answer`
    is an expression that is true for such an `error`.
    """

    imports: tuple[str, ...]
    code: str
    run: str
    rejections: str
    no_answer: str
    model: str = ""
    constants: tuple[str, ...] = ()
    files: Mapping[str, bytes] = field(default_factory=dict)


RecipeFunction = Callable[[Request, Mapping[str, str]], Recipe]

_PLAIN_OPTION = re.compile(r"[\w.:,-]{1,100}", re.ASCII)
"""Free-text option values from a log that may enter a script: a log is untrusted, and a script is code."""


def has_recipe(adapter: Adapter) -> bool:
    """Whether an adapter describes how a script calls its framework."""
    return _recipe_path(adapter).is_file()


def recipe_function(adapter: Adapter) -> RecipeFunction:
    """The recipe of an adapter that has one; the folder itself stays off the import path."""
    path = _recipe_path(adapter)
    name = f"opconform_recipe_{adapter.folder.name}"
    spec = importlib.util.spec_from_file_location(name, path, submodule_search_locations=[str(adapter.folder)])
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    function: RecipeFunction = module.recipe
    return function


def _recipe_path(adapter: Adapter) -> Path:
    return adapter.folder / "repro.py"


def recipe_of_recorded_target(target: TargetEntry) -> RecipeFunction | None:
    """The recipe of the bundled adapter that a log names; None if there is none, or it lacks the recorded options."""
    if not re.fullmatch(NAME_PATTERN, target.adapter):
        return None
    folder = bundled_folder("adapters") / target.adapter
    if not (folder / "adapter.yaml").is_file():
        return None
    adapter = read_adapter(folder)
    is_known = has_recipe(adapter) and _has_options(adapter.manifest, target.options)
    return recipe_function(adapter) if is_known else None


def _has_options(manifest: AdapterFile, options: Mapping[str, str]) -> bool:
    return options.keys() == manifest.options.keys() and all(
        options[name] in (*option.choices, option.default)
        if option.choices is not None
        else _PLAIN_OPTION.fullmatch(options[name])
        for name, option in manifest.options.items()
    )


LIMIT_S = 120
_WIDTH = 110
_LINE = 88
_BYTE = 8

MARK = "Written by `conformance repro` of opconform."
"""The last line of each README; a folder whose README ends with it may be overwritten."""


REJECTION = "Expected: a rejection, because the call breaks the operator's page."
OUTPUTS = "Expected: the outputs that are written below, bit for bit."


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectedRuns:
    """The expected outputs of each run under one interpretation; `runs` is None if it requires a rejection."""

    name: str = ""
    runs: Sequence[Sequence[Tensor]] | None
    nan_payloads_may_differ: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Demonstration:
    """What a script shows: its title, paragraphs about it, the request, and the expected outputs.

    `interpretations` are those of a disputed case; any other case has one without a name. `dtype` is the type of the
    data, empty if the call has none.
    """

    title: str
    about: Sequence[str]
    request: Request
    dtype: str
    interpretations: Sequence[ExpectedRuns]

    @property
    def is_disputed(self) -> bool:
        """Whether there are several interpretations."""
        return any(interpretation.name for interpretation in self.interpretations)


def demonstration_of(check: Check, request: Request, target: str) -> Demonstration:
    """The demonstration of one check; `target` names the framework for readers."""
    return Demonstration(
        title=title_of(check.case.id, check.form.value, target),
        about=_about(check),
        request=request,
        dtype=check.case.data.dtype if check.case.data is not None else "",
        interpretations=_interpretations(check),
    )


def title_of(case: str, form: str, target: str) -> str:
    """The title of a script, on one line."""
    return f"{case}, form {form}, on {target}."


def _interpretations(check: Check) -> list[ExpectedRuns]:
    expectation = check.case.expectation
    if not isinstance(expectation, Disputed):
        return [ExpectedRuns(runs=_outputs([(step.expectation, step) for step in check.steps]))]
    return [
        ExpectedRuns(
            name=interpretation.name,
            runs=_outputs([(_expectation(step, number), step) for step in check.steps]),
            nan_payloads_may_differ=interpretation.nan_payloads_may_differ,
        )
        for number, interpretation in enumerate(expectation.interpretations)
    ]


def _expectation(step: Case, interpretation: int) -> Expectation:
    """The expectation of a step under one interpretation; a form can have steps that are not disputed."""
    expectation = step.expectation
    return expectation.interpretations[interpretation].expectation if isinstance(expectation, Disputed) else expectation


def _outputs(steps: Sequence[tuple[Expectation, Case]]) -> list[tuple[Tensor, ...]] | None:
    if any(isinstance(expectation, Rejection) for expectation, _ in steps):
        return None
    return [expected_outputs(expectation, step) for expectation, step in steps]


def _about(check: Check) -> list[str]:
    """Paragraphs with the call, its expectation, and the reasons."""
    case, operator = check.case, check.case.operator
    paragraphs = [
        f"Call: {call_text(operator.id, call_entry(check))}",
        f"Form: {check.form.value}.",
        _expectation_line(case),
    ]
    named = [case.expectation.clause] if isinstance(case.expectation, Rejection) else list(case.clauses)
    paragraphs += [
        f"Why ({clause.section}): {clause.says}" for clause in map(operator.clauses.get, named) if clause is not None
    ]
    if isinstance(case.expectation, Disputed):
        paragraphs += [
            f"Interpretation {entry.name!r}: {entry.reason}{f' See {entry.thread}' if entry.thread else ''}"
            for entry in case.expectation.interpretations
        ]
    pages = [f"Page: {source.title}, {source.url}" for source in operator.sources if source.url]
    return [*paragraphs, *pages[:1]]


def _expectation_line(case: Case) -> str:
    match case.expectation:
        case Rejection():
            return REJECTION
        case Disputed(interpretations=interpretations):
            return f"Expected: one of the interpretations {', '.join(repr(entry.name) for entry in interpretations)}."
        case Parts() | Elements() | Lawful() | Literals():
            return OUTPUTS
        case _:
            assert_never(case.expectation)


def files_of_script(claim: Demonstration, recipe: Recipe, packages: str) -> dict[str, bytes]:
    """The script, the files that it reads, and a README, by name; `packages` are the arguments for `pip install`."""
    names, beside = _names_and_files(claim, recipe)
    text = _text_of_script(names, {})
    files = {"repro.py": text.encode(), **beside}
    readme = template("README.md.j2").render(
        title=claim.title,
        about=filled(claim.about),
        packages=" ".join([packages, *["ml_dtypes"] * ("ml_dtypes." in text), *["onnx"] * bool(recipe.model)]),
        limit_s=LIMIT_S,
        files={name: _what(name) for name in files},
        mark=MARK,
    )
    return {"README.md": readme.encode(), **files}


def script_in_one_piece(claim: Demonstration, recipe: Recipe) -> str:
    """The script with the files that it reads embedded."""
    names, files = _names_and_files(claim, recipe)
    return _text_of_script(names, {name: _as_text(content) for name, content in files.items()})


def _names_and_files(claim: Demonstration, recipe: Recipe) -> tuple[dict[str, object], dict[str, bytes]]:
    """The variables for the script's template, and the files that the script reads."""
    data, request = DataFiles(), claim.request
    interpretations = {
        interpretation.name: _written(number, interpretation, data)
        for number, interpretation in enumerate(claim.interpretations, 1)
    }
    runs = [
        {name: _at_run_time(data, f"{name}_{number}", tensor, request) for name, tensor in run.items()}
        for number, run in enumerate(request.runs, 1)
    ]
    constants = {
        item.name: data.tensor(item.name, item.constant)
        for item in request.call.inputs
        if item.name in recipe.constants and item.constant is not None
    }
    said = f"{claim.title}\n\n{_lines(claim.about)}"
    names = {
        "said": said.replace("\\", "\\\\").replace('"""', "'''"),
        "limit_s": LIMIT_S,
        "imports": recipe.imports,
        "has_files": bool(data.files or recipe.files),
        "reads_files": bool(data.files),
        "runs": [_dict_text(run) for run in runs],
        "constants": constants and _dict_text(constants),
        "claim": claim,
        "expected": next(iter(interpretations.values())),
        "interpretations": _dict_text(interpretations),
        "tolerant_interpretations": [
            interpretation.name for interpretation in claim.interpretations if interpretation.nan_payloads_may_differ
        ],
        "bits": _bits(claim.dtype),
        "shows_bits": bool(data.files) or _has_nans(claim),
        "code": recipe.code.strip(),
        "model": recipe.model,
        "run": recipe.run,
        "rejections": recipe.rejections,
        "no_answer": recipe.no_answer,
        "has_answers": any(given.runs is not None for given in claim.interpretations),
    }
    return names, {**recipe.files, **data.files}


def _text_of_script(names: Mapping[str, object], inside: Mapping[str, str]) -> str:
    text = template("script.py.j2").render(**names, inside=inside)
    if "ml_dtypes." in text:
        text = text.replace("import numpy as np\n", "import ml_dtypes\nimport numpy as np\n", 1)
    return text


def _as_text(content: bytes) -> str:
    """Bytes in base64, as a Python expression over several lines."""
    text = base64.b64encode(content).decode("ascii")
    lines = [f'    "{text[start : start + _LINE]}"' for start in range(0, len(text), _LINE)]
    return "(\n{}\n)".format("\n".join(lines))


def _written(number: int, interpretation: ExpectedRuns, data: DataFiles) -> str:
    """The expected outputs of each run as a Python expression; None if the interpretation requires a rejection."""
    if interpretation.runs is None:
        return "None"
    name = f"expected_{number}" if interpretation.name else "expected"
    runs = [data.tensors(f"{name}_run_{run}", outputs) for run, outputs in enumerate(interpretation.runs, 1)]
    return _bracketed("[]", runs)


def _dict_text(items: Mapping[str, str]) -> str:
    return _bracketed("{}", [f'"{name}": {text}' for name, text in items.items()])


def _bracketed(brackets: str, items: Sequence[str]) -> str:
    """Items on one line, if they fit."""
    start, end = brackets[0], brackets[1]
    line = f"{start}{', '.join(items)}{end}"
    if len(line) <= _WIDTH and "\n" not in line:
        return line
    lines = "".join(f"{textwrap.indent(item, '    ')},\n" for item in items)
    return f"{start}\n{lines}{end}"


def _at_run_time(data: DataFiles, name: str, tensor: Tensor, request: Request) -> str:
    written = data.tensor(name, tensor)
    return written if request.layout is Layout.CONTIGUOUS else f"{request.layout.value}({written})"


def _bits(dtype: str) -> str:
    """An expression for all that counts of the elements of an array `part`."""
    bits = DTYPES[dtype].bits if dtype else 0
    if dtype == "string":
        return "part.tolist()"
    if 0 < bits < _BYTE:  # the other bits of a byte carry no meaning
        return f"(np.ascontiguousarray(part).view(np.uint8) & 0x{(1 << bits) - 1:02x}).tobytes()"
    return "part.tobytes()"


def _has_nans(claim: Demonstration) -> bool:
    """Whether an expected output has a NaN, whose bits do not show when it is printed."""
    if not claim.dtype or DTYPES[claim.dtype].category not in (Category.FLOAT, Category.COMPLEX):
        return False
    runs = [run for given in claim.interpretations for run in given.runs or ()]
    arrays = [array_from_tensor(tensor) for run in runs for tensor in run if tensor.dtype == claim.dtype]
    with np.errstate(invalid="ignore"):  # some signal that a NaN was compared
        return any(bool((array != array).any()) for array in arrays)  # noqa: PLR0124  (true for NaNs alone)


def filled(paragraphs: Sequence[str]) -> str:
    """Paragraphs with lines of a readable length."""
    return "\n\n".join(_lines([text]) for text in paragraphs)


def _lines(sentences: Sequence[str]) -> str:
    return "\n".join(textwrap.fill(text, _WIDTH, break_long_words=False, break_on_hyphens=False) for text in sentences)


def _what(name: str) -> str:
    if name == "repro.py":
        return "the script"
    return "elements as raw bytes, little-endian, that the script reads" if name.endswith(".bin") else "the model"


@cache
def template(name: str) -> Template:
    """A template of a file in a folder of `conformance repro`."""
    environment = Environment(
        loader=PackageLoader("conformance.report"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # noqa: S701  (Python and Markdown, no HTML)
    )
    return environment.get_template(name)
