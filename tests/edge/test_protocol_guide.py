"""docs/reference/protocol.md shows real bytes, and the program that it speaks of works."""

from __future__ import annotations

import io
import json
import re
import sys
import threading
from pathlib import Path

import pytest

from conformance.adapter import Description
from conformance.cli.main import main
from conformance.log.build_record import record_of
from conformance.protocol import messages
from conformance.protocol.call import Call, Input, Request
from conformance.protocol.form import Form
from conformance.protocol.frames import Frame, read_frame
from conformance.protocol.outcome import Produced
from conformance.run.selection import Selection, checks_of, families_selected
from conformance.run.session import Session
from conformance.spec.verdict import Verdict
from conformance.suite.adapter_file import TargetRequest, read_adapter
from conformance.suite.suite import Suite
from conformance.tensors.dtypes import DTYPES
from conformance.tensors.tensor import Bytes, Tensor, pack_integers, pack_strings

pytestmark = pytest.mark.slow

GUIDE = (Path(__file__).parents[2] / "docs" / "reference" / "protocol.md").read_text(encoding="utf-8")
HELLO, READY, CALL, ANSWER = range(4)
QUESTION = Request(
    call=Call(
        operator="openvino.VariadicSplit-1",
        attributes={},
        inputs=(
            Input(name="data", dtype="uint8", dims=(None,)),
            Input(name="axis", dtype="int64", dims=(), constant=pack_integers([0], "int64", ())),
            Input(name="split_lengths", dtype="int64", dims=(2,), constant=pack_integers([1, 2], "int64", (2,))),
        ),
        declared_outputs=2,
        signature=("data", "axis", "split_lengths"),
        output_dtype="uint8",
        output_rank=1,
    ),
    runs=({"data": Tensor("uint8", (3,), bytes([10, 11, 12]))},),
)


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", GUIDE, re.DOTALL | re.MULTILINE)


def shown(number: int) -> bytes:
    """The bytes of one of the frames in the guide."""
    match = re.fullmatch(r"prefix(.*)\nheader(.*)\npayload(.*)", blocks("frame")[number].strip(), re.DOTALL)
    assert match is not None
    header = "".join(line.strip() for line in match[2].splitlines())
    return bytes.fromhex(match[1]) + header.encode() + bytes.fromhex(match[3])


def joined(pieces: list[Bytes]) -> bytes:
    return b"".join(bytes(piece) for piece in pieces)


def received(number: int) -> Frame:
    frame = read_frame(io.BytesIO(shown(number)), 1000)
    assert frame is not None
    return frame


def test_the_engine_sends_the_hello_of_the_guide() -> None:
    assert joined(messages.hello("/adapters/mine", {})) == shown(HELLO)


def test_the_engine_sends_the_call_of_the_guide() -> None:
    assert joined(messages.request_to_bytes(1, QUESTION)) == shown(CALL)


def test_the_engine_accepts_the_ready_of_the_guide() -> None:
    handshake = messages.handshake_from_frame(received(READY))
    assert handshake.description == Description(framework="By hand", version="1.0", operators=("openvino.*",))


def test_the_engine_accepts_the_answer_of_the_guide() -> None:
    parts = (Tensor("uint8", (1,), b"\x0a"), Tensor("uint8", (2,), b"\x0b\x0c"))
    assert messages.answer_from_frame(received(ANSWER), 1) == Produced(runs=(parts,))


def test_the_strings_of_the_guide_are_packed_so() -> None:
    example = re.search(r'`\["a", "é"\]` is `([0-9a-f ]+)`', GUIDE)
    assert example is not None
    assert bytes.fromhex(example[1]) == pack_strings([b"a", "é".encode()], (2,)).data


def test_the_guide_lists_every_type_with_its_size() -> None:
    rows = re.findall(r"^\| (\d+|packed) \| (`.*`) \|$", GUIDE, re.MULTILINE)
    listed = {name: size for size, names in rows for name in re.findall(r"`(\w+)`", names) if name in DTYPES}
    assert listed == {name: str(dtype.itemsize or "packed") for name, dtype in DTYPES.items()}


def test_the_guide_names_every_field_that_is_sent() -> None:
    fields = {*received(HELLO).header, *received(CALL).header, *json.loads(header_of(messages.ready(READY_FULLY)))}
    fields |= set(json.loads(header_of(messages.answer_to_bytes(1, Produced(runs=())))))
    assert {field for field in fields if f"`{field}`" not in GUIDE} == {"type"}


READY_FULLY = Description(framework="By hand", version="1.0", operators=("openvino.*",))


def header_of(pieces: list[Bytes]) -> bytes:
    return joined(pieces)[16:]


@pytest.mark.parametrize(
    ("case", "verdict"),
    [
        ("first", Verdict.PASS),
        ("bait", Verdict.PASS),
        ("negative-axis", Verdict.PASS),
        ("empty-part", Verdict.PASS),
        ("signalling-nan", Verdict.PASS),
        ("too-much", Verdict.PASS),
        ("texts", Verdict.NOT_DECLARED),
        ("uneven", Verdict.NOT_DECLARED),
    ],
)
def test_the_program_of_the_guide_works(tmp_path: Path, liars_suite: Suite, case: str, verdict: Verdict) -> None:
    assert main(["adapter", "new", "guide", "--language", "protocol", "--output", str(tmp_path)]) == 0
    command = json.dumps([sys.executable, "-I", "serve.py"])
    (tmp_path / "guide" / "adapter.yaml").write_text(f"{{name: guide, summary: that of the guide, command: {command}}}")
    selection = Selection(cases=(f"*/{case}",), forms=(Form.CONSTANT,))
    session = Session(TargetRequest(adapter=read_adapter(tmp_path / "guide"), options={}), 20.0, threading.Event())
    session.start()
    ((check, outcome),) = session.answers(checks_of(families_selected(liars_suite, selection), selection))
    assert record_of(check, "guide", outcome, []).verdict is verdict
