"""`conformance adapter new` writes adapters that run at once."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.adapter_kit.adapter_check import Language
from conformance.cli.main import main

OPERATORS = {"python": "onnx.Split-13", "protocol": "openvino.VariadicSplit-1"}
languages = pytest.mark.parametrize("language", [language.value for language in Language])


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.slow
@languages
def test_a_new_adapter_conforms_at_once(language: str, here: Path) -> None:
    assert main(["adapter", "new", "my-backend", "--language", language]) == 0
    command = ["run", "-q", "--target", "./my-backend", "--operator", OPERATORS[language], "--form", "constant"]
    assert main([*command, "--set", "full", "--case", "*/*of-each-type*", "--case", "*/sum*"]) == 0
    assert (here / "conformance-results" / "report.html").is_file()


@pytest.mark.slow
@languages
def test_a_new_adapter_is_sound(language: str, capsys: pytest.CaptureFixture[str]) -> None:
    main(["adapter", "new", "my-backend", "--language", language])
    capsys.readouterr()
    assert main(["adapter", "check", "./my-backend"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1] == "./my-backend: no problems in 20 requirements"
    assert {line.partition(":")[0] for line in lines[:-1]} == {"ok"}


@pytest.mark.slow
def test_a_new_adapter_lists_its_files_and_what_to_do_next(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["adapter", "new", "my-backend", "--output", "a folder"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "a folder/my-backend/adapter.py",
        "a folder/my-backend/adapter.yaml",
        "next: conformance adapter check './a folder/my-backend'",
    ]


def test_nothing_that_is_there_is_overwritten(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "mine").mkdir()
    assert main(["adapter", "new", "mine"]) == 2
    assert list((here / "mine").iterdir()) == []
    assert capsys.readouterr().err == (
        "mine: is there already, and stays as it is\n  fix:  take another name or --output\n"
    )


@pytest.mark.parametrize(
    "name", ["../up", "a/b", "A", "1st", "", "a" * 41, "a b", 'a"', "a\n", "{{ 1 }}", "ä", "a.b", "/etc/x"]
)
def test_a_name_that_cannot_be_part_of_paths_and_code_is_refused(
    name: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["adapter", "new", name]) == 2
    assert "is not a name for an adapter" in capsys.readouterr().err
    assert list(here.iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize("language", ["python", "protocol"])
def test_the_places_to_change_are_marked(language: str, here: Path) -> None:
    main(["adapter", "new", "mine", "--language", language])
    texts = "".join(path.read_text() for path in (here / "mine").iterdir())
    assert "CHANGE" in texts
    assert "mine" in texts


def test_an_adapter_with_a_fault_ends_the_check_with_1(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["adapter", "new", "mine"])
    code = (here / "mine" / "adapter.py").read_text()
    (here / "mine" / "adapter.py").write_text(code.replace("return [part.copy()", "return [part.astype('float32')"))
    assert main(["adapter", "check", "mine"]) == 1
    assert "has the type float32" in capsys.readouterr().out


@pytest.mark.slow
def test_an_adapter_that_does_not_start_ends_the_check_with_3(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["adapter", "new", "mine"])
    (here / "mine" / "adapter.py").write_text("import no_such_framework")
    assert main(["adapter", "check", "mine"]) == 3
    assert "No module named 'no_such_framework'" in capsys.readouterr().out


@pytest.mark.slow
def test_an_adapter_that_is_not_there_ends_the_check_with_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["adapter", "check", "./nowhere"]) == 2
    assert "there is no adapter of that name" in capsys.readouterr().err
