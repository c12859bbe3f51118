from __future__ import annotations

import pytest

from conformance.tensors.text import shortened_apart, without_ci_commands, without_folders


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        (
            'File "/home/me/lib/site-packages/openvino/model.py", line 6 in run',
            'File "openvino/model.py", line 6 in run',
        ),
        ('File "C:\\Users\\me\\openvino\\model.py", line 6', 'File "openvino\\model.py", line 6'),
        ('File "openvino/model.py", line 6', 'File "openvino/model.py", line 6'),
        ('File "<frozen runpy>", line 88 in _run_code', 'File "<frozen runpy>", line 88 in _run_code'),
        ('free(): invalid pointer "/home/me/a/b"', 'free(): invalid pointer "/home/me/a/b"'),
        ('File "/a/b/c.py"\nFile "/d/e/f.py"', 'File "b/c.py"\nFile "e/f.py"'),
    ],
)
def test_a_traced_file_keeps_its_last_folder_alone(given: str, shown: str) -> None:
    assert without_folders(given) == shown


@pytest.mark.parametrize("width", [8, 12, 24, 29, 40])
def test_texts_that_differ_still_differ_when_they_are_shortened_together(width: int) -> None:
    shown = shortened_apart([f"time-by-size[size={size}KiB,axis=0]" for size in (1, 16, 1024)], width)
    assert len(set(shown)) == 3
    assert max(map(len, shown)) <= width
    assert all(size in text for size, text in zip(("1", "16", "1024"), shown, strict=True))


def test_equal_texts_are_shortened_alike() -> None:
    assert shortened_apart(["time-by-size"] * 2, 8) == ["time…ize"] * 2


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("::error::bad", "\\x3a:error::bad"),
        ("one\n  ::set-output name=a::b", "one\n  \\x3a:set-output name=a::b"),
        ("one\r::error::bad", "one\r\\x3a:error::bad"),
        ("\x1b[1m::error::bad", "\x1b[1m\\x3a:error::bad"),
        ("say ##[error]bad", r"say \x23#[error]bad"),
        ("##vso[task.complete]", r"\x23#vso[task.complete]"),
        ("##TeamCity[buildStop]", r"\x23#TeamCity[buildStop]"),
        ("std::vector and test.py::name", "std::vector and test.py::name"),
        ("## A heading", "## A heading"),
    ],
)
def test_no_printed_line_is_a_command_to_a_ci(text: str, printed: str) -> None:
    assert without_ci_commands(text) == printed
