"""`conformance new operator` writes an operator that can be checked and run at once."""

from __future__ import annotations

from pathlib import Path

import pytest
from command import Conformance, run_to

pytestmark = pytest.mark.slow

MINE = ("--cases-folder", "mine")
IDENTITY = ("new", "operator", "onnx.Identity-13", *MINE)


def test_check_accepts_a_new_operator(conformance: Conformance) -> None:
    done = conformance(*IDENTITY)
    assert done.returncode == 0
    assert done.stdout.splitlines() == [
        "mine/onnx/Identity/operator.yaml",
        "mine/onnx/Identity/copied.yaml",
        "next: conformance check --cases-folder mine mine/onnx/Identity/copied.yaml",
    ]
    for files in ((), ("mine/onnx/Identity/copied.yaml",)):
        done = conformance("check", *MINE, *files)
        assert (done.returncode, done.stderr) == (0, "")
        counts, about = done.stdout.splitlines()
        assert counts.startswith("1 file, 1 written case, 12 products, 4 clauses: no problems; ")
        assert counts.endswith("; law and reference agree with 0 of 12 products")
        assert about == "onnx.Identity-13 has no reference: only its law is compared with its cases"


def test_check_compares_the_cases_of_a_new_operator_with_its_law(conformance: Conformance, tmp_path: Path) -> None:
    run_to(tmp_path, *IDENTITY)
    cases = tmp_path / "mine" / "onnx" / "Identity" / "copied.yaml"
    cases.write_text(cases.read_text().replace("[[0, 1, 2]", "[[0, 2, 1]"))
    done = conformance("check", *MINE)
    assert done.returncode == 2
    assert "output 0 at [0, 1] is written as 2, but the law computes 1; 2 of 6 elements differ" in done.stderr


def test_a_rejection_needs_a_reference(conformance: Conformance, tmp_path: Path) -> None:
    run_to(tmp_path, *IDENTITY)
    with (tmp_path / "mine" / "onnx" / "Identity" / "copied.yaml").open("a") as cases:
        cases.write("  - {id: no-data, clauses: [types.T], arguments: {}, rejected: types.T}\n")
    done = conformance("check", *MINE)
    assert done.returncode == 2
    assert "cases.1: the reference has no operator onnx.Identity-13\n  fix:  add it to reference.py" in done.stderr


@pytest.mark.parametrize("made", ["made: true, cover: 2, clauses: [types.T], outputs: law", "made: wrong"])
def test_calls_made_from_classes_need_a_reference(made: str, conformance: Conformance, tmp_path: Path) -> None:
    run_to(tmp_path, *IDENTITY)
    with (tmp_path / "mine" / "onnx" / "Identity" / "copied.yaml").open("a") as cases:
        cases.write(f"  - {{id: made, {made}}}\n")
    done = conformance("cover", *MINE)
    assert done.returncode == 2
    assert done.stderr.endswith(
        "cases.1.made: the reference has no operator onnx.Identity-13, and says of each made call whether it is valid\n"
        "  fix:  add it to reference.py\n"
    )


def test_the_reference_does_not_run_what_it_does_not_have(conformance: Conformance, tmp_path: Path) -> None:
    run_to(tmp_path, *IDENTITY)
    done = conformance("run", *MINE, "--target", "numpy")
    assert done.returncode == 3
    assert "no check could be compared (0 of 24)" in done.stdout
    log = (tmp_path / "conformance-results" / "run.jsonl").read_text()
    assert "the reference does not have onnx.Identity-13" in log
    assert log.rstrip().endswith('{"not expressible":24}}}')


def test_a_new_case_of_it_needs_outputs_that_a_person_wrote(conformance: Conformance, tmp_path: Path) -> None:
    run_to(tmp_path, *IDENTITY)
    call = ("--operator", "onnx.Identity-13", "--clause", "outputs.values", "--argument", "data=float32[2]")
    done = conformance("new", "case", *MINE, *call)
    assert (done.returncode, done.stderr) == (
        2,
        "--outputs: is missing\n  fix:  `conformance new case --help` says what it is\n",
    )
    run_to(tmp_path, "new", "case", *MINE, *call, "--outputs", "{at: [0, 1]}")


def test_an_operator_that_is_there_stays(conformance: Conformance, tmp_path: Path) -> None:
    run_to(tmp_path, *IDENTITY)
    assert conformance(*IDENTITY).stderr == (
        "mine/onnx/Identity: is there already, and stays as it is\n"
        "  fix:  remove it, or name another operator or --cases-folder\n"
    )
    run_to(tmp_path, *IDENTITY, code=2)


@pytest.mark.frameworks
def test_onnx_runtime_runs_it_also_with_other_nodes(conformance: Conformance, tmp_path: Path) -> None:
    run_to(tmp_path, *IDENTITY)
    cases = tmp_path / "mine" / "onnx" / "Identity" / "copied.yaml"
    forms = "    forms: [constant, dynamic-rank, after-relu, constant-folded]\n    matrix:"
    cases.write_text(cases.read_text().replace("    matrix:", forms))
    done = conformance("run", "-q", *MINE, "--target", "onnxruntime")
    assert done.returncode == 0, done.stdout
    assert "The target conforms." in done.stdout
