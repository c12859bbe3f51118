from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import onnx
import onnxruntime
import pytest
from command import Conformance
from onnx.numpy_helper import to_array

from conformance.judge.deviation import read_deviations
from conformance.suite.suite import bundled_folder

pytestmark = pytest.mark.slow

_FILE = re.compile(r"^`onnx-reference/([\w.]+)`\n\n```\w+\n(.*?)```", re.DOTALL | re.MULTILINE)
CASE = "onnx.Split-13/data-of-each-type[dtype=float32]"
ASKED = ("repro", CASE, "--target", "onnxruntime")


def test_the_folder_holds_script_and_readme(conformance: Conformance, tmp_path: Path) -> None:
    done = conformance(*ASKED, "--output", "out")
    assert done.returncode == 0, done.stderr
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["README.md", "repro.py"]
    assert done.stdout.splitlines()[0] == str(Path("out") / "repro.py")


def test_the_folder_gets_a_name_that_every_file_system_takes(conformance: Conformance, tmp_path: Path) -> None:
    conformance(*ASKED)
    (folder,) = tmp_path.iterdir()
    assert folder.name.startswith("repro-onnx.Split-13-data-of-each-type-dtype-float32-constant-onnxruntime-")
    assert not set(folder.name) & set('<>:"/\\|?*[],= ')


@pytest.mark.parametrize(
    ("target", "written"),
    [
        ("onnxruntime[optimization=disabled]", "GraphOptimizationLevel.ORT_DISABLE_ALL"),
        ("onnxruntime[provider=CUDAExecutionProvider]", 'providers=["CUDAExecutionProvider"]'),
        ("openvino[device=GPU]", '(model.SerializeToString()), "GPU"'),
        ("torch[device=cuda:0]", '.to("cuda:0")'),
        ("torch[mode=compile-inductor]", '@torch.compile(backend="inductor", fullgraph=True, dynamic=False)'),
    ],
)
def test_options_reach_the_script(conformance: Conformance, target: str, written: str, tmp_path: Path) -> None:
    conformance("repro", CASE, "--target", target, "--output", "out")
    assert written in (tmp_path / "out" / "repro.py").read_text()


def test_the_same_check_may_be_written_again(conformance: Conformance) -> None:
    codes = [conformance(*ASKED, "--output", "out").returncode for _ in range(2)]
    assert codes == [0, 0]


def test_a_folder_with_something_else_is_left_alone(conformance: Conformance, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "README.md").write_text("mine")
    done = conformance(*ASKED, "--output", "out")
    assert (done.returncode, (tmp_path / "out" / "README.md").read_text()) == (2, "mine")
    assert done.stderr == (
        "out: is there already, and not as the folder of this check\n  fix:  name another folder with --output\n"
    )


def test_a_mistyped_case_is_reported_the_nearest(conformance: Conformance) -> None:
    done = conformance("repro", "onnx.Split-13/data-of-each-type[dtype=flaot32]", "--target", "onnxruntime")
    assert done.returncode == 2
    assert done.stderr.endswith(f"no case has this id\n  fix:  did you mean {CASE!r}?\n")


def test_a_form_that_a_case_has_not_is_refused(conformance: Conformance) -> None:
    done = conformance(*ASKED, "--form", "runtimes")
    assert done.returncode == 2
    assert done.stderr.startswith(f"form 'runtimes': {CASE} does not run in this form\n")


def test_an_adapter_without_a_recipe_is_reported_where_to_read_on(conformance: Conformance) -> None:
    done = conformance("repro", CASE, "--target", "numpy")
    assert done.returncode == 2
    assert "its adapter takes no ONNX models, and has no repro.py" in done.stderr
    assert "docs/write-an-adapter.md" in done.stderr


def test_what_a_target_cannot_run_is_refused(conformance: Conformance) -> None:
    done = conformance("repro", "onnx.Split-13/written-strings", "--target", "torch")
    assert done.returncode == 2
    assert "the framework has no way to express this: PyTorch has no tensors of string" in done.stderr


def test_a_log_gives_a_folder_for_each_new_cause(conformance: Conformance, tmp_path: Path) -> None:
    shutil.copytree(bundled_folder("cases") / "onnx" / "Split", tmp_path / "mine" / "onnx" / "Split")
    shutil.copytree(bundled_folder("adapters") / "onnxruntime", tmp_path / "unrecorded")
    (tmp_path / "unrecorded" / "deviations.yaml").unlink()
    mine = ("--cases-folder", "mine")
    chosen = ("--case", "onnx.Split-18/num-outputs-below-one[count=-1]", "--target", "./unrecorded", "-q")
    assert conformance("run", *mine, *chosen, "--output", "out").returncode == 1
    done = conformance("repro", "out", *mine, "--output", "scripts")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [str(Path("scripts") / "1" / "repro.py")]
    assert "num-outputs-below-one" in (tmp_path / "scripts" / "1" / "repro.py").read_text()


def test_an_adapter_of_models_gets_the_model_with_inputs_and_expected_outputs(
    conformance: Conformance, tmp_path: Path
) -> None:
    write_adapter(tmp_path / "mine")
    done = conformance("repro", CASE, "--target", "./mine", "-o", "out")
    assert done.returncode == 0, done.stderr
    data = tmp_path / "out" / "test_data_set_0"
    session = onnxruntime.InferenceSession(tmp_path / "out" / "model.onnx")
    read = [to_array(onnx.load_tensor(path)) for path in sorted(data.glob("*.pb"))]
    actual = session.run(None, {session.get_inputs()[0].name: read[0]})
    assert [part.tolist() for part in actual] == [part.tolist() for part in read[1:]]
    loaded = subprocess.run([sys.executable, "out/load.py"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert loaded.stdout.startswith("test_data_set_0\ninputs\n{'input': array([[ 0.,")


def test_a_log_of_a_folders_adapter_takes_the_folder(conformance: Conformance, tmp_path: Path) -> None:
    write_adapter(tmp_path / "mine")
    conformance("run", "-q", "--target", "./mine", "--case", "onnx.Split-13/sum-too-large*", "--form", "constant")
    refused = conformance("repro", "conformance-results", "-o", "scripts")
    assert (refused.returncode, "name the targets with --target" in refused.stderr) == (2, True)
    done = conformance("repro", "conformance-results", "--target", "./mine", "-o", "scripts")
    assert done.stdout.splitlines() == [str(Path("scripts") / "1" / "load.py")], done.stderr


def test_the_script_of_a_recorded_deviation_is_written_by_its_id(conformance: Conformance, tmp_path: Path) -> None:
    folder = bundled_folder("adapters") / "openvino"
    entry = read_deviations(folder)[0]
    for _ in range(2):  # the same content is no obstacle
        done = conformance("repro", "--recorded", entry.id, "--target", "openvino")
        assert (done.returncode, done.stdout) == (0, f"{entry.id}.py\n"), done.stderr
    path = tmp_path / f"{entry.id}.py"
    assert entry.witness is not None
    assert f"{entry.witness.case}, form {entry.witness.form.value}, on" in path.read_text()
    path.write_text("mine")
    assert conformance("repro", "--recorded", entry.id, "--target", "openvino").returncode == 2
    assert path.read_text() == "mine"
    mistyped = conformance("repro", "--recorded", entry.id[:-1], "--target", "openvino")
    assert (mistyped.returncode, mistyped.stderr.endswith(f"did you mean {entry.id!r}?\n")) == (2, True)


def write_adapter(folder: Path) -> None:
    """An adapter that takes ONNX models, without a `repro.py`: the README's."""
    readme = (Path(__file__).parents[2] / "README.md").read_text()
    folder.mkdir()
    for name, content in _FILE.findall(readme):
        (folder / name).write_text(content.replace("onnx-reference", "mine"))


def test_a_case_without_a_target_is_a_usage_error(conformance: Conformance) -> None:
    done = conformance("repro", CASE)
    assert (done.returncode, done.stderr) == (
        2,
        "--target: a case needs a target\n  fix:  add `--target NAME`, or name a log\n",
    )
