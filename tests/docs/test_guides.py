"""The README and the guides: every command in them is run, and every file in them is used."""

from __future__ import annotations

import json
import re
import shlex
from importlib.metadata import version
from pathlib import Path
from shutil import copy

import pytest
from command import run_command, run_python
from gallery import read_log
from other_python import OTHER_VERSION, other_python, provide_packages
from small_suite import write_installation

from conformance.spec.verdict import Verdict

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
GUIDES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md", *sorted((ROOT / "docs").rglob("*.md"))]
_CONSOLE = re.compile(r"```console\n(.*?)```", re.DOTALL)
_FILE = re.compile(r"^`([\w./-]+)`\n\n```\w+\n(.*?)```", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)")


def _commands(guide: Path) -> list[str]:
    """Each command once, for nothing that a guide does makes another thing of it; none that another one begins with."""
    blocks = _CONSOLE.findall(guide.read_text())
    lines = (line for block in blocks for line in block.splitlines())
    found = dict.fromkeys(line[2:] for line in lines if line.startswith(("$ conformance", "$ pytest")))
    return [command for command in found if not any(other.startswith(f"{command} ") for other in found)]


@pytest.mark.parametrize("guide", [*filter(_commands, GUIDES)], ids=lambda path: path.name)
@pytest.mark.frameworks
def test_the_commands_of_a_guide_work(guide: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is certified are the few cases of a small installation: a whole profile would take minutes."""
    (tmp_path / "cases").symlink_to(ROOT / "cases")
    small = write_installation(tmp_path / "installation")
    monkeypatch.setattr("conformance.cli.adapters.installed", lambda: small)
    for name, content in _FILE.findall(guide.read_text()):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content)
    for command in _commands(guide):
        program, *arguments = shlex.split(command)
        arguments += ["--cases-folder", str(small.cases)] if arguments[0] == "certify" else []
        is_ours = program == "conformance"
        done = run_command(tmp_path, *arguments) if is_ours else run_python(tmp_path, "-m", program, *arguments)
        expected = (0, 1) if "--target ./" in command else (0,)
        assert done.returncode in expected, f"{command}\n{done.stdout}{done.stderr}"


def test_the_first_adapter_of_the_readme_runs_clean_on_every_version_and_finds_real_departures(tmp_path: Path) -> None:
    for name, content in _FILE.findall((ROOT / "README.md").read_text()):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content)
    cases = ("--case", "onnx.Split-*/axis*", "--case", "onnx.Split-13/lengths-as*", "--form", "constant")
    done = run_command(tmp_path, "run", "-q", "--target", "./onnx-reference", *cases)
    assert done.returncode == 1, done.stdout + done.stderr
    lines = (tmp_path / "conformance-results" / "run.jsonl").read_text().splitlines()
    *records, footer = [json.loads(line) for line in lines[1:]]
    requested = {record["case"].partition("/")[0] for record in records}
    assert requested == {f"onnx.Split-{version}" for version in (1, 2, 11, 13, 18)}
    printed = set(footer["verdicts"]["onnx-reference@" + version("onnx")])
    assert "accepted an invalid call" in printed
    assert not printed & {"harness error", "crashed", "rejected a valid call", "wrong result"}


@pytest.mark.frameworks
def test_the_adapter_of_the_guide_reports_each_inferred_shape_as_far_as_it_is_known(tmp_path: Path) -> None:
    write_files(tmp_path)
    case = "onnx.Split-13/lengths-as-attribute-too-late"  # of an adapter that is right, the log keeps no shapes
    done = run_command(tmp_path, "run", "-q", "--target", "./fixed-shapes", "--case", case)
    assert done.returncode == 1, done.stdout + done.stderr
    lines = (tmp_path / "conformance-results" / "run.jsonl").read_text().splitlines()[1:-1]
    inferred = {
        record["form"]: record["inferred"] for record in map(json.loads, lines) if record["form"] != "dynamic-rank"
    }
    assert inferred == {"constant": [[3], [3]], "dynamic": [[None], [None]]}


@pytest.mark.frameworks
def test_the_adapter_of_the_guide_that_needs_shapes_compiles_for_those_that_come(tmp_path: Path) -> None:
    write_files(tmp_path)
    cases = ("--case", "onnx.Concat-13/one-tensor*", "--form", "constant", "--form", "dynamic")
    done = run_command(tmp_path, "run", "-q", "--target", "./fixed-shapes", *cases)
    assert done.returncode == 0, done.stdout + done.stderr
    records = read_log(tmp_path / "conformance-results" / "run.jsonl").records
    lowered = {record.form.value: record.lowered for record in records if record.verdict is Verdict.PASS}
    assert lowered == {"constant": "", "dynamic": "compiled for the shapes of each run"}


def test_the_adapter_of_the_guide_in_another_python_runs_there(tmp_path: Path) -> None:
    write_files(tmp_path)
    copy(tmp_path / "numpy-functions" / "adapter.py", tmp_path / "other-python")
    provide_packages(other_python(tmp_path / "my-environment"))
    case = ("--case", "openvino.Concat-1/one-tensor[axis=0]")
    done = run_command(tmp_path, "run", "-q", "--target", "./other-python", *case)
    assert done.returncode == 0, done.stdout + done.stderr
    (target,) = read_log(tmp_path / "conformance-results" / "run.jsonl").header.targets
    assert (target.python, target.numpy) == (OTHER_VERSION, version("numpy"))


def write_files(folder: Path) -> None:
    """The files of the guide for adapters."""
    for name, content in _FILE.findall((ROOT / "docs" / "write-an-adapter.md").read_text()):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content)


@pytest.mark.parametrize("guide", GUIDES, ids=lambda path: path.name)
def test_the_links_of_a_guide_lead_somewhere(guide: Path) -> None:
    for link, fragment in _LINK.findall(guide.read_text()):
        path = guide.parent / link if link else guide
        assert path.exists(), link
        assert not fragment or fragment in _fragments(path), f"{link}#{fragment}"


def _fragments(page: Path) -> set[str]:
    """The fragments of a page of Markdown: its headings, in lower case, without punctuation, with dashes for spaces."""
    headings = re.findall(r"^#+ (.*)$", re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
