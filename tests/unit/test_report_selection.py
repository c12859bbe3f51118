from __future__ import annotations

from conformance.records.record import SelectionEntry
from conformance.report.sections import selection_text


def test_default_set_goes_without_saying() -> None:
    assert selection_text(SelectionEntry(sets=["default"])) == "all cases"


def test_other_sets_are_told() -> None:
    selection = SelectionEntry(operators=["onnx.Split"], sets=["default", "full"])
    assert selection_text(selection) == "operators onnx.Split; sets default, full"
