from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from gallery import LIARS

FRAMEWORKS = {"openvino", "onnxruntime", "torch", "onnx", "tensorflow", "jax"}
HEAVY = FRAMEWORKS | {"numpy", "ml_dtypes", "pydantic", "rich", "jinja2", "yaml", "junitparser", "argcomplete"}
RUN = """
from pathlib import Path
from conformance.suite.adapter_file import target_from_text
from conformance.run.selection import Selection
from conformance.run.run import run
from conformance.run.run_plan import RunRequest
from conformance.suite.suite import bundled_folder, load_suite

footer = run(
    RunRequest(
        suite=load_suite(bundled_folder("cases"), ["onnx.Split"]),
        selection=Selection(operators=("onnx.Split-11",), clauses=("split.lengths",)),
        targets=(target_from_text("{target}"),),
        log=Path("run.jsonl"),
        timeout_s=60,
        jobs=1,
    ),
    lambda _: None,
    lambda _, __: None,
)
assert footer.complete, footer
assert footer.verdicts and all("pass" in verdicts for verdicts in footer.verdicts.values()), footer
"""


def loaded_after(code: str, folder: Path) -> set[str]:
    """Names of the top-level modules that a fresh interpreter holds after it ran some code."""
    shown = (
        "\nimport sys\nsys.stdout.flush()\nprint('\\n' + ' '.join({name.partition('.')[0] for name in sys.modules}))"
    )
    command = [sys.executable, "-P", "-W", "error", "-c", code + shown]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    return set(done.stdout.splitlines()[-1].split())


def command(*arguments: str) -> str:
    return (
        "from conformance.cli.main import main\n"
        "try:\n"
        f"    main({list(arguments)!r})\n"
        "except SystemExit as end:\n"
        "    assert not end.code\n"
    )


def test_importing_the_package_loads_nothing(tmp_path: Path) -> None:
    assert loaded_after("import conformance", tmp_path) & HEAVY == set()


SMALL_CHECK = ["check", "--cases-folder", str(LIARS / "cases")]


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["run", "--help"]])
def test_help_loads_nothing(arguments: list[str], tmp_path: Path) -> None:
    assert loaded_after(command(*arguments), tmp_path) & HEAVY == set()


@pytest.mark.parametrize(
    "arguments", [["list", "--operator", "onnx.Concat"], SMALL_CHECK, ["adapter", "list"], ["schema", "log"]]
)
def test_what_runs_nothing_loads_no_framework(arguments: list[str], tmp_path: Path) -> None:
    assert loaded_after(command(*arguments), tmp_path) & FRAMEWORKS == set()


def test_a_run_on_this_machine_needs_nothing_of_a_lab(tmp_path: Path) -> None:
    code = "import conformance.cli.run, conformance.run.lab_remote"
    assert loaded_after(code, tmp_path) & {"dask", "distributed"} == set()


def test_completion_loads_no_framework_and_not_numpy(tmp_path: Path) -> None:
    code = (
        "from argparse import Namespace\n"
        "from conformance.cli.completion import COMPLETERS\n"
        "typed = Namespace(operator=[], cases_folder=[])\n"
        "for name, words in COMPLETERS.items():\n"
        "    assert list(words(prefix='' if name == 'target' else 'onnx.Split-13/', parsed_args=typed))"
    )
    assert loaded_after(code, tmp_path) & {*FRAMEWORKS, "numpy"} == set()


@pytest.mark.parametrize("target", ["onnxruntime", "openvino", "openvino[route=ir]", "torch"])
def test_writing_a_script_loads_no_framework(target: str, tmp_path: Path) -> None:
    code = command("repro", "openvino.VariadicSplit-1/written-vector", "--target", target)
    assert loaded_after(code, tmp_path) & FRAMEWORKS == set()


def test_a_list_of_written_cases_does_not_load_numpy(tmp_path: Path) -> None:
    assert "numpy" not in loaded_after(command("list", "--case", "onnx.Split-13/lengths"), tmp_path)


@pytest.mark.parametrize(
    "target", ["numpy", *(pytest.param(name, marks=pytest.mark.frameworks) for name in ("onnxruntime",))]
)
def test_parent_of_a_run_never_loads_a_framework(target: str, tmp_path: Path) -> None:
    """The call as an ONNX model is written without the package `onnx`, too."""
    assert loaded_after(RUN.format(target=target), tmp_path) & FRAMEWORKS == set()


@pytest.mark.parametrize(
    "module",
    [
        "tensors.tensor",
        "spec.operator",
        "spec.case",
        "protocol.outcome",
        "spec.verdict",
        "judge.judge",
        "log.record",
        "protocol.frames",
        "protocol.messages",
        "protocol.call",
    ],
)
def test_pure_module_starts_no_process_and_reads_no_file(module: str, tmp_path: Path) -> None:
    loaded = loaded_after(f"import conformance.{module}", tmp_path)
    assert loaded & {"subprocess", "yaml", "pydantic", "argparse", *FRAMEWORKS} == set()


def test_worker_side_needs_numpy_and_ml_dtypes_only(tmp_path: Path) -> None:
    loaded = loaded_after("import conformance.adapter, conformance.protocol.serve", tmp_path)
    assert loaded & (HEAVY - {"numpy", "ml_dtypes"}) == set()


def test_a_bare_pytest_can_collect_every_module() -> None:
    folders = Path(__file__).parents[1].rglob("test_*.py")
    names = Counter(path.name for path in folders)
    assert [name for name, number in names.items() if number > 1] == []


def type_names(tree: ast.Module) -> set[str]:
    """The classes and type aliases of a module, without the underscore that marks private ones."""
    classes = {node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}
    assigned = (node for node in tree.body if isinstance(node, ast.Assign | ast.AnnAssign))
    targets = (node.targets[0] if isinstance(node, ast.Assign) else node.target for node in assigned)
    aliases = {target.id for target in targets if isinstance(target, ast.Name) and not target.id.isupper()}
    return {name.lstrip("_") for name in classes | {name for name in aliases if name.lstrip("_")[:1].isupper()}}


def test_no_two_types_of_the_engine_have_one_name() -> None:
    modules = (Path(__file__).parents[2] / "conformance").rglob("*.py")
    counts = Counter(name for path in modules for name in type_names(ast.parse(path.read_text())))
    assert [name for name, count in counts.items() if count > 1] == []


def test_docstrings_of_packages_name_modules_that_exist() -> None:
    engine = Path(__file__).parents[2] / "conformance"
    known = {
        "onnx",
        *(path.stem for path in engine.rglob("*.py")),
        *(path.parent.name for path in engine.rglob("*.py")),
    }
    for package in engine.rglob("__init__.py"):
        named = re.findall(r"`([a-z_]+)`", package.read_text())
        assert set(named) <= known, package
