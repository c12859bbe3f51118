from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache
from itertools import islice, pairwise

import pytest

from conformance.protocol.form import Form
from conformance.run.run_plan import Shard, run_plan_of, selected_checks
from conformance.run.selection import (
    OrderedCheck,
    Selection,
    best_first,
    checks_of,
    families_selected,
    orders_of,
    sets_included,
)
from conformance.spec.choices import CaseSet
from conformance.suite.adapter_file import released_suite
from conformance.suite.case_file import CaseFamily
from conformance.suite.suite import Suite

Name = tuple[str, Form]


@cache
def suite() -> Suite:
    return released_suite(["onnx.Transpose", "openvino.Transpose"])


def families(selection: Selection) -> Sequence[CaseFamily]:
    return families_selected(suite(), selection)


def sample(**selection: object) -> set[Name]:
    chosen = Selection(**selection)  # type: ignore[arg-type]
    return {(check.case.id, check.form) for check in selected_checks(families(chosen), chosen)}


def every(selection: Selection) -> set[Name]:
    return {(check.case.id, check.form) for check in checks_of(families(selection), selection)}


def order(operator: str, selection: Selection, count: int | None = None) -> list[OrderedCheck]:
    own = {place: family for place, family in enumerate(families(selection)) if family.operator.id == operator}
    return list(islice(best_first(own, selection), count))


FULL = sets_included(CaseSet.FULL)


@pytest.mark.parametrize("sets", [(CaseSet.DEFAULT,), FULL])
def test_the_order_has_every_check_once(sets: tuple[CaseSet, ...]) -> None:
    selection = Selection(sets=sets, operators=("onnx.Transpose-25",))
    found = order("onnx.Transpose-25", selection)
    assert len(set(found)) == len(found) == len(every(selection))


def test_a_smaller_sample_is_a_part_of_a_greater_one() -> None:
    two = ("onnx.Transpose-25", "openvino.Transpose-1")
    samples = [sample(sample=count, operators=two) for count in (1, 7, 60, 100_000)]
    assert [len(found) for found in samples[:-1]] == [1, 7, 60]
    assert all(less < more for less, more in pairwise(samples))
    assert samples[-1] > every(Selection(operators=two))


def test_sets_are_beginnings_of_one_order() -> None:
    smoke, default = sample(sets=(CaseSet.SMOKE,)), every(Selection())
    assert smoke < default < every(Selection(sets=FULL))
    name = "openvino.Transpose-1"
    of_full = order(name, Selection(sets=FULL, operators=(name,)))
    chosen = Selection(operators=(name,))
    own = families(chosen)
    of_default = [(family.id, check.case.number, check.form) for family in own for check in checks_of([family], chosen)]
    begun = of_full[: len(of_default)]
    full = families(Selection(sets=FULL, operators=(name,)))
    assert {(full[check.family].id, check.product, check.form) for check in begun} == set(of_default)
    of_smoke = {check for check in smoke if check[0].startswith(name)}
    assert of_smoke == sample(sample=len(of_smoke), operators=(name,))


def test_a_sample_has_as_many_checks_of_each_operator_version() -> None:
    counts = Counter(case.partition("/")[0] for case, _ in sample(sample=70))
    assert (len(counts), set(counts.values())) == (7, {10})


def test_the_newest_versions_come_first() -> None:
    assert {case.partition("/")[0] for case, _ in sample(sample=2)} == {"onnx.Transpose-25", "openvino.Transpose-1"}


def test_the_first_checks_have_different_forms_and_the_next_all_written_cases() -> None:
    selection = Selection(operators=("onnx.Transpose-13",))
    own = families(selection)
    checks = [(own[check.family].id, check.form) for check in order("onnx.Transpose-13", selection, 60)]
    assert len({form for _, form in checks[:16]}) == 16
    assert {case for case, _ in checks} == {family.id for family in own}


def test_a_way_to_be_wrong_counts_in_the_newest_version_that_has_it() -> None:
    names = (("onnx.Transpose",), ("onnx.Transpose-24",))
    both, alone = (Selection(operators=one, sets=FULL) for one in names)
    counts = []
    for selection in (both, alone):
        own = families(selection)
        checks = islice(orders_of(own, selection)["onnx.Transpose-24"], 60)
        counts.append(sum(own[check.family].has_wrong_calls for check in checks))
    assert 0 < 2 * counts[0] < counts[1]


def test_smoke_has_each_operator_version_and_each_form_of_each_operator() -> None:
    smoke = sample(sets=(CaseSet.SMOKE,))
    everything = every(Selection())
    assert {case.partition("/")[0] for case, _ in smoke} == {case.partition("/")[0] for case, _ in everything}
    forms = {(case.partition("-")[0], form) for case, form in everything}
    assert {(case.partition("-")[0], form) for case, form in smoke} == forms
    assert len(smoke) < 60


def test_the_sample_of_chosen_forms_has_no_others() -> None:
    forms = (Form.DYNAMIC, Form.RUNTIME)
    found = sample(sample=9, forms=forms)
    assert len(found) == 9
    assert {form for _, form in found} == set(forms)


def test_a_sample_is_planned_in_the_order_of_the_files_and_shards_share_it() -> None:
    selection = Selection(sample=90)
    own = families(selection)
    whole = run_plan_of(own, selection, None)
    checks = list(whole.checks())
    chosen = sample(sample=90)
    assert checks == [check for check in checks_of(own, selection) if (check.case.id, check.form) in chosen]
    shards = [run_plan_of(own, selection, Shard(number=number, of=3)) for number in (1, 2, 3)]
    assert {shard.shard.whole for shard in shards if shard.shard is not None} == {90}
    for shard in shards:
        assert [checks[place] for place in shard.places] == list(shard.checks())
    assert sorted(place for shard in shards for place in shard.places) == list(range(90))
    assert list(whole.checks(done=33)) == checks[33:]
