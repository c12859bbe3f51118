"""Which checks of a log the page has a script for, and that nothing of a log becomes code."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import Any

import pytest
from report_records import ONNXRUNTIME, asked_of_onnxruntime, call, entry, header, lines

from conformance.findings.summary import summarize
from conformance.language.verdict import Verdict
from conformance.log.record import CheckRecord, RecordedInterpretation, TargetEntry
from conformance.scripts.log_scripts import LogScripts

HOSTILE = '"""\nimport os\nos.system("x")\n\\"""\u202e'


def script_of(record: CheckRecord, target: TargetEntry = ONNXRUNTIME, **options: Any) -> str | None:
    return LogScripts(summarize(lines(record, head=header(target, **options))))(record)


def text_of(record: CheckRecord, target: TargetEntry = ONNXRUNTIME, **options: Any) -> str:
    script = script_of(record, target, **options)
    assert script is not None
    return script


def test_the_script_holds_the_model_and_what_is_expected() -> None:
    script = text_of(asked_of_onnxruntime())
    compile(script, "repro.py", "exec")
    assert "np.array([[0.0, 1.0], [6.0, 7.0]], np.float32)" in script
    assert 'helper.make_node("Split", ["input"' in script
    assert "Why (split.lengths): lengths are kept\n" in script


@pytest.mark.parametrize(
    "fields",
    [
        {"judged": Verdict.UNSTABLE},
        {"judged": Verdict.PASS},
        {"judged": Verdict.ACCEPTED_INVALID},
        {"case": "onnx.Split-99/a"},
        {"call": None},
        {"differences": []},
        {"call": call(entry([range(600)]), [600]), "judged": Verdict.CRASHED, "differences": []},
        {"call": call(entry([[0, 1, 2, 3, 4, 9]] * 2))},
    ],
    ids=str,
)
def test_there_is_no_script_that_would_show_something_else(fields: dict[str, Any]) -> None:
    assert script_of(asked_of_onnxruntime(**fields)) is None


@pytest.mark.parametrize("adapter", ["toy", "numpy", "../adapters/onnxruntime", "onnxruntime/"])
def test_there_is_no_script_without_a_bundled_recipe(adapter: str) -> None:
    assert script_of(asked_of_onnxruntime(), replace(ONNXRUNTIME, adapter=adapter)) is None


def test_a_disputed_case_has_no_script() -> None:
    disputes = {"onnx.Split-13/a": [RecordedInterpretation(name="strict", reason="so")]}
    assert script_of(asked_of_onnxruntime(case="onnx.Split-13/a[x=1]"), disputes=disputes) is None


@pytest.mark.parametrize(
    "options",
    [{}, {**ONNXRUNTIME.options, "provider": HOSTILE}, {**ONNXRUNTIME.options, "optimization": "most"}],
    ids=["none", "hostile", "unknown"],
)
def test_options_that_the_adapter_has_not_reach_no_script(options: dict[str, str]) -> None:
    assert script_of(asked_of_onnxruntime(), replace(ONNXRUNTIME, options=options)) is None


@pytest.mark.parametrize(("name", "has_script"), [("surplus", True), (HOSTILE, False)])
def test_names_that_are_no_words_reach_no_script(name: str, has_script: bool) -> None:  # noqa: FBT001
    requested = call(entry([[1, 2]]))
    for hostile in (
        replace(requested, inputs=[*requested.inputs, replace(requested.inputs[0], name=name)]),
        replace(requested, attributes={name: 1}),
    ):
        died = asked_of_onnxruntime(call=hostile, judged=Verdict.CRASHED, differences=[])
        assert (script_of(died) is not None) is has_script


def test_hostile_text_stays_in_the_docstring() -> None:
    target = replace(ONNXRUNTIME, framework=HOSTILE, version=HOSTILE)
    record = asked_of_onnxruntime(case=f"onnx.Split-13/{HOSTILE}")
    script = text_of(record, target, clauses={"split.lengths": HOSTILE})
    docstring, *code = ast.parse(script).body
    assert isinstance(docstring, ast.Expr)
    assert "os.system" in ast.unparse(docstring)
    assert "os.system" not in "".join(map(ast.unparse, code))
    assert "\u202e" not in script
