from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest
from bundled import cases_of_operators

from conformance.judge.deviation import Conditions, Deviation, DeviationKind, Happens
from conformance.log.record import ShardEntry, TargetEntry
from conformance.protocol.form import Form
from conformance.run.execution import deviation_entry, selection_entry, suite_entry
from conformance.run.selection import Selection, families_selected
from conformance.run.target_runner import circumstances_of
from conformance.spec.verdict import Verdict
from conformance.suite.suite import Suite

ENTRY = Deviation(
    id="drops-it",
    kind=DeviationKind.PLAIN,
    where=Conditions(versions=">=1"),
    operators=("onnx.Split-13",),
    when="True",
    verdict=(Verdict.WRONG_RESULT,),
    what="the last part is dropped",
    why="it was never written",
    upstream="",
    since=date(2026, 11, 21),
    review=date(2027, 2, 1),
    reproducer="drops.py",
)


def suite() -> Suite:
    return cases_of_operators("onnx.Split", "onnx.Gather")


def test_the_suite_has_the_clauses_and_digests_of_the_operators_that_run() -> None:
    families = families_selected(suite(), Selection(operators=("onnx.Split-13",)))
    entry = suite_entry(suite(), families)
    assert set(entry.operators) == {"onnx.Split-13"}
    assert set(entry.digests) == {"onnx.Split"}
    assert entry.digest == suite().digest
    assert entry.operators["onnx.Split-13"]["split.sum"]
    assert entry.laws["onnx.Split-13"][-1] == "element at o: input[o[:a] + [o[a] + starts[j]] + o[a+1:]]"


def test_disputed_cases_have_their_interpretations() -> None:
    families = families_selected(suite(), Selection(operators=("onnx.Split-18",)))
    disputes = suite_entry(suite(), families).disputes
    assert disputes
    assert all(item.name and item.reason for items in disputes.values() for item in items)


def test_a_selection_is_recorded_with_its_shard_and_as_a_rerun() -> None:
    selection = Selection(operators=("onnx.Split-13",), forms=(Form.DYNAMIC,))
    shard = ShardEntry(number=1, of=2, whole=10)
    entry = selection_entry(selection, shard)
    assert entry.chosen() == {"operators": "onnx.Split-13", "forms": "dynamic", "sets": "default", "shard": "1 of 2"}
    again = replace(selection, checks=frozenset({("onnx.Split-13/a", Form.DYNAMIC)}))
    assert selection_entry(again).rerun == "failed"


def test_circumstances_are_those_that_the_target_reports_and_the_name_of_the_system() -> None:
    target = TargetEntry(
        name="toy@2", adapter="toy", version="2", options={"device": "CPU"}, instruction_set="AVX2", devices=["CPU"]
    )
    found = circumstances_of(target, "Linux 6.8.0")
    assert (found.version, found.options, found.instruction_set) == ("2", {"device": "CPU"}, "AVX2")
    assert (found.devices, found.system) == (("CPU",), "Linux")


def test_a_recorded_deviation_is_text_with_its_conditions() -> None:
    entry = deviation_entry("toy@1", ENTRY)
    assert (entry.target, entry.id, entry.kind, entry.happens) == ("toy@1", "drops-it", "plainly wrong", "always")
    assert (entry.since, entry.review, entry.reproducer) == ("2026-11-21", "2027-02-01", "drops.py")
    sometimes = ENTRY.model_copy(update={"happens": Happens.SOMETIMES, "depends_on": "the content of other memory"})
    assert deviation_entry("toy@1", sometimes).happens == "sometimes"


@pytest.mark.parametrize(
    ("conditions", "text"),
    [
        (Conditions(versions=">=1"), ">=1"),
        (
            Conditions(versions=">=1,<2", options={"route": "ir", "device": "CPU"}),
            ">=1,<2; options device=CPU,route=ir",
        ),
        (
            Conditions(versions=">=0", isa="<AVX512_CORE", device="CPU", system="Linux"),
            ">=0; instruction set <AVX512_CORE; device CPU; system Linux",
        ),
    ],
)
def test_conditions_are_one_line(conditions: Conditions, text: str) -> None:
    assert deviation_entry("toy@1", ENTRY.model_copy(update={"conditions": conditions})).where == text
