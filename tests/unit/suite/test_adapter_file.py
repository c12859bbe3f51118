from __future__ import annotations

from pathlib import Path

import pytest
from gallery import HOSTILE

from conformance.suite.adapter_file import (
    OptionEntry,
    bundled_adapters,
    read_adapter,
    recorded_target,
    target_from_text,
)
from conformance.tensors.errors import SelectionError, UsageError

NAMES = "numpy, onnx-backend, onnx-reference, onnxruntime, onnxruntime-web, openvino, torch"
MANIFEST = """name: toy
summary: a toy
options:
  mode: {default: slow, choices: [slow, fast]}
  path: {default: ""}
"""


@pytest.fixture
def toy(tmp_path: Path) -> Path:
    folder = tmp_path / "toys@home" / "toy"
    folder.mkdir(parents=True)
    (folder / "adapter.yaml").write_text(MANIFEST)
    return folder


@pytest.mark.parametrize("path", sorted((HOSTILE / "adapters").glob("*.yaml")), ids=lambda path: path.stem)
def test_careless_manifest_gets_complete_messages(path: Path, tmp_path: Path) -> None:
    (tmp_path / "adapter.yaml").write_bytes(path.read_bytes())
    with pytest.raises(ExceptionGroup) as caught:
        read_adapter(tmp_path)
    printed = "".join(f"{problem}\n" for problem in caught.value.exceptions)
    assert printed.replace(str(tmp_path), "") == path.with_suffix(".txt").read_text(encoding="utf-8")


def test_bundled_adapters_come_by_name() -> None:
    names = [adapter.name for adapter in bundled_adapters()]
    assert names == sorted(names)
    assert {"numpy", "onnxruntime", "openvino", "torch"} <= set(names)


def test_bundled_adapter_is_called_as_its_folder() -> None:
    assert all(adapter.folder.name == adapter.name for adapter in bundled_adapters())


def test_target_is_a_bundled_name() -> None:
    request = target_from_text("numpy")
    assert (request.adapter.name, request.version, request.options) == ("numpy", "", {})
    assert request.name_at("2.4.0") == "numpy@2.4.0"


def test_target_is_a_folder_even_with_an_at_sign_above_it(toy: Path) -> None:
    assert target_from_text(str(toy)).adapter.folder == toy


@pytest.mark.parametrize(
    ("text", "options", "name"),
    [
        ("[mode=fast]", {"mode": "fast"}, "toy@1[mode=fast]"),
        ("[mode=slow]", {}, "toy@1"),
        ("[path=/a=b]", {"path": "/a=b"}, "toy@1[path=/a=b]"),
        ("[path=AUTO:x,y]", {"path": "AUTO:x,y"}, "toy@1[path=AUTO:x,y]"),
        ("[path=x,mode=fast]", {"path": "x", "mode": "fast"}, "toy@1[mode=fast,path=x]"),
    ],
)
def test_options_that_differ_from_their_defaults_are_part_of_the_name(
    text: str, options: dict[str, str], name: str, toy: Path
) -> None:
    request = target_from_text(f"{toy}{text}")
    assert (request.options, request.name_at("1")) == (options, name)
    assert request.all_options == {"mode": "slow", "path": "", **options}


def test_version_follows_an_at_sign() -> None:
    assert target_from_text("numpy@2.4.6").version == "2.4.6"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{}[mode=fast", ("target '{}[mode=fast': the options do not end with `]`\n"
         "  fix:  write name[option=value,option=value]")),
        ("{}[", "target '{}[': the options do not end with `]`\n  fix:  write name[option=value,option=value]"),
        ("{}[mdoe=fast]", "target '{}[mdoe=fast]': toy has no option 'mdoe'\n  fix:  did you mean 'mode'?"),
        ("{}[zzz=1]", "target '{}[zzz=1]': toy has no option 'zzz'\n  fix:  it has mode, path"),
        ("{}[mode]", "target '{}[mode]': option 'mode' has no value\n  fix:  write mode=VALUE"),
        ("{}[mode=fats]", "target '{}[mode=fats]': option 'mode' cannot be 'fats'\n  fix:  did you mean 'fast'?"),
        ("{}[mode=]", "target '{}[mode=]': option 'mode' cannot be ''\n  fix:  write one of slow, fast"),
    ],
)  # fmt: skip
def test_option_that_cannot_be_is_reported(text: str, message: str, toy: Path) -> None:
    with pytest.raises(UsageError) as caught:
        target_from_text(text.format(toy))
    assert str(caught.value) == message.format(toy)


@pytest.mark.parametrize(
    ("name", "fix"),
    [
        ("onxruntime", "did you mean 'onnxruntime'?"),
        ("zzz", f"there are {NAMES}; or give a folder"),
        ("./nowhere", f"there are {NAMES}; or give a folder"),
    ],
)
def test_adapter_that_is_not_there_is_reported(name: str, fix: str) -> None:
    with pytest.raises(SelectionError) as caught:
        target_from_text(name)
    assert str(caught.value) == (
        f"target {name!r}: there is no adapter of that name, and no folder with an adapter.yaml\n  fix:  {fix}"
    )


def test_option_without_choices_takes_any_text() -> None:
    assert OptionEntry(default="x").choices is None


def test_a_log_has_defaults_that_cannot_be_written() -> None:
    options = {"device": "cpu", "isa": "", "mode": "eager", "threads": "2", "function": "split"}
    assert recorded_target("torch", options).options == {"threads": "2"}


def test_an_option_without_a_default_has_to_be_given(toy: Path) -> None:
    (toy / "adapter.yaml").write_text("{name: toy, summary: a toy, options: {module: {summary: a module}}}")
    with pytest.raises(UsageError) as caught:
        target_from_text(str(toy))
    assert str(caught.value) == f"target '{toy}': toy needs the option 'module'\n  fix:  write toy[module=...]"
