from __future__ import annotations

import io
from typing import Any

import pytest

from conformance.protocol import messages
from conformance.protocol.call import Call, Request
from conformance.protocol.frames import Frame, read_frame
from conformance.protocol.outcome import Outcome, Produced, Stage, UnsupportedOutcome
from conformance.tensors.errors import ProtocolError
from conformance.tensors.tensor import Bytes

QUESTION = Request(call=Call(operator="toy.Op-1", attributes={}, inputs=(), declared_outputs=1), runs=({},))


def sent(pieces: list[Bytes]) -> Frame:
    frame = read_frame(io.BytesIO(b"".join(bytes(piece) for piece in pieces)), 1000)
    assert frame is not None
    return frame


def test_a_stage_survives_the_trip() -> None:
    for stage in Stage:
        assert messages.stage_from_frame(sent(messages.stage_to_bytes(7, stage)), 7) is stage


@pytest.mark.parametrize("changes", [{"id": 8}, {"type": "answer"}, {"stage": "thinking"}, {"stage": None}], ids=str)
def test_what_is_no_stage_of_the_question_is_none(changes: dict[str, Any]) -> None:
    frame = Frame({"type": "stage", "id": 7, "stage": "running", **changes}, ())
    assert messages.stage_from_frame(frame, 7) is None


def test_stages_are_sent_only_on_request() -> None:
    assert sent(messages.request_to_bytes(1, QUESTION, stages=True)).header["stages"] is True
    assert "stages" not in sent(messages.request_to_bytes(1, QUESTION)).header


READY = {"type": "ready", "protocol": 1, "framework": "One", "version": "1.0", "operators": ["onnx.*"]}
OPERATORS = 'operators=["onnx.*"] for a whole dialect, "onnx.Split" for all versions, "onnx.Split-13" for one'


@pytest.mark.parametrize(
    ("header", "what", "fix"),
    [
        ({"operators": None}, "its description has no 'operators'", f"name what it takes: {OPERATORS}"),
        ({"operators": []}, "its description has no 'operators'", f"name what it takes: {OPERATORS}"),
        (
            {"operators": ["Split-13"]},
            "its description has 'Split-13' in 'operators', which is not an operator",
            f"write its dialect as well: {OPERATORS}",
        ),
        (
            {"framework": ""},
            "its description has no 'framework'",
            "let the description say it: framework='My framework'",
        ),
    ],
    ids=str,
)
def test_a_description_that_leaves_something_out_is_an_error_that_says_what_to_write(
    header: dict[str, Any], what: str, fix: str
) -> None:
    with pytest.raises(ProtocolError) as caught:
        messages.handshake_from_frame(Frame({**READY, **header}))
    assert (caught.value.what, caught.value.fix) == (what, fix)


@pytest.mark.parametrize(
    ("fields", "answer"),
    [
        ({"outcome": "produced", "runs": [], "stage": "cooling", "answered": "no"}, Produced(runs=())),
        ({"outcome": "unsupported", "message": "no", "prepare_ns": -1}, UnsupportedOutcome(message="no")),
    ],
)
def test_only_the_fields_of_an_outcome_are_read(fields: dict[str, object], answer: Outcome) -> None:
    assert messages.answer_from_frame(Frame({"type": "answer", "id": 1, **fields}, ()), 1) == answer
