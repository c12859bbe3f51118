"""The adapter in JavaScript, installed into a folder of its own from the npm registry."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from asking import Answers, answers_of, shared_answers
from gallery import MadeOnce

from conformance.protocol.form import Form
from conformance.spec.verdict import Verdict
from conformance.suite.adapter_file import read_adapter
from conformance.suite.suite import bundled_folder

pytestmark = [pytest.mark.slow, pytest.mark.frameworks, pytest.mark.node]

ADAPTER = bundled_folder("adapters") / "onnxruntime-web"
VECTOR = "onnx.Split-18/written-vector"
CASES = (
    "onnx.Split-18/written-*",
    "onnx.Split-18/data-of-each-type*",
    "onnx.Split-18/special-values*",
    "onnx.Split-18/sum-too-small*",
    "onnx.Split-18/axis-above-range*",
    "onnx.Split-18/uneven*",
    "onnx.Split-18/lengths*",
    "onnx.Split-18/graphs-of-each-type*",
    "onnx.Split-18/nul-inside",
    "openvino.VariadicSplit-1/remainder*",
)

LEFT_OUT = ("not expressible", "not declared")


@pytest.fixture(scope="module")
def folder(made_once: MadeOnce) -> Path:
    """A copy of the adapter, where `npm ci` may write."""
    return made_once("npm", install) / ADAPTER.name


def install(folder: Path) -> None:
    copy = folder / ADAPTER.name
    shutil.copytree(ADAPTER, copy, ignore=shutil.ignore_patterns("node_modules"))
    command = [shutil.which("npm") or "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"]
    subprocess.run(command, cwd=copy, capture_output=True, check=True, timeout=300)


@pytest.fixture(scope="module")
def web(folder: Path, made_once: MadeOnce) -> Answers:
    return shared_answers(made_once, "onnxruntime-web", str(folder), CASES)


@pytest.fixture(scope="module")
def onnxruntime(made_once: MadeOnce) -> Answers:
    return shared_answers(made_once, "onnxruntime-for-web", "onnxruntime", CASES)


def test_it_gets_the_verdicts_of_onnx_runtime(web: Answers, onnxruntime: Answers) -> None:
    verdicts, theirs = (
        {check: record.judged for check, record in answers.records.items() if record.outcome not in LEFT_OUT}
        for answers in (web, onnxruntime)
    )
    asked_of_both = verdicts.keys() & theirs.keys()
    assert len(asked_of_both) > 200
    assert {check: verdicts[check] for check in asked_of_both} == {check: theirs[check] for check in asked_of_both}


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_nans_keep_every_bit_in_javascript(web: Answers, dtype: str) -> None:
    record = web.to(f"onnx.Split-18/special-values-with-nans[dtype={dtype}]")
    assert record.interpretation == "payload-kept", record.explanation


@pytest.mark.parametrize("dtype", ["int64", "uint64"])
def test_integers_of_64_bits_are_no_numbers_of_javascript(web: Answers, dtype: str) -> None:
    assert web.to(f"onnx.Split-18/special-values[dtype={dtype}]").verdict is Verdict.PASS


@pytest.mark.parametrize(
    ("case", "words"),
    [
        ("onnx.Split-18/nul-inside", "ONNX Runtime's JavaScript interface cuts strings at a NUL"),
        ("onnx.Split-18/special-values-with-nans[dtype=bfloat16]", "unsupported data type: 16"),
    ],
)
def test_what_javascript_cannot_pass_is_not_expressible(web: Answers, case: str, words: str) -> None:
    assert (web.to(case).verdict, web.to(case).message) == (Verdict.NOT_EXPRESSIBLE, words)


def test_a_refusal_in_javascript_carries_the_words_of_onnx_runtime(web: Answers) -> None:
    record = web.to("onnx.Split-18/sum-too-small[cut=one-short]")
    assert (record.verdict, record.outcome) == (Verdict.PASS, "rejected")
    assert "ERROR_MESSAGE" in record.message


def test_a_trap_of_webassembly_ends_the_process(folder: Path, tmp_path: Path) -> None:
    case = "onnx.Split-18/num-outputs-below-one-on-empty-axis[count=0]"
    answers = answers_of(str(folder), [case, VECTOR], tmp_path)
    assert answers.to(case, Form.DYNAMIC).verdict is Verdict.CRASHED
    assert "RuntimeError: remainder by zero" in answers.to(case, Form.DYNAMIC).stderr
    assert answers.to(VECTOR).verdict is Verdict.PASS


def test_without_its_packages_it_says_what_to_run(folder: Path, tmp_path: Path) -> None:
    bare = tmp_path / "bare"
    shutil.copytree(folder, bare, ignore=shutil.ignore_patterns("node_modules"))
    problem = answers_of(str(bare), [VECTOR], tmp_path / "run").target.problem
    assert f"run `npm ci` in {bare}" in problem


def test_the_lock_file_names_every_package_by_its_digest_and_no_registry() -> None:
    packages = json.loads((ADAPTER / "package-lock.json").read_text())["packages"]
    locked = [entry for path, entry in packages.items() if path]
    assert all(entry["integrity"].startswith("sha512-") for entry in locked)
    assert not any("resolved" in entry for entry in locked)


def test_it_is_built_before_undeclared_checks_run() -> None:
    build = read_adapter(ADAPTER).manifest.build
    assert build is not None
    assert build.makes.startswith("node_modules/onnxruntime-web/")
