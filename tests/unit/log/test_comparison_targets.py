from __future__ import annotations

from report_records import target

from conformance.log.answers import pair_targets
from conformance.log.record import TargetEntry


def names(*pairs: tuple[list[TargetEntry], list[TargetEntry]]) -> list[tuple[str, str]]:
    (old, new), *_ = pairs
    return [(pair.old.name if pair.old else "", pair.new.name if pair.new else "") for pair in pair_targets(old, new)]


def test_targets_of_the_same_name_are_compared() -> None:
    assert names(([target("a@1"), target("b@1")], [target("b@1"), target("a@1")])) == [("b@1", "b@1"), ("a@1", "a@1")]


def test_another_version_with_the_same_options_is_the_same_target() -> None:
    old = [target("a@1"), target("a@1[x=1]", options={"x": "1"})]
    new = [target("a@2[x=1]", options={"x": "1"}), target("a@2")]
    assert names((old, new)) == [("a@1[x=1]", "a@2[x=1]"), ("a@1", "a@2")]


def test_a_name_that_both_runs_have_is_taken_before_another_version() -> None:
    assert names(([target("a@1")], [target("a@1"), target("a@2")])) == [("a@1", "a@1"), ("", "a@2")]


def test_two_candidates_are_no_match() -> None:
    found = names(([target("a@1"), target("a@2")], [target("a@3")]))
    assert found == [("", "a@3"), ("a@1", ""), ("a@2", "")]
    assert names(([target("a@1")], [target("a@2"), target("a@3")])) == [("", "a@2"), ("", "a@3"), ("a@1", "")]


def test_other_options_are_another_target() -> None:
    old, new = [target("a@1[x=1]", options={"x": "1"})], [target("a@2[x=2]", options={"x": "2"})]
    assert names((old, new)) == [("", "a@2[x=2]"), ("a@1[x=1]", "")]
