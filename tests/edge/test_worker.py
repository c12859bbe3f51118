from __future__ import annotations

import subprocess
import sys
from io import BytesIO

import pytest

from conformance import __version__
from conformance.protocol import start
from conformance.protocol.frames import frame_to_bytes, read_frame

pytestmark = pytest.mark.slow

PROBE = """
import resource
from conformance.protocol import serve as worker

def leaf():
    a = b = c = d = e = f = 0

def page_faults(depth):
    if depth:
        return page_faults(depth - 1)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(1000):
        leaf()
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

def probe(incoming, limit):
    print(max(page_faults(depth) for depth in range(500)))

worker.read_frame = probe
worker._serve(None, None, None, None, None)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="counts the page faults of Linux")
def test_calls_of_an_adapter_are_as_quick_at_every_depth() -> None:
    run = subprocess.run([sys.executable, "-c", PROBE], capture_output=True, text=True, check=True, timeout=60)
    assert int(run.stdout) < 500


def test_a_worker_refuses_an_engine_of_another_version() -> None:
    hello = frame_to_bytes({"type": "hello", "protocol": 1, "opconform": "9.9", "adapter": "/nowhere", "options": {}})
    command = [sys.executable, start.__file__]
    answer = subprocess.run(command, input=b"".join(hello), capture_output=True, check=True, timeout=60).stdout
    frame = read_frame(BytesIO(answer), 1 << 20)
    assert frame is not None
    assert frame.header["message"] == f"its worker is opconform {__version__}, and the engine 9.9"
