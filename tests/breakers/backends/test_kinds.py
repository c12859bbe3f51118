"""Faults made from the classes of kinds; the whole table is `python tests/breakers/backends/classes_off.py`."""

from __future__ import annotations

import threading

import pytest
from classes_off import BACKEND, caught_in, checks_of, is_caught, operators
from faulty_kinds.faults import FAULTS

from conformance.formats.adapter_file import TargetRequest, read_adapter
from conformance.language.classes import classes_of_operator
from conformance.sessions.session import Session


def test_every_class_of_every_kind_has_a_fault() -> None:
    classes = {known for operator in operators() for known in classes_of_operator(operator)}
    assert classes - {(fault.kind, fault.class_name) for fault in FAULTS.values()} == set()


@pytest.mark.parametrize(
    "name",
    [
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
    ],
)
def test_a_fault_of_a_class_is_caught_in_the_newest_version_of_every_operator(name: str) -> None:
    found = caught_in(name, is_newest=True)
    assert found
    assert [version for version, (is_caught, _) in found.items() if not is_caught] == []


def test_the_backend_without_a_fault_is_accused_of_nothing() -> None:
    request = TargetRequest(adapter=read_adapter(BACKEND), options={"mutant": "none"})
    session = Session(request, 60.0, threading.Event())
    try:
        session.start()
        assert not is_caught(session, "none", [check for check, _ in checks_of("onnx.Gather-13")][:100])
    finally:
        session.kill()
