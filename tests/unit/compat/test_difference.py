from __future__ import annotations

from dataclasses import replace

from compat_states import DEVIATION, ENGINE, SPLIT, split, state, with_split

from conformance.compat.data import CompatFeature, Results
from conformance.compat.statements import changes


def test_equal_states_have_no_changes() -> None:
    assert list(changes(state(), state())) == []


def test_a_corrected_verdict_is_a_change_of_each_part_that_it_belongs_to() -> None:
    good: Results = {"toy": {"1.0": "y 0/1/1"}}
    after = with_split(
        results={"toy": {"1.0": "y 0/2/3"}},
        types=split().types | {"int8": CompatFeature(good, {"constant": CompatFeature(good)})},
    )
    assert list(changes(state(), after)) == [
        f"{SPLIT}: toy 1.2: w 1/2/3 -> y 0/2/3",
        f"{SPLIT} int8: toy 1.2: w 1/1/1 -> y 0/1/1",
        f"{SPLIT} int8 constant: toy 1.2: w 1/1/1 -> y 0/1/1",
    ]


def test_releases_with_one_change_are_named_together() -> None:
    assert list(
        changes(with_split(results={"toy": {"1.0": "n 0/0/3"}}), with_split(results={"toy": {"1.0": "p 0/1/3"}}))
    ) == [f"{SPLIT}: toy 1.0 to 1.3: n 0/0/3 -> p 0/1/3"]


def test_a_new_release_is_compared_with_the_one_before_it() -> None:
    before = state(engines={"toy": replace(ENGINE, releases=["1.0", "1.1"])})
    assert list(changes(before, state()))[:3] == [
        "toy: new 1.2, 1.3",
        f"{SPLIT}: toy 1.2: y 0/2/3 -> w 1/2/3",
        f"{SPLIT}: toy 1.3: w 1/2/3 -> y 0/2/3",
    ]


def test_what_is_new_and_what_is_gone_is_named() -> None:
    other = state(engines={"toy": ENGINE, "other": ENGINE}, operators={SPLIT: split(), "onnx.Split-18": split()})
    assert list(changes(state(), other)) == ["other: is new", "onnx.Split-18: is new"]
    assert list(changes(other, state())) == ["other: is gone", "onnx.Split-18: is gone"]


def test_parts_and_releases_that_are_gone_are_named() -> None:
    fewer = with_split(forms={"constant": split().forms["constant"]}, suite="cd" * 32)
    assert list(changes(state(), fewer)) == [f"{SPLIT}: its cases changed", f"{SPLIT} runtime: is gone"]
    shorter = state(engines={"toy": replace(ENGINE, releases=["1.0", "1.1"])})
    assert list(changes(state(), shorter)) == ["toy: gone 1.2, 1.3"]


def test_a_part_that_is_new_had_no_answers() -> None:
    fewer = with_split(forms={"constant": split().forms["constant"]})
    assert list(changes(fewer, state())) == [f"{SPLIT} runtime: toy 1.0 to 1.3: no answer -> y 0/1/2"]


def test_answers_that_change_without_a_cell_are_named() -> None:
    after = with_split(evidence={"toy": {"1.0": "03" * 32, "1.2": "02" * 32, "1.3": "01" * 32}})
    assert list(changes(state(), after)) == [f"{SPLIT}: toy 1.0 to 1.1: other evidence for the same cells"]


def test_causes_that_are_new_or_gone_or_of_other_checks_are_named() -> None:
    more = replace(DEVIATION, checks={"1.0": 0, "1.2": 1})
    name = "toy onnx.Split: wrong results: wrong axis"
    assert list(changes(state(deviations=[]), state())) == [f"{name}: is new"]
    assert list(changes(state(), state(deviations=[]))) == [f"{name}: is gone"]
    assert list(changes(state(), state(deviations=[more]))) == [f"{name}: other checks have it: 1.0: 0, 1.2: 1"]
