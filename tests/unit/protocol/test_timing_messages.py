"""Messages of timing: what is sent comes back, and nonsense is no measurement."""

from __future__ import annotations

import io
from typing import Any

import pytest

from conformance.protocol import messages
from conformance.protocol.frames import Frame, read_frame
from conformance.protocol.outcome import Measurement, NotMeasured, Samples
from conformance.run.dispatch import EFFORTS, TimingMode
from conformance.tensors.tensor import Bytes

SAMPLES = Samples(loops=3, elapsed_ns=(300, 330), busy_cores=0.5)
MEASURED = Measurement(
    prepare_ns=1, first_run_ns=2, run=SAMPLES, copy=SAMPLES, is_framework_alone=True, threads=4, affinity=(0, 1)
)


def sent(pieces: list[Bytes]) -> Frame:
    frame = read_frame(io.BytesIO(b"".join(bytes(piece) for piece in pieces)), 1000)
    assert frame is not None
    return frame


def test_the_demand_to_measure_comes_through() -> None:
    effort = EFFORTS[TimingMode.PRECISE]
    assert messages.effort_from_frame(sent(messages.time_to_bytes(7, effort))) == (7, effort)


@pytest.mark.parametrize("measured", [MEASURED, NotMeasured(reason="no time")])
def test_a_measurement_comes_through(measured: Measurement | NotMeasured) -> None:
    assert messages.measurement_from_frame(sent(messages.measurement_to_bytes(7, measured))) == measured


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"run": None}, "the field 'run' must be an object with `loops` and `elapsed_ns`"),
        ({"run": {"loops": 0, "elapsed_ns": [1]}}, "the field 'run' has no batches, or empty ones"),
        ({"copy": {"loops": 1, "elapsed_ns": []}}, "the field 'copy' has no batches, or empty ones"),
        ({"copy": {"loops": 1, "elapsed_ns": [0]}}, "the field 'copy' has no batches, or empty ones"),
        ({"prepare_ns": -1}, "the field 'prepare_ns' must hold whole numbers that are not negative"),
        ({"affinity": "all"}, "the field 'affinity' must hold whole numbers that are not negative"),
        (
            {"run": {"loops": 1, "elapsed_ns": [1], "busy_cores": "all"}},
            "the field 'run' must say with a number how many cores were busy",
        ),
    ],
)
def test_nonsense_is_no_measurement(fields: dict[str, Any], reason: str) -> None:
    frame = sent(messages.measurement_to_bytes(7, MEASURED))
    measured = messages.measurement_from_frame(Frame({**frame.header, **fields}))
    assert measured == NotMeasured(reason=f"the answer is not a measurement: {reason}")


def test_only_a_worker_that_says_so_takes_times() -> None:
    ready = {"type": "ready", "protocol": 1, "framework": "One", "version": "1.0", "operators": ["*"]}
    assert messages.handshake_from_frame(Frame({**ready, "timing": True})).timing
    assert not messages.handshake_from_frame(Frame(ready)).timing
    assert not messages.handshake_from_frame(Frame({**ready, "timing": "yes"})).timing
