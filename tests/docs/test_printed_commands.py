"""The commands that outputs, pages and guides print: the parser knows each, and each does what is said beside it."""

from __future__ import annotations

import ast
import html
import re
import shlex
import tomllib
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import onnx
import pytest
from command import run_command, run_python, run_to

from conformance.cli.commands import command_parser

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
_PACKAGE = ROOT / "conformance"
_COMMAND = re.compile(r"(?:^|[`$] ?|: |with )(conformance (?!of\b)[a-z](?:[^`\n]|\\\n)*)", re.MULTILINE)
_FOR = {"K/N": "1/2", "{form}": "constant", "{options}": "--target x", "${{ matrix.shard }}": "1", "SHELL": "bash"}
"""What a reader writes for a placeholder of ours that the parser does not take."""
_SESSIONS = re.compile(r"nox -s ((?:[a-z]+ ?)+)")
_EXTRAS = re.compile(r"""pip install ['"](?:\.|opconform)\[([\w,]+)\]""")
_MODULE = re.compile(r"python -m ([\w.]+)")
_INCOMPLETE = "the following arguments are required|expected (at least )?one argument"
_FILE = re.compile(r"^`(onnx-reference/[\w.]+)`\n\n```\w+\n(.*?)```", re.DOTALL | re.MULTILINE)
_CASES = ("--case", "onnx.Split-13/sum-too-large*", "--case", "onnx.Split-13/axis*", "--form", "constant")


@cache
def _texts() -> tuple[tuple[str, str], ...]:
    return tuple(_read_texts())


def _read_texts() -> Iterator[tuple[str, str]]:
    """The texts of the code, with `x` for what is filled in, those of templates and guides, and where they stand."""
    for path in sorted(_PACKAGE.rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        parts = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
        for node in ast.walk(tree):
            if isinstance(node, ast.JoinedStr):
                yield path.name, "".join(str(p.value) if isinstance(p, ast.Constant) else "x" for p in node.values)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in parts:
                yield path.name, node.value
    guides = [ROOT / f"{name}.md" for name in ("README", "CONTRIBUTING", "SECURITY")] + [*(ROOT / "docs").rglob("*.md")]
    for path in sorted([*_PACKAGE.rglob("*.j2"), *guides]):
        yield path.name, path.read_text(encoding="utf-8")


def _written() -> dict[str, str]:
    """Each command that is written anywhere, with the place."""
    return {command: place for place, text in _texts() for command in _COMMAND.findall(text)}


def _words(command: str) -> list[str]:
    for placeholder, value in _FOR.items():
        command = command.replace(placeholder, value)
    words = shlex.split(command.replace("\\\n", " ").rstrip("\\"), comments=True)
    ends = (number for number, word in enumerate(words) if word in ("|", "||", "&&", ">"))
    return words[1 : next(ends, None)]


_parser = cache(command_parser)


def _refusal(words: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """What the parser says about these words; empty if it takes them, or would with more of them."""
    try:
        _parser().parse_args(words)
    except SystemExit as ended:
        said = capsys.readouterr().err if ended.code else ""
        return "" if re.search(_INCOMPLETE, said) else said
    return ""


def test_the_parser_knows_every_command_and_option_that_is_written(capsys: pytest.CaptureFixture[str]) -> None:
    refused = {f"{place}: {command}": _refusal(_words(command), capsys) for command, place in _written().items()}
    assert len(refused) > 80
    assert not {where: said for where, said in refused.items() if said}


def test_a_wrong_command_would_be_noticed(capsys: pytest.CaptureFixture[str]) -> None:
    assert "unrecognized arguments" in _refusal(_words("conformance run --resume."), capsys)
    assert "invalid choice" in _refusal(_words("conformance rnu"), capsys)


def _named(pattern: re.Pattern[str], separator: str) -> dict[str, str]:
    """Each name that a command in a text has there, with the place."""
    found = ((place, names) for place, text in _texts() for names in pattern.findall(text))
    return {name: place for place, names in found for name in names.strip().split(separator)}


def test_every_session_of_nox_that_is_written_exists() -> None:
    tree = ast.parse((ROOT / "noxfile.py").read_text(encoding="utf-8"))
    sessions = {node.name for node in tree.body if isinstance(node, ast.FunctionDef) and node.decorator_list}
    written = _named(_SESSIONS, " ")
    assert {"conformance", "tests", "lint", "types"} <= written.keys()
    assert not written.keys() - sessions, written


def test_every_extra_that_is_written_exists() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    written = _named(_EXTRAS, ",")
    assert {"onnxruntime", "sign", "lab"} <= written.keys()
    assert not written.keys() - project["optional-dependencies"].keys(), written


def test_every_module_of_ours_that_is_written_exists() -> None:
    ours = [name for name in _named(_MODULE, " ") if name.startswith("conformance")]
    assert "conformance" in ours
    assert not [name for name in ours if find_spec(name) is None]


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder where the first adapter of the README failed, with every report of its run."""
    folder = tmp_path_factory.mktemp("reader")
    for name, content in _FILE.findall((ROOT / "README.md").read_text(encoding="utf-8")):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(content, encoding="utf-8")
    done = run_command(folder, "run", "--target", "./onnx-reference", "--target", "numpy", *_CASES)
    assert done.returncode == 1, done.stderr
    (folder / "terminal.txt").write_text(done.stdout, encoding="utf-8")
    written = ("--html", "a.html", "--markdown", "a.md", "--junit", "a.xml")
    run_to(folder, "report", "conformance-results", *written, code=1)
    return folder


def _printed(*paths: Path) -> list[str]:
    """The commands in these outputs, each once; without the first, those of the page's script are left out."""
    texts = (html.unescape(path.read_text(encoding="utf-8")) for path in paths)
    found = (
        line
        for text in texts
        for line in re.findall(r"conformance (?:run|repro|verify|certify|compare) [^<`\n]*", text)
    )
    return [*dict.fromkeys(line.partition("\\n")[0].rstrip('",') for line in found if "{" not in line)]


def _run_each(folder: Path, commands: Iterable[str], code: int) -> list[str]:
    """The standard output of each command, which ends with that exit code."""
    outputs = []
    for command in commands:
        done = run_command(folder, *shlex.split(command)[1:])
        assert done.returncode == code, f"{command}\n{done.stdout}{done.stderr}"
        outputs.append(done.stdout)
    return outputs


def test_what_the_reports_say_reproduces_a_difference_does(reader: Path, tmp_path: Path) -> None:
    commands = _printed(*(reader / f"a.{kind}" for kind in ("html", "xml")))
    reruns = [command for command in commands if command.startswith("conformance run")]
    assert any("cut=" in command for command in reruns)
    (shown,) = _run_each(tmp_path, reruns[:1], code=1)
    assert "does not conform: 0/1, 1 new" in shown
    scripts = [command for command in commands if command.startswith("conformance repro")]
    (script, *_) = _run_each(tmp_path, scripts, code=0)
    loaded = run_python(tmp_path, script.split()[0])
    assert (loaded.returncode, "inputs" in loaded.stdout) == (0, True), loaded.stderr


def test_the_command_that_the_terminal_prints_shows_the_difference(reader: Path, tmp_path: Path) -> None:
    commands = re.findall(r"^  (conformance repro .*)$", (reader / "terminal.txt").read_text(), re.MULTILINE)
    assert commands
    (script,) = _run_each(tmp_path, commands[:1], code=0)
    loaded = run_python(tmp_path, script.split()[0])
    assert (loaded.returncode, "expected\na rejection" in loaded.stdout) == (0, True), loaded.stderr


def test_a_finished_run_is_not_offered_to_be_resumed(reader: Path) -> None:
    assert not any("--resume" in (reader / f"a.{kind}").read_text().partition("<script")[0] for kind in ("html", "md"))


def test_what_an_adapter_did_not_answer_is_asked_again_by_the_command_beside_it(reader: Path, tmp_path: Path) -> None:
    adapter = tmp_path / "silent"
    adapter.mkdir()
    for path in (reader / "onnx-reference").glob("adapter.*"):
        text = path.read_text().replace("name: onnx-reference", "name: silent")
        (adapter / path.name).write_text(
            text.replace("run=lambda inputs: rejecting(evaluator.run, None, dict(inputs))", "run=lambda inputs: [None]")
        )
    run_to(tmp_path, "run", "-q", "--target", "./silent", *_CASES, code=3)
    commands = _printed(tmp_path / "conformance-results" / "report.html")
    (again,) = [command for command in commands if "--rerun failed" in command]
    assert "checks not judged" in _run_each(tmp_path, [again], code=3)[0]


@pytest.mark.frameworks
def test_the_script_of_a_recorded_deviation_fails_as_the_card_promises(tmp_path: Path) -> None:
    case = ("--case", "onnx.Gather-13/*string*", "--form", "constant", "--target", "onnxruntime")
    run_to(tmp_path, "run", "-q", *case)
    page = tmp_path / "conformance-results" / "report.html"
    recorded = [command for command in _printed(page) if "--recorded" in command]
    (script, *_) = _run_each(tmp_path, recorded, code=0)
    assert run_python(tmp_path, script.strip()).returncode == 1


def test_the_next_command_of_an_author_works(tmp_path: Path) -> None:
    lengths = ("--clause", "split.lengths", "--argument", "axis=1", "--argument", "split=2,4", "--file", "my.yaml")
    done = run_command(tmp_path, "new", "case", "--cases-folder", "my cases", "--operator", "onnx.Split-13", *lengths)
    _run_each(tmp_path, re.findall(r"^next: (.*)$", done.stdout, re.MULTILINE), code=0)
    done = run_command(tmp_path, "adapter", "new", "mine", "--output", "my adapters")
    _run_each(tmp_path, re.findall(r"^next: (.*)$", done.stdout, re.MULTILINE), code=0)


def test_the_next_command_after_reading_a_model_runs_its_cases(tmp_path: Path) -> None:
    data = onnx.helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, [2, 6])
    parts = [onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [2, 3]) for name in ("a", "b")]
    graph = onnx.helper.make_graph([onnx.helper.make_node("Split", ["x"], ["a", "b"], axis=1)], "g", [data], parts)
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 13)])
    onnx.save(model, tmp_path / "model.onnx")
    done = run_command(tmp_path, "cases", "from-model", "model.onnx", "--output", "my cases")
    (command,) = re.findall(r"^next: (.*)$", done.stdout, re.MULTILINE)
    assert "conforms: 1/1" in _run_each(tmp_path, [f"{command} --target numpy"], code=0)[0]


def test_no_text_names_a_distribution_that_is_not_there() -> None:
    loose = [where for where in _texts() if re.search(r"pip install ['\"]?opconform(?!\S* @ )", where[1])]
    assert not [place for place, _ in loose]
