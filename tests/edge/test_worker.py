from __future__ import annotations

import subprocess
import sys

import pytest

PROBE = """
import resource
from conformance import worker

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
