from __future__ import annotations

from dataclasses import replace

import pytest
from compat_states import BAD_ONCE, DEVIATION, ENGINE, FINDING, FRAMEWORKS, SPLIT, split, state, with_split

from conformance.compat.data import CompatConditions, CompatData, CompatFeature
from conformance.compat.lint import problems

INT8 = split().types["int8"]


def found(data: CompatData) -> list[str]:
    return list(problems(data, FRAMEWORKS))


def test_the_data_keeps_its_rules() -> None:
    assert found(state()) == []


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (with_split(evidence={}), f"{SPLIT}: toy 1.0: has no evidence"),
        (
            with_split(evidence={"toy": {"1.1": "01" * 32, "1.2": "02" * 32, "1.3": "01" * 32}}),
            f"{SPLIT}: toy 1.0: has no evidence",
        ),
        (
            with_split(results={"toy": {"1.1": "y 0/2/3", "1.2": "w 1/2/3", "1.3": "y 0/2/3"}}),
            f"{SPLIT}: toy 1.0: has evidence without an answer",
        ),
        (with_split(evidence={"toy": {"1.0": "short"}}), f"{SPLIT}: toy 1.0: its evidence is not a digest"),
        (with_split(suite=""), f"{SPLIT}: suite is not a digest"),
        (with_split(spec_url="Split"), f"{SPLIT}: spec_url is not an address"),
        (with_split(results={"toy": BAD_ONCE | {"1.9": "y 0/2/3"}}), f"{SPLIT}: toy: there is no release 1.9"),
        (
            with_split(results={"toy": BAD_ONCE | {"1.1": "y 0/2/3"}}),
            f"{SPLIT}: toy: its releases are out of order, or repeat a value",
        ),
        (with_split(results={"other": BAD_ONCE}), f"{SPLIT}: there is no engine other"),
        (
            with_split(types=split().types | {"int16": split().types["float32"]}),
            f"{SPLIT}: types of input: toy 1.0: add up to [0, 3, 5] and not to [0, 2, 3]",
        ),
        (with_split(forms={}), f"{SPLIT}: forms: toy 1.0: add up to [0, 0, 0] and not to [0, 2, 3]"),
        (
            with_split(types=split().types | {"int8": replace(INT8, forms={"constant": split().types["float32"]})}),
            f"{SPLIT} int8: forms: toy 1.0: add up to [0, 1, 2] and not to [0, 1, 1]",
        ),
        (
            with_split(types=dict(reversed(split().types.items()))),
            f"{SPLIT}: types of input: are not sorted",
        ),
        (with_split(types=split().types | {"uint8": INT8}), f"{SPLIT}: types: uint8 is not listed"),
        (with_split(refused={"int8": INT8.results}), f"{SPLIT}: refused: int8 is listed"),
        (
            with_split(refused={"int4": {"toy": {"1.0": "y 1/1/1"}}}),
            f"{SPLIT}: refused int4: toy 1.0: 'y 1/1/1' has a letter that its counts do not give",
        ),
        (
            state(findings=[replace(FINDING, engine="other")]),
            "finding 'constant-lengths-rejected' of other: there is no such engine",
        ),
        (
            state(findings=[replace(FINDING, letter="y")]),
            "finding 'constant-lengths-rejected' of toy: 'y' is not a letter of a fault",
        ),
        (
            state(findings=[replace(FINDING, operators={"onnx.Split-2": {"1.0": True}})]),
            "finding 'constant-lengths-rejected' of toy: there is no operator version onnx.Split-2",
        ),
        (
            state(findings=[replace(FINDING, operators={SPLIT: {"1.9": True}})]),
            f"finding 'constant-lengths-rejected' of toy: {SPLIT}: there is no release 1.9",
        ),
        (state(operators={"onnx.Split-18": split(), SPLIT: split()}), "operators: are not sorted by name and version"),
        (state(letters={"y": "yes"}), "letters: are not those of the format"),
        (
            state(engines={"toy": replace(ENGINE, package="none")}),
            "toy 1.0: is not among the releases of none in engines.json",
        ),
        (
            state(engines={"toy": replace(ENGINE, conditions={"1.1": CompatConditions("Linux")})}),
            "toy: a release has no conditions",
        ),
        (
            state(engines={"toy": replace(ENGINE, releases=["1.1", "1.0", "1.2", "1.3"])}),
            "toy: its releases are not in the order of engines.json",
        ),
        (
            state(deviations=[replace(DEVIATION, engine="other")]),
            "deviation 'wrong axis' of other: there is no such engine",
        ),
        (
            state(deviations=[replace(DEVIATION, operators=["onnx.Split-2"])]),
            "deviation 'wrong axis' of toy: there is no operator version onnx.Split-2",
        ),
        (
            state(deviations=[replace(DEVIATION, checks={"1.0": 0})]),
            "deviation 'wrong axis' of toy: no release has it",
        ),
        (
            state(deviations=[replace(DEVIATION, checks={"1.0": 0, "1.2": 2, "1.3": 0})]),
            "deviation 'wrong axis' of toy: 1.2 has 2 checks with it, and 1 that deviate",
        ),
        (
            state(deviations=[replace(DEVIATION, example=replace(DEVIATION.example, case="onnx.Split-2/a"))]),
            "deviation 'wrong axis' of toy: its example is of another operator version",
        ),
    ],
)
def test_each_broken_rule_is_named(data: CompatData, says: str) -> None:
    assert says in found(data)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("y", "is not a cell"),
        ("z 0/1/1", "is not a cell"),
        ("w 2/1/1", "has counts that cannot be"),
        ("y 0/2/1", "has counts that cannot be"),
        ("u 0/0/0", "has counts that cannot be"),
        ("y 1/1/1", "has a letter that its counts do not give"),
        ("w 0/1/1", "has a letter that its counts do not give"),
        ("n 0/1/1", "has a letter that its counts do not give"),
        ("y 0/0/1", "has a letter that its counts do not give"),
    ],
)
def test_each_cell_that_cannot_be_is_named(text: str, says: str) -> None:
    clauses = {"axis.range": replace(split().clauses["axis.range"], results={"toy": {"1.0": text}})}
    assert found(with_split(clauses=clauses)) == [f"{SPLIT} axis.range: toy 1.0: {text!r} {says}"]


def test_a_part_without_results_adds_nothing() -> None:
    assert found(with_split(types=split().types | {"split=int64": CompatFeature()})) == []
