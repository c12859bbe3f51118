from __future__ import annotations

from dataclasses import replace

from report_records import footer, header, target

from conformance.log.record import SelectionEntry, ShardEntry
from conformance.report.wording import left_out_sentence, part_sentence, selection_text
from conformance.spec.choices import CaseSet


def test_default_set_goes_without_saying() -> None:
    assert selection_text(SelectionEntry(sets=(CaseSet.DEFAULT,))) == "the default set"


def test_other_sets_are_reported() -> None:
    selection = SelectionEntry(operators=("onnx.Split",), sets=(CaseSet.DEFAULT, CaseSet.FULL))
    assert selection_text(selection) == "onnx.Split; sets default, full"


def test_a_shard_alone_is_what_was_selected() -> None:
    selection = SelectionEntry(sets=(CaseSet.DEFAULT,), shard=ShardEntry(number=1, of=8, whole=16))
    assert part_sentence(selection) == "Partial run: only shard 1 of 8 was selected."


def test_the_set_smoke_and_a_sample_are_parts() -> None:
    smoke = SelectionEntry(sets=(CaseSet.SMOKE,))
    assert part_sentence(smoke) == "Partial run: only the set smoke was selected."
    sample = SelectionEntry(sets=(CaseSet.DEFAULT,), sample=500)
    assert part_sentence(sample) == "Partial run: only the best sample of 500 checks was selected."


def test_what_was_left_out_is_said_with_what_it_would_take() -> None:
    head = replace(header(target("toy@1.0"), target("toy@2.0"), planned=10), left_out=30)
    sentence = "30 checks a target of the full set, which `--set full` has"
    assert left_out_sentence(head, None) == f"{sentence}."
    # 20 records took 60 s.
    assert left_out_sentence(head, footer(20)) == f"{sentence}; at the speed of this run they take about 180 seconds."
    assert left_out_sentence(replace(head, left_out=0), footer(20)) == ""
