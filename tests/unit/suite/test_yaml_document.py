from __future__ import annotations

import math
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from conformance.suite.yaml_file import MAX_FILE_BYTES, MAX_PROBLEMS, document_from_bytes, read_document


def problems_of(data: bytes) -> list[str]:
    with pytest.raises(ExceptionGroup) as caught:
        document_from_bytes(data, "f.yaml")
    return [str(problem) for problem in caught.value.exceptions]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("12", 12),
        ("-7", -7),
        ("+7", 7),
        ("007", 7),
        ("0x7fa00001", 0x7FA00001),
        ("0o17", 15),
        ("18446744073709551615", 18446744073709551615),
        ("1.5", 1.5),
        (".5", 0.5),
        ("1e3", 1000.0),
        ("-0.0", -0.0),
        (".inf", math.inf),
        ("-.INF", -math.inf),
        ("true", True),
        ("false", False),
        ("null", None),
        ("~", None),
        ("'12'", "12"),
        ('"yes"', "yes"),
        ("True", "True"),
        ("1_000", "1_000"),
        ("12:30:45", "12:30:45"),
        ("2026-11-21", "2026-11-21"),
        ("0b101", "0b101"),
        ("=", "="),
    ],
)
def test_plain_scalar_is_read_as_yaml_1_2_has_it(text: str, value: object) -> None:
    read: Any = document_from_bytes(f"x: {text}".encode(), "f.yaml").value
    assert read == {"x": value}
    assert type(read["x"]) is type(value)
    assert str(read["x"]) == str(value)


def test_nan_is_read_as_nan() -> None:
    read: Any = document_from_bytes(b"x: .nan", "f.yaml").value
    assert math.isnan(read["x"])


def test_each_value_knows_its_line() -> None:
    document = document_from_bytes(b"a: 1\nb:\n  - c\n  - d: 2\n", "f.yaml")
    assert document.lines == {(): 1, ("a",): 1, ("b",): 2, ("b", 0): 3, ("b", 1): 4, ("b", 1, "d"): 4}


def test_place_of_a_missing_value_is_that_of_the_value_around_it() -> None:
    document = document_from_bytes(b"a: 1\nb:\n  - c: 2\n", "f.yaml")
    assert document.where(("b", 0, "d")) == "f.yaml:3: b.0.d"
    assert document.where(("nowhere",)) == "f.yaml:1: nowhere"
    assert document.where(()) == "f.yaml:1"


def test_key_that_would_move_the_cursor_is_escaped() -> None:
    document = document_from_bytes(b'"a\\e[2J": 1', "f.yaml")
    assert document.where(("a\x1b[2J",)) == "f.yaml:1: 'a\\x1b[2J'"


def test_byte_order_mark_is_no_part_of_the_first_key() -> None:
    assert document_from_bytes(b"\xef\xbb\xbfa: 1", "f.yaml").value == {"a": 1}


def test_windows_line_ends_are_line_ends() -> None:
    document = document_from_bytes(b"a: 1\r\nb: x\r\n", "f.yaml")
    assert document.value == {"a": 1, "b": "x"}
    assert document.where(("b",)) == "f.yaml:2: b"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"a: 1\nb: \xff\n", "f.yaml:2: is not UTF-8 at byte 8\n  fix:  save it as UTF-8"),
        ("a: é".encode("utf-16"), "f.yaml:1: is not UTF-8 at byte 0\n  fix:  save it as UTF-8"),
        (
            b"a: 1\nb: \x00\n",
            (
                "f.yaml:2: holds the character 0x00, which YAML does not allow\n"
                "  fix:  remove it, or escape it within double quotes"
            ),
        ),
        (
            b"a: \x1b[31mred",
            (
                "f.yaml:1: holds the character 0x1b, which YAML does not allow\n"
                "  fix:  remove it, or escape it within double quotes"
            ),
        ),
    ],
)
def test_bytes_that_are_no_text_are_reported_with_their_line(data: bytes, message: str) -> None:
    assert problems_of(data) == [message]


def test_file_with_very_many_problems_reports_the_first_hundred() -> None:
    with pytest.raises(ExceptionGroup) as caught:
        document_from_bytes(b"".join(b"k%d: yes\n" % number for number in range(10_000)), "f.yaml")
    assert len(caught.value.exceptions) == MAX_PROBLEMS
    assert caught.value.message == "f.yaml has 100 or more problems"


def test_nesting_as_deep_as_allowed_is_read() -> None:
    document_from_bytes(b"[" * 32 + b"]" * 32, "f.yaml")
    assert problems_of(b"[" * 33 + b"]" * 33) == ["f.yaml:1: is nested deeper than 32 levels\n  fix:  flatten it"]


def test_nesting_of_a_million_levels_costs_nothing() -> None:
    data = b"[" * 1_000_000
    tracemalloc.start()
    try:
        assert problems_of(data) == ["f.yaml:1: is nested deeper than 32 levels\n  fix:  flatten it"]
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 4 << 20


def test_huge_file_is_refused_before_it_is_parsed(tmp_path: Path) -> None:
    path = tmp_path / "huge.yaml"
    with path.open("wb") as stream:
        stream.truncate(MAX_FILE_BYTES * 1024)  # sparse
    with pytest.raises(ExceptionGroup) as caught:
        read_document(path, "huge.yaml")
    assert [str(problem) for problem in caught.value.exceptions] == [
        "huge.yaml: is larger than 1048576 bytes\n  fix:  split it, or use a matrix"
    ]


def test_file_that_is_not_there_is_reported(tmp_path: Path) -> None:
    with pytest.raises(ExceptionGroup) as caught:
        read_document(tmp_path / "none.yaml", "cases/none.yaml")
    assert str(caught.value.exceptions[0]) == "cases/none.yaml: cannot be read: No such file or directory"


def test_folder_with_the_name_of_a_file_is_reported(tmp_path: Path) -> None:
    (tmp_path / "folder.yaml").mkdir()
    with pytest.raises(ExceptionGroup) as caught:
        read_document(tmp_path / "folder.yaml", "folder.yaml")
    assert str(caught.value.exceptions[0]) == "folder.yaml: cannot be read: Is a directory"
