from __future__ import annotations

import io
import json
import tempfile
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from report_records import header, record, target

from conformance.log.compare import merge
from conformance.log.log_file import RunLogWriter, log_schema, read_lines, written_line
from conformance.log.record import (
    CallEntry,
    CheckRecord,
    DifferenceEntry,
    Footer,
    Header,
    InputEntry,
    Line,
    SelectionEntry,
    ShardEntry,
    TargetEntry,
    TensorEntry,
)
from conformance.protocol.form import Form
from conformance.protocol.outcome import OUTCOMES, Stage
from conformance.spec.verdict import Verdict
from conformance.tensors.errors import RunLogError

pytestmark = pytest.mark.slow

TEXT = st.text(max_size=12)
ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=12)  # halves of surrogate pairs, too
NUMBER = st.integers(0, (1 << 63) - 1)
TENSOR = st.builds(
    TensorEntry, dtype=TEXT, shape=st.lists(NUMBER, max_size=3), start=NUMBER, count=NUMBER, data=st.just("AAE=")
)
INPUT = st.builds(
    InputEntry,
    name=TEXT,
    dtype=TEXT,
    dims=st.lists(st.none() | NUMBER, max_size=3),
    constant=st.booleans(),
    values=st.lists(TENSOR, max_size=2),
)
ATTRIBUTE = st.one_of(st.integers(-(1 << 63), (1 << 63) - 1), TEXT, st.lists(st.integers(-9, 9), max_size=3))
CALL = st.builds(
    CallEntry,
    attributes=st.dictionaries(TEXT, ATTRIBUTE, max_size=2),
    inputs=st.lists(INPUT, max_size=2),
    declared_outputs=NUMBER,
)
DIFFERENCE = st.builds(
    DifferenceEntry, run=NUMBER, output=NUMBER, mismatch=TEXT, expected=st.none() | TENSOR, actual=st.none() | TENSOR
)


def records(text: st.SearchStrategy[str]) -> st.SearchStrategy[CheckRecord]:
    return st.builds(
        CheckRecord,
        target=text,
        case=text,
        form=st.sampled_from(Form),
        verdict=st.sampled_from(Verdict),
        judged=st.sampled_from(Verdict),
        clauses=st.lists(text, max_size=2),
        outcome=st.sampled_from(["not run", *OUTCOMES]),
        stage=st.none() | st.sampled_from(Stage),
        suspects=st.lists(text, max_size=2),
        cause=text,
        explanation=text,
        message=text,
        stderr=text,
        aliases_input=st.booleans(),
        prepare_ns=NUMBER,
        run_ns=st.lists(NUMBER, max_size=2),
        call=st.none() | CALL,
        differences=st.lists(DIFFERENCE, max_size=2),
    )


def lines_after_writing(*items: CheckRecord | Header, reason: str = "") -> tuple[bytes, list[Line]]:
    stream = io.BytesIO()
    writer = RunLogWriter(stream, {})
    for item in items:
        writer.header(item) if isinstance(item, Header) else writer.check(item)
    writer.footer(reason)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.jsonl"
        path.write_bytes(stream.getvalue())
        return stream.getvalue(), list(read_lines(path))


@given(records(TEXT))
def test_any_record_survives_the_log(item: CheckRecord) -> None:
    _, lines = lines_after_writing(item)
    assert lines[0] == item


@given(records(ANY_TEXT), ANY_TEXT)
def test_any_text_leaves_the_log_readable(item: CheckRecord, reason: str) -> None:
    data, lines = lines_after_writing(item, reason=reason)
    assert data.count(b"\n") == 2
    read, footer = lines
    assert isinstance(read, CheckRecord)
    assert isinstance(footer, Footer)
    assert read.message == item.message.encode("utf-8", "replace").decode()
    assert (read.verdict, read.form, read.run_ns) == (item.verdict, item.form, item.run_ns)


@given(st.builds(TargetEntry, name=ANY_TEXT, adapter=TEXT, options=st.dictionaries(TEXT, ANY_TEXT, max_size=2)))
def test_any_target_leaves_the_header_readable(target: TargetEntry) -> None:
    _, lines = lines_after_writing(header(target))
    assert isinstance(lines[0], Header)


@given(records(TEXT))
def test_any_line_keeps_the_schema(item: CheckRecord) -> None:
    data, _ = lines_after_writing(item)
    for line in data.splitlines():
        VALIDATOR.validate(json.loads(line))


@given(records(TEXT), st.data())
def test_log_that_is_cut_anywhere_gives_its_whole_lines(item: CheckRecord, data: st.DataObject) -> None:
    whole, _ = lines_after_writing(item)
    cut = whole[: data.draw(st.integers(0, len(whole)))]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.jsonl"
        path.write_bytes(cut)
        assert len(list(read_lines(path))) == cut.count(b"\n")


VALIDATOR = Draft202012Validator(log_schema())


@st.composite
def divided_runs(draw: st.DrawFn) -> tuple[list[CheckRecord], list[int]]:
    """The records of a whole run of one target, and the shard, from 0, of each; every shard has one."""
    size = draw(st.integers(1, 8))
    owners = draw(st.lists(st.integers(0, 2), min_size=size, max_size=size))
    numbers = sorted(set(owners))
    verdicts = draw(st.lists(st.sampled_from(Verdict), min_size=size, max_size=size))
    made = [record(verdict, target="toy@1", case=f"onnx.Split-13/{n}", place=n) for n, verdict in enumerate(verdicts)]
    return made, [numbers.index(owner) for owner in owners]


def shard_log(path: Path, made: list[CheckRecord], owners: list[int], number: int) -> Path:
    own = [one for one, owner in zip(made, owners, strict=True) if owner == number]
    entry = ShardEntry(number=number + 1, of=len(set(owners)), whole=len(made))
    head = replace(header(target("toy@1"), planned=len(own)), selection=SelectionEntry(shard=entry))
    with path.open("wb") as stream:
        writer = RunLogWriter(stream, {})
        writer.header(head)
        for one in own:
            writer.check(one)
        writer.footer("", "2026-01-02T03:05:05+00:00")
    return path


@given(divided_runs(), st.randoms(use_true_random=False))
def test_shards_in_any_order_merge_to_the_log_of_the_whole(
    run: tuple[list[CheckRecord], list[int]], order: Random
) -> None:
    made, owners = run
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        logs = [shard_log(folder / f"{number}.jsonl", made, owners, number) for number in sorted(set(owners))]
        order.shuffle(logs)
        merge(logs, folder / "merged.jsonl")
        merge([shard_log(folder / "whole.jsonl", made, [0] * len(made), 0)], folder / "one.jsonl")
        assert (folder / "merged.jsonl").read_bytes() == (folder / "one.jsonl").read_bytes()


@given(divided_runs(), st.data())
def test_shards_of_which_one_is_missing_or_stands_twice_are_no_run(
    run: tuple[list[CheckRecord], list[int]], data: st.DataObject
) -> None:
    made, owners = run
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        logs = [shard_log(folder / f"{number}.jsonl", made, owners, number) for number in sorted(set(owners))]
        one = data.draw(st.sampled_from(logs))
        wrong = [[*logs, one], *([[log for log in logs if log != one]] if len(logs) > 1 else [])]
        for some in wrong:
            with pytest.raises(RunLogError):
                merge(some, folder / "merged.jsonl")
            assert not (folder / "merged.jsonl").exists()


@given(st.lists(records(TEXT), max_size=3))
def test_what_is_read_is_written_alike(items: list[CheckRecord]) -> None:
    data, lines = lines_after_writing(*items)
    assert b"".join(written_line(line) + b"\n" for line in lines) == data
