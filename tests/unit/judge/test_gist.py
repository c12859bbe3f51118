"""What a message says: the line that counts, without what differs from call to call."""

from __future__ import annotations

import pytest

from conformance.judge.controls import gist, is_same_message, last_words

ANYHOW = """Translating node #3 "Gather"

Caused by:
    0: Failed analyse for node
    1: index 7 is beyond 3

Stack backtrace:
   0: anyhow::error::<impl anyhow::Error>::msg
             at /build/anyhow-1.0/src/error.rs:83:36
  26: main
  27: _start
"""
TORCH = "The size 3 does not fit\nframe #0: c10::Error::Error() + 0x57 (0x7f12 in /usr/lib/libc10.so)\n  27: _start\n"


@pytest.mark.parametrize(
    ("message", "said"),
    [
        (ANYHOW, "index # is beyond #"),
        ("it fails\n   3: tract::run\n   4: <core::fmt::A as core::fmt>::fmt\n", "it fails"),
        (
            "Val12 of dim3 takes float8_e4m3fn, uint8, bf16 or int64",
            "Val# of dim# takes float8_e4m3fn, uint8, bf16 or int64",
        ),
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


RUST = """W: slow path
thread 'main' (12973) panicked at a.rs:1:79:
index out of bounds: the len is 2 but the index is 7
note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace
"""
NO_UNWIND = """thread 'main' (12973) panicked at library/core/src/panicking.rs:225:5:
panic in a function that cannot unwind
stack backtrace:
   0: __rustc::rust_begin_unwind
thread caused non-unwinding panic. aborting.
"""
CPP = "terminate called after throwing an instance of 'std::out_of_range'\n  what():  __n (which is 9) >= size()\n"
GLOG = "W0101 10:00:00.1 1 a.cc:1] slow\nF0101 10:00:00.2 1 b.cc:12] Check failed: rank < 5\n*** SIGABRT received ***\n"


@pytest.mark.parametrize(
    ("stderr", "said"),
    [
        (RUST, "index out of bounds: the len is # but the index is #"),
        (RUST + NO_UNWIND, "index out of bounds: the len is # but the index is #"),
        ("thread 'main' panicked at 'no axis 7', src/main.rs:2:5\n", "no axis #"),
        (CPP, "__n (which is #) >= size()"),
        ("terminate called without an active exception\n", "terminate called without an active exception"),
        ("c: c.c:4: main: Assertion `c > 1' failed.\n", "c: c.c:#: main: Assertion `c > #' failed."),
        ("free(): double free detected in tcache 2\n", "the heap is damaged"),
        ("free(): invalid pointerFatal Python error: Aborted\n\n", "the heap is damaged"),
        ("Fatal Python error: malloc_consolidate(): invalid chunk size\nAborted\n", "the heap is damaged"),
        (
            "terminate called recursively\ncorrupted size vs. prev_size\nterminate called recursively\n",
            "the heap is damaged",
        ),
        ("malloc(): failed\n", ""),
        ("*** stack smashing detected ***: terminated\n", "*** stack smashing detected ***: terminated"),
        ("panic: index out of range [7] with length 3\n\ngoroutine 1:\n", "panic: index out of range # with length #"),
        (GLOG, "Check failed: rank < #"),
        ("thread 'main' panicked at a.rs:1:79:\n\nnote: nothing said\n", ""),
        ("warning: slow path\nSegmentation fault\n", ""),
        ("", ""),
    ],
)
def test_the_last_words_of_a_process(stderr: str, said: str) -> None:
    assert last_words(stderr) == said
