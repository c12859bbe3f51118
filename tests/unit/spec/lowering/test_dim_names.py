from __future__ import annotations

import pytest

from conformance.protocol.call import Attribute, Input
from conformance.spec.lowering.onnx_model import Dim, input_dims, output_dims
from conformance.spec.lowering.onnx_proto import Node


def node(op_type: str, *dims: tuple[int | None, ...] | None, **attributes: Attribute) -> Node:
    inputs = tuple(Input(name=f"in{number}", dtype="float32", dims=given) for number, given in enumerate(dims))
    return Node(op_type=op_type, version=13, inputs=inputs, attributes=attributes, declared_outputs=1, last_opset=None)


def test_an_unknown_dim_has_a_name_and_a_known_one_its_length() -> None:
    assert input_dims(node("Slice", (None, 3), (None,), None)) == {
        "in0": ("in0_dim_0", 3),
        "in1": ("in1_dim_0",),
        "in2": None,
    }


def test_inputs_of_a_concat_share_the_names_of_dims_beside_the_axis() -> None:
    dims = input_dims(node("Concat", (None, None, None), (None, None, None), (None, 2, None), axis=-2))
    assert dims == {
        "in0": ("in0_dim_0", "in0_dim_1", "in0_dim_2"),
        "in1": ("in0_dim_0", "in1_dim_1", "in0_dim_2"),
        "in2": ("in0_dim_0", 2, "in0_dim_2"),
    }


@pytest.mark.parametrize(
    ("made", "rank", "dims"),
    [
        (node("Split", (None, 6), axis=1), 2, ("in0_dim_0", "out_dim_1")),
        (node("Split", (2, None), axis=-2), 2, ("out_dim_0", "in0_dim_1")),
        (node("Split", (2, 6), axis=5), 2, ("out_dim_0", "out_dim_1")),
        (node("Concat", (None, 6), (None, 6), axis=0), 2, ("out_dim_0", 6)),
        (node("Transpose", (None, 3, None), perm=(2, 0, 1)), 3, ("in0_dim_2", "in0_dim_0", 3)),
        (node("Transpose", (None, 3)), 2, (3, "in0_dim_0")),
        (node("Transpose", (None, 3), perm=(0, 0)), 2, ("out_dim_0", "out_dim_1")),
        (node("Reshape", (None, 3)), 1, ("out_dim_0",)),
        (node("Split"), 1, ("out_dim_0",)),
        (node("Split", None, axis=0), 1, ("out_dim_0",)),
    ],
)
def test_an_output_has_the_dims_that_the_page_makes_equal(made: Node, rank: int, dims: tuple[Dim, ...]) -> None:
    assert output_dims(made, "out", rank) == dims
