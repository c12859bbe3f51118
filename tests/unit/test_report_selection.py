from __future__ import annotations

from conformance.records.record import SelectionEntry
from conformance.report.sections import selection_text
from conformance.spec.choices import CaseSet


def test_default_set_goes_without_saying() -> None:
    assert selection_text(SelectionEntry(sets=(CaseSet.DEFAULT,))) == "all cases"


def test_other_sets_are_told() -> None:
    selection = SelectionEntry(operators=("onnx.Split",), sets=(CaseSet.DEFAULT, CaseSet.FULL))
    assert selection_text(selection) == "onnx.Split; sets default, full"
