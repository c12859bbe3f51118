from __future__ import annotations

from dataclasses import replace

import pytest
from split_cases import SPLIT_2, integers, split_case

from conformance.formats.coverage.parts import VOCABULARY, count_kinds, features_of_parts
from conformance.language.case import Argument, Case, Value, whole_numbers
from conformance.language.operator import Role

NUMBERED = replace(SPLIT_2, version=18, num_outputs="num_outputs", lengths="split", split_axis="axis")


def cut(shape: tuple[int, ...], lengths: list[int], axis: int = 0) -> Case:
    return split_case(Value(dtype="float32", shape=shape), lengths, axis)


@pytest.mark.parametrize(
    ("rank", "axis", "position"), [(1, 0, "only"), (3, 0, "first"), (3, 1, "inner"), (3, 2, "last"), (2, 1, "last")]
)
def test_the_axis_has_a_place_among_the_dims(rank: int, axis: int, position: str) -> None:
    shape = (4,) * rank
    assert features_of_parts(cut(shape, [4], axis), axis, shape)["position"] == {position}


@pytest.mark.parametrize(("axis", "sign"), [(1, "front"), (0, "front"), (-1, "end")])
def test_the_axis_counts_from_an_end(axis: int, sign: str) -> None:
    assert features_of_parts(cut((4, 4), [4], axis), axis % 2, (4, 4))["sign"] == {sign}


def test_a_missing_axis_is_left_out() -> None:
    case = cut((4,), [4])
    case = replace(case, arguments=tuple(item for item in case.arguments if item.name != "axis"))
    found = features_of_parts(case, 0, (4,))
    assert (found["sign"], found["axis"], found["integer"]) == ({"left-out"}, {"scalar"}, set())


def test_the_axis_can_be_a_list_and_has_a_type() -> None:
    case = cut((4,), [4]).with_value("axis", integers([0], (1,), "uint8"))
    found = features_of_parts(case, 0, (4,))
    assert (found["axis"], found["integer"]) == ({"list"}, {"uint8"})


@pytest.mark.parametrize(
    ("lengths", "kinds"),
    [
        ([6], {"single"}),
        ([3, 3], {"two", "equal"}),
        ([2, 4], {"two", "unequal"}),
        ([0, 6], {"two", "unequal", "zero-first"}),
        ([2, 0, 4], {"unequal", "zero-middle"}),
        ([2, 4, 0], {"unequal", "zero-last"}),
        ([-1, 2], {"two", "rest-first"}),
        ([2, -1, 1], {"rest-middle"}),
        ([4, -1], {"two", "rest-last"}),
        ([6, -1], {"two", "rest-last", "rest-empty"}),
    ],
)
def test_lengths_say_their_number_their_zeros_and_the_rest(lengths: list[int], kinds: set[str]) -> None:
    assert features_of_parts(cut((6,), lengths), 0, (6,))["lengths"] == kinds


@pytest.mark.parametrize(
    ("count", "kinds"), [(1, {"single"}), (2, {"two", "equal"}), (4, {"uneven"}), (6, {"equal", "one-each"})]
)
def test_a_number_of_parts_says_whether_they_are_equal(count: int, kinds: set[str]) -> None:
    arguments = (
        Argument("input", Role.INPUT, Value(dtype="float32", shape=(6,))),
        Argument("num_outputs", Role.ATTRIBUTE, count),
    )
    case = replace(cut((6,), [6]), operator=NUMBERED, arguments=arguments, declared_outputs=count)
    found = features_of_parts(case, 0, (6,))
    assert (found["given"], found["lengths"]) == ({"number"}, kinds)


def test_every_feature_is_in_the_vocabulary() -> None:
    for lengths in ([6], [3, 3], [0, 6], [6, -1]):
        for name, kinds in features_of_parts(cut((6,), lengths), 0, (6,)).items():
            assert kinds <= set(VOCABULARY[name])


@pytest.mark.parametrize(("count", "kinds"), [(1, {"single"}), (2, {"two"}), (3, set()), (129, {"many-129"})])
def test_some_numbers_have_labels(count: int, kinds: set[str]) -> None:
    assert count_kinds(count) == kinds


@pytest.mark.parametrize(
    ("value", "numbers"),
    [
        (integers([1, -2], (2,), "int8"), (1, -2)),
        (Value(dtype="float32", shape=(2,)), None),
        ([3, 4], [3, 4]),
        ("12", None),
        (7, None),
    ],
)
def test_whole_numbers_are_those_of_a_list(value: Value | list[int] | str | int, numbers: object) -> None:
    found = whole_numbers(value)
    assert (found if numbers is None else list(found or ())) == (None if numbers is None else list(numbers))  # type: ignore[call-overload]
