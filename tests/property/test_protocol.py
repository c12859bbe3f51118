"""Laws of the protocol: whatever comes through a pipe is a frame or an error; what is said is what is heard."""

from __future__ import annotations

import io
import json
import math
import string

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from conformance.adapter import Description
from conformance.protocol import messages
from conformance.protocol.call import Call, Input, Request
from conformance.protocol.form import Encoding
from conformance.protocol.frames import (
    PREFIX,
    Frame,
    OversizedFrameError,
    TruncatedFrameError,
    frame_to_bytes,
    read_frame,
)
from conformance.protocol.outcome import (
    AdapterFailed,
    Cost,
    NotExpressibleOutcome,
    Produced,
    Provenance,
    RejectedOutcome,
    Stage,
    UnsupportedOutcome,
)
from conformance.tensors.dtypes import DTYPES
from conformance.tensors.errors import ProtocolError
from conformance.tensors.machine import InstructionSet
from conformance.tensors.tensor import Bytes, Tensor, element_count, pack_strings

# What JSON can spell, lone surrogates among it: messages of errors may hold anything.
TEXTS = st.text(st.characters(), max_size=20)
CLEAN_TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
NAMES = st.text(string.ascii_letters, min_size=1, max_size=10)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)
SIZES = st.lists(st.integers(-2, 40), max_size=4)
SHAPES = st.lists(st.integers(-1, 3), max_size=4).map(tuple)


@st.composite
def tensors(draw: st.DrawFn) -> Tensor:
    dtype, shape = draw(st.sampled_from(sorted(DTYPES))), draw(SHAPES)
    count, itemsize = element_count(shape), DTYPES[dtype].itemsize
    if itemsize == 0:
        return pack_strings([draw(CLEAN_TEXTS).encode() for _ in range(count)], shape)
    return Tensor(dtype, shape, draw(st.binary(min_size=count * itemsize, max_size=count * itemsize)))


@st.composite
def calls(draw: st.DrawFn) -> Request:
    attribute = st.integers() | st.lists(st.integers(), max_size=3) | CLEAN_TEXTS
    named = draw(st.dictionaries(NAMES, st.tuples(tensors(), st.booleans()), max_size=3))
    inputs = tuple(
        Input(name=name, dtype=tensor.dtype, dims=tensor.shape, constant=tensor if is_constant else None)
        for name, (tensor, is_constant) in named.items()
    )
    run = {name: tensor for name, (tensor, is_constant) in named.items() if not is_constant}
    call = Call(
        operator=draw(NAMES),
        attributes=draw(st.dictionaries(NAMES, attribute, max_size=3)),
        inputs=inputs,
        declared_outputs=draw(st.integers(0, 9)),
        signature=draw(st.lists(NAMES, max_size=3).map(tuple)),
        output_dtype=draw(st.none() | NAMES),
        output_rank=draw(st.none() | st.integers(0, 9)),
        last_opset=draw(st.none() | st.integers(1, 30)),
        encoding=draw(st.sampled_from(Encoding)),
        model=draw(st.none() | st.binary(max_size=9)),
        model_data=draw(st.none() | st.binary(max_size=9)),
    )
    return Request(call=call, runs=(run,) * draw(st.integers(1, 2)))


NANOSECONDS = st.integers(0, (1 << 63) - 1)
PROVENANCES = st.builds(
    Provenance,
    lowered=CLEAN_TEXTS,
    ran_on=CLEAN_TEXTS,
    aliases_input=st.booleans(),
    changed_inputs=st.lists(CLEAN_TEXTS, max_size=2).map(tuple),
    prepare_ns=NANOSECONDS,
    run_ns=st.lists(NANOSECONDS, max_size=2).map(tuple),
)
RUNS = st.lists(st.lists(tensors(), max_size=3).map(tuple), max_size=2).map(tuple)
ANSWERS = st.one_of(
    st.builds(Produced, runs=RUNS, provenance=PROVENANCES),
    st.builds(
        RejectedOutcome,
        stage=st.sampled_from(Stage),
        answered=st.integers(0, 2),
        message=CLEAN_TEXTS,
        cost=st.builds(Cost, cpu_ns=st.none() | NANOSECONDS, peak_bytes=st.none() | NANOSECONDS),
        provenance=PROVENANCES,
    ),
    st.builds(UnsupportedOutcome, message=CLEAN_TEXTS),
    st.builds(NotExpressibleOutcome, message=CLEAN_TEXTS),
    st.builds(AdapterFailed, message=CLEAN_TEXTS),
)
DESCRIPTIONS = st.builds(
    Description,
    framework=NAMES,
    version=NAMES,
    devices=st.lists(CLEAN_TEXTS, max_size=2).map(tuple),
    operators=st.lists(st.sampled_from(["onnx.Split-13", "onnx.*", "openvino.Concat-1"]), min_size=1).map(tuple),
    dtypes=st.none() | st.lists(CLEAN_TEXTS, max_size=2).map(tuple),
    forms=st.lists(CLEAN_TEXTS, max_size=2).map(tuple),
    onnx_models=st.lists(CLEAN_TEXTS, max_size=2).map(tuple),
    instruction_set=st.sampled_from(["", *(level.value for level in InstructionSet)]),
    details=st.dictionaries(NAMES, CLEAN_TEXTS, max_size=2),
)


class CarefulStream(io.BytesIO):
    """Bytes that come through a pipe; whoever asks for more than is allowed fails."""

    def read(self, size: int | None = -1, /) -> bytes:
        assert size is not None
        assert 0 <= size <= 1000
        return super().read(size)


def joined(pieces: list[Bytes]) -> bytes:
    return b"".join(bytes(piece) for piece in pieces)


def heard(pieces: list[Bytes]) -> Frame:
    stream = io.BytesIO(joined(pieces))
    frame = read_frame(stream, 1 << 30)
    assert frame is not None
    assert read_frame(stream, 1 << 30) is None
    return frame


def read_carefully(data: bytes) -> Frame | None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("conformance.protocol.frames.MAX_HEADER_BYTES", 1000)
        return read_frame(CarefulStream(data), 1000)


@given(st.binary(max_size=80))
@example(b"OPC")
@example(PREFIX.pack(b"OPC1", 2, 0) + b"[]")
@example(PREFIX.pack(b"OPC1", 0, 0))
def test_any_bytes_are_a_frame_or_a_protocol_error(data: bytes) -> None:
    try:
        frame = read_carefully(data)
    except ProtocolError:
        return
    assert isinstance(frame, Frame) if data else frame is None


@given(st.integers(0, (1 << 32) - 1), st.integers(0, (1 << 64) - 1), st.binary(max_size=40))
def test_promises_are_checked_before_anything_is_read(header_size: int, payload_size: int, rest: bytes) -> None:
    with pytest.raises(ProtocolError):
        read_carefully(PREFIX.pack(b"OPC1", header_size, payload_size) + b"\xff" + rest)


@pytest.mark.slow
@given(st.integers(1001, (1 << 64) - 1))
def test_a_payload_above_the_limit_is_oversized(payload_size: int) -> None:
    with pytest.raises(OversizedFrameError):
        read_carefully(PREFIX.pack(b"OPC1", 2, payload_size) + b"{}")


@given(JSON, SIZES | JSON, st.binary(max_size=40))
@example({"outcome": "produced", "runs": [[{"dtype": "bool", "shape": [0, 10**30], "data": 0}]]}, [0], b"")
@example({"outcome": "produced", "runs": [[{"dtype": "int8", "shape": [10**400] * 20, "data": 0}]]}, [0], b"")
@example({"outcome": "produced", "runs": [[{"dtype": "string", "shape": [1], "data": 0}]]}, [4], b"\xff\xff\xff\xff")
@example({"outcome": "produced", "runs": [[{"dtype": "string", "shape": [1], "data": 0}]]}, [5], b"\x01\0\0\0\xff")
@example({"outcome": "rejected", "message": "\udc80", "prepare_ns": True}, [], b"")
def test_any_json_in_a_frame_is_an_outcome_or_a_protocol_error(header: object, sizes: object, payload: bytes) -> None:
    if isinstance(header, dict):
        header = {**header, "attachments": sizes}
    text = json.dumps(header).encode()
    try:
        frame = read_frame(io.BytesIO(PREFIX.pack(b"OPC1", len(text), len(payload)) + text + payload), 1000)
    except ProtocolError:
        return
    assert frame is not None
    outcome = messages.answer_from_frame(frame, 1)
    message = getattr(outcome, "message", "")
    assert message.encode().decode() == message


@given(st.dictionaries(st.sampled_from(["type", "protocol", "framework", "version", "devices", "details"]), JSON))
def test_any_description_is_one_or_a_protocol_error(header: dict[str, object]) -> None:
    try:
        description = messages.handshake_from_frame(Frame({"type": "ready", "protocol": 1, **header})).description
    except ProtocolError:
        return
    assert description.framework.isprintable()


@pytest.mark.slow
@given(st.dictionaries(CLEAN_TEXTS, st.integers()), st.lists(st.binary(max_size=9), max_size=3), st.data())
def test_a_frame_that_is_cut_off_anywhere_is_truncated(
    header: dict[str, int], attachments: list[bytes], data: st.DataObject
) -> None:
    whole = joined(frame_to_bytes(header, attachments))
    length = data.draw(st.integers(1, len(whole) - 1))
    with pytest.raises(TruncatedFrameError):
        read_frame(io.BytesIO(whole[:length]), 1000)


@pytest.mark.slow
@given(st.dictionaries(NAMES, CLEAN_TEXTS), st.lists(st.binary(max_size=9), min_size=1, max_size=3))
def test_frames_follow_each_other_without_a_gap(header: dict[str, str], attachments: list[bytes]) -> None:
    stream = io.BytesIO(2 * joined(frame_to_bytes(header, attachments)))
    for _ in range(2):
        frame = read_frame(stream, 1000)
        assert frame is not None
        assert frame.header == {**header, "attachments": [len(item) for item in attachments]}
        assert list(map(bytes, frame.attachments)) == attachments
    assert read_frame(stream, 1000) is None


@pytest.mark.slow
@given(st.integers(0, 1 << 60), calls())
@settings(max_examples=200)
def test_a_question_survives_the_round_trip(number: int, request: Request) -> None:
    said = (number, request)
    frame = heard(messages.request_to_bytes(*said))
    back, again = messages.request_from_frame(frame)
    assert (back, again.call.operator, again.call.model) == (number, request.call.operator, request.call.model)
    assert joined(messages.request_to_bytes(back, again)) == joined(messages.request_to_bytes(*said))
    assert [dict(run) for run in again.runs] == [dict(run) for run in request.runs]


@given(ANSWERS)
@settings(max_examples=200)
def test_an_answer_survives_the_round_trip(answer: messages.WorkerAnswer) -> None:
    assert messages.answer_from_frame(heard(messages.answer_to_bytes(7, answer)), 3) == answer


@pytest.mark.parametrize(
    ("answered", "what"),
    [
        ({}, "`answered` must be how many of 2 calls were answered before the rejected one"),
        ({"answered": 2}, "2 of 2 calls were answered, which leaves none to reject"),
    ],
)
def test_refusal_names_its_call(answered: dict[str, int], what: str) -> None:
    frame = Frame({"outcome": "rejected", "stage": "running", **answered})
    assert messages.answer_from_frame(frame, 2) == AdapterFailed(message=f"the answer is not one: {what}")


@pytest.mark.slow
@pytest.mark.parametrize("dtype", sorted(DTYPES))
@pytest.mark.parametrize("shape", [(), (0,), (2, 0, 3), (2, 3)])
def test_every_type_and_shape_survives_the_round_trip(dtype: str, shape: tuple[int, ...]) -> None:
    count = math.prod(shape)
    tensor = pack_strings([b"\xc3\xa9"] * count, shape)
    if dtype != "string":
        tensor = Tensor(dtype, shape, bytes(range(256))[: count * DTYPES[dtype].itemsize])
    answer = Produced(runs=((tensor,),))
    assert messages.answer_from_frame(heard(messages.answer_to_bytes(1, answer)), 1) == answer


@pytest.mark.slow
@given(DESCRIPTIONS)
def test_a_description_survives_the_round_trip(description: Description) -> None:
    assert messages.handshake_from_frame(heard(messages.ready(description))).description == description
