from __future__ import annotations

import pytest

from conformance.spec.broken_clause import contradiction
from conformance.tensors.tensor import KnownShape, Tensor


def output(*shape: int) -> Tensor:
    return Tensor("uint8", shape, b"")


@pytest.mark.parametrize("inferred", [None, (None, None), ((2, None), (None, None)), ((2, 0), (2, 3))])
def test_shape_that_came_as_far_as_it_was_known_is_no_contradiction(inferred: tuple[KnownShape, ...] | None) -> None:
    assert contradiction(inferred, [(output(2, 0), output(2, 3))]) == ""


@pytest.mark.parametrize(
    ("inferred", "sentence"),
    [
        (((2, None), (2, 4)), "output 1 was inferred as [2, 4], but has the shape [2, 3]"),
        ((None, (None, 3, None)), "output 1 was inferred as [?, 3, ?], but has the shape [2, 3]"),
        (((), None), "output 0 was inferred as [], but has the shape [2, 0]"),
        ((None,), "1 outputs were inferred, 2 returned"),
    ],
)
def test_contradiction_is_reported_with_both_shapes(inferred: tuple[KnownShape, ...], sentence: str) -> None:
    assert contradiction(inferred, [(output(2, 0), output(2, 3))]) == sentence


def test_contradiction_names_the_call() -> None:
    assert contradiction(((2,),), [(output(2),), (output(3),)]) == (
        "call 2 of 2: output 0 was inferred as [2], but has the shape [3]"
    )
