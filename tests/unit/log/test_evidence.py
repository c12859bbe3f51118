from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from report_records import header, lines, record, target

from conformance.log.bisect import Evidence, evidence_in
from conformance.log.history import opened_store
from conformance.log.record import CheckRecord
from conformance.protocol.form import Form
from conformance.spec.verdict import Verdict

SPLIT = "onnx.Split-13"
PASSED = record(case=f"{SPLIT}/a", outputs="1" * 64)
WRONG = record(Verdict.WRONG_RESULT, case=f"{SPLIT}/a", outputs="1" * 64, cause="wrong axis")
CRASHED = record(Verdict.CRASHED, case=f"{SPLIT}/a", cause="process died: SIGSEGV")


def evidence(folder: Path, *records: CheckRecord, digest: str = "now", version: str = "1.0") -> list[Evidence]:
    """That of a history with the log of one release of `toy`, and of what is in the folder already."""
    name = f"toy@{version}"
    head = header(target(name, version=version))
    head = replace(head, suite=replace(head.suite, digests={"onnx.Split": digest}))
    with opened_store(folder / "history.sqlite") as store:
        store.add(lines(*(replace(one, target=name) for one in records), head=head))
        return list(evidence_in(store, store.releases, store.operators))


def digest_of(folder: Path, *records: CheckRecord) -> str:
    (found,) = evidence(folder, *records)
    return found.digest


def test_it_follows_from_the_answers_and_not_from_their_order_or_times(tmp_path: Path) -> None:
    other = replace(PASSED, case=f"{SPLIT}/b", run_ns=[5])
    assert digest_of(tmp_path / "1", PASSED, other) == digest_of(
        tmp_path / "2", replace(other, run_ns=[7]), replace(PASSED, prepare_ns=9)
    )


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (PASSED, replace(PASSED, case=f"{SPLIT}/b")),
        (PASSED, replace(PASSED, form=Form.RUNTIME)),
        (PASSED, replace(PASSED, outputs="2" * 64)),
        (PASSED, WRONG),
        (WRONG, replace(WRONG, cause="other values")),
        (WRONG, CRASHED),
    ],
)
def test_another_answer_is_other_evidence(tmp_path: Path, one: CheckRecord, other: CheckRecord) -> None:
    assert digest_of(tmp_path / "1", one) != digest_of(tmp_path / "2", other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (WRONG, replace(WRONG, outputs="2" * 64)),
        (CRASHED, replace(CRASHED, cause="process died: SIGABRT")),
        (PASSED, replace(PASSED, message="other words")),
    ],
)
def test_what_differs_from_run_to_run_is_not_evidence(tmp_path: Path, one: CheckRecord, other: CheckRecord) -> None:
    assert digest_of(tmp_path / "1", one) == digest_of(tmp_path / "2", other)


def test_a_verdict_is_evidence_before_a_deviation_excuses_it(tmp_path: Path) -> None:
    known = replace(WRONG, verdict=Verdict.KNOWN)
    assert digest_of(tmp_path / "1", known) == digest_of(tmp_path / "2", WRONG)


def test_each_release_and_each_state_of_the_cases_has_its_own(tmp_path: Path) -> None:
    evidence(tmp_path, PASSED)
    evidence(tmp_path, replace(PASSED, case=f"{SPLIT}/b"), digest="then")
    found = evidence(tmp_path, PASSED, version="2.0")
    assert [(one.release.version, one.suite, one.answers) for one in found] == [
        ("1.0", "now", 1),
        ("1.0", "then", 1),
        ("2.0", "now", 1),
    ]
    assert found[0].digest == found[2].digest != found[1].digest
