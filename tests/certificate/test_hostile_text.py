"""Text of a folder that others made is seen on the terminal, and neither acts nor passes for a line of ours."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import suppress
from functools import reduce
from operator import getitem
from pathlib import Path
from typing import Any

import pytest
import yaml
from forgery import Way, change, forging, leaves, log_lines
from small_suite import Scene

from conformance.certificate.certificate_file import STATEMENT, SUMMARY, document_bytes, statement_bytes
from conformance.cli.main import main

HOSTILE = "\x1b[2J\x1b]0;owned\x07\u202e\r\nfolder: valid, signed with the key"


def texts(document: Any) -> list[Way]:
    """The way to each text of a document."""
    return [way for way in leaves(document) if isinstance(reduce(getitem, way, document), str)]


def put(document: Any, way: Way) -> None:
    """Put the hostile text in the place of another."""
    change(document, way, lambda _: HOSTILE)


def is_harmless(text: str) -> bool:
    unseen = set(text) & set("\x1b\x07\u202e\r")
    return not unseen and not any(line.startswith("folder: valid") for line in text.splitlines())


@pytest.fixture
def verified(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[[Path], str]:
    """What the command `verify` tells of a folder, whatever it finds."""
    monkeypatch.setattr("conformance.cli.adapters.installed", lambda: scene.installation)

    def printed(folder: Path) -> str:
        assert main(["verify", str(folder)]) in (0, 2, 4)
        captured = capsys.readouterr()
        return captured.out + captured.err

    return printed


@pytest.mark.slow
@pytest.mark.parametrize("name", [STATEMENT, SUMMARY])
def test_no_text_of_a_document_acts_on_the_terminal(
    name: str, copy: Path, tmp_path: Path, verified: Callable[[Path], str]
) -> None:
    ways = texts(yaml.safe_load((copy / name).read_bytes()))
    assert len(ways) >= 3
    for number, way in enumerate(ways):
        folder = shutil.copytree(copy, tmp_path / str(number))
        changed = yaml.safe_load((copy / name).read_bytes())
        put(changed, way)
        (folder / name).write_bytes(statement_bytes(changed) if name == STATEMENT else document_bytes(changed))
        assert is_harmless(verified(folder)), way


@pytest.mark.slow
def test_no_text_of_a_log_acts_on_the_terminal(
    scene: Scene, copy: Path, tmp_path: Path, verified: Callable[[Path], str]
) -> None:
    for number, way in enumerate(texts(log_lines(copy)[0])):
        folder = shutil.copytree(copy, tmp_path / str(number))
        with suppress(Exception), forging(folder, scene.installation) as forger:
            put(forger.header, way)  # what cannot be read again stays as the edit left it
        assert is_harmless(verified(folder)), way


@pytest.mark.parametrize("command", ["report", "verify", "compare", "merge", "check", "list", "repro"])
def test_no_reported_name_acts_on_the_terminal(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name = "\x1b[2Jnowhere"
    arguments = {
        "compare": [name, name],
        "merge": [name, "--output", str(tmp_path)],
        "check": ["--cases-folder", name],
        "list": ["--case", name],
        "repro": [name, "--target", name],
    }
    main([command, *arguments.get(command, [name])])
    printed = capsys.readouterr()
    assert "nowhere" in printed.out + printed.err
    assert is_harmless(printed.out + printed.err)
