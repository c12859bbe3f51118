"""Scripts of recorded deviations run in old releases with what they need, and are not asked what these cannot know."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from finding_edges import oldest_opset, prepared_for

from conformance.judge.deviation import read_deviations
from conformance.run.script_folder import scripts_of
from conformance.suite.adapter_file import bundled_adapters
from conformance.suite.suite import bundled_folder, load_suite

pytestmark = pytest.mark.slow

ADAPTERS = {adapter.name: adapter for adapter in bundled_adapters()}
SHOWS_PACKAGES = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'import yaml; print(yaml.__name__)'])"


@pytest.mark.parametrize(
    ("package", "record", "opset"),
    [
        ("onnxruntime", "unsqueeze-scalar-axes-accepted", 23),
        ("onnxruntime", "gather-of-strings-takes-the-first-of-each-slice", 1),
        ("onnxruntime", "external-lengths-rejected", 0),
        ("openvino", "onnx-pad-axis-before-the-first-accepted", 0),
    ],
)
def test_the_oldest_opset_follows_from_the_operators_of_a_record(package: str, record: str, opset: int) -> None:
    adapter = ADAPTERS[package]
    entries = [entry for entry in read_deviations(adapter.folder) if entry.id == record]
    (script,) = scripts_of(adapter, entries, load_suite(bundled_folder("cases")))
    assert oldest_opset(script, package) == opset


def test_scripts_and_their_processes_have_packages_that_an_environment_lacks(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "bare"], check=True)
    with prepared_for(ADAPTERS["onnxruntime"]):
        command = [str(tmp_path / "bare" / "bin" / "python"), "-P", "-c", SHOWS_PACKAGES]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    assert done.stdout == "yaml\n"
    assert "PYTHONPATH" not in os.environ
