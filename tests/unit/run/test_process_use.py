from __future__ import annotations

import subprocess
import sys
import time

import pytest

from conformance.run.process import use_of

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
BUSY = "while True: pass"
SHORT_LIVED = """
import os
while True:
    child = os.fork()
    if not child:
        os._exit(0)
    os.waitpid(child, 0)
"""


def test_a_busy_process_is_runnable_and_uses_time() -> None:
    with subprocess.Popen([sys.executable, "-c", BUSY]) as process:
        try:
            while (found := use_of(process.pid)) is None or not found.cpu_s:
                time.sleep(0.01)
        finally:
            process.kill()
    assert found.is_runnable


def test_a_process_that_has_ended_has_no_use() -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait()
    assert use_of(process.pid) is None


def test_children_may_end_while_they_are_read() -> None:
    with subprocess.Popen([sys.executable, "-c", SHORT_LIVED]) as process:
        try:
            found = [use_of(process.pid) for _ in range(300)]
            assert process.poll() is None
        finally:
            process.kill()
    assert all(use is not None for use in found)
