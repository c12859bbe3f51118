"""Values of each kind fit the call that they are made for."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import cast

import numpy as np
import pytest
from bundled import bundled_operators

from conformance.spec.case import Case, Value, call_arguments
from conformance.spec.law import lawful_shapes
from conformance.spec.making.call import CLASSES, can_be_made, choices_of, made_call, makers_of
from conformance.spec.making.clear_case import clear_case
from conformance.spec.making.setting import Dice, MadeNumbers, NumbersMaker, Setting
from conformance.tensors.fill import Fill
from conformance.tensors.tensor import array_from_tensor

MAKERS: dict[str, dict[str, NumbersMaker]] = {
    kind.value: {one.name: cast("NumbersMaker", one.make) for one in classes if one.make}
    for kind, classes in CLASSES.items()
}
OPERATORS = bundled_operators()
SHAPES = [(), (5,), (1, 3), (3, 3), (4, 1, 2), (2, 300), (1, 65540), (0, 2), (2, 1, 3, 1, 2, 1, 1, 2, 3)]


def values(name: str, kind: str, **given: object) -> list[tuple[Setting, MadeNumbers]]:
    """Values of a class for several shapes of the data, each with its setting."""
    found = []
    for shape in SHAPES:
        for seed in range(20):
            setting = Setting(Dice(name, shape, seed), shape, count=len(shape), **given)  # type: ignore[arg-type]
            value = MAKERS[kind][name](setting)
            found += [] if value is None else [(setting, value)]
    return found


@pytest.mark.parametrize(
    ("dtype", "narrower"),
    [
        *(("int64", narrower) for narrower in ("float64", "float32", "int32")),
        *(("int32", narrower) for narrower in ("float32", "int16")),
        *(("float64", "float32"), ("float32", "float16")),
    ],
)
def test_one_number_beside_the_data_would_change_in_a_narrower_type(dtype: str, narrower: str) -> None:
    value = pad_call(dtype=dtype).value("constant_value")
    assert isinstance(value, Value)
    number = array_from_tensor(value.tensor())
    with np.errstate(over="ignore"):
        assert number.astype(narrower).astype(dtype) != number


@pytest.mark.parametrize("name", MAKERS["places"])
def test_rows_of_indices_name_different_places_of_the_data(name: str) -> None:
    made = values(name, "places")
    assert made
    for setting, value in made:
        *before, depth = value.shape
        assert (name != "no depth") <= depth <= setting.rank
        assert len(value.items) == math.prod(before) * depth
        rows = [value.items[start : start + depth] for start in range(0, len(value.items), max(1, depth))]
        places = [
            tuple(index % length for index, length in zip(row, setting.shape[:depth], strict=True)) for row in rows
        ]
        assert len(set(places)) == len(rows)
        for row in rows:
            assert all(-n <= index < n for index, n in zip(row, setting.shape[:depth], strict=True))


@pytest.mark.parametrize("name", MAKERS["pads"])
def test_pads_are_two_for_each_dim_and_leave_no_negative_length(name: str) -> None:
    made = values(name, "pads")
    assert made
    for setting, value in made:
        assert value.shape == (2 * setting.rank,)
        before, behind = value.items[: setting.rank], value.items[setting.rank :]
        changed = [n + a + b for n, a, b in zip(setting.shape, before, behind, strict=True) if n]
        assert min(changed, default=0) >= 0


def test_pads_go_with_the_axes_of_the_call() -> None:
    setting = Setting(Dice("axes"), (2, 3, 900), count=1, axes=[-1])
    value = MAKERS["pads"]["beyond the dim"](setting)
    assert value is not None
    assert value.shape == (2,)
    assert min(value.items) >= 900
    assert MAKERS["pads"]["before"](Setting(Dice("axes"), (2, 3), count=1, axes=[2])) is None


@pytest.mark.parametrize("name", MAKERS["target"])
def test_data_is_repeated_to_a_target(name: str) -> None:
    made = values(name, "target")
    assert made
    for setting, value in made:
        compared = list(zip(setting.shape[::-1], value.items[::-1], strict=False))
        assert all(own == wanted or 1 in (own, wanted) for own, wanted in compared)


@pytest.mark.parametrize("name", ["same", "longer", "more dims", "more than 8"])
def test_a_target_has_the_dims_of_the_data_at_its_axes(name: str) -> None:
    for seed in range(20):
        value = MAKERS["target"][name](Setting(Dice(name, seed), (3, 5), axes=[0, 2]))
        assert value is not None
        assert value.items[::2][:2] == (3, 5)
    assert MAKERS["target"][name](Setting(Dice(name), (3, 5), axes=[0])) is None


def test_a_mode_is_one_of_the_words_of_its_version() -> None:
    for version, words in ((13, ("constant", "edge", "reflect")), (25, ("constant", "edge", "reflect", "wrap"))):
        operator = OPERATORS[f"onnx.Pad-{version}"]
        (mode,) = operator.parameters_named("mode")
        assert tuple(makers_of(mode)) == words
        assert choices_of(operator)["mode"] == ("left out", *words)


PAD = {"dtype": "int32", "rank": "2", "dims": "unequal", "values": "distinct", "pads": "around", "axes": "left out"}
PAD |= {"Tind": "int64", "mode": "constant", "constant_value": "distinct"}


def pad_call(**changed: str) -> Case:
    for seed in range(99):
        case = clear_case(OPERATORS["onnx.Pad-18"], {**PAD, **changed}, seed)
        if case is not None:
            return case
    raise AssertionError("no call")


def test_data_beside_the_main_one_has_its_type_and_continues_its_elements() -> None:
    data, value = (pad_call(dtype="int8").value(name) for name in ("data", "constant_value"))
    assert isinstance(data, Value)
    assert value == Value(dtype="int8", shape=(), start=math.prod(data.shape))
    special = pad_call(constant_value="special").value("constant_value")
    assert isinstance(special, Value)
    assert special.fill is Fill.SPECIAL
    assert pad_call(constant_value="left out").value("constant_value") is None


def test_a_number_that_stands_in_the_output_can_be_minus_zero() -> None:
    features = {"dtype": "float16", "rank": "1", "dims": "odd", "values": "distinct", "pads": "before"}
    made = made_call(OPERATORS["onnx.Pad-2"], features | {"mode": "constant", "value": "negative zero"}, 1)
    assert made is not None
    (value,) = (argument.value for argument in made[0] if argument.name == "value")
    assert str(value) == "-0.0"


@pytest.mark.parametrize("operator_id", ["onnx.ScatterND-18", "openvino.ScatterNDUpdate-15"])
def test_updates_have_the_shape_that_the_page_demands(operator_id: str) -> None:
    operator, shapes = OPERATORS[operator_id], set()
    for number in range(200):
        dice = Dice(operator_id, number)
        features = {name: dice.one_of(known) for name, known in choices_of(operator).items()}
        case = clear_case(operator, features | {"updates": "distinct", "reduction": "left out"}, number)
        if case is not None:
            updates, indices = (case.value(name) for name in ("updates", "indices"))
            assert isinstance(updates, Value)
            assert isinstance(indices, Value)
            assert case.data is not None
            assert updates.shape == indices.shape[:-1] + case.data.shape[indices.shape[-1] :]
            shapes.add(updates.shape)
    assert len(shapes) > 10


def test_calls_of_an_operator_with_data_of_no_known_shape_cannot_be_made() -> None:
    scatter = OPERATORS["onnx.ScatterND-13"]
    assert can_be_made(scatter)
    unshaped = tuple(replace(parameter, shape=None) for parameter in scatter.parameters)
    assert not can_be_made(replace(scatter, parameters=unshaped))


SLICE = {"dtype": "int32", "rank": "2", "dims": "unequal", "values": "distinct", "Tind": "int64", "axes": "left out"}


@pytest.mark.parametrize("steps", ["left out", "one", "more than one", "back by one", "back by more"])
@pytest.mark.parametrize("starts", ["from the front", "from the end"])
def test_most_slices_return_elements(steps: str, starts: str) -> None:
    asked = {**SLICE, "axes": "sorted", "starts": starts, "ends": starts, "steps": steps}
    cases = [clear_case(OPERATORS["onnx.Slice-13"], asked, seed) for seed in range(40)]
    returned = [lawful_shapes(case.operator, call_arguments(case), 1) for case in cases if case is not None]
    assert len(returned) > 10
    assert sum(all(shape) for (shape,) in returned) > len(returned) / 2


@pytest.mark.parametrize(
    ("version", "name"), [("onnx.Pad-18", "pads"), ("onnx.Expand-13", "shape"), ("onnx.Reshape-13", "shape")]
)
def test_lengths_that_a_float32_does_not_hold_need_no_elements(version: str, name: str) -> None:
    asked = {**PAD, "rank": "3", "dims": "without elements", name: "beyond 24 bits"}
    cases = [clear_case(OPERATORS[version], asked, seed) for seed in range(64)]
    shapes = [lawful_shapes(case.operator, call_arguments(case), 1)[0] for case in cases if case is not None]
    assert any(int(np.float32(dim)) != dim for shape in shapes for dim in shape)


def test_an_update_may_replace_all_data() -> None:
    asked = {"dtype": "int32", "rank": "2", "dims": "unequal", "values": "distinct", "updates": "distinct"}
    case = clear_case(OPERATORS["onnx.ScatterND-13"], {**asked, "indices": "no depth"}, 0)
    assert case is not None
    assert isinstance(value := case.value("indices"), Value)
    assert value.shape[-1] == 0


def test_an_axis_without_elements_has_equal_parts() -> None:
    value = makers_of(OPERATORS["openvino.VariadicSplit-1"].parameters_named("split_lengths")[0])["equal"](
        Setting(Dice("empty"), (0, 2))
    )
    assert isinstance(value, MadeNumbers)
    assert set(value.items) == {0}


def test_some_inputs_are_more_than_1024() -> None:
    asked = {"dtype": "int8", "rank": "1", "dims": "unequal", "values": "distinct", "number": "more than 255"}
    asked |= {"inputs": "equal", "axis": "first"}
    cases = [clear_case(OPERATORS["onnx.Concat-13"], asked, seed) for seed in range(24)]
    assert {len(case.data_inputs) for case in cases if case is not None} == {257, 1030}
