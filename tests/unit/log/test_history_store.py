from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from report_records import header, lines, record, target

from conformance.compat.data import LETTERS
from conformance.log.bisect import edges_of
from conformance.log.history import (
    CurrentSources,
    HistoryStore,
    StoredRelease,
    cell_of,
    letter_of,
    opened_store,
    state_of,
)
from conformance.log.record import CheckRecord, Header, Line, SuiteEntry
from conformance.protocol.form import Form
from conformance.spec.verdict import Severity, Verdict
from conformance.tensors.errors import RunLogError, UsageError

SPLIT = "onnx.Split-13"


def release_log(version: str, *records: CheckRecord, digest: str = "now", **fields: Any) -> list[Line]:
    """The log of a run of one release of `toy`."""
    name = f"toy@{version}"
    head = header(target(name, version=version, **fields))
    head = replace(head, suite=replace(head.suite, digests={"onnx.Split": digest}))
    return lines(*(replace(one, target=name) for one in records), head=head)


def check(name: str, verdict: Verdict = Verdict.PASS, **fields: Any) -> CheckRecord:
    return record(verdict, case=f"{SPLIT}/{name}", dtype="float32", **fields)


def wrong(name: str, cause: str = "wrong axis", **fields: Any) -> CheckRecord:
    return check(name, Verdict.WRONG_RESULT, cause=cause, **fields)


_OPENED: list[sqlite3.Connection] = []


def stored(path: Path, *logs: list[Line]) -> HistoryStore:
    with opened_store(path / "history.sqlite") as store:
        for log in logs:
            store.add(log)
    _OPENED.append(sqlite3.connect(path / "history.sqlite"))
    return HistoryStore(_OPENED[-1])


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    """Close what a test opened."""
    yield
    while _OPENED:
        _OPENED.pop().close()


NOW = CurrentSources(operators={"onnx.Split": "now"}, adapters={"toy": "now"}, environments=["toy-1.0-now"])


def letters(store: HistoryStore) -> list[str]:
    cells = [cell_of(store.counts(one, [SPLIT], NOW)) for one in store.releases]
    return [f"{str(cell.answered).rpartition('/')[0]}{' stale' * cell.is_stale}" for cell in cells]


def edges(store: HistoryStore) -> list[tuple[str, str, str, int, int]]:
    return [
        (edge.before.version, edge.release.version, edge.cause, edge.broke, edge.fixed)
        for edge in edges_of(store, store.releases, store.operators)
    ]


def test_releases_follow_their_versions_and_not_the_order_of_runs_or_of_letters(tmp_path: Path) -> None:
    store = stored(tmp_path, *(release_log(version, check("a")) for version in ("1.10.0", "1.9.0", "nightly")))
    assert [release.version for release in store.releases] == ["nightly", "1.9.0", "1.10.0"]


def test_another_option_or_instruction_set_is_another_line_of_releases(tmp_path: Path) -> None:
    store = stored(
        tmp_path,
        release_log("1.0", check("a"), instruction_set="AVX2"),
        release_log("2.0", wrong("a"), instruction_set="AVX512_CORE"),
    )
    assert len(store.releases) == 2
    assert edges(store) == []


@pytest.mark.parametrize(
    ("records", "letter"),
    [
        ([check("a"), check("b")], "y 0/2"),
        ([check("a"), wrong("b")], "w 1/2"),
        ([wrong("a"), check("b", Verdict.CRASHED)], "c 2/2"),
        ([wrong("a"), check("b", Verdict.UNSTABLE)], "m 2/2"),
        ([check("a"), check("b", Verdict.UNSUPPORTED)], "p 0/1"),
        ([check("a", Verdict.UNSUPPORTED)], "n 0/0"),
        ([check("a", Verdict.NOT_EXPRESSIBLE)], "x 0/0"),
        ([check("a", Verdict.FOLLOWS)], "i 0/1"),
        ([check("a", Verdict.ACCEPTED_INVALID), check("b", Verdict.REJECTED_VALID)], "a 2/2"),
        ([check("a", Verdict.HARNESS_ERROR)], "u 0/0"),
        ([check("a", Verdict.KNOWN, deviation="toy-001")], "w 1/1"),
    ],
)
def test_a_cell_says_the_worst_that_happened(tmp_path: Path, records: list[CheckRecord], letter: str) -> None:
    assert letters(stored(tmp_path, release_log("1.0", *records))) == [letter]


def test_every_verdict_has_a_letter_that_is_explained() -> None:
    assert {letter_of(verdict) for verdict in Verdict} <= LETTERS.keys()


def test_answers_to_an_earlier_state_of_the_cases_are_stale(tmp_path: Path) -> None:
    store = stored(tmp_path, release_log("1.0", check("a"), digest="then"), release_log("2.0", check("a")))
    assert letters(store) == ["y 0/1 stale", "y 0/1"]


def test_answers_of_another_state_of_the_adapter_or_of_the_environment_are_stale(tmp_path: Path) -> None:
    store = stored(
        tmp_path,
        release_log("1.0", check("a"), adapter_digest="now", environment="toy-1.0-now"),
        release_log("2.0", check("a"), adapter_digest="then", environment="toy-1.0-now"),
        release_log("3.0", check("a"), adapter_digest="now", environment="toy-1.0-then"),
    )
    assert letters(store) == ["y 0/1", "y 0/1 stale", "y 0/1 stale"]


def test_a_check_that_no_target_was_asked_is_not_kept(tmp_path: Path) -> None:
    with opened_store(tmp_path / "history.sqlite") as store:
        assert store.add(release_log("1.0", check("a"), check("b", Verdict.NOT_RUN))) == 1


def test_the_newest_answer_counts_whatever_the_order_in_which_logs_are_added(tmp_path: Path) -> None:
    old, new = release_log("1.0", wrong("a")), release_log("1.0", check("a"))
    head = new[0]
    assert isinstance(head, Header)
    new[0] = replace(head, started="2026-02-03T04:05:06+00:00")
    assert letters(stored(tmp_path / "forward", old, new)) == ["y 0/1"]
    assert letters(stored(tmp_path / "backward", new, old)) == ["y 0/1"]


def test_every_edge_of_a_history_that_is_not_monotone_is_found(tmp_path: Path) -> None:
    logs = [release_log(f"1.{n}", wrong("a") if n in (0, 1, 4) else check("a"), check("b")) for n in range(6)]
    assert edges(stored(tmp_path, *logs)) == [
        ("1.1", "1.2", "wrong axis", 0, 1),
        ("1.3", "1.4", "wrong axis", 1, 0),
        ("1.4", "1.5", "wrong axis", 0, 1),
    ]


def test_another_cause_ends_one_and_begins_another(tmp_path: Path) -> None:
    store = stored(tmp_path, release_log("1.0", wrong("a")), release_log("2.0", wrong("a", cause="other values")))
    assert edges(store) == [("1.0", "2.0", "other values", 1, 0), ("1.0", "2.0", "wrong axis", 0, 1)]


def test_a_record_that_begins_to_apply_is_no_edge(tmp_path: Path) -> None:
    known = check("a", Verdict.KNOWN, deviation="toy-axis-ignored", cause="wrong axis")
    assert edges(stored(tmp_path, release_log("1.0", wrong("a")), release_log("2.0", known))) == []


def test_a_record_that_describes_another_answer_names_no_edge(tmp_path: Path) -> None:
    other = wrong("a", deviation="toy-axis-ignored")
    assert edges(stored(tmp_path, release_log("1.0", check("a")), release_log("2.0", other))) == [
        ("1.0", "2.0", "wrong axis", 1, 0)
    ]


def test_an_operator_that_becomes_supported_is_an_edge_without_severity(tmp_path: Path) -> None:
    store = stored(tmp_path, release_log("1.0", check("a", Verdict.UNSUPPORTED)), release_log("2.0", check("a")))
    (edge,) = edges_of(store, store.releases, store.operators)
    assert (edge.cause, edge.severity, edge.broke, edge.fixed) == ("unsupported", None, 0, 1)
    assert edge.example == f"{SPLIT}/a [constant]"


@pytest.mark.parametrize("other", [Verdict.NOT_EXPRESSIBLE, Verdict.HARNESS_ERROR, Verdict.NOT_DECLARED])
def test_what_was_not_answered_is_no_edge(tmp_path: Path, other: Verdict) -> None:
    assert edges(stored(tmp_path, release_log("1.0", wrong("a")), release_log("2.0", check("a", other)))) == []


def test_answers_of_another_state_of_the_cases_are_not_compared(tmp_path: Path) -> None:
    store = stored(tmp_path, release_log("1.0", wrong("a"), digest="then"), release_log("2.0", check("a")))
    assert edges(store) == []


def test_edges_name_the_severity_and_count_each_form(tmp_path: Path) -> None:
    before = release_log("1.0", check("a"), check("a", form=Form.RUNTIME))
    after = release_log("2.0", wrong("a"), wrong("a", form=Form.RUNTIME))
    store = stored(tmp_path, before, after)
    (edge,) = edges_of(store, store.releases, store.operators)
    assert (edge.severity, edge.broke) == (Severity.WRONG, 2)


def test_a_log_that_breaks_off_with_an_error_adds_nothing(tmp_path: Path) -> None:
    def broken() -> Any:
        yield from release_log("1.0", check("a"))[:2]
        raise ValueError("no line")

    with opened_store(tmp_path / "history.sqlite") as store:
        with pytest.raises(ValueError, match="no line"):
            store.add(broken())
        assert store.releases == []


def test_a_file_that_is_no_history_is_named(tmp_path: Path) -> None:
    path = tmp_path / "other.sqlite"
    path.write_bytes(b"not a database" * 100)
    with pytest.raises(UsageError, match="cannot be used as a history") as error, opened_store(path):
        pass
    assert "--store" in str(error.value)


def test_a_database_of_another_format_is_named_with_the_one_that_is_read(tmp_path: Path) -> None:
    path = tmp_path / "history.sqlite"
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE something (id)")
        database.execute("PRAGMA user_version = 77")
    with pytest.raises(UsageError, match="format 77, and this version reads format 3"), opened_store(path):
        pass


def test_a_release_knows_its_place() -> None:
    one = StoredRelease(id=1, adapter="toy", version="1.2.0rc1", options="", instruction_set="", system="Linux")
    assert one.order < replace(one, version="1.2.0").order


def test_a_file_that_does_not_start_with_a_header_is_named(tmp_path: Path) -> None:
    with opened_store(tmp_path / "history.sqlite") as store, pytest.raises(RunLogError, match="runs/1: does not start"):
        store.add([], "runs/1")


def test_checks_with_a_cause_are_found_first_those_that_had_it_in_most_releases(tmp_path: Path) -> None:
    logs = (
        release_log("1.0", wrong("a"), wrong("b"), wrong("c", cause="other values")),
        release_log("2.0", check("a"), wrong("b")),
        release_log("3.0", wrong("d")),
    )
    store = stored(tmp_path, *logs)
    found = [(one.cause, one.operator, one.case) for one in store.witnesses(store.releases[:2])]
    assert found[0] == ("wrong axis", SPLIT, f"{SPLIT}/b")
    assert set(found[1:]) == {("wrong axis", SPLIT, f"{SPLIT}/a"), ("other values", SPLIT, f"{SPLIT}/c")}
    assert list(store.witnesses([])) == []


HOSTILE = {
    "UPDATE texts SET text = 'no such verdict' WHERE text = 'pass'": "'no such verdict' is not a verdict",
    "UPDATE checks SET form = 'no such form'": "'no such form' is not a form",
    "UPDATE releases SET version = X'00FF'": "releases.version has something else than a text",
    "UPDATE records SET packed = 'garbage'": "the records of onnx.Split-13 cannot be read",
    "UPDATE records SET packed = X'789C03'": "the records of onnx.Split-13 are cut off, or larger than",
    "UPDATE records SET packed = :bomb": "the records of onnx.Split-13 are cut off, or larger than",
    "UPDATE records SET packed = :deep": "the records of onnx.Split-13 cannot be read",
    "DROP TABLE texts; CREATE VIEW texts AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i FROM n) "
    "SELECT i AS id, 'pass' AS text FROM n": "is not as in a history",
    "CREATE TRIGGER t AFTER INSERT ON texts BEGIN DELETE FROM answers; END": "is not as in a history",
}


@pytest.mark.parametrize("change", HOSTILE)
def test_what_is_no_history_is_named_with_its_file(tmp_path: Path, change: str) -> None:
    path = tmp_path / "h.sqlite"
    entry = target("toy@1.0", version="1.0", adapter_digest="adapter", loaded_digest="loaded", deviations_digest="d")
    suite = SuiteEntry(version="1", digest="all", digests={"onnx.Split": "split"}, operators={})
    head = replace(header(entry), suite=suite)
    with opened_store(path) as store:
        store.add(lines(replace(record(Verdict.PASS, case="onnx.Split-13/a"), target=entry.name), head=head))
    packed = {"bomb": bytes(1 << 28) + b"0"} if ":bomb" in change else {"deep": b"[" * 100_000}
    with closing(sqlite3.connect(path)) as database, database:
        if ":" in change:
            database.execute(change, {name: zlib.compress(data, 9) for name, data in packed.items()})
        else:
            database.executescript(change)
    state = state_of(suite, entry, "onnx.Split", head.timeout_s)
    with pytest.raises(UsageError) as error, opened_store(path) as store:  # noqa: PT012  (either may raise)
        list(store.answers(store.releases[0], "onnx.Split-13"))
        store.earlier_records(entry, "onnx.Split-13", state)
    assert str(error.value).startswith(f"{path}: cannot be used as a history: ")
    assert HOSTILE[change] in str(error.value)
