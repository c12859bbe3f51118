"""Adapters that run in another Python: a virtual environment with a package that only it has."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import yaml
from command import run_command, run_to
from gallery import read_log
from other_python import OTHER_VERSION, other_python, provide_packages

from conformance.certificate.certificate_file import _environment
from conformance.run.handshake import installed_versions, interpreter_of, missing_needs
from conformance.suite.adapter_file import read_adapter
from conformance.tensors.errors import WorkerStartError

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="folders of virtual environments")

ADAPTER = """
import sys
from multiprocessing import get_context

import engine

from conformance.adapter import Description, NotExpressible, Prepared, Rejected


class Adapter:
    def __init__(self, options):
        spawned = get_context("spawn").Process(target=__import__, args=("conformance.adapter",))
        spawned.start()
        spawned.join()
        self.details = {"prefix": sys.prefix, "spawned": str(spawned.exitcode)}

    def describe(self):
        return Description(
            framework="Engine", version=engine.VERSION, operators=["onnx.Concat-13"], details=self.details
        )

    def prepare(self, call):
        if call.operator != "onnx.Concat-13":
            raise NotExpressible("it has one operator")
        constants = {item.name: item.constant.array for item in call.inputs if item.constant is not None}

        def run(inputs):
            given = {**constants, **inputs}
            try:
                return [engine.join([given[item.name] for item in call.inputs], call.attributes.get("axis", 0.5))]
            except (TypeError, ValueError) as error:
                raise Rejected(str(error)) from error

        return Prepared(run=run)
"""
METADATA = "Metadata-Version: 2.1\nName: engine\nVersion: 1.5\n"
ENGINE = "import numpy\nVERSION = '1.5'\njoin = numpy.concatenate\n"
RUN = ("run", "--quiet", "-t", "./far", "--operator", "onnx.Concat-13", "--expects", "outputs", "--form", "dynamic")
NOT_TRIED = ", from the folder of adapter.yaml, or a command such as python3.12"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the adapter `far`, whose Python is in `venv` beside it."""
    other_python(tmp_path / "venv")
    (tmp_path / "far").mkdir()
    (tmp_path / "far" / "adapter.py").write_text(ADAPTER)
    write_manifest(tmp_path, python="../venv/bin/python")
    return tmp_path


def write_manifest(folder: Path, **fields: object) -> None:
    manifest = {"name": "far", "summary": "an engine in another Python", "requires": ["engine>=1.2"], **fields}
    (folder / "far" / "adapter.yaml").write_text(yaml.safe_dump(manifest))


def site(folder: Path) -> Path:
    """Where the packages of the virtual environment lie."""
    (found,) = (folder / "venv" / "lib").glob("python*/site-packages")
    return found


def provide_engine(folder: Path) -> None:
    """Give the virtual environment what a worker needs, and the engine."""
    provide_packages(site(folder))
    (site(folder) / "engine.py").write_text(ENGINE)
    (site(folder) / "engine-1.5.dist-info").mkdir()
    (site(folder) / "engine-1.5.dist-info" / "METADATA").write_text(METADATA)


@pytest.mark.slow
def test_an_adapter_runs_in_the_python_that_it_names_with_a_package_that_only_that_one_has(folder: Path) -> None:
    provide_engine(folder)
    run_to(folder, *RUN)
    log = read_log(folder / "conformance-results" / "run.jsonl")
    (target,) = log.header.targets
    assert (target.name, target.details) == ("far@1.5", {"prefix": str(folder / "venv"), "spawned": "0"})
    assert (target.python, target.numpy) == (OTHER_VERSION, np.__version__)
    assert log.header.machine.python != OTHER_VERSION
    assert _environment(log.header)["python"] == OTHER_VERSION
    assert {record.verdict.value for record in log.records} == {"pass", "spec ambiguous"}


@pytest.mark.slow
def test_an_adapter_in_another_python_is_sound(folder: Path) -> None:
    provide_engine(folder)
    run_to(folder, "adapter", "check", "./far")


def test_the_requirements_of_an_adapter_are_those_of_its_python(folder: Path) -> None:
    adapter = read_adapter(folder / "far")
    assert missing_needs(adapter) == ["engine>=1.2"]
    provide_engine(folder)
    assert installed_versions(adapter) == {"engine>=1.2": "1.5"}
    write_manifest(folder)
    assert missing_needs(read_adapter(folder / "far")) == ["engine>=1.2"]
    write_manifest(folder, python="../nowhere/bin/python")
    assert missing_needs(read_adapter(folder / "far")) == ["engine>=1.2"]


def test_a_python_without_the_engine_is_told_how_to_get_it(folder: Path) -> None:
    provide_engine(folder)
    (site(folder) / "engine.py").unlink()
    assert message_of(folder) == (
        "far: it cannot start: ModuleNotFoundError: No module named 'engine'\n"
        f"  fix:  is it installed? {folder}/venv/bin/python -m pip install 'engine>=1.2'"
    )


@pytest.mark.parametrize(
    ("python", "what", "fix"),
    [
        ("../nowhere/bin/python", "{}/nowhere/bin/python does not exist", f"write the path of a Python{NOT_TRIED}"),
        ("3.12", "'3.12' is not a command", "write python3.12"),
        ("zzz", "there is no command 'zzz' on PATH", "install it, or write a path: ./zzz is taken from {}/far"),
        ("./adapter.py", "{}/far/adapter.py cannot be executed", f"write the path of a Python{NOT_TRIED}"),
        ("../venv", "../venv is a folder", "write ../venv/bin/python"),
        ("~nobody-here/python", "{}/far/~nobody-here/python does not exist", f"write the path of a Python{NOT_TRIED}"),
    ],
)  # fmt: skip
def test_a_python_that_is_not_there_is_reported(python: str, what: str, fix: str, folder: Path) -> None:
    write_manifest(folder, python=python)
    said = f"{folder}/far/adapter.yaml: python: {what}\n  fix:  {fix}".replace("{}", str(folder))
    with pytest.raises(WorkerStartError, match=f"^{re.escape(said)}$"):
        interpreter_of(read_adapter(folder / "far"))


@pytest.mark.slow
def test_a_run_and_a_check_say_that_a_python_is_not_there(folder: Path) -> None:
    write_manifest(folder, python="zzz")
    assert "there is no command 'zzz' on PATH" in message_of(folder)


@pytest.mark.slow
def test_a_python_without_the_packages_of_a_worker_says_what_to_install(folder: Path) -> None:
    python = folder / "venv" / "bin" / "python"
    where = f"{folder}/far/adapter.yaml: python: a worker cannot run in {python}"
    fix = f"  fix:  {python} -m pip install 'numpy>=1.26' 'ml_dtypes>=0.2'"
    assert message_of(folder) == f"{where}: it has no numpy\n{fix}"
    provide_engine(folder)
    (site(folder) / "ml_dtypes").unlink()
    (site(folder) / "ml_dtypes.py").write_text("__version__ = '0.1.0'\n")
    assert message_of(folder) == f"{where}: its ml_dtypes is 0.1.0, which is older than 0.2\n{fix}"
    (site(folder) / "ml_dtypes.py").write_text(
        "raise ImportError('advice') from TypeError('built\\nfor another NumPy')\n"
    )
    assert message_of(folder) == f"{where}: it cannot import ml_dtypes: built for another NumPy\n{fix}"


@pytest.mark.slow
@pytest.mark.parametrize("older", ["python3.8", "python3.9"])
def test_a_python_that_is_too_old_is_reported(older: str, folder: Path) -> None:
    python = folder / "venv" / "bin" / "old"
    python.symlink_to(path_of(older))
    write_manifest(folder, python="../venv/bin/old")
    assert message_of(folder) == (
        f"{folder}/far/adapter.yaml: python: a worker cannot run in {python}: it is older than Python 3.10\n"
        "  fix:  name Python 3.10 or a newer one"
    )


@pytest.mark.slow
def test_a_program_that_is_no_python_is_a_worker_that_could_not_start(folder: Path) -> None:
    write_manifest(folder, python="/bin/true")
    assert message_of(folder) == (
        f"{folder}/far/adapter.yaml: python: the worker could not start in /bin/true: exit status 0\n"
        "  fix:  it wrote nothing to standard error"
    )


def test_a_command_and_a_python_exclude_each_other(folder: Path) -> None:
    write_manifest(folder, python="../venv/bin/python", command=["./serve"])
    done = run_command(folder, *RUN)
    assert (done.returncode, done.stderr) == (
        2,
        (
            "far/adapter.yaml:1: `python` is for adapter.py, and `command` starts another program\n"
            "  fix:  keep one\nfar/adapter.yaml does not keep its format\n"
        ),
    )


@pytest.mark.slow
@pytest.mark.parametrize("newer", ["python3.12", "python3.13"])
def test_another_version_of_python_runs_the_worker(newer: str, folder: Path) -> None:
    python = path_of(newer)
    write_manifest(folder, python=python)
    has_packages = not subprocess.run(
        [python, "-c", "import ml_dtypes, numpy"], check=False, capture_output=True
    ).returncode
    problem = "No module named 'engine'" if has_packages else f"a worker cannot run in {python}: it has no numpy"
    assert problem in message_of(folder)


def path_of(command: str) -> str:
    """The interpreter of a version, where it is installed: pyenv has commands also for versions that do not run."""
    version = command.removeprefix("python")
    found = [shutil.which(command), *map(str, Path.home().glob(f".pyenv/versions/{version}.*/bin/{command}"))]
    for path in filter(None, found):
        if not subprocess.run([path, "-c", ""], check=False, capture_output=True).returncode:
            return path
    pytest.skip(f"there is no {command}")


def message_of(folder: Path) -> str:
    """Why the target cannot start, as a run and `adapter check` say it, both with exit code 3."""
    checked, ran = run_command(folder, "adapter", "check", "./far"), run_command(folder, *RUN)
    assert (checked.returncode, ran.returncode) == (3, 3)
    message = read_log(folder / "conformance-results" / "run.jsonl").problem("far")
    assert message.splitlines()[0] in ran.stdout + ran.stderr
    assert "".join(message.split()) in "".join(checked.stdout.split())  # which wraps it
    assert "Traceback" not in checked.stdout + checked.stderr + ran.stdout + ran.stderr
    return message
