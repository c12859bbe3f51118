from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from gallery import LIARS

CASES = LIARS / "cases"
BASH = """
eval "$(register-python-argcomplete conformance)"
COMP_LINE=$1 COMP_POINT=${#1} COMP_TYPE=9
_python_argcomplete conformance
printf '%s\\n' "${COMPREPLY[@]}"
"""
FISH = "register-python-argcomplete --shell fish conformance | source; complete --do-complete $argv[1]"
ZSH = """
autoload -U compinit && compinit -D && eval "$(register-python-argcomplete --shell zsh conformance)"
print $_comps[conformance]
"""


def printed(*command: str) -> list[str]:
    """The lines that a shell prints which finds the command of this environment."""
    if shutil.which(command[0]) is None:
        pytest.skip(f"{command[0]} is not installed")
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        command, env=os.environ | {"PATH": path}, capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return [line.strip() for line in done.stdout.splitlines()]


def offered(typed: str) -> list[str]:
    """The words that bash offers after what was typed."""
    return printed("bash", "-c", BASH, "bash", f"conformance {typed}")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("supp", ["support"]),
        ("run --op", ["--operator"]),
        ("adapter check nu", ["numpy"]),
        ("run -t openv", ["openvino"]),
        ("list --operator onnx.Split-1", ["onnx.Split-1", "onnx.Split-11", "onnx.Split-13", "onnx.Split-18"]),
        ("list --case onnx.Split-1", ["onnx.Split-1/", "onnx.Split-11/", "onnx.Split-13/", "onnx.Split-18/"]),
        ("repro onnx.Split-13/lengths-of-rank-0", ["onnx.Split-13/lengths-of-rank-0"]),
        ("bisect onnx.Split-13/lengths-of-rank-0", ["onnx.Split-13/lengths-of-rank-0"]),
        ("run --form uncounted", ["uncounted-lengths"]),
        ("repro x --form uncounted", ["uncounted-lengths"]),
        ("certify --profile ", ["core", "full"]),
        ("schema comparis", ["comparison"]),
        ("new case --operator onnx.Gather-13 --argument ", ["axis=", "data=", "indices="]),
        (f"list --cases-folder {CASES} --operator ", ["onnx.Split-18", "openvino.VariadicSplit-1"]),
    ],
)
def test_bash_completes(typed: str, words: list[str]) -> None:
    assert offered(typed) == words


@pytest.mark.slow
def test_a_bracket_leads_to_the_products_of_a_matrix() -> None:
    assert "onnx.Split-1/axis\\[position=rank2-axis0\\]" in offered("repro onnx.Split-1/axis[")


@pytest.mark.slow
def test_bash_completes_a_product_behind_its_equals_sign() -> None:
    assert offered("repro onnx.Split-1/axis[position=rank2") == ["rank2-axis0\\]", "rank2-axis1\\]"]


@pytest.mark.slow
def test_clauses_are_those_of_the_operator_that_was_named() -> None:
    assert "split.unnamed_before_2" in offered("run --operator onnx.Split-1 --clause split.")
    assert not any(word.startswith("split.") for word in offered("run --operator onnx.Transpose-1 --clause "))


def test_a_target_may_be_a_folder(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    assert offered(f"run --target {tmp_path}/m") == [f"{tmp_path}/mine/"]


@pytest.mark.slow
def test_a_folder_without_cases_offers_nothing(tmp_path: Path) -> None:
    assert offered(f"list --cases-folder {tmp_path} --operator ") == [""]


@pytest.mark.slow
def test_fish_completes() -> None:
    assert printed("fish", "-c", FISH, "conformance run -t openv") == ["openvino"]


@pytest.mark.slow
def test_zsh_knows_how_to_complete() -> None:
    assert printed("zsh", "-f", "-c", ZSH) == ["_python_argcomplete"]
