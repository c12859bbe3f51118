from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from report_records import record

from conformance.log.bisect import (
    ReleaseAnswer,
    ReleaseState,
    answer_of,
    bisect_edges,
    halve,
    joined,
    stretches_of,
    worst_state,
)
from conformance.spec.verdict import Verdict

GOOD, BAD, UNSUPPORTED, NOT_EXPRESSIBLE, CANNOT_TELL, UNSTABLE, _ = ReleaseState
STATES = {"g": GOOD, "b": BAD, "n": UNSUPPORTED, "x": NOT_EXPRESSIBLE, "?": CANNOT_TELL, "~": UNSTABLE}


def line(letters: str) -> tuple[list[str], dict[str, ReleaseAnswer]]:
    """Releases 0, 1, 2, ... with their answers, each a letter; a blank was not asked."""
    answers = {str(place): ReleaseAnswer(STATES[one]) for place, one in enumerate(letters) if one != " "}
    return [str(place) for place in range(len(letters))], answers


def edges(letters: str) -> list[str]:
    return [
        f"{edge.before}{edge.was.state.value[0]} {edge.release}{edge.becomes.state.value[0]} {''.join(edge.unclear)}"
        for edge in bisect_edges(*line(letters))
    ]


@pytest.mark.parametrize(
    ("verdict", "state"),
    [
        (Verdict.PASS, GOOD),
        (Verdict.FOLLOWS, GOOD),
        (Verdict.WRONG_RESULT, BAD),
        (Verdict.REJECTED_VALID, BAD),
        (Verdict.CRASHED, BAD),
        (Verdict.UNSTABLE, UNSTABLE),
        (Verdict.UNSUPPORTED, UNSUPPORTED),
        (Verdict.NOT_EXPRESSIBLE, NOT_EXPRESSIBLE),
        (Verdict.NOT_DECLARED, CANNOT_TELL),
        (Verdict.NEIGHBOUR, CANNOT_TELL),
        (Verdict.HARNESS_ERROR, CANNOT_TELL),
        (Verdict.NOT_RUN, CANNOT_TELL),
    ],
)
def test_a_verdict_is_a_state(verdict: Verdict, state: ReleaseState) -> None:
    assert answer_of(record(verdict)).state is state


def test_two_answers_that_differ_are_unstable_for_good() -> None:
    right, wrong = ReleaseAnswer(GOOD, "pass"), ReleaseAnswer(BAD, "wrong result", "wrong axis")
    both = joined(right, wrong)
    assert (both.state, both.says) == (UNSTABLE, "pass; asked again: wrong result: wrong axis")
    assert joined(both, right) == both
    assert joined(wrong, ReleaseAnswer(BAD, "wrong result", "wrong axis", "in other words")) == wrong


def test_what_a_record_excuses_is_bad() -> None:
    known = record(Verdict.KNOWN, judged=Verdict.WRONG_RESULT, deviation="toy-001", cause="wrong axis")
    assert answer_of(known) == ReleaseAnswer(BAD, "wrong result", "wrong axis")


def test_another_cause_and_another_interpretation_tell_answers_apart_and_a_message_does_not() -> None:
    assert answer_of(record(Verdict.FOLLOWS, interpretation="a")) != answer_of(
        record(Verdict.FOLLOWS, interpretation="b")
    )
    assert answer_of(record(Verdict.CRASHED, cause="a")) != answer_of(record(Verdict.CRASHED, cause="b"))
    assert answer_of(record(Verdict.UNSUPPORTED, message="a")) == answer_of(record(Verdict.UNSUPPORTED, message="b"))


def test_every_edge_of_a_line_that_is_not_monotone_is_found() -> None:
    assert edges("bbgggbbg") == ["1b 2g ", "4g 5b ", "6b 7g "]
    assert edges("xxng") == ["1n 2u ", "2u 3g "]
    assert edges("ggg") == []


def test_releases_that_cannot_tell_make_no_edge_and_are_named_between_those_that_do() -> None:
    assert edges("?g?g?") == []
    assert edges("g??b b") == ["0g 3b 12"]


def test_all_releases_stand_in_stretches_that_answer_alike() -> None:
    stretches = stretches_of(*line("ggb b?"))
    assert [(one.first, one.last, one.answer.state.value) for one in stretches] == [
        ("0", "1", "good"),
        ("2", "2", "bad"),
        ("3", "3", "not asked"),
        ("4", "4", "bad"),
        ("5", "5", "cannot tell"),
    ]


@pytest.mark.parametrize(
    ("letters", "worst"),
    [("gg", GOOD), ("gb", BAD), ("?b", BAD), ("g?", CANNOT_TELL), ("ng", UNSUPPORTED), ("nx", NOT_EXPRESSIBLE)],
)
def test_a_release_is_bad_if_one_check_is_and_good_only_if_all_are(letters: str, worst: ReleaseState) -> None:
    assert worst_state([STATES[letter] for letter in letters]) is worst


def halved(letters: str) -> tuple[str, list[str]]:
    """The answers after halving, with a blank for each release that was not asked; and those asked, in order."""
    releases, answers = line(letters)
    asked: list[str] = []

    def ask(release: str) -> ReleaseState:
        assert release not in asked
        asked.append(release)
        return answers[release].state

    halve(releases, answers[releases[0]].state, answers[releases[-1]].state, ask)
    known = {releases[0], releases[-1], *asked}
    return "".join(one if str(place) in known else " " for place, one in enumerate(letters)), asked


def test_halving_asks_as_few_as_the_logarithm_of_the_releases() -> None:
    shown, asked = halved("g" * 700 + "b" * 324)
    assert edges(shown) == ["699g 700b "]
    assert len(asked) == 10


def test_halving_asks_nothing_between_releases_that_follow_each_other() -> None:
    assert halved("gb") == ("gb", [])


def test_halving_goes_round_releases_that_cannot_tell() -> None:
    shown, asked = halved("g" * 20 + "?" * 30 + "b" * 50)
    assert edges(shown) == [f"19g 50b {''.join(map(str, range(20, 50)))}"]
    shown, asked = halved("g" * 80 + "?" * 10 + "g" * 5 + "b" * 100)
    assert edges(shown) == ["94g 95b "]
    assert len(asked) < 12


def test_an_unsupported_release_is_no_end_of_an_edge_between_good_and_bad() -> None:
    assert edges(halved("gnb")[0]) == ["0g 1u ", "1u 2b "]
    assert edges(halved("ngg")[0]) == ["0u 1g "]


@given(st.text("gb?", max_size=40), st.sampled_from(["gb", "bg"]))
def test_halving_ends_at_an_edge_of_the_whole_line(inside: str, ends: str) -> None:
    letters = ends[0] + inside + ends[1]
    shown, _ = halved(letters)
    found = edges(shown)
    assert len(found) == 1
    assert found[0] in edges(letters)
