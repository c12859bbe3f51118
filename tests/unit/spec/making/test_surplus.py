"""Arguments, words and shapes of other versions and operators, derived from what `operator.yaml` says of all."""

from __future__ import annotations

import pytest
from bundled import bundled_operators

from conformance.spec.case import Argument, Case, Rejection, Value, lawful_call, whole_numbers
from conformance.spec.making.wrong import CALL, other_words, wrong_case, wrong_classes_of
from conformance.spec.operator import Operator, Role
from conformance.tensors.tensor import pack_integers

OPERATORS = bundled_operators()
BOUNDS = {"starts": (0, 1), "ends": (2, 3)}


def case(operator: Operator, *arguments: Argument, outputs: int = 1) -> Case:
    return lawful_call(operator, arguments, outputs)


def data(name: str, *shape: int) -> Argument:
    return Argument(name, Role.INPUT, Value(dtype="float32", shape=shape))


def integers(name: str, *items: int, shape: tuple[int, ...] | None = None) -> Argument:
    return Argument(name, Role.INPUT, Value.of(pack_integers(list(items), "int64", shape or (len(items),))))


def wrong(call: Case, argument: str, name: str) -> Case:
    found = wrong_case(call, argument, name)
    assert found is not None
    return found


def test_a_version_is_asked_the_arguments_of_the_others_as_they_are_there() -> None:
    split = wrong(case(OPERATORS["onnx.Split-11"], data("input", 4), outputs=2), CALL, "with num_outputs")
    assert (split.value("num_outputs"), split.expectation) == (2, Rejection("arguments"))

    bounds = [Argument(name, Role.ATTRIBUTE, items) for name, items in BOUNDS.items()]
    sliced = case(OPERATORS["onnx.Slice-1"], data("data", 3, 4), *bounds)
    assert wrong(sliced, CALL, "with steps as an attribute").value("steps") == (1, 1)
    given = wrong(sliced, CALL, "with steps").value("steps")
    assert isinstance(given, Value)
    assert whole_numbers(given) == [1, 1]

    gathered = case(
        OPERATORS["openvino.Gather-1"], data("data", 3, 4), integers("indices", 0), integers("axis", 1, shape=())
    )
    assert wrong(gathered, CALL, "with batch_dims").value("batch_dims") == 0


def test_the_newest_version_is_asked_what_it_has_lost() -> None:
    assert "with value" in wrong_classes_of(OPERATORS["onnx.Pad-25"])[CALL]
    assert "with num_outputs" not in wrong_classes_of(OPERATORS["onnx.Split-18"])[CALL]


@pytest.mark.parametrize(
    ("version", "argument", "foreign"),
    [
        ("onnx.Pad-18", "mode", {"wrap", "symmetric"}),
        ("onnx.ScatterND-16", "reduction", {"max", "min", "sum", "prod", "sub", "mean"}),
        ("openvino.Broadcast-1", "mode", {"bidirectional", "pdpd"}),
    ],
)
def test_a_mode_is_asked_the_words_of_other_versions_and_of_the_other_dialect(
    version: str, argument: str, foreign: set[str]
) -> None:
    operator = OPERATORS[version]
    found = other_words(operator, operator.parameters_named(argument)[0])
    assert {name.removeprefix("the word ") for name in found if name.startswith("the word ")} == foreign
    assert {found[name]("edge") for name in found if not name.startswith("the word ")} == {
        "edges", "EDGE", "Edge", "edg", "edge ", "",
    }  # fmt: skip


def test_a_list_is_a_column_or_one_number_and_one_number_is_none_or_two() -> None:
    expanded = case(OPERATORS["onnx.Expand-13"], data("input", 2, 1), integers("shape", 2, 3))
    shapes = {}
    for name in ("a column", "a rank more", "a scalar"):
        value = wrong(expanded, "shape", name).value("shape")
        assert isinstance(value, Value)
        shapes[name] = value.shape
    assert shapes == {"a column": (2, 1), "a rank more": (1, 2), "a scalar": ()}

    split = case(
        OPERATORS["openvino.Split-1"],
        data("data", 4),
        integers("axis", 0, shape=()),
        Argument("num_splits", Role.ATTRIBUTE, 2),
        outputs=2,
    )
    for name, shape in {"no number": (0,), "two numbers": (2,), "a rank more": (1, 1)}.items():
        value = wrong(split, "axis", name).value("axis")
        assert isinstance(value, Value)
        assert value.shape == shape
    assert wrong(split, "num_splits", "a list of two").value("num_splits") == (2, 2)


def test_updates_have_the_right_number_of_elements_in_another_shape() -> None:
    call = case(
        OPERATORS["onnx.ScatterND-18"],
        data("data", 4, 3),
        integers("indices", 1, 2, shape=(2, 1)),
        data("updates", 2, 3),
    )
    shapes = {}
    for name in ("flat", "turned", "with a dim before"):
        value = wrong(call, "updates", name).value("updates")
        assert isinstance(value, Value)
        shapes[name] = value.shape
    assert shapes == {"flat": (6,), "turned": (3, 2), "with a dim before": (1, 2, 3)}
    assert wrong(call, "indices", "a row more").clauses == ("updates.shape",)


def test_arguments_of_one_type_constraint_have_one_type_in_onnx_alone() -> None:
    assert "type int32" in wrong_classes_of(OPERATORS["onnx.Slice-13"])["starts"]
    assert "type int32" not in wrong_classes_of(OPERATORS["openvino.Slice-8"])["start"]
