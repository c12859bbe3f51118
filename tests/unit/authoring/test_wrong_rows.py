from __future__ import annotations

from collections import Counter

from bundled import bundled_operators

from conformance.authoring.made_rows import rows_that_are_wrong, wrong_rows
from conformance.suite.case_file import ARGUMENT, CLASS, CLAUSE, FORM, wrong_columns, wrong_words
from conformance.suite.coverage_tables import Exclusion, Space

OLDER, NEWEST = (bundled_operators()[f"onnx.Transpose-{version}"] for version in (13, 25))
FEW = {"perm": ("one-twice", "first-from-the-end", "left-out"), "call": ("a-surplus-attribute",)}
SPACE = Space(FEW, (Exclusion({"call": frozenset({"a-surplus-attribute"})}, "left open"),))


def test_a_class_that_a_call_shows_has_a_row_and_one_without_has_none() -> None:
    rows = [dict(zip(wrong_columns(OLDER), row, strict=True)) for row in wrong_rows(OLDER, SPACE, ())]
    found = {(row[ARGUMENT], row[CLASS]): row[CLAUSE] for row in rows}
    assert found == {("perm", "one-twice"): "perm.once", ("perm", "first-from-the-end"): "perm.range"}
    assert len(rows) == 2


def test_the_newest_version_has_each_class_in_two_forms() -> None:
    rows = [dict(zip(wrong_columns(NEWEST), row, strict=True)) for row in wrong_rows(NEWEST, SPACE, ())]
    assert len({(row[CLASS], row[FORM]) for row in rows}) == len(rows) == 4


def test_rows_in_one_form_are_made_of_few_valid_calls() -> None:
    space = Space({name: tuple(words) for name, words in wrong_words(NEWEST).items()})
    columns = [*wrong_columns(NEWEST)]
    calls = Counter((row[2:-1], row[columns.index(FORM)]) for row in wrong_rows(NEWEST, space, ()))
    assert calls.total() > 60
    assert len(calls) < 12


def test_rows_that_are_right_stay_and_one_with_another_clause_goes() -> None:
    columns = list(wrong_columns(OLDER))
    first, second = wrong_rows(OLDER, SPACE, ())
    wrong = (*first[: columns.index(CLAUSE)], "perm.length")
    assert rows_that_are_wrong(OLDER, (wrong, second)) == [second]
    assert set(wrong_rows(OLDER, SPACE, (second,))) == {first, second}
