"""Which checks of a log the page has a script for, that nothing of a log becomes code, and scripts of deviations."""

from __future__ import annotations

import ast
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from bundled import cases_of_operators
from report_records import ONNXRUNTIME, asked_of_onnxruntime, header, lines

from conformance.judge.deviation import Conditions, Deviation, DeviationKind, Witness
from conformance.log.record import CheckRecord, SelectionEntry, TargetEntry
from conformance.log.summary import summarize
from conformance.protocol.form import Form
from conformance.run.script_folder import LogScripts, script_of_deviation, write_recorded
from conformance.spec.verdict import Verdict
from conformance.suite.adapter_file import Adapter, bundled_adapters
from conformance.tensors.errors import SelectionError

HOSTILE = '"""\nimport os\nos.system("x")\n\\"""\u202e'


def script_of(record: CheckRecord, target: TargetEntry = ONNXRUNTIME, **options: Any) -> str | None:
    return LogScripts(summarize(lines(record, head=header(target, **options))))(record)


def test_the_script_holds_the_model_and_what_is_expected() -> None:
    script = script_of(asked_of_onnxruntime())
    assert script is not None
    compile(script, "repro.py", "exec")
    assert "np.array([[0.0], [6.0]], np.float32)" in script
    assert 'helper.make_node("Split", ["input"' in script
    assert "\nWhy (" in script


@pytest.mark.parametrize(
    "fields",
    [
        {"judged": Verdict.UNSTABLE},
        {"judged": Verdict.PASS},
        {"case": "onnx.Split-99/a"},
        {"case": "onnx.Split-13/of-my-own"},
        {"case": "onnx.Split-13/axis[position=rank2-axis0]"},
        {"form": Form.BEFORE_CONCAT},
        {"call": None},
        {"differences": []},
    ],
    ids=str,
)
def test_there_is_no_script_that_would_show_something_else(fields: dict[str, Any]) -> None:
    assert script_of(asked_of_onnxruntime(**fields)) is None


def test_the_data_of_a_challenge_is_that_of_the_run() -> None:
    record = asked_of_onnxruntime()
    head = replace(header(ONNXRUNTIME), selection=SelectionEntry(challenge="seed"))
    assert LogScripts(summarize(lines(record, head=head)))(record) is None


@pytest.mark.parametrize("adapter", ["toy", "numpy", "../adapters/onnxruntime", "onnxruntime/"])
def test_there_is_no_script_without_a_bundled_recipe(adapter: str) -> None:
    assert script_of(asked_of_onnxruntime(), replace(ONNXRUNTIME, adapter=adapter)) is None


@pytest.mark.parametrize(
    "options",
    [{}, {**ONNXRUNTIME.options, "provider": HOSTILE}, {**ONNXRUNTIME.options, "optimization": "most"}],
    ids=["none", "hostile", "unknown"],
)
def test_options_that_the_adapter_has_not_reach_no_script(options: dict[str, str]) -> None:
    assert script_of(asked_of_onnxruntime(), replace(ONNXRUNTIME, options=options)) is None


def test_hostile_text_stays_in_the_docstring() -> None:
    script = script_of(asked_of_onnxruntime(), replace(ONNXRUNTIME, framework=HOSTILE, version=HOSTILE))
    assert script is not None
    docstring, *code = ast.parse(script).body
    assert isinstance(docstring, ast.Expr)
    assert "os.system" in ast.unparse(docstring)
    assert "os.system" not in "".join(map(ast.unparse, code))
    assert "\u202e" not in script


def deviation(**fields: Any) -> Deviation:
    usual = {
        "id": "garbled",
        "kind": DeviationKind.PLAIN,
        "where": Conditions(versions=">=1"),
        "operators": ("*",),
        "when": "True",
        "verdict": (Verdict.WRONG_RESULT,),
        "what": "Garbles the first part.",
        "why": "It is read too late.",
        "since": date(2026, 11, 21),
        "review": date(2027, 2, 1),
    }
    return Deviation(**{**usual, **fields})


def onnxruntime() -> Adapter:
    return next(adapter for adapter in bundled_adapters() if adapter.name == "onnxruntime")


def test_the_script_of_a_witness_makes_its_call_and_says_what_is_wrong() -> None:
    witness = Witness(case="onnx.Split-13/axis[position=rank2-axis1]", form=Form.DYNAMIC)
    text = script_of_deviation(onnxruntime(), deviation(witness=witness), cases_of_operators("onnx.Split")).decode()
    compile(text, "repro.py", "exec")
    assert "Garbles the first part.\nIt is read too late.\n" in text
    assert "conformance" not in text.replace("conformance repro", "")


def test_a_witness_that_the_suite_has_not_is_named() -> None:
    witness = Witness(case="onnx.Split-13/lost", form=Form.CONSTANT)
    with pytest.raises(SelectionError, match="no case has this id"):
        script_of_deviation(onnxruntime(), deviation(witness=witness), cases_of_operators("onnx.Split"))


def test_a_deviation_that_is_not_recorded_is_named(tmp_path: Path) -> None:
    with pytest.raises(SelectionError, match="records no such deviation"):
        write_recorded(onnxruntime(), "unheard-of", cases_of_operators("onnx.Split"), tmp_path)
