"""What a message says: the line that counts, without what differs from call to call."""

from __future__ import annotations

import pytest

from conformance.judging.gist import gist, is_same_message

ANYHOW = """Translating node #3 "Gather"

Caused by:
    0: Failed analyse for node
    1: index 7 is beyond 3

Stack backtrace:
   0: anyhow::error::<impl anyhow::Error>::msg
             at /root/.cargo/registry/anyhow-1.0/src/error.rs:83:36
  26: main
  27: _start
"""
TORCH = "The size 3 does not fit\nframe #0: c10::Error::Error() + 0x57 (0x7f12 in /usr/lib/libc10.so)\n  27: _start\n"


@pytest.mark.parametrize(
    ("message", "said"),
    [
        (ANYHOW, "#: index # is beyond #"),
        (TORCH, "The size # does not fit"),
        ("buffer at 0x7ffd12 of axis 3", "buffer at # of axis #"),
        ("cannot gather [[0.5, 1.0], [2.0, -3e5]] along 1", "cannot gather # along #"),
        ("no file /tmp/tmp1f/model.onnx here", "no file # here"),
        ("node Split_12 takes int64", "node Split_# takes int64"),
        ("no message at all\n^^^^^\n", "no message at all"),
        ("", "no message"),
        ("/usr/lib/libfoo.so\n", "no message"),
    ],
)
def test_the_line_that_says_what_is_wrong(message: str, said: str) -> None:
    assert gist(message) == said
    assert gist(gist(message)) == said


def test_messages_are_compared_without_names_and_types() -> None:
    assert is_same_message("node 'Split_1' of float32[2, 6]: no", "node 'Concat_7' of int8[1]: no")
    assert not is_same_message("the axis is beyond the rank", "the lengths do not add up")
