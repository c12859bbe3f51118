from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from conformance.formats.suite import bundled_folder

Conformance = Callable[..., subprocess.CompletedProcess[str]]
CASE = "onnx.Split-13/data-of-each-type[dtype=float32]"
ASKED = ("repro", CASE, "--target", "onnxruntime")


def test_the_folder_holds_script_model_and_readme(conformance: Conformance, tmp_path: Path) -> None:
    done = conformance(*ASKED, "--output", "out")
    assert done.returncode == 0, done.stderr
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["README.md", "model.onnx", "repro.py"]
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
        ("openvino[device=GPU]", 'compile_model(model(core), "GPU"'),
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
    assert "its adapter has no repro.py" in done.stderr
    assert "docs/write-an-adapter.md" in done.stderr


def test_what_a_target_cannot_run_is_refused(conformance: Conformance) -> None:
    done = conformance("repro", "onnx.Split-13/written-strings", "--target", "torch")
    assert done.returncode == 2
    assert "the framework has no way to express this: PyTorch has no tensors of string" in done.stderr


def test_a_log_gives_a_folder_for_each_new_cause(conformance: Conformance, tmp_path: Path) -> None:
    shutil.copytree(bundled_folder("cases") / "onnx" / "Split", tmp_path / "mine" / "onnx" / "Split")
    mine = ("--cases-folder", "mine")  # recorded deviations are not for these
    chosen = ("--case", "onnx.Split-18/fewer-outputs-than-num-outputs", "--target", "onnxruntime", "-q")
    assert conformance("run", *mine, *chosen, "--output", "out").returncode == 1
    done = conformance("repro", "out", *mine, "--output", "scripts")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [str(Path("scripts") / "1" / "repro.py")]
    assert "fewer-outputs-than-num-outputs" in (tmp_path / "scripts" / "1" / "repro.py").read_text()


def test_a_case_without_a_target_is_a_usage_error(conformance: Conformance) -> None:
    done = conformance("repro", CASE)
    assert (done.returncode, done.stderr) == (
        2,
        "--target: a case needs a target\n  fix:  add `--target NAME`, or name a log\n",
    )
