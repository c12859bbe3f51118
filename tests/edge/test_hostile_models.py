"""Hostile ONNX models for `cases from-model`: one message, bounded time and memory, and an end on SIGTERM."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import onnx
import onnx.parser
import pytest
from command import run_command
from gallery import MadeOnce
from model_texts import saved

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="pipes, devices and limits of Linux")

COMMAND = [sys.executable, "-P", "-m", "conformance", "cases", "from-model"]
MEMORY = 4 << 20  # KiB of address space
LIMIT_S = 60
PLAIN = "<ir_version: 8, opset_import: ['': 18]> g (float[2,3] x) => (float[] y) { y = Transpose (x) }"
SELF_CALLING = (
    "<ir_version: 10, opset_import: ['': 18, 'own': 1]> g (float[2,3] x) => (float[] y) { y = own.A (x) } "
    "<domain: 'own', opset_import: ['own': 1]> A (a) => (b) { b = own.B (a) } "
    "<domain: 'own', opset_import: ['own': 1]> B (a) => (b) { b = own.A (a) }"
)
ENDLESS = (
    "<ir_version: 10, opset_import: ['': 18]> g (float[2,3] x, bool c) => (float[] y) { y = Loop ('', c, x) "
    "<body: graph = b (int64 i, bool go, float[2,3] k) => (bool on, float[2,3] m) "
    "{ m = Transpose <perm: ints = [0, 1]> (k) on = Identity (go) }> }"
)
GROWING = (
    "<ir_version: 10, opset_import: ['': 18]> g (int64[2] s) => (float[] y) <float one = {1}> "
    "{ e = Expand (one, s) y = Transpose (e) }"
)
DOUBLING = "<ir_version: 10, opset_import: ['': 18, 'own': 1]> g (float[2] x) => (float[] y) { y = own.F30 (x) }"
DOUBLING += " <domain: 'own', opset_import: ['': 18]> F0 (a) => (c) { c = Relu (a) }"
for _number in range(1, 31):
    _body = f"b = own.F{_number - 1} (a) c = own.F{_number - 1} (b)"
    DOUBLING += f" <domain: 'own', opset_import: ['own': 1]> F{_number} (a) => (c) {{ {_body} }}"

Change = Callable[[onnx.ModelProto], object]


def of_shape(dims: str) -> Callable[[Path], object]:
    return lambda path: saved(path, PLAIN.replace("2,3", dims))


def changed(change: Change) -> Callable[[Path], object]:
    def write(path: Path) -> None:
        model = onnx.parser.parse_model(PLAIN.replace("'", '"'))
        change(model)
        path.write_bytes(model.SerializeToString())

    return write


def with_more(of: str) -> Callable[[Path], object]:
    return changed(lambda model: getattr(model.graph.node[0], of).extend(["x"] * 99_999))


def named_in_bytes(name: bytes) -> Callable[[Path], object]:
    """A model with bytes that are no UTF-8 in the place of a name, which is `yyyy` for its output."""

    def write(path: Path) -> None:
        changed(lambda model: setattr(model.graph.output[0], "name", "yyyy"))(path)
        path.write_bytes(path.read_bytes().replace(name, b"\xff" * len(name)))

    return write


def with_initializer(dims: Sequence[int], content: bytes = b"", location: str = "") -> Callable[[Path], object]:
    """A model whose only node takes an int64 initializer."""

    def change(model: onnx.ModelProto) -> None:
        tensor = model.graph.initializer.add(name="w", data_type=onnx.TensorProto.INT64, dims=dims)
        if location:
            tensor.data_location = onnx.TensorProto.EXTERNAL
            tensor.external_data.add(key="location", value=location)
        else:
            tensor.raw_data = content
        model.graph.node[0].input[0] = "w"

    return changed(change)


def with_opset(version: int) -> Callable[[Path], object]:
    def change(model: onnx.ModelProto) -> None:
        model.opset_import[0].version = version

    return changed(change)


def with_dim(length: int) -> Callable[[Path], object]:
    def change(model: onnx.ModelProto) -> None:
        model.graph.input[0].type.tensor_type.shape.dim[0].dim_value = length

    return changed(change)


def sparse(path: Path) -> None:
    path.touch()
    os.truncate(path, 20 << 30)


MANY = "given: the node Transpose has {} outputs, and 65,536 are read"
REFUSED: dict[str, tuple[Callable[[Path], object], str]] = {
    "name of other bytes": (
        named_in_bytes(b"yyyy"),
        "given: graph.output.name is b'\\xff\\xff\\xff\\xff', which is not UTF-8",
    ),
    "type of other bytes": (named_in_bytes(b"Transpose"), "given: graph.node.op_type is b'"),
    "100,000 outputs": (
        with_more("output"),
        MANY.format("1 inputs and 100,000"),
    ),
    "100,000 inputs": (
        with_more("input"),
        MANY.format("100,000 inputs and 1"),
    ),
    "negative dim": (with_dim(-5), "given: the value x has a dim of length -5"),
    "truncated initializer": (
        with_initializer([3], b"abc"),
        "given: the initializer w has 3 bytes, and its",
    ),
    "huge initializer": (with_initializer([1 << 62, 1 << 62]), "given: the initializer w has 0 bytes, and its"),
    "empty initializer with a huge dim": (with_initializer([0, 1 << 62]), "given: the initializer w cannot be read: "),
    "negative initializer": (with_initializer([-3]), "given: the initializer w has a negative dim"),
    "weights elsewhere": (with_initializer([3], location="/etc/passwd"), "given: the file of the initializer w "),
    "weights above": (
        with_initializer([3], location="../../etc/passwd"),
        "given: the file of the initializer w ",
    ),
    "weights without a name": (with_initializer([3], location="a\0b"), "given: the file of the initializer w "),
    "weights of a device": (with_initializer([3], location="zero"), "given: the file of the initializer w "),
    "weights of a pipe": (with_initializer([3], location="pipe"), "given: pipe: is not a regular file"),
    "opset of the future": (with_opset(1 << 62), "given: uses opset 4611686018427387904 of ONNX"),
    "opset below 0": (with_opset(-3), "given: uses opset -3 of ONNX"),
    "functions that call themselves": (
        lambda path: saved(path, SELF_CALLING),
        "given: the function own.",
    ),
    "no model": (lambda path: path.write_bytes(bytes(range(256))), "given: cannot be read: "),
    "nothing": (Path.touch, "given: is not an ONNX model: it names no opset"),
    "zeros for ever": (lambda path: path.symlink_to("/dev/zero"), "given: is not a regular file"),
    "pipe without a writer": (os.mkfifo, "given: is not a regular file"),
    "folder": (Path.mkdir, "given: "),
    "sparse file": (sparse, "given: has 21,474,836,480 bytes"),
}
LEFT_OUT: dict[str, tuple[Callable[[Path], object], str]] = {
    "rank 70": (of_shape(",".join(["1"] * 70)), "an input has rank 70, and a case at most 64"),
    "huge dim": (of_shape("9223372036854775807"), "its data is larger than 67,108,864 elements"),
    "huge dims": (of_shape("4611686018427387904,4611686018427387904"), "its data is larger than 67,108,864 elements"),
}


AS_INPUTS = ("zeros for ever", "pipe without a writer", "folder", "sparse file", "no model")
EACH = """
import json, sys
from pathlib import Path
from command import run_command
from gallery import MadeOnce
for folder, arguments in json.load(sys.stdin):
    done = run_command(Path(folder), "cases", "from-model", *arguments, "--output", "mine")
    print(json.dumps([done.returncode, done.stdout, done.stderr]), flush=True)
"""
"""Runs the command in each of several folders, in one process."""


def with_little_memory(
    folder: Path, command: Sequence[str], given: str = "", limit_s: float = LIMIT_S
) -> subprocess.CompletedProcess[str]:
    limited = ["bash", "-c", f'ulimit -v {MEMORY}; exec "$@"', "bash", *command]
    path = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
    return subprocess.run(
        limited, cwd=folder, input=given, capture_output=True, text=True, check=False, timeout=limit_s, env=path
    )


def ended(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The command with little memory."""
    return with_little_memory(folder, [*COMMAND, *arguments, "--output", "mine"])


@pytest.fixture(scope="module")
def refused(made_once: MadeOnce) -> Path:
    """A folder for each model or inputs file that is refused, with its message; one process reads them all."""

    def fill(root: Path) -> None:
        asked = [(name, ["given"]) for name in REFUSED]
        asked += [(f"{name} as inputs", ["model.onnx", "--inputs", "given"]) for name in AS_INPUTS]
        for name, _ in asked:
            folder = root / name
            folder.mkdir()
            (folder / "zero").symlink_to("/dev/zero")
            os.mkfifo(folder / "pipe")
            saved(folder / "model.onnx", PLAIN)
            REFUSED[name.removesuffix(" as inputs")][0](folder / "given")
        done = with_little_memory(root, [sys.executable, "-P", "-c", EACH], json.dumps(asked), len(asked) * LIMIT_S)
        said = [json.loads(line) for line in done.stdout.splitlines()]
        assert len(said) == len(asked), done.stderr
        (root / "said.json").write_text(json.dumps({name: of for (name, _), of in zip(asked, said, strict=True)}))

    return made_once("hostile-models", fill)


def require_one_message(done: subprocess.CompletedProcess[str], message: str, folder: Path) -> None:
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    first, *others = done.stderr.splitlines()
    assert first.startswith(message)
    assert all(line.startswith("  fix:  ") for line in others)
    assert not (folder / "mine").exists()


@pytest.mark.slow
@pytest.mark.parametrize("name", [*REFUSED, *(f"{name} as inputs" for name in AS_INPUTS)])
def test_a_hostile_model_is_refused_in_one_message(name: str, refused: Path) -> None:
    said = json.loads((refused / "said.json").read_text())[name]
    message = REFUSED[name][1] if name in REFUSED else "given: "
    require_one_message(subprocess.CompletedProcess((), *said), message, refused / name)


@pytest.mark.parametrize("name", LEFT_OUT)
def test_a_call_that_no_case_can_hold_is_left_out(name: str, tmp_path: Path) -> None:
    write, reason = LEFT_OUT[name]
    write(tmp_path / "given")
    done = ended(tmp_path, "given")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"left out: 1 node of onnx.Transpose-13: {reason}\n")


def test_a_loop_that_never_ends_takes_the_time_that_it_may(tmp_path: Path) -> None:
    saved(tmp_path / "given", ENDLESS)
    np.savez(tmp_path / "inputs.npz", x=np.zeros((2, 3), np.float32), c=np.array(True))
    done = ended(tmp_path, "given", "--inputs", "inputs.npz", "--timeout", "5")
    require_one_message(done, "given: it takes more than 5 s", tmp_path)


@pytest.mark.slow
def test_functions_that_double_take_the_time_that_they_may(tmp_path: Path) -> None:
    saved(tmp_path / "given", DOUBLING)
    done = ended(tmp_path, "given", "--timeout", "5")
    require_one_message(done, "given: it ", tmp_path)


def test_values_that_grow_take_the_memory_that_they_may(tmp_path: Path) -> None:
    saved(tmp_path / "given", GROWING)
    np.savez(tmp_path / "inputs.npz", s=np.array([1 << 20, 1 << 20]))
    done = ended(tmp_path, "given", "--inputs", "inputs.npz")
    require_one_message(done, "given: it needs more than ", tmp_path)


def children_of(pid: int) -> list[int]:
    found = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    return [int(child) for child in found.split()]


def is_running(pid: int) -> bool:
    status = Path(f"/proc/{pid}/stat")
    return status.exists() and status.read_text().rpartition(")")[2].split()[0] != "Z"


@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGKILL])
def test_a_signal_ends_the_process_that_reads_the_model_too(sent: signal.Signals, tmp_path: Path) -> None:
    saved(tmp_path / "given", ENDLESS)
    np.savez(tmp_path / "inputs.npz", x=np.zeros((2, 3), np.float32), c=np.array(True))
    command = [*COMMAND, "given", "--inputs", "inputs.npz", "--output", "mine"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        until_s = time.monotonic() + LIMIT_S
        while not (children := children_of(process.pid)) and time.monotonic() < until_s:
            time.sleep(0.05)
        process.send_signal(sent)
        _, error = process.communicate(timeout=LIMIT_S)
    assert children
    assert "Traceback" not in error
    while any(map(is_running, children)) and time.monotonic() < until_s:
        time.sleep(0.05)
    assert not any(map(is_running, children))


@pytest.mark.slow
def test_names_of_a_hostile_model_are_quoted(tmp_path: Path) -> None:
    def change(model: onnx.ModelProto) -> None:
        model.graph.node[0].name = "\x1b[31m\n  - id: evil\n::error::x"
        model.graph.node.add(op_type="\x1b[31m\n::error::x", domain="own", input=["x"], output=["z"])
        model.opset_import.add(domain="own", version=1)

    changed(change)(tmp_path / "given")
    done = run_command(tmp_path, "cases", "from-model", "given", "--output", "mine")
    assert done.returncode == 0, done.stderr
    assert "\x1b" not in done.stdout
    assert not [line for line in done.stdout.splitlines() if line.startswith("::")]
    text = next((tmp_path / "mine").rglob("*.yaml")).read_text()
    assert text.count("- id:") == 2
    assert "\n  - id: evil" not in text
