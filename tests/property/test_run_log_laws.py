from __future__ import annotations

import io
import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from report_records import header

from conformance.log.log_file import RunLogWriter, log_schema, read_lines
from conformance.log.record import (
    CallEntry,
    CheckRecord,
    DifferenceEntry,
    Footer,
    Header,
    InputEntry,
    TargetEntry,
    TensorEntry,
)
from conformance.protocol.form import Form
from conformance.protocol.outcome import OUTCOMES, Stage
from conformance.spec.verdict import Verdict

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


def lines_after_writing(*items: CheckRecord | Header, reason: str = "") -> tuple[bytes, list[object]]:
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
