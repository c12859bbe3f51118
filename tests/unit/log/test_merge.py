from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import permutations
from pathlib import Path

import pytest
from gallery import read_log
from report_records import deviation, footer, header, record, target

from conformance.log.compare import merge
from conformance.log.log_file import RunLogWriter
from conformance.log.record import CheckRecord, Header, SelectionEntry, ShardEntry
from conformance.protocol.form import Form
from conformance.tensors.errors import RunLogError

WHOLE = 12
TARGETS = ("toy@1.0", "toy@1.0[mode=b]")
FORMS = (Form.CONSTANT, Form.RUNTIME)


def result(name: str, place: int) -> CheckRecord:
    """What a target did with a check of the plan: the same, whatever shard it is in."""
    case, form = f"onnx.Split-13/case-{place // 2}", FORMS[place % 2]
    return record(target=name, case=case, form=form, prepare_ns=1000 + place, run_ns=[place], place=place)


def head(number: int, of: int, places: Sequence[int]) -> Header:
    entry = ShardEntry(number=number, of=of, whole=WHOLE)
    whole = header(*(target(name, loaded_digest="loaded") for name in TARGETS), planned=len(places))
    return replace(whole, selection=SelectionEntry(shard=entry))


def write(path: Path, head: Header, records: Iterable[CheckRecord], reason: str = "") -> Path:
    with path.open("wb") as stream:
        writer = RunLogWriter(stream, {})
        writer.header(head)
        for item in records:
            writer.check(item)
        writer.footer(reason, footer(0).ended)
    return path


def shards(folder: Path, of: int, change: Callable[[Header], Header] = lambda head: head) -> list[Path]:
    """The logs of all shards; in each the targets take turns in another way, and the last header is changed."""
    logs = []
    for number in range(1, of + 1):
        places = [place for place in range(WHOLE) if place // 2 % of == number - 1]
        if number % 2:
            records = [result(name, place) for place in places for name in TARGETS]
        else:
            records = [result(name, place) for name in reversed(TARGETS) for place in places]
        printed = head(number, of, places)
        logs.append(write(folder / f"{number}-of-{of}.jsonl", change(printed) if number == of else printed, records))
    return logs


def merged(logs: Sequence[Path], folder: Path) -> bytes:
    merge(logs, folder / "merged.jsonl")
    return (folder / "merged.jsonl").read_bytes()


@pytest.mark.parametrize("of", [2, 5])
def test_the_same_results_in_any_number_of_shards_give_the_same_bytes(of: int, tmp_path: Path) -> None:
    assert merged(shards(tmp_path, of), tmp_path) == merged(shards(tmp_path, 1), tmp_path)


def test_the_order_of_the_logs_changes_no_byte(tmp_path: Path) -> None:
    logs = shards(tmp_path, 3)
    assert len({merged(order, tmp_path) for order in permutations(logs)}) == 1


def test_a_merged_log_says_nothing_of_shards(tmp_path: Path) -> None:
    merge(shards(tmp_path, 3), tmp_path / "merged.jsonl")
    log = read_log(tmp_path / "merged.jsonl")
    assert (log.header.selection.is_part, log.header.planned) == (False, WHOLE)
    assert [item.place for item in log.records] == [None] * (2 * WHOLE)
    assert log.footer is not None
    assert (log.footer.complete, log.footer.records) == (True, 2 * WHOLE)


def test_it_started_with_the_first_shard_on_all_of_their_machines(tmp_path: Path) -> None:
    def elsewhere(head: Header) -> Header:
        machine = replace(head.machine, processor="another", cores=64)
        return replace(head, started="2026-01-01T00:00:00+00:00", machine=machine)

    merge(shards(tmp_path, 2, elsewhere), tmp_path / "merged.jsonl")
    printed = read_log(tmp_path / "merged.jsonl").header
    assert printed.started == "2026-01-01T00:00:00+00:00"
    assert (printed.machine.processor, printed.machine.cores) == ("another | one", 2)


def test_what_machines_have_loaded_otherwise_is_not_known(tmp_path: Path) -> None:
    def elsewhere(head: Header) -> Header:
        return replace(head, targets=[replace(head.targets[0], loaded_digest="other"), *head.targets[1:]])

    merge(shards(tmp_path, 2, elsewhere), tmp_path / "merged.jsonl")
    assert [one.loaded_digest for one in read_log(tmp_path / "merged.jsonl").header.targets] == ["", "loaded"]


OTHER = "run that shard again as the others were run, with the same versions"


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (lambda head: replace(head, suite=replace(head.suite, digest="cd" * 32)), "suite digest "),
        (lambda head: replace(head, suite=replace(head.suite, version="9")), "suite version '9', not '0.1.0'"),
        (
            lambda head: replace(head, selection=replace(head.selection, operators=("onnx.Split-1",))),
            "selected operators 'onnx.Split-1', not ''",
        ),
        (
            lambda head: replace(head, targets=[replace(head.targets[0], version="2.0"), head.targets[1]]),
            "toy@1.0: framework 'Toy 2.0', not 'Toy 1.0'",
        ),
        (
            lambda head: replace(head, targets=[replace(head.targets[0], options={"a": "b"}), head.targets[1]]),
            "toy@1.0: options 'a=b', not ''",
        ),
        (lambda head: replace(head, machine=replace(head.machine, python="3.12")), "Python '3.12', not '3.11'"),
        (lambda head: replace(head, timeout_s=1.0), "time limit '1 s', not '30 s'"),
        (lambda head: replace(head, deviations=[deviation()]), "other deviations"),
        (
            lambda head: replace(head, selection=replace(head.selection, rerun="failed")),
            "selected rerun 'failed'",
        ),
        (
            lambda head: replace(head, targets=[replace(head.targets[0], problem="no disk"), head.targets[1]]),
            "other targets",
        ),
    ],
)
def test_shards_of_another_suite_or_product_are_refused(
    change: Callable[[Header], Header], what: str, tmp_path: Path
) -> None:
    logs = shards(tmp_path, 2, change)
    with pytest.raises(RunLogError) as printed:
        merge(logs, tmp_path / "merged.jsonl")
    assert (printed.value.where, printed.value.fix) == (str(logs[1]), OTHER)
    assert printed.value.what.startswith(f"is not of the same run as {logs[0]}: {what}")


def test_a_shard_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    first, *_ = logs = shards(tmp_path, 2)
    with pytest.raises(RunLogError, match=r"is shard 1 of 2, and so is .*\n  fix:  name each shard once"):
        merge([first, *logs], tmp_path / "merged.jsonl")


def test_missing_shards_are_named(tmp_path: Path) -> None:
    with pytest.raises(RunLogError, match="is shard 2 of 5; these shards are missing: 1, 4, 5"):
        merge(shards(tmp_path, 5)[1:3], tmp_path / "merged.jsonl")


def test_shards_of_another_number_are_refused(tmp_path: Path) -> None:
    logs = [shards(tmp_path, 2)[0], shards(tmp_path, 3)[1]]
    with pytest.raises(
        RunLogError, match=r"is one of 3 shards, but .* is one of 2\n  fix:  name the shards of one run"
    ):
        merge(logs, tmp_path / "merged.jsonl")


def test_a_whole_run_is_no_shard(tmp_path: Path) -> None:
    log = write(tmp_path / "run.jsonl", header(), [record()])
    with pytest.raises(RunLogError, match=r"run.jsonl: is not the log of a shard"):
        merge([log], tmp_path / "merged.jsonl")


def test_a_shard_that_was_cut_off_is_refused(tmp_path: Path) -> None:
    first, second = shards(tmp_path, 2)
    second.write_bytes(b"".join(second.read_bytes().splitlines(keepends=True)[:-1]))
    with pytest.raises(RunLogError, match=r"2-of-2.jsonl: is not complete\n  fix:  finish it with --resume"):
        merge([first, second], tmp_path / "merged.jsonl")


def test_shards_that_were_dealt_differently_are_refused_and_nothing_is_written(tmp_path: Path) -> None:
    first, second = shards(tmp_path, 2)
    places = [0, *range(4, WHOLE, 2)]
    write(second, head(2, 2, places), [result(name, place) for name in TARGETS for place in places])
    with pytest.raises(RunLogError, match="run all shards again, with the same number of shards"):
        merge([first, second], tmp_path / "merged.jsonl")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["1-of-2.jsonl", "2-of-2.jsonl"]


def test_adapters_may_lie_in_other_folders_on_other_machines(tmp_path: Path) -> None:
    def elsewhere(head: Header) -> Header:
        return replace(head, targets=[replace(item, folder="/elsewhere") for item in head.targets])

    assert merged(shards(tmp_path, 2, elsewhere), tmp_path)
