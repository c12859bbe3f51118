"""Faults made from the classes of kinds; the whole table is `python tests/breakers/backends/classes_off.py`."""

from __future__ import annotations

import pytest
from classes_off import checks_of, is_caught, operators, session_of, versions_missed
from faulty_kinds.acceptances import ACCEPTANCES
from faulty_kinds.faults import FAULTS

from conformance.run.selection import Selection, cases_of, checks_of_case, families_selected, sets_included
from conformance.spec.choices import CaseSet
from conformance.spec.making.call import classes_of_operator
from conformance.suite.suite import bundled_folder, load_suite

pytestmark = pytest.mark.slow


def test_every_class_of_every_kind_has_a_fault() -> None:
    classes = {known for operator in operators() for known in classes_of_operator(operator)}
    assert classes - {(fault.kind, fault.class_name) for fault in FAULTS.values()} == set()


CAUGHT_EVERYWHERE = (
    "axes.from-both-ends.those-below-0-are-0",
    "permutation.not-its-own-inverse.inverse",
    "indices.beyond-8-bits.8-bits",
    "mask.some.inverted",
    "indices.begin-as-a-run.a-run",
    "indices.as-long-as-a-run.a-run",
    "data.beside-tiles.the-end-of-a-row-behind-tiles-of-32-is-lost",
    "data.strings.they-are-normalised",
    "data.strings.they-are-in-lower-case",
    "data.strings.they-are-cut-at-15-bytes",
    "data.strings.they-are-cut-at-22-bytes",
    "beside.several-elements.they-go-through-float32",
    "beside.one-element.it-goes-through-float32",
)


def test_faults_of_classes_are_caught_in_the_newest_version_of_every_operator() -> None:
    """One process asks them all, since each has to plan the checks of all operators first."""
    assert {name: missed for name in CAUGHT_EVERYWHERE if (missed := versions_missed(name))} == {}


CAUGHT_BY = {
    "accepts.words-of-any-case": ("onnx.Pad-13", "mode=capitalised"),
    "accepts.words-with-spaces": ("openvino.Broadcast-3", "mode=with-a-space"),
    "accepts.beginnings-of-words": ("onnx.ScatterND-16", "reduction=cut-short"),
    "accepts.an-empty-word": ("onnx.Pad-2", "mode=an-empty-word"),
    "accepts.unknown-words": ("onnx.Pad-25", "mode=an-unknown-word"),
    "accepts.words-of-other-operators": ("onnx.ScatterND-18", "reduction=the-word-sum"),
    "accepts.lists-where-one-is-due": ("onnx.Concat-4", "axis=a-list-of-two"),
    "accepts.several-numbers-where-one-is-due": ("openvino.Split-1", "axis=two-numbers"),
    "accepts.columns": ("openvino.Transpose-1", "input_order=a-column"),
    "accepts.lists-of-any-length": ("onnx.Slice-13", "starts=two-too-many"),
    "accepts.an-empty-shape": ("onnx.Reshape-13", "shape=none"),
    "accepts.a-shape-with-too-few-lengths": ("openvino.Reshape-1", "shape=half-as-many"),
    "accepts.lengths-that-do-not-add-up": ("onnx.Split-13", "split=last-halved"),
    "accepts.any-integers": ("onnx.Unsqueeze-13", "axes=type-int8"),
    "accepts.floats-as-integers": ("onnx.Expand-8", "shape=type-float16"),
    "accepts.data-of-another-width": ("onnx.Concat-13", "inputs=second-of-another-width"),
    "accepts.updates-of-any-shape": ("openvino.ScatterNDUpdate-3", "updates=flat"),
    "accepts.an-axis-beyond-the-last": ("onnx.Gather-1", "axis=two-beyond"),
    "accepts.an-axis-before-the-first": ("openvino.Gather-8", "axis=two-before"),
    "accepts.axes-from-the-end": ("onnx.Unsqueeze-1", "axes=first-one-before"),
    "accepts.newer-versions": ("onnx.Pad-13", "mode=the-word-wrap"),
    "accepts.surplus-arguments": ("onnx.Split-13", "call=with-num_outputs"),
    "accepts.no-inputs": ("onnx.Transpose-13", "call=no-inputs"),
}
"""The wrong calls that a lenient kernel answers: an operator version, an argument and how it is wrong."""


def test_every_lenient_kernel_names_what_catches_it() -> None:
    assert set(ACCEPTANCES) == set(CAUGHT_BY)


@pytest.mark.parametrize("name", ACCEPTANCES)
def test_a_kernel_that_accepts_wrong_calls_is_caught(name: str) -> None:
    version, wrong = CAUGHT_BY[name]
    selection = Selection(operators=(version,), cases=(f"{version}/wrong*{wrong},*",), sets=sets_included(CaseSet.FULL))
    families = families_selected(load_suite(bundled_folder("cases"), (version.rpartition("-")[0],)), selection)
    checks = [check for case in cases_of(families, selection) for check in checks_of_case(case, selection)]
    assert checks
    with session_of(name) as session:
        assert is_caught(session, name, checks)


def test_the_backend_without_a_fault_is_accused_of_nothing() -> None:
    with session_of("none") as session:
        assert not is_caught(session, "none", [check for check, _ in checks_of("onnx.Gather-13")][:100])
