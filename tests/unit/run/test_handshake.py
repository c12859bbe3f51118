"""The handshake with real workers: one that answers, one that cannot start, and ones that speak another language."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
import yaml
from gallery import write_liar

from conformance.protocol.messages import Handshake
from conformance.run.handshake import launched, shake_hands
from conformance.suite.adapter_file import TargetRequest, read_adapter
from conformance.tensors.errors import HarnessError


def greeted(folder: Path) -> Handshake:
    request = TargetRequest(adapter=read_adapter(folder), options={})
    worker = launched(request)
    try:
        return shake_hands(worker, request)
    finally:
        worker.kill()


def program(folder: Path, text: str) -> Path:
    path = folder / "program"
    path.mkdir()
    (path / "program.py").write_text(text)
    manifest = {"name": "program", "summary": "a program", "command": [sys.executable, "program.py"]}
    (path / "adapter.yaml").write_text(yaml.safe_dump(manifest))
    return path


def test_an_adapter_says_what_it_is_and_that_it_measures(tmp_path: Path) -> None:
    hands = greeted(write_liar(tmp_path, "returns_a_generator"))
    assert hands.description.version == "1.0"
    assert hands.timing
    assert not hands.by_forks


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("import sys; sys.exit(7)", "the worker could not start: "),
        (
            "import sys; print('hello' * 20, flush=True); sys.stdin.read()",
            "where a frame must start",
        ),
    ],
    ids=["ends at once", "prints"],
)
def test_a_program_that_does_not_speak_the_protocol_is_a_harness_error(text: str, what: str, tmp_path: Path) -> None:
    with pytest.raises(HarnessError) as caught:
        greeted(program(tmp_path, text))
    assert what in str(caught.value)


def test_an_adapter_that_cannot_import_its_framework_is_reported_to_install_it(tmp_path: Path) -> None:
    with pytest.raises(HarnessError, match=r"ModuleNotFoundError|ImportError"):
        greeted(write_liar(tmp_path, "cannot_import"))
