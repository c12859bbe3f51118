"""`conformance cases from-model` on models that were saved as ONNX saves them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from command import Conformance
from model_texts import BRANCHES, CLEAR, LOOP, OPEN, saved
from onnx import TensorProto, helper, numpy_helper

from conformance.log.log_file import records_of
from conformance.suite.case_file import CaseFamily
from conformance.suite.suite import load_suite

LENGTHS = numpy_helper.from_array(np.array([2, 4], np.int64), "lengths")


def save(
    path: Path, *nodes: onnx.NodeProto, opset: int = 18, initializers: tuple[onnx.TensorProto, ...] = (LENGTHS,)
) -> None:
    """A model with a float input `x` of shape [N, 6], an int64 input `given` of shape [2], and an output `y`."""
    inputs = [
        helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", 6]),
        helper.make_tensor_value_info("given", TensorProto.INT64, [2]),
    ]
    output = helper.make_tensor_value_info("y", TensorProto.FLOAT, None)
    graph = helper.make_graph(nodes, "graph", inputs, [output], initializer=list(initializers))
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)]), path)


def split(name: str, *, lengths: str = "lengths", outputs: tuple[str, ...] = ("y", "rest")) -> onnx.NodeProto:
    return helper.make_node("Split", ["x", lengths], outputs, name=name, axis=1)


def families(folder: Path) -> dict[str, CaseFamily]:
    return {family.id: family for family in load_suite(folder).families}


@pytest.mark.slow
def test_cases_run_on_onnx_runtime_and_conform(conformance: Conformance, tmp_path: Path) -> None:
    turned = helper.make_node("Transpose", ["a"], ["turned"], name="turn")
    joined = helper.make_node("Concat", ["turned", "turned"], ["y"], name="join", axis=1)
    save(tmp_path / "model.onnx", split("cut", outputs=("a", "b")), turned, joined)
    done = conformance("cases", "from-model", "model.onnx", "--output", "mine")
    assert done.returncode == 0, done.stderr
    assert "Wrote 3 cases. Covered: 3 of 3 nodes.\n" in done.stdout
    assert set(families(tmp_path / "mine")) == {
        "onnx.Split-18/model-1",
        "onnx.Transpose-13/model-1",
        "onnx.Concat-13/model-1",
    }
    checked = conformance("check", "--cases-folder", "mine")
    assert checked.returncode == 0, checked.stderr
    done = conformance("run", "-q", "--cases-folder", "mine", "-t", "numpy", "-t", "onnxruntime")
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_same_call_is_one_case_that_names_a_node(conformance: Conformance, tmp_path: Path) -> None:
    save(tmp_path / "model.onnx", split("first\n- id: evil"), split("second", outputs=("c", "d")))
    assert conformance("cases", "from-model", "model.onnx", "--output", "mine").returncode == 0
    assert list(families(tmp_path / "mine")) == ["onnx.Split-18/model-1"]
    text = (tmp_path / "mine" / "onnx" / "Split" / "model-18.yaml").read_text()
    assert '  # node "first - id: evil", and 1 other node with the same call\n' in text


@pytest.mark.slow
def test_what_is_known_only_at_run_time_needs_inputs(conformance: Conformance, tmp_path: Path) -> None:
    save(tmp_path / "model.onnx", split("cut", lengths="given"))
    done = conformance("cases", "from-model", "model.onnx", "--output", "mine")
    assert "left out: 1 node of onnx.Split-18: split is not a constant: --inputs makes its value known" in done.stdout
    np.savez(tmp_path / "inputs.npz", x=np.zeros((4, 6), np.float32), given=np.array([1, 5]))
    done = conformance("cases", "from-model", "model.onnx", "--inputs", "inputs.npz", "--output", "mine")
    assert done.returncode == 0, done.stderr
    (case,) = families(tmp_path / "mine")["onnx.Split-18/model-1"].cases()
    assert case.data is not None
    assert case.data.shape == (4, 6)


@pytest.mark.slow
def test_an_older_opset_means_an_older_version(conformance: Conformance, tmp_path: Path) -> None:
    node = helper.make_node("Split", ["x"], ["y", "b", "c"], name="equal", axis=1)
    save(tmp_path / "model.onnx", node, opset=11)
    assert conformance("cases", "from-model", "model.onnx", "--output", "mine").returncode == 0
    (case,) = families(tmp_path / "mine")["onnx.Split-11/model-1"].cases()
    assert case.declared_outputs == 3


def test_external_data_is_read(conformance: Conformance, tmp_path: Path) -> None:
    save(tmp_path / "plain.onnx", split("cut"))
    options = {"save_as_external_data": True, "size_threshold": 0, "location": "weights"}
    onnx.save(onnx.load(tmp_path / "plain.onnx"), tmp_path / "model.onnx", **options)
    done = conformance("cases", "from-model", "model.onnx", "--output", "mine")
    assert done.returncode == 0, done.stderr
    (tmp_path / "weights").unlink()
    done = conformance("cases", "from-model", "model.onnx", "--output", "again")
    assert done.returncode == 2
    assert done.stderr.startswith("model.onnx: weights: cannot be read: ")


@pytest.mark.slow
def test_nodes_of_subgraphs_are_found(conformance: Conformance, tmp_path: Path) -> None:
    branches = {
        name: helper.make_graph(
            [split(name, outputs=("inner", "other"))],
            name,
            [],
            [helper.make_tensor_value_info("inner", TensorProto.FLOAT, None)],
        )
        for name in ("then_branch", "else_branch")
    }
    condition = numpy_helper.from_array(np.array(True), "condition")
    save(
        tmp_path / "model.onnx",
        helper.make_node("If", ["condition"], ["y"], **branches),
        initializers=(LENGTHS, condition),
    )
    done = conformance("cases", "from-model", "model.onnx", "--output", "mine")
    assert "Wrote 1 case. Covered: 1 of 3 nodes. Not covered: If 1, Split 1.\n" in done.stdout, done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["none.onnx"], "none.onnx: cannot be read: "),
        (["text.onnx"], "text.onnx: "),
        (["model.onnx", "--inputs", "text.onnx"], "text.onnx: is not an npz file of arrays: "),
        (["model.onnx", "--inputs", "few.npz"], "few.npz: lacks the input x"),
    ],
)
def test_bad_input_is_reported(arguments: list[str], message: str, conformance: Conformance, tmp_path: Path) -> None:
    (tmp_path / "text.onnx").write_text("no model")
    save(tmp_path / "model.onnx", split("cut", lengths="given"))
    np.savez(tmp_path / "few.npz", given=np.array([1, 5]))
    done = conformance("cases", "from-model", *arguments, "--output", "mine")
    assert done.returncode == 2
    assert done.stderr.startswith(message)
    assert not (tmp_path / "mine").exists()


@pytest.mark.slow
def test_models_that_their_pages_allow_accuse_nobody(conformance: Conformance, tmp_path: Path) -> None:
    np.savez(tmp_path / "embedding.npz", ids=[2, -1])
    np.savez(tmp_path / "loop.npz", x=np.zeros((4, 3), np.float32), times=np.array(3))
    np.savez(tmp_path / "branches.npz", x=np.zeros((2, 4), np.float32), c=np.array(False))
    for name, text in {**CLEAR, **OPEN, "loop": LOOP, "branches": BRANCHES}.items():
        saved(tmp_path / f"{name}.onnx", text)
        inputs = ["--inputs", f"{name}.npz"] if (tmp_path / f"{name}.npz").exists() else []
        done = conformance("cases", "from-model", f"{name}.onnx", *inputs, "--output", "mine")
        assert done.returncode == 0, done.stderr
    checked = conformance("check", "--cases-folder", "mine")
    assert checked.returncode == 0, checked.stderr
    targets = ("-t", "numpy", "-t", "onnxruntime", "-t", "torch")
    conformance("run", "--cases-folder", "mine", *targets, "-o", "out")
    records = records_of(tmp_path / "out" / "run.jsonl")
    assert records
    assert {(record.target, record.case) for record in records if record.verdict.is_difference} == set()


@pytest.mark.slow
def test_cases_of_two_models_lie_in_one_folder(conformance: Conformance, tmp_path: Path) -> None:
    for name in ("first", "second"):
        save(tmp_path / f"{name}.onnx", split("cut"))
        assert conformance("cases", "from-model", f"{name}.onnx", "--output", "mine").returncode == 0
    assert set(families(tmp_path / "mine")) == {"onnx.Split-18/first-1", "onnx.Split-18/second-1"}


def test_a_file_that_exists_stays(conformance: Conformance, tmp_path: Path) -> None:
    save(tmp_path / "model.onnx", split("cut"))
    assert conformance("cases", "from-model", "model.onnx", "--output", "mine").returncode == 0
    done = conformance("cases", "from-model", "model.onnx", "--output", "mine")
    assert done.returncode == 2
    assert "exists already, and stays as it is" in done.stderr
