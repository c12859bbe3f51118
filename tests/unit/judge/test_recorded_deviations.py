"""The deviations of an adapter cover all calls of which their conditions are true, whoever wrote the case."""

from __future__ import annotations

import pytest
from bundled import cases_of_operators

from conformance.judge.deviation import deviations_of
from conformance.protocol.form import Form
from conformance.spec.check import Check
from conformance.suite.suite import Suite, bundled_folder, load_suite

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


def covered(suite: Suite) -> set[str]:
    """The cases of float4_e2m1fn that an entry of OpenVINO covers, without their products."""
    recorded = deviations_of(bundled_folder("adapters") / "openvino", suite)
    checks = (Check(case, Form.CONSTANT) for family in suite.families for case in family.cases(["float4_e2m1fn"]))
    return {check.case.id.partition("[")[0] for check in checks if any(entry.covers(check) for entry in recorded)}


def test_entries_cover_own_cases_beside_the_bundled_ones(own: Suite) -> None:
    joined = cases_of_operators(OPERATOR).joined_with(own)
    assert {f"{OPERATOR}-25/made", f"{OPERATOR}-25/turned"} <= covered(joined)


def test_entries_cover_own_cases_alone(own: Suite) -> None:
    assert covered(own) == {f"{OPERATOR}-25/turned"}
