"""Laws of what is selected, divided and combined: patterns, shards, the default set, and products of a matrix."""

from __future__ import annotations

import itertools
import re
import tempfile
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from bundled import cases_of_operators
from hypothesis import given, settings
from hypothesis import strategies as st
from split_cases import split_case

from conformance.judge.deviation import matches
from conformance.protocol.form import Form
from conformance.run.run_plan import Shard, places_in_shard
from conformance.run.selection import Selection, cases_of, checks_of, families_selected
from conformance.spec.case import Value
from conformance.spec.check import Check, default_forms_of, forms_of
from conformance.spec.choices import CaseSet
from conformance.suite.case_entry import combinations
from conformance.suite.literals import data_from_values, shape_of
from conformance.suite.suite import DefaultChecks, Suite, chosen_of, default_set_text, read_default_set
from conformance.tensors.dtypes import DTYPES, Category
from conformance.tensors.tensor import Tensor, unpack_integers

pytestmark = pytest.mark.slow

IDS = st.text("ab-./[=],", min_size=1, max_size=8)
PATTERNS = st.text("ab-./[=],*?", max_size=8)
SIZES = st.lists(st.integers(1, 3), min_size=1, max_size=12)
FORMS = (Form.CONSTANT, Form.RUNTIME, Form.DYNAMIC)
CASE = split_case(Value(dtype="int8", shape=(2,)), [1, 1])
FULL = Selection(sets=(CaseSet.DEFAULT, CaseSet.FULL))


@cache
def suite() -> Suite:
    whole = cases_of_operators("onnx.Split")
    return replace(whole, families=tuple(family for family in whole.families if family.operator.version == 18)[:12])


@cache
def every_check() -> list[Check]:
    return list(checks_of(families_selected(suite(), FULL), FULL))


def plan(sizes: list[int]) -> list[Check]:
    """A case for each size, in as many forms."""
    cases = [replace(CASE, id=f"toy/{number}") for number in range(len(sizes))]
    return [Check(case, form) for case, size in zip(cases, sizes, strict=True) for form in FORMS[:size]]


def glob(text: str, pattern: str) -> bool:
    """What a pattern with `*` and `?` means, as plainly as can be."""
    if not pattern:
        return not text
    if pattern[0] == "*":
        return any(glob(text[at:], pattern[1:]) for at in range(len(text) + 1))
    return bool(text) and pattern[0] in (text[0], "?") and glob(text[1:], pattern[1:])


@given(IDS, PATTERNS)
def test_a_pattern_matches_what_its_signs_say(name: str, pattern: str) -> None:
    assert matches(name, pattern) is glob(name, pattern)


@given(IDS)
def test_an_id_matches_itself_everything_and_its_beginning(name: str) -> None:
    assert matches(name, name)
    assert matches(name, "*")
    assert matches(name, f"{name[:1]}*")
    assert not matches(name, f"{name}?")


@settings(max_examples=20)
@given(st.data())
def test_a_pattern_selects_the_cases_that_match_it(data: st.DataObject) -> None:
    every = list(dict.fromkeys(check.case.id for check in every_check()))
    one = data.draw(st.sampled_from(every))
    pattern = f"{one[: data.draw(st.integers(len('onnx.Split-18/'), len(one)))]}*"
    chosen = replace(FULL, cases=(pattern,))
    found = {case.id for case in cases_of(families_selected(suite(), chosen), chosen)}
    assert found == {name for name in every if matches(name, pattern) or matches(name.partition("[")[0], pattern)}


@settings(max_examples=20)
@given(st.data())
def test_single_checks_are_those_that_were_named(data: st.DataObject) -> None:
    every = [(check.case.id, check.form) for check in every_check()]
    named = data.draw(st.sets(st.sampled_from(every), min_size=1, max_size=5))
    chosen = replace(FULL, checks=frozenset(named))
    found = [(check.case.id, check.form) for check in checks_of(families_selected(suite(), chosen), chosen)]
    assert found == [check for check in every if check in named]


@settings(max_examples=20)
@given(st.sets(st.sampled_from(Form), min_size=1, max_size=4))
def test_chosen_forms_are_the_only_ones(forms: set[Form]) -> None:
    chosen = replace(FULL, forms=tuple(forms))
    found = list(checks_of(families_selected(suite(), chosen), chosen))
    assert found == [check for check in every_check() if check.form in forms]


def test_the_forms_of_the_default_set_are_some_of_all() -> None:
    for case in cases_of(families_selected(suite(), FULL), FULL):
        assert set(default_forms_of(case)) <= set(forms_of(case))


@given(SIZES, st.data())
def test_shards_share_all_checks_and_no_case(sizes: list[int], data: st.DataObject) -> None:
    checks, of = plan(sizes), data.draw(st.integers(1, len(sizes)))
    shards = [list(places_in_shard(Shard(number=number, of=of), sizes)) for number in range(1, of + 1)]
    assert sorted(itertools.chain(*shards)) == list(range(len(checks)))
    owners = [{checks[place].case.id for place in places} for places in shards]
    assert all(not one & other for one, other in itertools.combinations(owners, 2))
    assert all(places == sorted(places) for places in shards)


@given(SIZES, st.data())
def test_shards_differ_by_no_more_than_one_case(sizes: list[int], data: st.DataObject) -> None:
    of = data.draw(st.integers(1, len(sizes)))
    loads = [len(places_in_shard(Shard(number=number, of=of), sizes)) for number in range(1, of + 1)]
    assert max(loads) - min(loads) <= max(sizes)


@given(
    st.dictionaries(st.text("abc", min_size=1, max_size=3).map("onnx.X-1/".__add__),
                    st.dictionaries(st.integers(0, 99), st.integers(1, 1 << 30), min_size=1, max_size=4), max_size=3),
    st.dictionaries(st.integers(1, 30), st.integers(1, 10**6), max_size=3),
)  # fmt: skip
def test_a_default_set_is_read_back(families: dict[str, dict[int, int]], full: dict[int, int]) -> None:
    text = default_set_text({"onnx.X": DefaultChecks(digest="d", full=full, families=families.items())})
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "default-set.tsv").write_text(text)
        found = read_default_set(Path(folder), {"onnx.X": "d"})
        assert read_default_set(Path(folder), {"onnx.X": "other"}).chosen == {}
    assert {name: chosen_of(entry) for name, entry in found.chosen.items()} == families
    assert found.full == {f"onnx.X-{version}": count for version, count in full.items()}


@given(
    st.dictionaries(
        st.text("xyz", min_size=1, max_size=2),
        st.dictionaries(st.text("ab1", min_size=1, max_size=2), st.integers(), min_size=1, max_size=3),
        max_size=3,
    )
)
def test_products_are_all_combinations_in_order_and_once(columns: dict[str, dict[str, int]]) -> None:
    products = list(combinations(columns))
    assert [product.number for product in products] == list(range(len(products)))
    assert len({product.label for product in products}) == len(products)
    expected = [
        dict(zip(columns, values, strict=True)) for values in itertools.product(*map(dict.values, columns.values()))
    ]
    assert [product.bindings for product in products] == expected
    assert all(re.fullmatch(r"([xyz]+=[ab1]+,?)*", product.label) for product in products)


@given(
    st.data(),
    st.sampled_from([name for name, kind in DTYPES.items() if kind.category in (Category.SIGNED, Category.UNSIGNED)]),
)
def test_written_integers_are_those_of_the_tensor(data: st.DataObject, dtype: str) -> None:
    span = DTYPES[dtype].integers
    rows = data.draw(st.lists(st.lists(st.integers(span[0], span[-1]), min_size=2, max_size=2), min_size=1, max_size=3))
    tensor = Tensor(dtype, shape_of([*rows]), data_from_values([*rows], dtype))
    assert tensor.shape == (len(rows), 2)
    assert unpack_integers(tensor) == [value for row in rows for value in row]
