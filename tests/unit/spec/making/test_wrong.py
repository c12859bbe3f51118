"""Each kind of argument goes wrong in its ways, and the reference names the clause."""

from __future__ import annotations

from dataclasses import replace

import pytest
from bundled import bundled_operators

from conformance.spec.case import Argument, Case, Rejection, Value, lawful_call, whole_numbers
from conformance.spec.making.wrong import CALL, broken_clause_of, wrong_case, wrong_classes_of
from conformance.spec.operator import OpenCalls, Operator, Role
from conformance.tensors.tensor import pack_integers

OPERATORS = bundled_operators()
GATHER, CONCAT = OPERATORS["onnx.Gather-13"], OPERATORS["onnx.Concat-13"]


def integers(*items: int) -> Value:
    return Value.of(pack_integers(list(items), "int64", (len(items),)))


def case(operator: Operator, *arguments: Argument, outputs: int = 1) -> Case:
    return lawful_call(operator, arguments, outputs)


def data(name: str, *shape: int) -> Argument:
    return Argument(name, Role.INPUT, Value(dtype="float32", shape=shape))


def gather(*indices: int) -> Case:
    listed = Argument("indices", Role.INPUT, integers(*indices))
    return case(GATHER, data("data", 2, 5), listed, Argument("axis", Role.ATTRIBUTE, 1))


def numbers(call: Case | None, name: str) -> list[int]:
    assert call is not None
    value = call.value(name)
    assert value is not None
    return [value] if isinstance(value, int) else list(whole_numbers(value) or ())


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("first one beyond", [5, 1, 4]),
        ("inner one before", [0, -6, 4]),
        ("last beyond 32 bits", [0, 1, 4 + (1 << 32)]),
        ("last least", [0, 1, -(1 << 63)]),
    ],
)
def test_an_index_is_wrong_by_little_or_by_much_at_each_place(name: str, wrong: list[int]) -> None:
    found = wrong_case(gather(0, 1, 4), "indices", name)
    assert numbers(found, "indices") == wrong
    assert found is not None
    assert (found.expectation, found.clauses) == (Rejection("indices.range"), ("indices.range",))
    assert found.twin == gather(0, 1, 4).arguments


def test_a_list_without_such_a_place_shows_nothing() -> None:
    assert wrong_case(gather(0, 1), "indices", "inner one beyond") is None


@pytest.mark.parametrize(
    ("argument", "name", "clause"),
    [
        ("data", "left out", "data.required"),
        ("data", "a scalar", "data.rank"),
        ("indices", "type uint32", "types.Tind"),
        ("indices", "as an attribute", "indices.required"),
        ("axis", "as an input", "arguments"),
        ("axis", "a float", "axis.type"),
        ("axis", "one beyond", "axis.range"),
        (CALL, "a surplus attribute", "arguments"),
    ],
)
def test_the_clause_comes_from_the_reference(argument: str, name: str, clause: str) -> None:
    found = wrong_case(gather(0, 1), argument, name)
    assert found is not None
    assert found.expectation == Rejection(clause)


def test_an_argument_with_a_default_may_be_left_out() -> None:
    beyond_rows = gather(4)  # with the default of the axis, the index is beyond the other dim
    assert wrong_case(beyond_rows, "axis", "left out") is None


def test_what_is_open_is_not_wrong() -> None:
    call = gather(0, 1)
    left_open = replace(call, operator=replace(GATHER, open=(OpenCalls(when="max(indices) > 4", says="x"),)))
    assert wrong_case(call, "indices", "first one beyond") is not None
    assert wrong_case(left_open, "indices", "first one beyond") is None
    assert not broken_clause_of(call)


def test_types_that_the_page_lists_are_not_wrong() -> None:
    assert {"type float32", "type uint8"} <= set(wrong_classes_of(GATHER)["indices"])
    assert not {"type int32", "type int64"} & set(wrong_classes_of(GATHER)["indices"])
    assert not [name for name in wrong_classes_of(OPERATORS["openvino.Gather-8"])["indices"] if name == "type uint8"]


@pytest.mark.parametrize(("name", "place"), [("first", 0), ("second", 1), ("inner", 2), ("last", 4)])
def test_one_of_several_inputs_disagrees_at_each_place(name: str, place: int) -> None:
    inputs = [data(f"inputs_{number}", 2, 3) for number in range(5)]
    call = case(CONCAT, *inputs, Argument("axis", Role.ATTRIBUTE, 1))
    found = wrong_case(call, "inputs", f"{name} one longer")
    assert found is not None
    shapes = [value.shape for value in found.data_inputs.values()]
    assert shapes == [(3, 3) if number == place else (2, 3) for number in range(5)]
    assert found.expectation == Rejection("inputs.shape")


def test_lengths_wrap_to_the_right_sum() -> None:
    operator = OPERATORS["openvino.VariadicSplit-1"]
    axis = Argument("axis", Role.INPUT, Value.of(pack_integers([0], "int64", ())))
    lengths = Argument("split_lengths", Role.INPUT, integers(1, 2, 3, 4))
    call = case(operator, data("data", 10), axis, lengths, outputs=4)
    assert sum(numbers(wrong_case(call, "split_lengths", "sum wraps at 64 bits"), "split_lengths")) == 10 + (1 << 64)
    assert numbers(wrong_case(call, "split_lengths", "first negative"), "split_lengths") == [-1, 4, 3, 4]


def test_lengths_that_are_scaled_or_cut_do_not_add_up() -> None:
    axis = Argument("axis", Role.ATTRIBUTE, 0)
    lengths = Argument("split", Role.INPUT, integers(4, 2, 1, 3))
    call = case(OPERATORS["onnx.Split-13"], data("input", 10), axis, lengths, outputs=4)
    assert numbers(wrong_case(call, "split", "first halved"), "split") == [2, 2, 1, 3]
    assert numbers(wrong_case(call, "split", "last doubled"), "split") == [4, 2, 1, 6]
    assert numbers(wrong_case(call, "split", "half as many"), "split") == [4, 2]
    assert wrong_case(call, "split", "twice as many") is None  # more lengths than outputs are open


def test_a_shape_is_not_cut_where_the_rest_is_inferred_or_of_one_element() -> None:
    def shaped(*items: int) -> Case:
        return case(OPERATORS["onnx.Reshape-13"], data("data", 2, 3), Argument("shape", Role.INPUT, integers(*items)))

    assert numbers(wrong_case(shaped(2, 3), "shape", "none"), "shape") == []
    assert numbers(wrong_case(shaped(2, 3), "shape", "one too few"), "shape") == [2]
    assert wrong_case(shaped(6, 1), "shape", "one too few") is None
    assert wrong_case(shaped(-1, 3), "shape", "one too few") is None


def test_axes_of_an_output_with_more_dims_are_wrong_from_its_end_on() -> None:
    axes = Argument("axes", Role.INPUT, integers(0, 3))
    call = case(OPERATORS["onnx.Unsqueeze-25"], data("data", 2, 2), axes)
    assert numbers(wrong_case(call, "axes", "first one beyond"), "axes") == [4, 3]
    assert numbers(wrong_case(call, "axes", "one twice from the end"), "axes") == [0, -4]


def test_another_count_follows_the_declared_outputs_or_not() -> None:
    axis = Argument("axis", Role.INPUT, Value.of(pack_integers([0], "int64", ())))
    count = Argument("num_splits", Role.ATTRIBUTE, 2)
    call = case(OPERATORS["openvino.Split-1"], data("data", 6), axis, count, outputs=2)
    found = wrong_case(call, "num_splits", "indivisible")
    assert found is not None
    assert (numbers(found, "num_splits"), found.declared_outputs) == ([4], 4)
    split = Argument("num_outputs", Role.ATTRIBUTE, 2)
    found = wrong_case(case(OPERATORS["onnx.Split-18"], data("input", 6), split, outputs=2), "num_outputs", "zero")
    assert found is not None
    assert found.expectation == Rejection("num_outputs.range")
