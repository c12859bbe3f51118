from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from report_records import header, lines, record, target

import conformance.log.history as store_module
from conformance.log.history import HistoryStore, opened_store, state_of
from conformance.log.record import CheckRecord, SuiteEntry, TargetEntry
from conformance.protocol.form import Form
from conformance.spec.verdict import Verdict

SPLIT = "onnx.Split-13"
DIGESTS = {"adapter_digest": "adapter", "loaded_digest": "loaded", "deviations_digest": "deviations"}
TOY = target("toy@1.0", version="1.0", **DIGESTS)
SUITE = SuiteEntry(version="1", digest="all", digests={"onnx.Split": "split"}, operators={})


def check(name: str, verdict: Verdict = Verdict.PASS, **fields: Any) -> CheckRecord:
    return replace(record(verdict, case=f"{SPLIT}/{name}", **fields), target=TOY.name)


def add(store: HistoryStore, *records: CheckRecord, timeout_s: float = 10.0, entry: TargetEntry = TOY) -> None:
    store.add(lines(*records, head=replace(header(entry), suite=SUITE, timeout_s=timeout_s)))


def kept(store: HistoryStore, timeout_s: float = 10.0, entry: TargetEntry = TOY) -> dict[str, Verdict]:
    found = store.earlier_records(entry, SPLIT, state_of(SUITE, entry, "onnx.Split", timeout_s))
    return {f"{name.partition('/')[2]} {form.value}": one.verdict for (name, form), one in found.items()}


def test_records_of_several_logs_come_together_and_newer_ones_count(tmp_path: Path) -> None:
    with opened_store(tmp_path / "h.sqlite") as store:
        add(store, check("a"), check("b"), check("b", form=Form.RUNTIME))
        add(store, check("b", Verdict.CRASHED), check("c"))
        assert kept(store) == {
            "a constant": Verdict.PASS,
            "b constant": Verdict.CRASHED,
            "b runtime": Verdict.PASS,
            "c constant": Verdict.PASS,
        }


def test_records_of_operators_that_alternate_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_module, "_MOST_UNPACKED", 3)
    names = ("a", "b", "c", "d")
    other = [replace(check(name), case=f"onnx.Concat-13/{name}") for name in names]
    with opened_store(tmp_path / "h.sqlite") as store:
        add(store, *(one for pair in zip(map(check, names), other, strict=True) for one in pair))
        assert list(kept(store)) == [f"{name} constant" for name in names]


@pytest.mark.parametrize("field", [*DIGESTS, "environment", "python", "numpy"])
def test_records_of_another_state_are_not_taken_and_replaced(tmp_path: Path, field: str) -> None:
    changes: dict[str, Any] = {field: "another"}
    other = replace(TOY, **changes)
    with opened_store(tmp_path / "h.sqlite") as store:
        add(store, check("a"))
        assert kept(store, entry=other) == {}
        add(store, check("b"), entry=other)
        assert (kept(store), kept(store, entry=other)) == ({}, {"b constant": Verdict.PASS})


def test_records_under_another_time_limit_are_not_taken(tmp_path: Path) -> None:
    with opened_store(tmp_path / "h.sqlite") as store:
        add(store, check("a"), timeout_s=10.0)
        assert kept(store, timeout_s=20.0) == {}


@pytest.mark.parametrize("field", DIGESTS)
def test_records_of_an_adapter_whose_state_is_not_known_are_not_kept(tmp_path: Path, field: str) -> None:
    changes: dict[str, Any] = {field: ""}
    unknown = replace(TOY, **changes)
    with opened_store(tmp_path / "h.sqlite") as store:
        add(store, check("a"), entry=unknown)
        assert kept(store, entry=unknown) == {}


def test_a_fault_of_the_harness_is_asked_again(tmp_path: Path) -> None:
    with opened_store(tmp_path / "h.sqlite") as store:
        add(store, check("a"), check("b", Verdict.HARNESS_ERROR))
        assert list(kept(store)) == ["a constant"]


def test_a_record_says_which_run_asked_first(tmp_path: Path) -> None:
    with opened_store(tmp_path / "h.sqlite") as store:
        add(store, check("a"), replace(check("b"), reused="2020-01-01T00:00:00+00:00", reused_from="first"))
        found = store.earlier_records(TOY, SPLIT, state_of(SUITE, TOY, "onnx.Split", 10.0))
    assert [one.reused for one in found.values()] == [header(TOY).started, "2020-01-01T00:00:00+00:00"]
    assert [one.reused_from for one in found.values()] == [f"log ({header(TOY).machine.processor})", "first"]
