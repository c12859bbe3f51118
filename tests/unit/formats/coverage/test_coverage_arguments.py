from __future__ import annotations

import pytest
from moved_cases import CONCAT, RESHAPE, TRANSPOSE, joined_rows, made, reshaped, transposed
from split_cases import integers

from conformance.formats.coverage.arguments import argument_vocabulary, features_of_arguments
from conformance.language.case import Argument, Value
from conformance.language.operator import Role


@pytest.mark.parametrize(
    ("order", "kinds"),
    [
        ([2, 0, 1], {"several", "front", "unsorted"}),
        ([0, 1, 2], {"several", "front", "sorted"}),
        ([2, 1, 0], {"several", "front", "reversed"}),
        ([-1, 0, 1], {"several", "both-ends", "sorted"}),
        ([-3, -2, -1], {"several", "end", "sorted"}),
        ([1, 0], {"several", "front", "reversed", "set"}),
        ([0], {"one", "front", "unset"}),
        ([], {"none"}),
    ],
)
def test_numbers_say_how_many_they_are_from_which_end_and_in_which_order(order: list[int], kinds: set[str]) -> None:
    assert features_of_arguments(transposed((2,) * len(order), order))["perm"] == kinds


@pytest.mark.parametrize(
    ("value", "kinds", "types"),
    [
        (integers((0,), (), "int32"), {"number", "zero", "front"}, {"int32"}),
        (integers((3,), (), "int64"), {"number", "positive", "front"}, {"int64"}),
        (integers((-3,), (), "int64"), {"number", "end"}, {"int64"}),
        (integers((4, 2), (2, 1), "int64"), {"grid", "front", "reversed"}, {"int64"}),
        (Value(dtype="float32", shape=(1,)), set(), {"float32"}),
    ],
)
def test_an_input_has_its_type_beside_its_numbers(value: Value, kinds: set[str], types: set[str]) -> None:
    data = Argument("data", Role.INPUT, Value(dtype="float32", shape=(2,)))
    call = made(TRANSPOSE, [data, Argument("perm", Role.INPUT, value)], transposed((2,), [0]).expectation)
    found = features_of_arguments(call)
    assert (found["perm"], found["perm_type"]) == (kinds, types)


def test_an_argument_that_is_missing_is_left_out() -> None:
    data = Argument("data", Role.INPUT, Value(dtype="float32", shape=(2,)))
    found = features_of_arguments(made(TRANSPOSE, [data], transposed((2,), [0]).expectation))
    assert (found["perm"], found["perm_type"]) == ({"left-out"}, set())


def test_an_attribute_can_be_true_or_false() -> None:
    lengths = integers((4,), (1,))
    assert features_of_arguments(reshaped((4,), lengths, special_zero=True))["special_zero"] == {"true"}
    assert features_of_arguments(reshaped((4,), lengths, special_zero=False))["special_zero"] == {"false"}


@pytest.mark.parametrize(
    ("lengths", "kind", "places"),
    [
        ((4,), "written", set()),
        ((0, 4), "zero", {"first"}),
        ((2, -1), "inferred", {"last"}),
        ((2, -1, 1), "inferred", {"inner"}),
        ((0, 2, -1), "zero-and-inferred", {"first", "last"}),
    ],
)
def test_a_shape_says_where_its_special_lengths_are(lengths: tuple[int, ...], kind: str, places: set[str]) -> None:
    value = integers(lengths, (len(lengths),), "int32")
    found = features_of_arguments(reshaped((4,), value, special_zero=True))
    assert (found["lengths"], found["lengths_place"]) == ({kind}, places)
    assert (found["lengths_rank"], found["lengths_type"]) == ({str(len(lengths))}, {"int32"})


def test_a_shape_that_is_a_matrix_has_a_type_alone() -> None:
    value = integers((4,), (1, 1), "int64")
    found = features_of_arguments(reshaped((4,), value, special_zero=False))
    assert (found["lengths"], found["lengths_rank"], found["lengths_type"]) == (set(), set(), {"int64"})


def test_a_variadic_input_has_its_number_of_tensors() -> None:
    assert features_of_arguments(joined_rows(range(6)))["inputs"] == {"two"}


def test_every_feature_is_in_the_vocabulary() -> None:
    assert set(argument_vocabulary(RESHAPE)) == {
        *("lengths", "lengths_place", "lengths_rank", "lengths_type"),
        *("special_zero", "special_zero_type"),
    }
    assert argument_vocabulary(CONCAT)["inputs"] == ("single", "two", "many-17", "many-129", "many-1000")
    assert set(argument_vocabulary(TRANSPOSE)) == {"perm", "perm_type"}
