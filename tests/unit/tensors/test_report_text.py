from __future__ import annotations

from conformance.tensors.text import counted, duration, one_line, shortened, visible


def test_control_and_direction_characters_are_written_out() -> None:
    assert visible("a\x00\x1b[31m\u202eb\u200bc\ud800") == r"a\x00\x1b[31m\u202eb\u200bc\ud800"


def test_line_ends_and_tabs_stay() -> None:
    assert visible("a\r\n\tb") == "a\n\tb"


def test_long_text_is_cut_and_says_so() -> None:
    assert visible("x" * 1_000_000, 3) == "xxx… (1,000,000 characters in all)"


def test_one_line_has_no_line_end() -> None:
    assert one_line(" a\n b\t c ") == "a b c"


def test_the_middle_of_a_long_name_is_left_out() -> None:
    assert shortened("onnxruntime@1.31.1[optimization=disabled]", 20) == "onnxruntime@…sabled]"
    assert len(shortened("x" * 50, 20)) == 20


def test_counts_agree_with_their_noun() -> None:
    assert (counted(1, "check"), counted(1260, "check"), counted(2, "copy", "copies")) == (
        "1 check",
        "1,260 checks",
        "2 copies",
    )


def test_durations_have_three_digits_and_a_unit() -> None:
    assert [duration(n) for n in (7, 1234, 45_600, 789_000_000, 2.5e9)] == [
        "7 ns",
        "1.23 µs",
        "45.6 µs",
        "789 ms",
        "2.50 s",
    ]


def test_no_printable_character_needs_to_be_written_out() -> None:
    every = "".join(map(chr, range(0x110000)))
    printable = "".join(filter(str.isprintable, every))
    assert visible(printable + "\t", len(printable) + 1) == printable + "\t"
