from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from conformance.log.answers import Answer, Aspect, Change, aspects_of, change_of
from conformance.spec.verdict import Rank, Standing, Verdict

PASS, WRONG, KNOWN, FOLLOWS = Verdict.PASS, Verdict.WRONG_RESULT, Verdict.KNOWN, Verdict.FOLLOWS
UNSUPPORTED, CRASHED = Verdict.UNSUPPORTED, Verdict.CRASHED


def answer(verdict: Verdict, **fields: Any) -> Answer:
    return Answer(**{"verdict": verdict, "judged": verdict, **fields})


def change(old: Verdict, new: Verdict) -> Change:
    return change_of(answer(old), answer(new))


def test_what_counts_as_conforming_stands_on_the_highest_rung_and_what_deviates_on_the_lowest() -> None:
    for verdict in set(Verdict) - {Verdict.FIXED}:
        if verdict.meaning.standing is Standing.CONFORMING:
            assert verdict.meaning.rank is Rank.HOLDS
        if verdict.meaning.standing in (Standing.DEVIATING, Standing.EXCUSED):
            assert verdict.meaning.rank is Rank.DEVIATES


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (PASS, WRONG),
        (PASS, KNOWN),
        (PASS, UNSUPPORTED),
        (UNSUPPORTED, WRONG),
        (FOLLOWS, CRASHED),
        (Verdict.FIXED, KNOWN),
    ],
)
def test_a_step_down_is_a_regression_and_the_way_back_an_improvement(old: Verdict, new: Verdict) -> None:
    assert (change(old, new), change(new, old)) == (Change.REGRESSED, Change.IMPROVED)


@pytest.mark.parametrize(("old", "new"), [(WRONG, Verdict.ACCEPTED_INVALID), (KNOWN, WRONG), (PASS, Verdict.FIXED)])
def test_another_verdict_on_the_same_rung_is_changed_otherwise(old: Verdict, new: Verdict) -> None:
    assert change(old, new) is change(new, old) is Change.CHANGED


@pytest.mark.parametrize(
    ("mild", "bad"),
    [(Verdict.REJECTED_VALID, WRONG), (WRONG, CRASHED), (Verdict.ACCEPTED_INVALID, Verdict.TIMED_OUT)],
)
def test_what_fails_worse_has_regressed_recorded_or_not(mild: Verdict, bad: Verdict) -> None:
    assert change(mild, bad) is Change.REGRESSED
    assert change_of(answer(KNOWN, judged=mild), answer(KNOWN, judged=bad)) is Change.REGRESSED
    assert change(bad, mild) is Change.IMPROVED


@pytest.mark.parametrize("verdict", [Verdict.NOT_RUN, Verdict.HARNESS_ERROR])
def test_what_was_not_judged_is_neither_better_nor_worse(verdict: Verdict) -> None:
    assert change(PASS, verdict) is change(verdict, WRONG) is change(verdict, verdict) is Change.NOT_JUDGED


@pytest.mark.parametrize("before", [PASS, WRONG, KNOWN, Verdict.REJECTED_VALID])
def test_a_case_that_the_suite_declares_open_is_newly_disputed_and_no_improvement(before: Verdict) -> None:
    old, new = answer(before), answer(FOLLOWS, is_disputed=True, interpretation="a")
    assert change_of(old, new) is Change.NEWLY_DISPUTED
    assert change_of(new, old) is Change.NO_LONGER_DISPUTED


def test_a_crash_on_a_case_that_became_open_is_a_regression_all_the_same() -> None:
    assert change_of(answer(PASS), answer(CRASHED, is_disputed=True)) is Change.REGRESSED
    assert change_of(answer(FOLLOWS, is_disputed=True), answer(CRASHED)) is Change.REGRESSED


def test_a_target_that_leaves_the_interpretations_of_a_disputed_case_regresses() -> None:
    old = answer(FOLLOWS, is_disputed=True, interpretation="a")
    assert change_of(old, answer(WRONG, is_disputed=True)) is Change.REGRESSED


@pytest.mark.parametrize(
    ("field", "aspect"),
    [
        ("cause", Aspect.CAUSE),
        ("interpretation", Aspect.INTERPRETATION),
        ("deviation", Aspect.DEVIATION),
        ("outputs", Aspect.OUTPUTS),
        ("lowered", Aspect.LOWERING),
        ("ran_on", Aspect.PLACE),
    ],
)
def test_the_same_verdict_for_another_reason_is_changed_otherwise(field: str, aspect: Aspect) -> None:
    old, new = answer(WRONG), answer(WRONG, **{field: "other"})
    assert change_of(old, new) is Change.CHANGED
    assert aspects_of(old, new) == (aspect,)


def test_one_record_in_both_runs_is_the_same_fault_whatever_it_says_or_answers() -> None:
    old = answer(KNOWN, judged=WRONG, deviation="a", cause="index 1", outputs="1")
    assert change_of(old, replace(old, cause="index 2", outputs="2", ran_on="GPU")) is Change.SAME_FAULT
    assert change_of(old, old) is Change.UNCHANGED
    assert change_of(old, replace(old, deviation="b")) is Change.CHANGED
    assert change_of(old, replace(old, judged=CRASHED)) is Change.REGRESSED


def test_the_same_answer_is_the_same_fault_if_one_run_has_no_record_of_it() -> None:
    known = answer(KNOWN, judged=WRONG, deviation="a", cause="wrong axis", outputs="1")
    new = replace(known, verdict=WRONG, deviation="")
    assert change_of(known, new) is change_of(new, known) is Change.SAME_FAULT
    assert change_of(known, replace(new, outputs="2")) is Change.CHANGED
    assert change_of(known, replace(new, judged=Verdict.ACCEPTED_INVALID)) is Change.CHANGED
