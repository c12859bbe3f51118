from __future__ import annotations

from collections.abc import Sequence

import pytest
from moved_cases import CONCAT, RESHAPE, TRANSPOSE, joined_rows, reshaped, transposed
from split_cases import split_case

from conformance.border.form import Form
from conformance.formats.coverage.features import features_of, vocabulary_of
from conformance.language.case import Case, Rejection, Value
from conformance.values.fill import Fill


@pytest.mark.parametrize(
    ("lengths", "kinds"),
    [
        ([6], {"single"}),
        ([3, 3], {"two", "equal"}),
        ([0, 2, 4], {"unequal", "zero-first"}),
        ([2, -1, 0], {"rest-middle", "zero-last"}),
        ([2, 4, -1], {"rest-last", "rest-empty"}),
    ],
)
def test_kinds_of_lengths(lengths: Sequence[int], kinds: set[str]) -> None:
    features = features_of(split_case(Value(dtype="int8", shape=(6, 2)), lengths), Form.CONSTANT)
    assert features is not None
    assert features["lengths"] == kinds


@pytest.mark.parametrize(
    ("shape", "kinds"),
    [
        ((6, 2), {"distinct"}),
        ((6, 0), {"distinct", "empty-elsewhere"}),
        ((0, 2), {"distinct", "empty-axis"}),
        ((3, 17), {"distinct", "near-16", "odd", "prime"}),
        ((2, 32769), {"distinct", "large"}),
    ],
)
def test_kinds_of_data(shape: tuple[int, ...], kinds: set[str]) -> None:
    features = features_of(split_case(Value(dtype="int8", shape=shape), [shape[0]]), Form.CONSTANT)
    assert features is not None
    assert features["data"] == kinds


def test_form_is_what_is_known_of_the_arguments_and_how_the_axis_is_written() -> None:
    case = split_case(Value(dtype="int8", shape=(6, 2), fill=Fill.SPECIAL), [2, 4])
    runtime, restated = features_of(case, Form.RUNTIME_DYNAMIC_RANK), features_of(case, Form.AXIS_FROM_END)
    assert runtime is not None
    assert restated is not None
    assert [*map(set, (runtime["binding"], runtime["shape"], runtime["sign"]))] == [{"runtime"}, {"rank"}, {"front"}]
    assert [*map(set, (restated["binding"], restated["shape"], restated["sign"]))] == [
        {"constant"},
        {"static"},
        {"end"},
    ]


@pytest.mark.parametrize(
    ("form", "binding", "shape"),
    [
        (Form.RUNTIME_LENGTHS, "lengths-alone", "static"),
        (Form.RUNTIME_AXIS, "axis-alone", "static"),
        (Form.UNCOUNTED_LENGTHS, "runtime", "uncounted"),
    ],
)
def test_form_is_which_argument_comes_at_run_time_and_what_is_known_of_it(form: Form, binding: str, shape: str) -> None:
    features = features_of(split_case(Value(dtype="int8", shape=(6, 2)), [2, 4]), form)
    assert features is not None
    assert [set(features["binding"]), set(features["shape"])] == [{binding}, {shape}]


@pytest.mark.parametrize(
    ("form", "layout"), [(Form.CONSTANT, "packed"), (Form.BROADCAST, "broadcast"), (Form.OFFSET, "offset")]
)
def test_form_is_how_the_data_lies_in_memory(form: Form, layout: str) -> None:
    features = features_of(split_case(Value(dtype="int8", shape=(6, 2)), [2, 4]), form)
    assert features is not None
    assert features["layout"] == {layout}


@pytest.mark.parametrize(
    ("form", "graph"),
    [
        (Form.DYNAMIC, "alone"),
        (Form.AFTER_RELU, "after-relu"),
        (Form.BEFORE_CONCAT, "before-concat"),
        (Form.CONSTANT_FOLDED, "folded"),
        (Form.UNUSED_OUTPUTS, "unused-outputs"),
    ],
)
def test_form_is_what_stands_beside_the_operator(form: Form, graph: str) -> None:
    features = features_of(split_case(Value(dtype="float32", shape=(6, 2)), [2, 4]), form)
    assert features is not None
    assert features["graph"] == {graph}


@pytest.mark.parametrize(
    ("pattern", "kind"), [(1, "special"), (0xFC00, "special"), (0x3C00, "distinct"), (0, "distinct")]
)
def test_bits_that_implementations_break_are_special(pattern: int, kind: str) -> None:
    written = Value(dtype="float16", shape=(2,), data=(0x3C00 | pattern << 16).to_bytes(4, "little"))
    features = features_of(split_case(written, [1, 1]), Form.CONSTANT)
    assert features is not None
    assert kind in features["data"]


@pytest.mark.parametrize("form", [form for form in Form if not form.is_of_onnx and form is not Form.AS_IN_THE_MODEL])
def test_all_values_are_in_the_vocabulary(form: Form) -> None:
    case = split_case(Value(dtype="float32", shape=(6, 2)), [2, 4])
    features, vocabulary = features_of(case, form), vocabulary_of(case.operator)
    assert features is not None
    assert all(values <= set(vocabulary[name]) for name, values in features.items())


def test_call_as_it_is_in_a_model_is_no_point_of_the_space() -> None:
    case = split_case(Value(dtype="float32", shape=(6, 2)), [2, 4])
    assert features_of(case, Form.AS_IN_THE_MODEL) is None


def test_call_that_has_to_be_refused_is_no_point_of_the_space() -> None:
    case = split_case(Value(dtype="int8", shape=(6,)), [2, 5], expectation=Rejection("split_lengths.sum"))
    assert features_of(case, Form.CONSTANT) is None


@pytest.mark.parametrize(
    ("order", "kinds"),
    [
        ([0, 1, 2], {"several", "front", "sorted"}),
        ([2, 1, 0], {"several", "front", "reversed"}),
        ([0, 2, 1], {"several", "front", "unsorted"}),
        ([-1, 0, 1], {"several", "both-ends", "sorted"}),
        ([-1], {"one", "end"}),
        ([0], {"one", "front", "unset"}),
        ([1, 0], {"several", "front", "reversed", "set"}),
        ([], {"none"}),
    ],
)
def test_numbers_of_an_argument_have_a_count_an_end_and_an_order(order: list[int], kinds: set[str]) -> None:
    features = features_of(transposed((2, 3, 0), order), Form.CONSTANT)
    assert features is not None
    assert features["perm"] == kinds
    assert features["data"] == {"distinct", "empty"}
    assert features["perm_type"] == set()


def test_tensors_that_are_joined_are_counted() -> None:
    features = features_of(joined_rows(range(6)), Form.DYNAMIC)
    assert features is not None
    assert features["inputs"] == {"two"}
    assert features["axis"] == {"number", "front", "zero"}


@pytest.mark.parametrize(
    ("lengths", "kind", "places", "count"),
    [
        ([2, 2], "written", set(), "2"),
        ([-1], "inferred", {"first"}, "1"),
        ([2, 0, 2], "zero", {"inner"}, "3"),
        ([0, 2, -1], "zero-and-inferred", {"first", "last"}, "3"),
        ([], "written", set(), "0"),
    ],
)
def test_lengths_of_a_shape_have_special_entries_places_and_a_count(
    lengths: list[int], kind: str, places: set[str], count: str
) -> None:
    features = features_of(reshaped((2, 2), lengths, special_zero=True), Form.CONSTANT)
    assert features is not None
    assert features["lengths"] == {kind}
    assert features["lengths_place"] == places
    assert features["lengths_rank"] == {count}
    assert features["lengths_type"] == set()
    assert features["special_zero"] == {"true"}


def test_lengths_that_are_an_input_have_a_type() -> None:
    lengths = Value(dtype="int32", shape=(2,), data=bytes([2, 0, 0, 0, 2, 0, 0, 0]))
    features = features_of(reshaped((4,), lengths, special_zero=False), Form.RUNTIME)
    assert features is not None
    assert features["lengths_type"] == {"int32"}
    assert features["special_zero"] == {"false"}


@pytest.mark.parametrize(
    "case",
    [transposed((2, 3), [1, 0]), joined_rows(range(6)), reshaped((2, 2), [0, -1], special_zero=True)],
    ids=["Transpose", "Concat", "Reshape"],
)
def test_all_values_of_other_operators_are_in_their_vocabulary(case: Case) -> None:
    features, vocabulary = features_of(case, Form.CONSTANT), vocabulary_of(case.operator)
    assert features is not None
    assert all(values <= set(vocabulary[name]) for name, values in features.items())


def test_each_operator_has_the_parameters_that_it_takes() -> None:
    assert "perm" in vocabulary_of(TRANSPOSE)
    assert "perm" not in vocabulary_of(CONCAT)
    assert "lengths" in vocabulary_of(RESHAPE)
    assert "position" not in vocabulary_of(CONCAT)
