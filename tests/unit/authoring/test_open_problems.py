"""What `check` says of disputed calls and of what a description leaves open."""

from __future__ import annotations

from dataclasses import replace

from conformance.authoring.lint import open_problems
from conformance.spec.operator import OpenCalls
from conformance.suite.suite import bundled_folder, load_suite

SUITE = load_suite(bundled_folder("cases"), ["onnx.Transpose"])
OPERATOR = next(one for one in SUITE.operators if one.id == "onnx.Transpose-13")
"""Its one dispute is about an order without entries."""
FAMILIES = [family for family in SUITE.families if family.operator.id == OPERATOR.id and not family.entry.made]


def problems(*opened: str) -> list[str]:
    """The problems of an operator that leaves these calls open."""
    calls = tuple(OpenCalls(when=when, says="Whether it may.") for when in opened)
    operator = replace(OPERATOR, open=calls)
    families = tuple(replace(family, operator=operator) for family in FAMILIES)
    return [error.what for error in open_problems(replace(SUITE, operators=(operator,), families=families))]


def test_a_condition_with_a_call_on_either_side_has_no_problem() -> None:
    assert problems("size(permutation) == 0 and rank(data) > 0") == []


def test_a_dispute_that_the_description_does_not_leave_open_is_a_problem() -> None:
    (what,) = problems()
    assert what.startswith("nothing under `open` in Transpose/operator.yaml is true of onnx.Transpose-13/")


def test_a_condition_without_a_disputed_call_is_a_problem() -> None:
    assert problems("size(permutation) == 0", "rank(data) == 77") == [
        "no disputed case of onnx.Transpose-13 is inside: Whether it may."
    ]


def test_a_condition_without_a_call_outside_is_a_problem() -> None:
    assert problems("True") == ["no case of onnx.Transpose-13 is outside: Whether it may."]
