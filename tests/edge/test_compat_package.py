"""The built wheel of the published data in a plain Python: no package of ours or of others, and the oldest version."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from other_python import an_older_python, wheel

pytestmark = pytest.mark.slow

COMPAT = Path(__file__).parents[2] / "compat"
SHOWN = """
import sys
from opconform_compat import load, load_frameworks, sentence

data = load()
cells = data.cells("onnx.Slice-13", "onnxruntime", dtype="float16")
assert [*cells] == data.engines["onnxruntime"].releases
assert sentence(cells).startswith("since ")
assert all(data.evidence("onnx.Slice-13", "onnxruntime")[release] for release, cell in cells.items() if cell)
assert {*cells} <= {*load_frameworks().engines["onnxruntime"].releases}
assert not {"conformance", "numpy", "pydantic"} & {*sys.modules}
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the installed package alone."""
    folder = tmp_path_factory.mktemp("compat")
    install = (sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(folder / "site"))
    subprocess.run([*install, wheel(COMPAT, folder)], check=True)
    return folder / "site"


def plain(site: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [an_older_python(), "-S", *arguments]
    return subprocess.run(
        command, cwd=site.parent, env={"PYTHONPATH": str(site)}, capture_output=True, text=True, check=False
    )


def test_a_plain_python_reads_it(site: Path) -> None:
    done = plain(site, "-c", SHOWN)
    assert done.returncode == 0, done.stderr
    assert (site / "opconform_compat" / "py.typed").is_file()


def test_its_command_checks_compares_and_shows_it(site: Path) -> None:
    command = ("-m", "opconform_compat")
    assert plain(site, *command, "lint").stdout == "the data keeps its rules\n"
    assert plain(site, *command, "diff", str(COMPAT / "data.json.xz")).stdout == "nothing changed\n"
    assert "onnxruntime: since " in plain(site, *command, "show", "onnx.Slice-13", "--form", "constant").stdout


def test_its_command_refuses_what_is_not_known(site: Path) -> None:
    done = plain(site, "-m", "opconform_compat", "show", "onnx.Slice-14")
    assert done.returncode == 2
    assert done.stderr.startswith("there is no operator version 'onnx.Slice-14'; there are onnx.")


def test_a_problem_of_the_data_is_exit_code_1(site: Path, tmp_path: Path) -> None:
    engines = tmp_path / "engines.json"
    engines.write_text('{"format": 2, "engines": {}}')
    done = plain(site, "-m", "opconform_compat", "lint", "--engines", str(engines))
    assert done.returncode == 1
    assert "is not among the releases of onnxruntime in engines.json" in done.stdout


def test_the_command_of_the_engine_finds_the_installed_data(site: Path, tmp_path: Path) -> None:
    """Without it, that of the checkout: so the installed one says something else here."""
    other = tmp_path / "opconform_compat"
    other.mkdir()
    (other / "__init__.py").touch()
    (other / "data.json.xz").write_bytes(b"not the data")
    code = "import sys; from conformance.cli.main import main; sys.exit(main(['support', 'onnx.Slice-13']))"
    command = [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(tmp_path)!r}); {code}"]
    done = subprocess.run(command, cwd=site.parent, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith(f"{other / 'data.json.xz'}: is not JSON")
