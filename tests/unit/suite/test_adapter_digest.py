from __future__ import annotations

from pathlib import Path

import pytest

from conformance.suite.adapter_file import adapter_digest, bundled_adapters, read_adapter

MANIFEST = "name: toy\nsummary: A toy.\n"


def digest_with(folder: Path, **files: str) -> str:
    (folder / "adapter.yaml").write_text(MANIFEST)
    (folder / "adapter.py").write_text("one\n")
    for name, text in files.items():
        path = folder / name.replace("__", "/")
        path.parent.mkdir(exist_ok=True)
        path.with_suffix(".py").write_text(text)
    return adapter_digest(read_adapter(folder))


@pytest.mark.parametrize("name", ["adapter", "helper", "operators__split"])
def test_another_state_of_its_code_has_another_digest(tmp_path: Path, name: str) -> None:
    assert digest_with(tmp_path) != digest_with(tmp_path, **{name: "two\n"})


@pytest.mark.parametrize("name", ["engine.so", "data/weights.bin", ".settings"])
def test_what_lies_beside_its_code_is_in_the_digest(tmp_path: Path, name: str) -> None:
    before = digest_with(tmp_path)
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_bytes(b"engine")
    assert digest_with(tmp_path) != before


def test_results_and_virtual_environments_are_not_in_the_digest(tmp_path: Path) -> None:
    before = digest_with(tmp_path)
    for name in (".venv/pyvenv.cfg", ".venv/more", "conformance-results/run.jsonl"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("other")
    assert digest_with(tmp_path) == before


@pytest.mark.parametrize("name", ["repro", "reproducers__fault", "node_modules__tool"])
def test_what_changes_no_answer_is_not_in_the_digest(tmp_path: Path, name: str) -> None:
    assert digest_with(tmp_path) == digest_with(tmp_path, **{name: "two\n"})


def test_another_manifest_or_built_file_has_another_digest(tmp_path: Path) -> None:
    digests = {digest_with(tmp_path)}
    (tmp_path / "adapter.yaml").write_text(MANIFEST + "build: {by: make, makes: tool.so}\n")
    digests.add(adapter_digest(read_adapter(tmp_path)))
    (tmp_path / "tool.so").write_bytes(b"\x7fELF")
    digests.add(adapter_digest(read_adapter(tmp_path)))
    assert len(digests) == 3


def test_each_bundled_adapter_has_a_digest_of_its_own() -> None:
    adapters = bundled_adapters()
    assert len({adapter_digest(adapter) for adapter in adapters}) == len(adapters)
