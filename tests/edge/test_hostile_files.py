"""Devices, pipes, links and huge files in the place of what a command reads or writes: one message."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from command import run_command, run_to
from gallery import LIARS

from conformance.certificate.folder import check_signatures, signed
from conformance.tensors.errors import UsageError

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="pipes, devices and limits of Unix")

IN_EACH_FOLDER = f"""
import json, sys
from pathlib import Path
sys.path.append({str(Path(__file__).parents[1])!r})
from command import run_command
for folder in sorted(Path.cwd().iterdir()):
    done = run_command(folder, *sys.argv[1:])
    print(json.dumps([folder.name, done.returncode, done.stdout, done.stderr]))
"""
FIRST = ("-t", "numpy", "--cases-folder", str(LIARS / "cases"), "--case", "*/first")
OTHER = ("--case", "*/negative-axis")
LIMIT_S = 60
MEMORY = 2 << 20  # KiB of address space


def sparse(path: Path) -> None:
    path.touch()
    os.truncate(path, 20 << 30)


def cut_off_gzip(path: Path) -> None:
    path.write_bytes(gzip.compress(b"{}" * 1000)[:20])


@cache
def zeros_in_gzip() -> bytes:
    return gzip.compress(bytes(200 << 20), 1)


def gzip_bomb(path: Path) -> None:
    path.write_bytes(zeros_in_gzip())


HOSTILE: dict[str, Callable[[Path], object]] = {
    "zeros for ever": lambda path: path.symlink_to("/dev/zero"),
    "pipe without a writer": os.mkfifo,
    "folder": Path.mkdir,
    "sparse file": sparse,
    "gzip, cut off": cut_off_gzip,
    "gzip bomb": gzip_bomb,
}
READERS = {
    "report": ("report", "given"),
    "compare": ("compare", "log/run.jsonl", "given"),
    "merge": ("merge", "given", "given", "--output", "out"),
    "check": ("check", "given"),
    "rerun": ("run", *FIRST, "--rerun", "failed", "given"),
    "baseline": ("run", *FIRST, "--baseline", "given"),
    "verify": ("verify", "given"),
    "lab": ("lab", "scheduler", "--lab", "given"),
    "cases-folder": ("list", "--cases-folder", "given"),
    "cases": ("list", "--cases", "given"),
    "adapter": ("adapter", "check", "./given"),
    "history": ("history", "--store", "given"),
    "model": ("cases", "from-model", "given", "--output", "out"),
    "support": ("support", "onnx.Split-13", "--data", "given"),
}


def ended(folder: Path, command: tuple[str, ...]) -> dict[str, subprocess.CompletedProcess[str]]:
    """A command in each folder of this one, by its name, in one process that has little memory."""
    limited = ["bash", "-c", f'ulimit -v {MEMORY}; exec "$@"', "bash"]
    python = [sys.executable, "-P", "-c", IN_EACH_FOLDER, *command]
    done = subprocess.run([*limited, *python], cwd=folder, capture_output=True, text=True, check=False, timeout=LIMIT_S)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = map(json.loads, done.stdout.splitlines())
    return {name: subprocess.CompletedProcess(command, code, out, err) for name, code, out, err in lines}


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("log")
    for output, shard in {"log": (), "log/1": ("--shard", "1/2"), "log/2": ("--shard", "2/2")}.items():
        run_to(folder, "run", "--quiet", *FIRST, *OTHER, "--output", output, *shard)
    return folder / "log"


@pytest.mark.slow
@pytest.mark.parametrize("reader", READERS)
def test_what_is_no_file_of_ours_ends_in_one_message(reader: str, log: Path, tmp_path: Path) -> None:
    for hostile, put in HOSTILE.items():
        shutil.copytree(log, tmp_path / hostile / "log")
        put(tmp_path / hostile / "given")
    found = ended(tmp_path, READERS[reader])
    assert found.keys() == HOSTILE.keys()
    codes = (1, 2, 3, 4) if reader == "verify" else (1, 2, 3)
    for hostile, done in found.items():
        assert done.returncode in codes, (hostile, done.stdout + done.stderr)
        assert "given" in done.stdout + done.stderr, hostile
        assert "Traceback" not in done.stderr, hostile
        assert "MemoryError" not in done.stderr, hostile
        assert len(done.stderr.splitlines()) <= 6, hostile


@pytest.mark.parametrize("hostile", HOSTILE)
def test_a_key_that_is_no_file_of_ours_is_refused(hostile: str, tmp_path: Path) -> None:
    HOSTILE[hostile](tmp_path / "given")
    with pytest.raises(UsageError, match="given"):
        check_signatures([], b"", tmp_path / "given")
    with pytest.raises(UsageError, match="given"):
        signed(b"", tmp_path / "given")


def link(path: Path, mine: Path) -> None:
    path.symlink_to(mine)


def second_name(path: Path, mine: Path) -> None:
    path.hardlink_to(mine)


def dangling_link(path: Path, mine: Path) -> None:
    path.symlink_to(mine.with_name("new"))


def pipe(path: Path, _: Path) -> None:
    os.mkfifo(path)


PLANTED: dict[str, Callable[[Path, Path], None]] = {
    "link": link,
    "hard link": second_name,
    "dangling link": dangling_link,
    "pipe": pipe,
}
RUN = ("run", "--quiet", *FIRST, "--output", "out")
RECORDED = "split18-num-outputs-below-declared-dies"
WRITERS: dict[str, tuple[str, ...]] = {
    ".lock": RUN,
    ".owner": RUN,
    "run.jsonl": RUN,
    "report.html": RUN,
    "page.html": ("report", "log/run.jsonl", "--html", "out/page.html"),
    "page.md": ("report", "log/run.jsonl", "--markdown", "out/page.md"),
    "junit.xml": ("report", "log/run.jsonl", "--junit", "out/junit.xml"),
    "report.json": ("report", "log/run.jsonl", "--json", "out/report.json"),
    "compared.html": ("compare", "log/run.jsonl", "log/run.jsonl", "--html", "out/compared.html"),
    "merged.jsonl": ("merge", "log/1", "log/2", "--output", "out/merged.jsonl"),
    f"{RECORDED}.py": ("repro", "--recorded", RECORDED, "-t", "onnxruntime", "--output", "out"),
}


@pytest.mark.parametrize("planted", PLANTED)
@pytest.mark.parametrize("name", WRITERS)
def test_nothing_is_written_through_what_stands_in_an_output_folder(
    name: str, planted: str, log: Path, tmp_path: Path
) -> None:
    shutil.copytree(log, tmp_path / "log")
    mine, out = tmp_path / "mine", tmp_path / "out"
    mine.write_text("mine")
    out.mkdir()
    PLANTED[planted](out / name, mine)
    done = run_command(tmp_path, *WRITERS[name])
    assert done.returncode == 2, done.stdout + done.stderr
    assert f"out/{name}: is a " in done.stderr
    assert "nothing is written there" in done.stderr
    assert mine.read_text() == "mine"
    assert not (tmp_path / "new").exists()


@pytest.mark.slow
@pytest.mark.parametrize("planted", PLANTED)
@pytest.mark.parametrize("name", ["repro.py", "README.md"])
def test_a_reproducer_is_not_written_through_what_stands_in_its_folder(name: str, planted: str, tmp_path: Path) -> None:
    command = (
        "repro",
        "openvino.VariadicSplit-1/negative-one-element-axis[position=rank1-axis-1]",
        "-t",
        "openvino",
        "--output",
        "out",
    )
    run_to(tmp_path, *command)
    mine, replaced = tmp_path / "mine", tmp_path / "out" / name
    replaced.rename(mine)
    text = mine.read_bytes()
    PLANTED[planted](replaced, mine)
    done = run_command(tmp_path, *command)
    assert done.returncode == 2, done.stdout + done.stderr
    assert mine.read_bytes() == text
    assert not (tmp_path / "new").exists()
