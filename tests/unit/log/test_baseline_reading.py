from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from report_records import footer, header, record, target

from conformance.log.compare import Against, read_baseline
from conformance.log.log_file import RunLogWriter
from conformance.log.record import CheckRecord, Header
from conformance.protocol.form import Form
from conformance.spec.verdict import ExitCode, Verdict
from conformance.tensors.errors import RunLogError

WRONG = record(Verdict.WRONG_RESULT)
BEFORE, FIXED, KNOWN, CRASHED = Verdict.BROKEN_BEFORE, Verdict.FIXED, Verdict.KNOWN, Verdict.CRASHED


def log(path: Path, *records: CheckRecord, head: Header | None = None) -> Path:
    with path.open("wb") as stream:
        writer = RunLogWriter(stream, {})
        writer.header(head or header(planned=len(records)))
        for item in records:
            writer.check(item)
        writer.footer("", footer(0).ended)
    return path


def verdict_of(item: CheckRecord) -> str:
    return item.verdict.value


def verdict_against(folder: Path, new: CheckRecord, old: CheckRecord, head: Header | None = None) -> Verdict:
    baseline = read_baseline(log(folder / "old.jsonl", old, head=head))
    (found,) = (line for line in Against(log(folder / "new.jsonl", new), baseline) if isinstance(line, CheckRecord))
    assert found.judged is new.judged
    return found.verdict


@pytest.mark.parametrize("old", [WRONG, record(Verdict.ACCEPTED_INVALID), record(CRASHED)], ids=verdict_of)
def test_what_failed_in_the_baseline_is_broken_before(old: CheckRecord, tmp_path: Path) -> None:
    assert verdict_against(tmp_path, WRONG, old) is BEFORE


@pytest.mark.parametrize("worse", [CRASHED, Verdict.TIMED_OUT, Verdict.UNSTABLE])
def test_what_fails_worse_than_in_the_baseline_is_new(worse: Verdict, tmp_path: Path) -> None:
    assert verdict_against(tmp_path, record(worse), WRONG) is worse


def test_what_was_broken_before_neither_fails_nor_conforms() -> None:
    assert BEFORE.meaning.exit_code is ExitCode.CONFORMING
    assert BEFORE.meaning.standing is KNOWN.meaning.standing


@pytest.mark.parametrize(
    "old",
    [
        record(Verdict.PASS),
        record(Verdict.KNOWN),
        record(Verdict.UNSUPPORTED),
        record(Verdict.HARNESS_ERROR),
        replace(WRONG, form=Form.RUNTIME),
        replace(WRONG, case="onnx.Split-13/another"),
    ],
    ids=lambda item: f"{item.verdict.value} {item.case} {item.form.value}",
)
def test_what_did_not_fail_there_is_no_excuse(old: CheckRecord, tmp_path: Path) -> None:
    assert verdict_against(tmp_path, WRONG, old) is Verdict.WRONG_RESULT


def test_a_stale_deviation_is_never_excused(tmp_path: Path) -> None:
    assert verdict_against(tmp_path, record(FIXED), record(FIXED)) is FIXED


def test_another_suite_is_compared_by_case_and_form(tmp_path: Path) -> None:
    head = header()
    other = replace(head, suite=replace(head.suite, digest="cd" * 32, version="0.0.1"))
    assert verdict_against(tmp_path, WRONG, WRONG, other) is BEFORE


def test_a_target_at_another_version_is_the_same(tmp_path: Path) -> None:
    old = target("toy@0.9")
    assert verdict_against(tmp_path, WRONG, replace(WRONG, target="toy@0.9"), header(old)) is BEFORE


def test_a_target_that_the_baseline_has_not_is_new(tmp_path: Path) -> None:
    other = replace(target("other@1.0"), adapter="other")
    assert verdict_against(tmp_path, WRONG, replace(WRONG, target="other@1.0"), header(other)) is Verdict.WRONG_RESULT


def test_how_many_hold_now_is_reported(tmp_path: Path) -> None:
    another = replace(WRONG, form=Form.RUNTIME)
    baseline = read_baseline(log(tmp_path / "old.jsonl", WRONG, another))
    against = Against(log(tmp_path / "new.jsonl", record(), another), baseline)
    assert against.mended_sentence() == "2 checks failed in the baseline; 1 of them passes now."


def test_a_log_without_its_closing_line_is_no_baseline(tmp_path: Path) -> None:
    path = log(tmp_path / "old.jsonl", WRONG)
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-1]))
    with pytest.raises(
        RunLogError, match="is not complete, so it cannot be a baseline\n  fix:  name the log of a complete run"
    ):
        read_baseline(path)
