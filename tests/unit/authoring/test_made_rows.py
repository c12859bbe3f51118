from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from itertools import combinations

from bundled import bundled_operators

from conformance.authoring.made_rows import PLAIN, made_rows, rows_that_make_calls
from conformance.certificate.rules import read_profile
from conformance.protocol.form import Form
from conformance.spec.making.clear_case import clear_case, has_form
from conformance.spec.operator import OpenCalls
from conformance.suite.case_file import FORM, SEED, choices_by_word, features_of, made_columns
from conformance.suite.coverage_tables import Exclusion, Space
from conformance.suite.suite import bundled_folder

TRANSPOSE = bundled_operators()["onnx.Transpose-13"]
COLUMNS = {name: tuple(known) for name, known in made_columns(TRANSPOSE).items()}
FEW = {**COLUMNS, "dtype": ("float32", "int8"), "rank": ("0", "2", "3"), FORM: ("constant", "dynamic", "strided")}


@cache
def rows_for_pairs() -> list[tuple[str, ...]]:
    return made_rows(TRANSPOSE, Space(FEW), ())


def named(rows: Sequence[tuple[str, ...]]) -> list[dict[str, str]]:
    return [dict(zip(FEW, row, strict=True)) for row in rows]


def test_each_choice_that_a_call_can_have_is_in_a_row_that_makes_one() -> None:
    rows = named(rows_for_pairs())
    for name in FEW.keys() - {SEED}:
        assert {row[name] for row in rows} == set(FEW[name])
    for row in rows:
        case = clear_case(TRANSPOSE, features_of(choices_by_word(TRANSPOSE), row), int(row[SEED]))
        assert case is not None
        assert has_form(case, Form(row[FORM]))


def test_pairs_are_covered_but_for_those_of_no_call() -> None:
    rows = named(rows_for_pairs())
    found = {pair for row in rows for pair in combinations(((k, v) for k, v in row.items() if k != SEED), 2)}
    assert {(("dtype", dtype), (FORM, form)) for dtype in FEW["dtype"] for form in FEW[FORM]} <= found
    assert (("rank", "0"), ("dims", "equal")) not in found
    assert len(rows) < len(FEW["dims"]) * len(FEW["perm"]) * 3


def test_rows_get_only_pairs_with_a_new_choice_and_those_of_dropped_rows() -> None:
    space, rows, place = Space(FEW), rows_for_pairs(), list(FEW).index("perm")
    kept = [row for row in rows if row[place] != "reversed"]
    added = set(made_rows(TRANSPOSE, space, kept, named(kept))) - set(kept)
    assert {row[place] for row in added} == {"reversed"}
    left = [row for row in rows if row[:2] != ("int8", "3")]
    assert made_rows(TRANSPOSE, space, left, named(left)) == left
    assert any(row[:2] == ("int8", "3") for row in made_rows(TRANSPOSE, space, left, named(rows)))


def test_plain_rows_alone_have_each_pair_of_the_others() -> None:
    rows = named(rows_for_pairs())
    plain = [row for row in rows if row["dtype"] == "float32" and row[FORM] == "constant"]
    of_all, of_plain = (
        {pair for row in some for pair in combinations(((k, row[k]) for k in ("rank", "dims", "perm")), 2)}
        for some in (rows, plain)
    )
    assert of_plain == of_all


def test_rows_of_a_newer_version_are_taken_over_where_they_make_calls() -> None:
    newer = named(rows_for_pairs())
    older = {**FEW, "dtype": ("float32",)}
    rows = made_rows(TRANSPOSE, Space(older), (), newer)
    taken_over = {(*({**row, "dtype": "float32"}).values(),) for row in newer}
    assert len(taken_over.intersection(rows)) > 0.9 * len(rows)


def test_a_combination_that_a_newer_version_lacks_is_not_sought() -> None:
    newer = named(rows_for_pairs())
    lacking = [row for row in newer if (row["rank"], row["perm"]) != ("2", "reversed")]
    rows = named(made_rows(TRANSPOSE, Space(FEW), (), lacking))
    assert not [row for row in rows if (row["rank"], row["perm"]) == ("2", "reversed")]
    assert {row["perm"] for row in rows} == set(FEW["perm"])


def test_the_profile_core_asks_for_what_is_plain() -> None:
    asked = read_profile("core", bundled_folder("profiles")).selection
    assert {"dtype": asked.dtypes, FORM: tuple(form.value for form in asked.forms)} == PLAIN


def test_rows_that_are_right_stay_and_excluded_ones_do_not_come() -> None:
    space = Space(FEW, (Exclusion({"dtype": frozenset({"int8"})}, "it is small"),))
    kept = made_rows(TRANSPOSE, space, ())
    assert {row[0] for row in kept} == {"float32"}
    assert set(kept) <= set(made_rows(TRANSPOSE, space, kept))


def test_a_call_that_the_page_now_leaves_open_is_no_row_any_more() -> None:
    rows = rows_for_pairs()
    opened = replace(TRANSPOSE, open=(OpenCalls(when="rank(data) == 2", says="an example"),))
    left = rows_that_make_calls(opened, Space(FEW), rows)
    place = list(FEW).index("rank")
    assert left == [row for row in rows if row[place] != "2"]
    assert rows_that_make_calls(TRANSPOSE, Space(FEW), rows) == rows
