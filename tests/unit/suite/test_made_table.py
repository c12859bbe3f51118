from __future__ import annotations

from pathlib import Path

import pytest
from bundled import bundled_operators

from conformance.protocol.form import Form
from conformance.spec.case import Disputed, Lawful, Rejection
from conformance.suite.case_file import (
    ARGUMENT,
    CLASS,
    CLAUSE,
    FORM,
    SEED,
    CaseFamily,
    families_from_document,
    made_columns,
    wrong_columns,
)
from conformance.suite.yaml_file import document_from_bytes
from conformance.tensors.errors import CaseFileError

TRANSPOSE = bundled_operators()["onnx.Transpose-25"]
CASES = b"""operator: onnx.Transpose
cases:
  - {id: made, clauses: [outputs.values], made: true, cover: 2, outputs: law}
"""
ROW = {"dtype": "float32", "rank": "2", "dims": "unequal", "values": "distinct", "perm": "reversed", FORM: "dynamic"}


def family(folder: Path, *rows: dict[str, str]) -> CaseFamily:
    names = list(made_columns(TRANSPOSE))
    lines = [names, *([{**ROW, SEED: "0", **row}[name] for name in names] for row in rows)]
    (folder / "made.made-25.tsv").write_text("".join("\t".join(line) + "\n" for line in lines))
    (found,) = families_from_document(document_from_bytes(CASES, "mine/made.yaml"), [TRANSPOSE], folder)
    return found


def test_a_row_is_a_case_with_its_choices_in_its_form(tmp_path: Path) -> None:
    (case,) = family(tmp_path, {"perm": "not-its-own-inverse", "rank": "3"}).cases()
    assert case.id.startswith("onnx.Transpose-25/made[dtype=float32,rank=3,dims=unequal,")
    assert (case.forms, case.clauses, case.expectation) == ((Form.DYNAMIC,), ("outputs.values",), Lawful())
    order = case.value("perm")
    assert isinstance(order, tuple)
    assert sorted(order) == [0, 1, 2]
    assert [order[place] for place in order] != [0, 1, 2]


def test_bits_of_nans_are_disputed(tmp_path: Path) -> None:
    floats, integers = family(tmp_path, {"values": "special"}, {"values": "special", "dtype": "int32"}).cases()
    assert isinstance(floats.expectation, Disputed)
    assert [reading.nan_payloads_may_differ for reading in floats.expectation.interpretations] == [False, True]
    assert integers.expectation == Lawful()


def test_choices_that_make_no_call_name_the_row(tmp_path: Path) -> None:
    with pytest.raises(CaseFileError, match=r"no call of onnx.Transpose-25 has the choices dtype=float32,rank=0"):
        list(family(tmp_path, {"rank": "0", "dims": "equal"}).cases())


def test_the_first_row_of_each_form_is_known_without_its_call(tmp_path: Path) -> None:
    rows = [{FORM: form} for form in ("constant", "constant", "dynamic", "strided", "dynamic")]
    assert family(tmp_path, *rows).first_products() == {0, 2, 3}


def test_types_select_rows(tmp_path: Path) -> None:
    found = family(tmp_path, {"dtype": "int8"}, {"dtype": "string"}, {"dtype": "int8", "dims": "odd"})
    assert [case.data.dtype for case in found.cases(("int8",)) if case.data is not None] == ["int8", "int8"]


WRONG = b"""operator: onnx.Transpose
cases:
  - {id: wrong, made: wrong}
"""
WRONG_ROW = {**ROW, ARGUMENT: "perm", CLASS: "one-twice", SEED: "3", CLAUSE: "perm.once"}


def wrong_family(folder: Path, *rows: dict[str, str]) -> CaseFamily:
    names = list(wrong_columns(TRANSPOSE))
    lines = [names, *([{**WRONG_ROW, **row}[name] for name in names] for row in rows)]
    (folder / "made.wrong-25.tsv").write_text("".join("\t".join(line) + "\n" for line in lines))
    (found,) = families_from_document(document_from_bytes(WRONG, "mine/made.yaml"), [TRANSPOSE], folder)
    return found


def test_a_row_of_wrong_calls_breaks_its_clause(tmp_path: Path) -> None:
    (case,) = wrong_family(tmp_path, {}).cases()
    assert case.id == "onnx.Transpose-25/wrong[perm=one-twice,form=dynamic,seed=3]"
    assert (case.forms, case.clauses, case.expectation) == ((Form.DYNAMIC,), ("perm.once",), Rejection("perm.once"))
    order = case.value("perm")
    assert isinstance(order, tuple)
    assert order[0] == order[1]


def test_the_clauses_of_wrong_calls_are_those_of_the_rows(tmp_path: Path) -> None:
    beyond = {CLASS: "first-one-beyond", CLAUSE: "perm.range"}
    found = wrong_family(tmp_path, {}, {SEED: "4"}, beyond)
    assert list(found.clauses()) == ["perm.once", "perm.range"]
    assert found.first_products() == {0, 2}


def test_a_class_that_does_not_fit_the_argument_names_the_row(tmp_path: Path) -> None:
    with pytest.raises(CaseFileError, match=r"no call of onnx.Transpose-25 has the choices data=one-twice"):
        list(wrong_family(tmp_path, {ARGUMENT: "data"}).cases())
