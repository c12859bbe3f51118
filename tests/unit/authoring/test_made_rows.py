from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import combinations
from math import prod

from bundled import bundled_operators

from conformance.authoring.made_rows import PLAIN, made_rows, rows_that_make_calls
from conformance.border.form import Form
from conformance.certificate.profile_file import read_profile
from conformance.formats.coverage.space import Exclusion, Space
from conformance.formats.made_table import FORM, SEED, choices_by_word, features_of, made_columns
from conformance.formats.suite import bundled_folder
from conformance.language.making.clear_case import clear_case, has_form
from conformance.language.operator import OpenCalls

TRANSPOSE = bundled_operators()["onnx.Transpose-13"]
COLUMNS = {name: tuple(known) for name, known in made_columns(TRANSPOSE).items()}
FEW = {**COLUMNS, "dtype": ("float32", "int8"), "rank": ("0", "2", "3"), FORM: ("constant", "dynamic", "strided")}


@cache
def rows_for_pairs() -> list[tuple[str, ...]]:
    return made_rows(TRANSPOSE, Space(FEW), 2, ())


def test_each_choice_that_a_call_can_have_is_in_a_row_that_makes_one() -> None:
    rows = [dict(zip(FEW, row, strict=True)) for row in made_rows(TRANSPOSE, Space(FEW), 1, ())]
    for name in FEW.keys() - {SEED}:
        assert {row[name] for row in rows} == set(FEW[name])
    for row in rows:
        case = clear_case(TRANSPOSE, features_of(choices_by_word(TRANSPOSE), row), int(row[SEED]))
        assert case is not None
        assert has_form(case, Form(row[FORM]))


def test_single_choices_come_with_special_values_of_each_type_and_a_relu_of_many_elements() -> None:
    known = {**FEW, FORM: ("constant", "after-relu")}
    rows = [dict(zip(known, row, strict=True)) for row in made_rows(TRANSPOSE, Space(known), 1, ())]
    asked = [
        {"dtype": "float32", "values": "special"},
        {"dtype": "int8", "values": "special"},
        {"dtype": "float32", "values": "distinct", "perm": "reversed", FORM: "after-relu"},
    ]
    for choices in asked:
        shown = [row for row in rows if choices.items() <= row.items()]
        cases = [clear_case(TRANSPOSE, features_of(choices_by_word(TRANSPOSE), row), int(row[SEED])) for row in shown]
        assert any(case is not None and case.data is not None and prod(case.data.shape) >= 24 for case in cases)


def test_pairs_are_covered_but_for_those_of_no_call() -> None:
    rows = [dict(zip(FEW, row, strict=True)) for row in rows_for_pairs()]
    found = {pair for row in rows for pair in combinations(((k, v) for k, v in row.items() if k != SEED), 2)}
    assert {(("dtype", dtype), (FORM, form)) for dtype in FEW["dtype"] for form in FEW[FORM]} <= found
    assert (("rank", "0"), ("dims", "equal")) not in found
    assert len(rows) < len(FEW["dims"]) * len(FEW["perm"]) * 3


def test_rows_for_pairs_get_only_pairs_with_a_new_choice_and_those_of_dropped_rows() -> None:
    space, rows, place = Space(FEW), rows_for_pairs(), list(FEW).index("perm")
    new = [row for row in rows if row[place] == "reversed"]
    kept = [row for row in rows if row not in new]
    added = set(made_rows(TRANSPOSE, space, 2, kept)) - set(kept)
    assert added
    assert {row[place] for row in added} == {"reversed"}
    lost = [row for row in rows if row[:2] == ("int8", "3")]
    left = [row for row in rows if row not in lost]
    assert made_rows(TRANSPOSE, space, 2, left) == left
    assert any(row[:2] == ("int8", "3") for row in made_rows(TRANSPOSE, space, 2, left, dropped=lost))


def test_rows_for_each_choice_once_get_all_pairs() -> None:
    once = made_rows(TRANSPOSE, Space(FEW), 1, ())
    raised = made_rows(TRANSPOSE, Space(FEW), 2, once)
    assert {row[:2] for row in once} < {row[:2] for row in raised} == {row[:2] for row in rows_for_pairs()}


def test_plain_rows_alone_have_each_pair_of_the_others() -> None:
    rows = [dict(zip(FEW, row, strict=True)) for row in rows_for_pairs()]
    plain = [row for row in rows if row["dtype"] == "float32" and row[FORM] == "constant"]
    of_all, of_plain = (
        {pair for row in some for pair in combinations(((k, row[k]) for k in ("rank", "dims", "perm")), 2)}
        for some in (rows, plain)
    )
    assert of_plain == of_all


def test_rows_of_a_newer_version_are_taken_over_where_they_make_calls() -> None:
    newer = [dict(zip(FEW, row, strict=True)) for row in made_rows(TRANSPOSE, Space(FEW), 2, ())]
    older = {**FEW, "dtype": ("float32",)}
    rows = made_rows(TRANSPOSE, Space(older), 2, (), newer)
    taken_over = {(*({**row, "dtype": "float32"}).values(),) for row in newer}
    assert len(taken_over.intersection(rows)) > 0.9 * len(rows)


def test_a_combination_that_a_newer_version_lacks_is_not_sought() -> None:
    newer = [dict(zip(FEW, row, strict=True)) for row in made_rows(TRANSPOSE, Space(FEW), 2, ())]
    lacking = [row for row in newer if (row["rank"], row["perm"]) != ("2", "reversed")]
    rows = [dict(zip(FEW, row, strict=True)) for row in made_rows(TRANSPOSE, Space(FEW), 1, (), lacking)]
    assert not [row for row in rows if (row["rank"], row["perm"]) == ("2", "reversed")]
    assert {row["perm"] for row in rows} == set(FEW["perm"])


def test_the_profile_core_asks_for_what_is_plain() -> None:
    asked = read_profile("core", bundled_folder("profiles")).selection
    assert {"dtype": asked.dtypes, FORM: tuple(form.value for form in asked.forms)} == PLAIN


def test_rows_that_are_right_stay_and_excluded_ones_do_not_come() -> None:
    space = Space(FEW, (Exclusion({"dtype": frozenset({"int8"})}, "it is small"),))
    kept = made_rows(TRANSPOSE, space, 1, ())
    assert {row[0] for row in kept} == {"float32"}
    assert set(kept) <= set(made_rows(TRANSPOSE, space, 2, kept))


def test_a_call_that_the_page_now_leaves_open_is_no_row_any_more() -> None:
    rows = made_rows(TRANSPOSE, Space(FEW), 1, ())
    opened = replace(TRANSPOSE, open=(OpenCalls(when="rank(data) == 2", says="an example"),))
    left = rows_that_make_calls(opened, Space(FEW), rows)
    place = list(FEW).index("rank")
    assert left == [row for row in rows if row[place] != "2"]
    assert rows_that_make_calls(TRANSPOSE, Space(FEW), rows) == rows
