from __future__ import annotations

from collections import Counter
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
from report_records import footer, header, lines, record, target

from conformance.log.answers import Aspect, Change, TargetPair, named_log
from conformance.log.compare import Circumstance, compare, compare_files, exit_code, unsound_reasons
from conformance.log.record import CheckRecord, Line, SelectionEntry, ShardEntry
from conformance.protocol.form import Form
from conformance.spec.choices import CaseSet, Expects
from conformance.spec.verdict import ExitCode, Verdict
from conformance.tensors.errors import RunLogError


def cases(*verdicts: Verdict) -> list[CheckRecord]:
    return [record(verdict, case=f"onnx.Split-13/c{number}") for number, verdict in enumerate(verdicts)]


def test_equal_logs_have_nothing_but_unchanged_checks() -> None:
    log = lines(*cases(Verdict.PASS, Verdict.WRONG_RESULT))
    comparison = compare(log, log)
    assert (comparison.counts, comparison.groups, comparison.circumstances) == (Counter({Change.UNCHANGED: 2}), (), ())
    assert exit_code(comparison) is ExitCode.CONFORMING


def test_a_regression_is_grouped_by_what_became_of_it_and_ends_with_1() -> None:
    old = lines(*cases(Verdict.PASS, Verdict.PASS))
    new = lines(
        *(replace(item, verdict=Verdict.WRONG_RESULT, cause="wrong axis") for item in cases(*[Verdict.PASS] * 2))
    )
    comparison = compare(old, new)
    (group,) = comparison.groups
    assert (group.change, group.old, group.new, group.count) == (
        Change.REGRESSED,
        "pass",
        "wrong result: wrong axis",
        2,
    )
    assert [check.case for check in group.checks] == ["onnx.Split-13/c0", "onnx.Split-13/c1"]
    assert exit_code(comparison) is ExitCode.NOT_CONFORMING


def test_the_form_is_part_of_a_check() -> None:
    old, new = lines(record(form=Form.CONSTANT)), lines(record(form=Form.RUNTIME))
    comparison = compare(old, new)
    assert comparison.counts == {Change.ASKED_DIFFERENTLY: 2}
    assert [(group.old, group.new) for group in comparison.groups] == [("", "pass"), ("pass", "")]


def test_checks_are_counted_by_target_and_operator() -> None:
    old = lines(record(), record(case="onnx.Split-11/a"))
    new = lines(record(Verdict.CRASHED), record(case="onnx.Split-11/a"))
    found = {(cell.target, cell.operator): cell.counts for cell in compare(old, new).cells}
    assert found == {
        ("toy@1.0", "onnx.Split-13"): {Change.REGRESSED: 1},
        ("toy@1.0", "onnx.Split-11"): {Change.UNCHANGED: 1},
    }


def test_other_outputs_of_the_same_verdict_are_reported() -> None:
    old, new = (lines(record(Verdict.WRONG_RESULT, outputs=digest)) for digest in ("aa", "bb"))
    (group,) = compare(old, new).groups
    assert (group.change, group.aspects) == (Change.CHANGED, (Aspect.OUTPUTS,))


def test_another_version_of_a_target_is_compared_and_reported() -> None:
    new_target = replace(target("toy@2.0"), version="2.0")
    new = lines(record(target="toy@2.0"), head=header(new_target))
    comparison = compare(lines(record()), new)
    assert comparison.counts == {Change.UNCHANGED: 1}
    assert comparison.targets == (TargetPair(old=target("toy@1.0"), new=new_target),)
    assert comparison.circumstances == (
        Circumstance(what="toy@2.0: name", old="toy@1.0", new="toy@2.0"),
        Circumstance(what="toy@2.0: framework", old="Toy 1.0", new="Toy 2.0"),
    )


def test_another_suite_selection_and_machine_are_reported() -> None:
    head = header()
    other = replace(
        head,
        suite=replace(head.suite, version="0.2.0"),
        selection=replace(head.selection, forms=(Form.CONSTANT,)),
        machine=replace(head.machine, python="3.12"),
    )
    found = compare(lines(record()), lines(record(), head=other)).circumstances
    assert [(item.what, item.old, item.new) for item in found] == [
        ("suite version", "0.1.0", "0.2.0"),
        ("selected forms", "", "constant"),
        ("Python", "3.11", "3.12"),
    ]


def test_a_log_that_was_cut_off_proves_nothing() -> None:
    comparison = compare(lines(record()), lines(record(), is_closed=False))
    assert unsound_reasons(comparison) == ("new run: the log has no closing line: it was cut off after 1 record",)
    assert exit_code(comparison) is ExitCode.HARNESS


def test_a_run_that_ended_early_proves_nothing() -> None:
    early: list[Line] = [header(), record(), footer(1, reason="interrupted")]
    comparison = compare(early, lines(record(Verdict.CRASHED)))
    assert unsound_reasons(comparison) == ("old run: the run is not complete: interrupted",)
    assert exit_code(comparison) is ExitCode.HARNESS


def test_runs_without_a_check_in_common_prove_nothing() -> None:
    comparison = compare(lines(record(case="onnx.Split-13/a")), lines(record(case="onnx.Split-13/b")))
    assert unsound_reasons(comparison) == ("the two runs have no check in common",)


def test_a_check_that_stands_twice_in_a_log_counts_once() -> None:
    twice = lines(record(), record(Verdict.CRASHED), head=header())
    assert compare(twice, lines(record())).counts == {Change.UNCHANGED: 1}
    assert compare(lines(record()), twice).counts == {Change.UNCHANGED: 1}


def test_what_is_no_log_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text("")
    with pytest.raises(RunLogError, match=r"a\.jsonl: does not start with the header of a run log"):
        compare_files(named_log(tmp_path / "a.jsonl"), named_log(tmp_path / "a.jsonl"))


def test_what_is_kept_is_bounded_and_all_is_counted() -> None:
    size = 2000
    old = lines(*(record(case=f"onnx.Split-13/c{n}") for n in range(size)))
    new = lines(*(record(Verdict.CRASHED, case=f"onnx.Split-13/c{n}", cause=f"{n}") for n in range(size)))
    comparison = compare(old, new)
    assert len(comparison.groups) <= 501
    assert sum(group.count for group in comparison.groups) == comparison.counts[Change.REGRESSED] == size


@pytest.mark.parametrize("field", [item.name for item in fields(SelectionEntry)])
def test_whatever_was_chosen_otherwise_is_a_circumstance(field: str) -> None:
    chosen: dict[str, Any] = {
        "sets": (CaseSet.DEFAULT, CaseSet.FULL),
        "forms": (Form.CONSTANT,),
        "expects": (Expects.REJECTED,),
        "rerun": "failed",
        "challenge": "a seed",
        "shard": ShardEntry(number=1, of=2, whole=10),
    }
    other = replace(header(), selection=SelectionEntry(**{field: chosen.get(field, ("one", "two"))}))
    (found,) = compare(lines(record()), lines(record(), head=other)).circumstances
    assert found.what == f"selected {field}"
    assert found.old == ("default" if field == "sets" else "")
    assert found.new != found.old


@pytest.mark.parametrize(
    ("field", "chosen", "what"),
    [
        ("instruction_set", "AVX2", "toy@1.0: instruction set"),
        ("dtypes", ["int8"], "toy@1.0: types"),
        ("operators", ["onnx.*"], "toy@1.0: operators"),
        ("forms", ["constant"], "toy@1.0: forms"),
    ],
)
def test_whatever_a_target_says_otherwise_of_itself_is_a_circumstance(field: str, chosen: Any, what: str) -> None:
    (found,) = compare(lines(record()), lines(record(), head=header(target(**{field: chosen})))).circumstances
    assert found.what == what


@pytest.mark.parametrize("verdict", [Verdict.PASS, Verdict.WRONG_RESULT])
def test_a_record_that_describes_no_answer_names_none(verdict: Verdict) -> None:
    fields: dict[str, Any] = {"cause": "wrong axis"} if verdict is Verdict.WRONG_RESULT else {}
    comparison = compare(lines(record(verdict, **fields)), lines(record(verdict, deviation="toy-001", **fields)))
    assert comparison.counts == {Change.UNCHANGED: 1}
