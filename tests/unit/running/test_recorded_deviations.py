"""The deviations of a bundled adapter speak of the bundled cases, and of no others."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from bundled import cases_of_operators

from conformance.border.form import Form
from conformance.formats.adapter_file import target_from_text
from conformance.formats.suite import Suite, bundled_folder, load_suite
from conformance.language.check import Check
from conformance.running.target import recorded_deviations

OPERATOR = "onnx.Transpose"
CASES = f"""operator: {OPERATOR}
cases:
  - id: turned
    versions: ">=25"
    clauses: [outputs.values]
    arguments: {{data: {{dtype: $dtype, shape: [2, 4]}}, perm: [1, 0]}}
    matrix: {{dtype: [float4_e2m1fn]}}
    outputs: [{{permuted: [1, 0]}}]
"""


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Suite:
    root = tmp_path_factory.mktemp("own") / "mine"
    folder = root / OPERATOR.replace(".", "/")
    folder.mkdir(parents=True)
    (folder / "mine.yaml").write_text(CASES)
    return load_suite(root)


def covered(suite: Suite, adapter: str = "openvino") -> set[str]:
    """The cases of float4_e2m1fn that an entry covers, without their products."""
    recorded = recorded_deviations(target_from_text(adapter).adapter, suite)
    checks = (Check(case, Form.CONSTANT) for family in suite.families for case in family.cases(["float4_e2m1fn"]))
    return {check.case.id.partition("[")[0] for check in checks if any(entry.covers(check) for entry in recorded)}


def test_entries_cover_bundled_cases_beside_own_ones_and_not_those(own: Suite) -> None:
    joined = cases_of_operators(OPERATOR).joined_with(own)
    found = covered(joined)
    assert f"{OPERATOR}-25/data-of-each-packed-type" in found
    assert f"{OPERATOR}-25/turned" not in found


def test_no_entry_of_a_bundled_adapter_is_for_a_folder_of_its_own(own: Suite) -> None:
    recorded = recorded_deviations(target_from_text("openvino").adapter, own)
    assert recorded
    assert all(entry.covers_nothing for entry in recorded)
    assert covered(own) == set()


def test_entries_of_another_adapter_are_for_any_case(own: Suite, tmp_path: Path) -> None:
    (tmp_path / "adapter.yaml").write_text("name: other\nsummary: another one\n")
    (tmp_path / "adapter.py").write_text("")
    source = (bundled_folder("adapters") / "openvino" / "deviations.yaml").read_text()
    (tmp_path / "deviations.yaml").write_text(source)
    shutil.copytree(bundled_folder("adapters") / "openvino" / "reproducers", tmp_path / "reproducers")
    joined = cases_of_operators(OPERATOR).joined_with(own)
    assert f"{OPERATOR}-25/turned" in covered(joined, str(tmp_path))
