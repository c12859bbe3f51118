"""The adapter for ONNX's Backend API, with the backend of ONNX Runtime and with small ones written here."""

from __future__ import annotations

from pathlib import Path

import pytest
from asking import Answers, answers_of, shared_answers
from gallery import MadeOnce

from conformance.protocol.form import Form
from conformance.spec.verdict import Verdict

pytestmark = [pytest.mark.slow, pytest.mark.frameworks]

MISSING = "is not currently registered or supported"
ONNXRUNTIME = f"onnx-backend[module=onnxruntime.backend,missing={MISSING}]"
CASES = (
    "onnx.Split-18/written-*",
    "onnx.Split-18/sum-too-small*",
    "onnx.Split-18/axis-above-range*",
    "onnx.Split-18/data-of-each-type*",
    "onnx.Split-18/uneven*",
    "onnx.Split-18/graphs-of-each-type*",
    "openvino.VariadicSplit-1/remainder*",
)
NO_RANKS = (Form.DYNAMIC_RANK, Form.RUNTIME_DYNAMIC_RANK)
BACKENDS = '''
"""Backends of a few lines."""

__version__ = "0.5"


class Echo:
    @staticmethod
    def supports_device(device):
        return device == "CPU"

    @staticmethod
    def prepare(model, device):
        return Echo()

    def run(self, inputs):
        return list(inputs)


class Careless(Echo):
    @staticmethod
    def prepare(model, device):
        return model.no_such_field


class Unready(Echo):
    @staticmethod
    def prepare(model, device):
        raise NotImplementedError("not yet")


class Strict(Echo):
    @staticmethod
    def prepare(model, device):
        raise ValueError("not this one")
'''
VECTOR = "onnx.Split-18/written-vector"

LEFT_OUT = ("not expressible", "not declared")


@pytest.fixture(scope="module")
def backend(made_once: MadeOnce) -> Answers:
    return shared_answers(made_once, "onnx-backend", ONNXRUNTIME, CASES)


@pytest.fixture(scope="module")
def onnxruntime(made_once: MadeOnce) -> Answers:
    return shared_answers(made_once, "onnxruntime-for-onnx-backend", "onnxruntime", CASES)


@pytest.fixture
def backends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "some_backends.py").write_text(BACKENDS)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    return "some_backends"


def test_the_backend_of_onnx_runtime_gets_the_verdicts_of_onnx_runtime(backend: Answers, onnxruntime: Answers) -> None:
    verdicts, theirs = (
        {check: record.judged for check, record in answers.records.items() if record.outcome not in LEFT_OUT}
        for answers in (backend, onnxruntime)
    )
    asked_of_both = verdicts.keys() & theirs.keys()
    assert len(asked_of_both) > 100
    assert {check: verdicts[check] for check in asked_of_both} == {check: theirs[check] for check in asked_of_both}


def test_what_the_backend_api_cannot_pass_does_not_run(backend: Answers) -> None:
    left_out = {check for check, record in backend.records.items() if record.outcome == "not expressible"}
    others = {
        (case, form)
        for case, form in left_out
        if form not in NO_RANKS and backend.records[case, form].dtype != "bfloat16" and "openvino" not in case
    }
    assert others == set()


def test_the_version_is_that_of_the_distribution(backend: Answers, onnxruntime: Answers) -> None:
    assert backend.target.version == onnxruntime.target.version
    assert backend.target.framework == "onnxruntime, through ONNX's Backend API"


def test_a_class_in_a_module_is_a_backend(backends: str, tmp_path: Path) -> None:
    answers = answers_of(f"onnx-backend[module={backends}.Echo]", [VECTOR], tmp_path / "run")
    assert (answers.target.framework, answers.target.version) == (f"{backends}, through ONNX's Backend API", "0.5")
    assert (answers.to(VECTOR).verdict, answers.to(VECTOR).ran_on) == (Verdict.WRONG_RESULT, "CPU, as asked")


@pytest.mark.parametrize(
    ("name", "verdict"),
    [
        ("Careless", Verdict.HARNESS_ERROR),
        ("Unready", Verdict.UNSUPPORTED),
        ("Strict", Verdict.REJECTED_VALID),
    ],
)
def test_errors_of_a_backend_are_distinguished(name: str, verdict: Verdict, backends: str, tmp_path: Path) -> None:
    answers = answers_of(f"onnx-backend[module={backends}.{name}]", [VECTOR], tmp_path / "run")
    assert answers.to(VECTOR).verdict is verdict


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ("module=no.such.module", "ModuleNotFoundError: No module named 'no'"),
        ("module=onnx.nothing", "AttributeError: module 'onnx' has no attribute 'nothing'"),
        ("module=math", "ImportError: math is no module or class with the function `prepare`"),
        ("module=onnxruntime.backend,device=QPU", "ValueError: onnxruntime.backend does not support the device 'QPU'"),
    ],
)
def test_a_backend_that_cannot_be_used_is_no_target(options: str, problem: str, tmp_path: Path) -> None:
    answers = answers_of(f"onnx-backend[{options}]", [VECTOR], tmp_path / "run")
    assert problem in answers.target.problem


def test_a_module_without_a_version_has_that_of_its_distribution(backends: str, tmp_path: Path) -> None:
    (tmp_path / "unversioned.py").write_text((tmp_path / f"{backends}.py").read_text().replace("__version__", "other"))
    (tmp_path / "unversioned-2.5.dist-info").mkdir()
    (tmp_path / "unversioned-2.5.dist-info" / "METADATA").write_text("Name: unversioned\nVersion: 2.5\n")
    answers = answers_of("onnx-backend[module=unversioned.Echo]", [VECTOR], tmp_path / "run")
    assert (answers.target.version, answers.target.problem) == ("2.5", "")


def test_a_module_without_a_version_is_named_with_what_to_write(backends: str, tmp_path: Path) -> None:
    (tmp_path / "unversioned.py").write_text((tmp_path / f"{backends}.py").read_text().replace("__version__", "other"))
    answers = answers_of("onnx-backend[module=unversioned.Echo]", [VECTOR], tmp_path / "run")
    what = "the module 'unversioned' has no version: write `__version__ = \"1.0\"` in it, or install it"
    assert answers.target.problem == f"onnx-backend: it cannot start: ValueError: {what}"
