"""The built wheels in environments of their own: the engine, and a worker in an older Python with an older NumPy."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
import yaml
from gallery import read_log
from other_python import an_older_python, wheel

from conformance.spec.verdict import Verdict

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform == "win32", reason="folders of virtual environments")]

CHECKOUT = Path(__file__).parents[2]
OLD = ("numpy==1.26.4", "ml_dtypes==0.3.2")
"""The last NumPy before 2, and an ml_dtypes that lacks the newest types."""
ADAPTER = """
import numpy

from conformance.adapter import Description, Prepared


class Adapter:
    def __init__(self, options):
        pass

    def describe(self):
        return Description(framework="NumPy", version=numpy.__version__, operators=["onnx.Transpose-25"])

    def prepare(self, call):
        def run(inputs):
            return [numpy.transpose(inputs["data"], call.attributes.get("perm"))]

        return Prepared(run=run)
"""
RUN = ("run", "--quiet", "-t", "./old", "--operator", "onnx.Transpose-25", "--expects", "outputs", "--form", "constant")


class Environment:
    """A virtual environment, into which the pip of the tests installs."""

    def __init__(self, folder: Path, python: str) -> None:
        self.folder = folder
        subprocess.run([python, "-m", "venv", "--without-pip", str(folder)], check=True)

    def pip(self, *arguments: str) -> None:
        pip = (sys.executable, "-m", "pip", "--python", self.path("python"), "--quiet")
        subprocess.run([*pip, *arguments], check=True)

    def borrow_packages(self) -> None:
        """Link to the packages that the tests have, but not to this project and not to what leads to its checkout."""
        (site,) = self.folder.glob("lib/python*/site-packages")
        folders = [Path(folder) for folder in sys.path if Path(folder).name == "site-packages"]
        found = {path.name: path for folder in reversed(folders) for path in folder.iterdir()}
        for name, path in found.items():
            if not name.startswith(("opconform", "__")) and path.suffix != ".pth":
                (site / name).symlink_to(path)

    def path(self, program: str) -> str:
        return str(self.folder / "bin" / program)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an adapter."""
    place = tmp_path_factory.mktemp("alone")
    (place / "old").mkdir()
    (place / "old" / "adapter.py").write_text(ADAPTER)
    return place


@pytest.fixture(scope="module")
def engine(place: Path) -> Environment:
    """The engine, installed from its wheel; that this brings what it needs, `nox -s build` shows."""
    environment = Environment(place / "engine", sys.executable)
    environment.borrow_packages()
    environment.pip("install", "--no-deps", wheel(CHECKOUT, place / "engine wheel"))
    return environment


@pytest.fixture(scope="module")
def old(place: Path) -> Environment:
    """An older Python with an older NumPy, and nothing of ours."""
    environment = Environment(place / "venv", an_older_python())
    environment.pip("install", *OLD)
    return environment


@pytest.fixture(scope="module")
def worker_wheel(place: Path) -> str:
    return wheel(CHECKOUT / "packaging" / "opconform-worker", place / "worker wheel")


def verdicts(place: Path, engine: Environment, **manifest: object) -> Counter[Verdict]:
    """The verdicts of a run of the engine on the adapter, of which none is a harness error."""
    text = yaml.safe_dump({"name": "old", "summary": "NumPy before 2", "requires": ["numpy"], **manifest})
    (place / "old" / "adapter.yaml").write_text(text)
    ran = subprocess.run([engine.path("conformance"), *RUN], cwd=place, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    log = read_log(place / "conformance-results" / "run.jsonl")
    assert log.header.targets[0].numpy == "1.26.4"
    lacking = {record.message for record in log.records if record.verdict is Verdict.NOT_EXPRESSIBLE}
    assert all(reason.startswith("ml_dtypes 0.3.2 in its Python has no ") for reason in lacking), lacking
    return Counter(record.verdict for record in log.records)


def test_an_older_python_serves_with_the_code_of_the_engine_and_without_it(
    place: Path, engine: Environment, old: Environment, worker_wheel: str
) -> None:
    by_path = verdicts(place, engine, python="../venv/bin/python")
    assert set(by_path) <= {Verdict.PASS, Verdict.FOLLOWS, Verdict.NOT_EXPRESSIBLE}
    assert by_path[Verdict.PASS] > by_path[Verdict.NOT_EXPRESSIBLE]
    old.pip("install", "--no-deps", worker_wheel)
    assert verdicts(place, engine, python="../venv/bin/python") == by_path
    assert verdicts(place, engine, command=[old.path("opconform-worker"), str(place / "old")]) == by_path
    old.pip("uninstall", "--yes", "opconform-worker")
    assert verdicts(place, engine, python="../venv/bin/python") == by_path


def test_engine_and_worker_are_installed_and_removed_beside_each_other(
    place: Path, engine: Environment, worker_wheel: str
) -> None:
    serve = [engine.path("opconform-worker")]
    version = [engine.path("conformance"), "--version"]
    engine.pip("install", "--no-deps", worker_wheel)
    subprocess.run(version, check=True)
    engine.pip("uninstall", "--yes", "opconform")
    subprocess.run(serve, check=True, stdin=subprocess.DEVNULL)
    engine.pip("install", "--no-deps", str(next((place / "engine wheel").glob("*.whl"))))
    engine.pip("uninstall", "--yes", "opconform-worker")
    subprocess.run(version, check=True)
