"""Laws of what is shown of any text: nothing moves a cursor, and nothing is wider than it may be."""

from __future__ import annotations

import math
import unicodedata

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from conformance.judge.controls import gist, is_same_message, last_words
from conformance.tensors.errors import OpconformError, nearest
from conformance.tensors.text import (
    counted,
    duration,
    index_of,
    one_line,
    shortened,
    shortened_apart,
    target_text,
    visible,
    without_ci_commands,
)

pytestmark = pytest.mark.slow

ANY = st.text(st.characters(exclude_categories=()), max_size=60)
STRANGE = st.text("ab \t\n\r\x1b[2J\u202e\u200b\ud800:#0xé—", max_size=40)
WORDS = st.text("abc d'`", min_size=1, max_size=9)
TEXTS = ANY | STRANGE
UNSEEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}
"""Categories of characters that a terminal does not show as they are."""
WIDTHS = st.integers(4, 50)


@given(TEXTS)
def test_what_is_visible_acts_on_no_terminal(text: str) -> None:
    assert all(c in "\n\t" or unicodedata.category(c) not in UNSEEN for c in visible(text))


@given(TEXTS)
def test_what_is_visible_stays_as_it_is(text: str) -> None:
    assert visible(visible(text)) == visible(text)


@given(TEXTS, st.integers(0, 20))
def test_a_long_text_says_how_long_it_is(text: str, limit: int) -> None:
    assert (f"({len(text):,} characters in all)" in visible(text, limit)) is (len(text) > limit)


@given(TEXTS)
def test_one_line_is_one_line(text: str) -> None:
    assert len(one_line(text).splitlines()) <= 1


@given(TEXTS, WIDTHS)
def test_a_shortened_text_has_its_width_and_both_its_ends(text: str, width: int) -> None:
    short, whole = shortened(text, width), shortened(text, 10_000)
    assert len(short) <= width
    assert not {unicodedata.category(c) for c in short} & UNSEEN
    head, _, tail = short.partition("…") if short != whole else (whole, "", "")
    assert whole.startswith(head)
    assert whole.endswith(tail)


@given(st.lists(STRANGE, max_size=4), WIDTHS)
def test_texts_that_are_shortened_together_have_their_width(texts: list[str], width: int) -> None:
    shown = shortened_apart(texts, width)
    assert len(shown) == len(texts)
    assert all(len(text) <= width for text in shown)


@given(st.text("ab", min_size=1, max_size=20), st.sets(st.integers(0, 99), min_size=2, max_size=5))
def test_texts_that_differ_in_a_number_differ_when_shortened(before: str, numbers: set[int]) -> None:
    shown = shortened_apart([f"{before}[size={number}]{before}" for number in numbers], 12)
    assert len(set(shown)) == len(numbers)


@given(TEXTS, st.sampled_from(["::error::", "##[error]", "::set-output name=x::", "##vso[task]"]))
def test_no_line_commands_a_ci(text: str, command: str) -> None:
    printed = without_ci_commands(f"{text}\n{command}{text}")
    assert not any(line.startswith(command) for line in printed.splitlines())
    assert without_ci_commands(printed) == printed


@given(st.floats(1, 1e15))
def test_a_duration_has_three_digits_and_a_unit(nanoseconds: float) -> None:
    number, unit = duration(nanoseconds).split(" ")
    size = {"ns": 1.0, "µs": 1e3, "ms": 1e6, "s": 1e9}[unit]
    assert math.isclose(float(number.replace(",", "")) * size, nanoseconds, rel_tol=0.5 if unit == "ns" else 0.006)


@given(st.integers(0, 10**9))
def test_a_count_names_one_or_several(count: int) -> None:
    number, word = counted(count, "check").split(" ")
    assert int(number.replace(",", "")) == count
    assert (word == "check") is (count == 1)


@given(st.lists(st.integers(1, 5), max_size=4), st.data())
def test_an_index_counts_to_its_element(shape: list[int], data: st.DataObject) -> None:
    number = data.draw(st.integers(0, math.prod(shape) - 1))
    found = 0
    for place, dim in zip(index_of(number, shape), shape, strict=True):
        assert 0 <= place < dim
        found = found * dim + place
    assert found == number


@given(st.dictionaries(st.text("abc", min_size=1), st.text("xyz"), max_size=3))
def test_options_of_a_target_stand_in_one_order(options: dict[str, str]) -> None:
    turned = dict(reversed(options.items()))
    assert target_text("toy", "1.0", options) == target_text("toy", "1.0", turned)


@given(WORDS, WORDS, WORDS, WORDS)
def test_an_error_says_where_what_rule_and_fix(where: str, what: str, rule: str, fix: str) -> None:
    said = str(OpconformError(where, what, rule=rule, fix=fix))
    assert said.startswith(f"{where}: {what}")
    assert rule in said
    assert fix in said


@given(st.text("abcd", min_size=3, max_size=8), st.sets(st.text("wxyz", min_size=3, max_size=8), max_size=3))
def test_a_remedy_names_what_is_near_or_says_otherwise(name: str, others: set[str]) -> None:
    assert nearest(name, others, otherwise="other") == "other"
    assert nearest(name, {*others, f"{name}a"}, otherwise="other") == f"did you mean '{name}a'?"


@given(TEXTS)
def test_the_gist_of_any_message_is_one_visible_line(message: str) -> None:
    assert gist(message)
    assert len(gist(message).splitlines()) == 1


@given(st.text("abc ", min_size=1, max_size=20), st.integers(0, 10**9), st.integers(0, 10**9))
def test_messages_that_differ_in_numbers_are_the_same(words: str, one: int, other: int) -> None:
    assume(words.strip())
    assert is_same_message(f"{words} {one} failed", f"{words} {other} failed")


@given(TEXTS, TEXTS)
def test_being_the_same_message_is_mutual(one: str, other: str) -> None:
    assert is_same_message(one, one)
    assert is_same_message(one, other) is is_same_message(other, one)


@given(TEXTS)
def test_last_words_are_one_line_or_none(stderr: str) -> None:
    assert len(last_words(stderr).splitlines()) <= 1
