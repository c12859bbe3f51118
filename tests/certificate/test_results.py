"""What no record makes better: real runs of backends that are wrong in everything, with all of it recorded."""

from __future__ import annotations

import shutil
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml
from gallery import LIARS
from small_suite import effort, order, write_installation

from conformance.certificate.certificate_file import CertificateFile, Result
from conformance.certificate.issue import certify
from conformance.certificate.pages import (
    certificate_exit_code,
    summary_lines,
    verification_exit_code,
    verification_lines,
)
from conformance.certificate.rules import BrokenRuleError, Installation, Rule
from conformance.certificate.verify import verify
from conformance.spec.verdict import ExitCode
from conformance.suite.adapter_file import TargetRequest, read_adapter
from conformance.suite.suite import load_suite

_ADAPTER = """
import ctypes
import numpy as np
from conformance.adapter import Description
from .honest import Honest

class Adapter(Honest):
    def describe(self):
        return Description(framework="Wrong", version="1.0", devices=["CPU"], operators=["onnx.*"])

    def outputs(self, call, inputs):
        return [{lie} for output in super().outputs(call, inputs)]
"""
_ZEROES = "np.zeros_like(output)"
_DIES = "ctypes.string_at(0)"
_TOUCHES_MEMORY = {"memory": "reads", "happens": "sometimes", "depends_on": "what lies there"}
_EACH_CASE = "size(data) > 0"


@pytest.fixture
def installation(tmp_path: Path) -> Installation:
    return write_installation(tmp_path, ["onnx/Split/cases.yaml"])


def recorded(folder: Path, lie: str, **said: Any) -> TargetRequest:
    """A backend that does one thing to every output, with one entry that says so."""
    folder.mkdir()
    shutil.copy(LIARS / "honest.py", folder)
    (folder / "adapter.py").write_text(_ADAPTER.format(lie=lie))
    (folder / "adapter.yaml").write_text(yaml.safe_dump({"name": "wrong", "summary": "wrong in everything"}))
    today = date.today()  # noqa: DTZ011  (a review is due by the calendar)
    entry = {
        "id": "all",
        "kind": "plainly wrong",
        "where": {"versions": ">=1"},
        "operators": ["onnx.Split-18"],
        "when": _EACH_CASE,
        "what": "Everything is wrong.",
        "why": "So that nothing fails.",
        "since": str(today - timedelta(days=2)),
        "review": str(today + timedelta(days=30)),
        "reproducer": "adapter.py",
    }
    (folder / "deviations.yaml").write_text(yaml.safe_dump({"deviations": [entry | said]}))
    return TargetRequest(adapter=read_adapter(folder), options={})


def certified(installation: Installation, folder: Path, target: TargetRequest) -> CertificateFile:
    return certify(order(installation, folder), load_suite(installation.cases), target, effort())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("lie", "said", "severity"),
    [
        (_ZEROES, {"verdict": "wrong result", **_TOUCHES_MEMORY}, "memory errors"),
        (_DIES, {"verdict": "crashed", "deaths": ["SIGSEGV"], "stages": ["running"]}, "crashes or hangs"),
    ],
    ids=["zeroes every output", "dies in every check"],
)
def test_a_backend_that_is_wrong_in_everything_is_not_conformant(
    installation: Installation, tmp_path: Path, lie: str, said: dict[str, Any], severity: str
) -> None:
    found = certified(installation, tmp_path / "made", recorded(tmp_path / "wrong", lie, **said))
    assert found.result is Result.NOT_CONFORMANT
    assert certificate_exit_code(found) is ExitCode.NOT_CONFORMING
    printed = list(summary_lines(found))
    assert any(line.startswith(f"not conformant (worst known: {severity}): ") for line in printed)
    assert any(line.startswith(f"recorded, {severity}: ") for line in printed)
    assert any("0 of" in line for line in printed if line.startswith("too little passed: onnx.Split-18"))

    again = verify(tmp_path / "made", installation)
    assert verification_exit_code(again) is ExitCode.NOT_CONFORMING
    first, *_ = verification_lines(again, tmp_path / "made")
    assert first == f"{tmp_path / 'made'}: valid, no signature; {printed[-1]}"
    (tmp_path / "made" / "environment.yaml").unlink()
    broken = verify(tmp_path / "made", installation)
    assert verification_exit_code(broken) is ExitCode.NOT_VALID
    first, *_ = verification_lines(broken, tmp_path / "made")
    assert first == f"{tmp_path / 'made'}: not valid, 1 rule broken"


_EXCUSED = """
from dataclasses import replace
import numpy as np
from .honest import HonestGraph

class Adapter(HonestGraph):
    def describe(self):
        forms = ["constant", "before-concat"]
        return replace(super().describe(), framework="Wrong", operators=["openvino.*"], forms=forms)

    {method}
"""
_JOINS_WRONGLY = "def concat(self, parts, axis): return super().concat(parts, axis) + 1"
_GIVES_ZEROS = "def run(self, call, inputs): return [np.zeros_like(output) for output in super().run(call, inputs)]"


@pytest.fixture
def joining(tmp_path: Path) -> Installation:
    """Cases that also run with a Concat behind the operator."""
    return write_installation(tmp_path, ["onnx/Split/cases.yaml", "openvino/VariadicSplit/forms.yaml"])


def with_controls(folder: Path, method: str) -> TargetRequest:
    """A backend that takes a Concat behind the operator, and its control; `method` is what it does wrong."""
    folder.mkdir()
    shutil.copy(LIARS / "honest.py", folder)
    (folder / "adapter.py").write_text(_EXCUSED.format(method=method))
    (folder / "adapter.yaml").write_text(yaml.safe_dump({"name": "wrong", "summary": "wrong beside a Concat"}))
    return TargetRequest(adapter=read_adapter(folder), options={})


@pytest.mark.slow
def test_a_backend_of_which_controls_excuse_more_than_a_twentieth_is_not_conformant(
    joining: Installation, tmp_path: Path
) -> None:
    found = certified(joining, tmp_path / "made", with_controls(tmp_path / "wrong", _JOINS_WRONGLY))
    assert found.result is Result.NOT_CONFORMANT
    assert certificate_exit_code(found) is ExitCode.NOT_CONFORMING
    assert list(found.excused) == ["the Concat"]
    printed = list(summary_lines(found))
    assert printed[-1].endswith(f"; controls excuse {found.excused['the Concat']} checks (the Concat: 3)")
    assert any(line.startswith("excused too often: openvino.VariadicSplit-1: controls excuse ") for line in printed)
    assert verify(tmp_path / "made", joining).broken == ()


@pytest.mark.slow
def test_a_backend_that_is_as_wrong_in_its_controls_is_not_excused(joining: Installation, tmp_path: Path) -> None:
    found = certified(joining, tmp_path / "made", with_controls(tmp_path / "wrong", _GIVES_ZEROS))
    assert (found.result, found.excused) == (Result.NOT_CONFORMANT, {})


def test_one_entry_for_all_that_comes_makes_no_certificate(installation: Installation, tmp_path: Path) -> None:
    wide = {"operators": ["*"], "when": "True", "verdict": "wrong result", **_TOUCHES_MEMORY}
    with pytest.raises(ExceptionGroup) as caught:
        certified(installation, tmp_path / "made", recorded(tmp_path / "wrong", _ZEROES, **wide))
    broken = [problem for problem in caught.value.exceptions if isinstance(problem, BrokenRuleError)]
    assert [problem.broken for problem in broken] == [Rule.EXACT, Rule.EXACT]
    assert not (tmp_path / "made").exists()
