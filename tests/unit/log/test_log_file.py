from __future__ import annotations

import io
import json
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import jsonschema
import pytest
from report_records import difference, entry, header, record
from split_cases import split_case

from conformance.log.build_record import record_of
from conformance.log.log_file import (
    RunLogWriter,
    lines_as_they_stand,
    log_schema,
    read_footer,
    read_header,
    read_lines,
    whole_lines_size,
)
from conformance.log.record import FORMAT, CallEntry, CheckRecord, Footer, Header
from conformance.protocol.call import Attribute
from conformance.protocol.form import Form
from conformance.protocol.outcome import Produced
from conformance.spec.case import Value
from conformance.spec.check import Check
from conformance.spec.verdict import Verdict
from conformance.tensors.errors import RunLogError
from conformance.tensors.tensor import Tensor


def written(*records: CheckRecord, reason: str = "") -> bytes:
    stream = io.BytesIO()
    writer = RunLogWriter(stream, {})
    writer.header(header(planned=len(records)))
    for item in records:
        writer.check(item)
    writer.footer(reason)
    return stream.getvalue()


def log_of(data: bytes, folder: Path) -> Path:
    path = folder / "run.jsonl"
    path.write_bytes(data)
    return path


def problem_of(path: Path) -> str:
    with pytest.raises(RunLogError) as caught:
        list(read_lines(path))
    return str(caught.value)


def test_lines_come_back_as_they_were_written(tmp_path: Path) -> None:
    records = [record(), record(Verdict.CRASHED, form=Form.DYNAMIC, explanation="SIGSEGV", run_ns=[1, 2])]
    first, *middle, last = read_lines(log_of(written(*records), tmp_path))
    assert first == header(planned=2)
    assert middle == records
    assert isinstance(last, Footer)
    assert (last.complete, last.records, last.verdicts) == (True, 2, {"toy@1.0": {"crashed": 1, "pass": 1}})


def test_attributes_of_every_type_come_back_strictly(tmp_path: Path) -> None:
    attributes: dict[str, Attribute] = {"special_zero": True, "axis": -1, "mode": "a", "starts": [0, 1], "scale": 0.5}
    explained = record(Verdict.WRONG_RESULT, call=CallEntry(attributes=attributes, declared_outputs=1))
    _, line, _ = lines_as_they_stand(log_of(written(explained), tmp_path))
    assert line == explained
    assert isinstance(line, CheckRecord)
    assert line.call is not None
    assert line.call.attributes["special_zero"] is True


def test_each_line_is_one_line_of_json() -> None:
    data = written(record(Verdict.HARNESS_ERROR, message="a\nb\r\u2028c\x00\x1b[31m"))
    assert data.count(b"\n") == 3
    assert [json.loads(line)["type"] for line in data.splitlines()] == ["header", "check", "footer"]
    assert b"\x1b" not in data
    assert b"\x00" not in data


@pytest.mark.parametrize(
    "text",
    ["control \x00\x07\x1b[2J", "quotes \"'`</script>", "漢字 😀 é", "\\ud800", "\u2028\u2029\x85", "x" * 100_000],
)
def test_hostile_text_survives(text: str, tmp_path: Path) -> None:
    item = record(Verdict.HARNESS_ERROR, message=text, stderr=text, cause=text)
    assert list(read_lines(log_of(written(item), tmp_path)))[1] == item


@pytest.mark.parametrize("text", ["\udcff", "a\ud800b", "\udfff\ud800"])
def test_half_of_a_surrogate_pair_does_not_break_the_log(text: str, tmp_path: Path) -> None:
    """Names of files and options come from the system with such halves in place of bytes that are not UTF-8."""
    item = record(Verdict.HARNESS_ERROR, message=text)
    (read,) = list(read_lines(log_of(written(item), tmp_path)))[1:-1]
    assert isinstance(read, CheckRecord)
    assert read.message == text.encode("utf-8", "replace").decode()
    assert (read.verdict, read.form, read.case) == (item.verdict, item.form, item.case)


def test_half_of_a_surrogate_pair_in_an_option_does_not_break_the_header() -> None:
    stream = io.BytesIO()
    item = header()
    item.targets[0].options["device"] = "\udcff"
    RunLogWriter(stream, {}).header(item)
    assert json.loads(stream.getvalue())["targets"][0]["options"] == {"device": "?"}


@pytest.mark.parametrize("cut", [1, 10, 100])
def test_last_line_that_was_cut_off_is_left_out(cut: int, tmp_path: Path) -> None:
    whole = written(record(), record())
    path = log_of(whole[:-cut], tmp_path)
    assert [type(line).__name__ for line in read_lines(path)] == ["Header", "CheckRecord", "CheckRecord"]
    assert read_footer(path) is None
    assert whole_lines_size(path) == whole.rindex(b"\n", 0, -1) + 1


def test_footer_is_the_last_line_or_none(tmp_path: Path) -> None:
    data = written(record(), reason="interrupted by SIGINT")
    footer = read_footer(log_of(data, tmp_path))
    assert footer is not None
    assert (footer.complete, footer.reason) == (False, "interrupted by SIGINT")
    resumed = data + data.splitlines(keepends=True)[1]
    assert read_footer(log_of(resumed, tmp_path)) is None


def test_empty_log_has_no_lines_and_no_header(tmp_path: Path) -> None:
    path = log_of(b"", tmp_path)
    assert list(read_lines(path)) == []
    assert read_footer(path) is None
    with pytest.raises(RunLogError) as caught:
        read_header(path)
    assert str(caught.value) == (
        f"{path}: does not start with the header of a run log\n  fix:  name a log of `conformance run`"
    )


def test_log_that_starts_with_a_record_has_no_header(tmp_path: Path) -> None:
    path = log_of(written(record()).split(b"\n", 1)[1], tmp_path)
    with pytest.raises(RunLogError, match="does not start with the header of a run log"):
        read_header(path)


def test_log_that_cannot_be_read_is_reported(tmp_path: Path) -> None:
    assert problem_of(tmp_path / "none.jsonl") == f"{tmp_path}/none.jsonl: cannot be read: No such file or directory"


def test_log_of_another_format_is_reported(tmp_path: Path) -> None:
    data = written().replace(b'"format":%d' % FORMAT, b'"format":99')
    path = log_of(data, tmp_path)
    assert problem_of(path) == (
        f"{path}:1: is a log of format 99, which another version of opconform reads; this one reads format {FORMAT}\n"
        "  fix:  run again, or use the version of opconform that wrote it"
    )


def test_log_of_an_earlier_format_is_one_error_whatever_its_fields_were(tmp_path: Path) -> None:
    path = log_of(b'{"type":"header","format":1,"target":"toy@1.0"}\n{"type":"check","name":"old"}\n', tmp_path)
    assert problem_of(path) == (
        f"{path}:1: is a log of format 1, which version 0.2.0 of opconform reads; this one reads format {FORMAT}\n"
        "  fix:  run again, or use the version of opconform that wrote it"
    )


@pytest.mark.parametrize(
    "change",
    [
        lambda log: log.replace(b":", b": ", 1),
        lambda log: log.replace(b'"toy@1.0"', b'"t\\u006fy@1.0"', 1),
        lambda log: log.replace(b'{"type":"check",', b'{"type":"check","stderr":"",', 1),
    ],
    ids=["space", "escape", "default"],
)
def test_verification_reads_no_line_that_a_run_writes_in_other_bytes(
    change: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    data = written(record())
    changed = change(data)
    assert changed != data
    assert len(list(read_lines(log_of(changed, tmp_path)))) == 3
    with pytest.raises(RunLogError, match="is not written as a run writes it"):
        list(lines_as_they_stand(log_of(changed, tmp_path)))


def test_verification_reads_a_line_with_characters_that_utf_8_cannot_encode(tmp_path: Path) -> None:
    _, line, _ = lines_as_they_stand(log_of(written(record(message="half \ud800 of a pair")), tmp_path))
    assert isinstance(line, CheckRecord)
    assert line.message == "half ? of a pair"


@pytest.mark.parametrize(
    ("line", "what"),
    [
        (b"garbage", "Invalid JSON: expected value at line 1 column 1"),
        (b"", "Invalid JSON: EOF while parsing a value at line 2 column 0"),
        (b"[]", "Input should be an object"),
        (b"{}", "Unable to extract tag using discriminator 'type'"),
        (b'{"type":"chekc"}', ("Input tag 'chekc' found using 'type' does not match any of the expected tags: "
         "'header', 'check', 'timing', 'footer'")),
        (b'{"type":"check","target":"a"}', "check.case: Field required"),
        (b'{"type":"footer","complete":"perhaps"}',
         "footer.complete: Input should be a valid boolean, unable to interpret input"),
    ],
)  # fmt: skip
def test_line_that_is_none_of_a_log_is_reported_with_its_number(line: bytes, what: str, tmp_path: Path) -> None:
    path = log_of(written(record()) + line + b"\n", tmp_path)
    assert problem_of(path) == f"{path}:4: is not a line of a run log: {what}"


@pytest.mark.parametrize("line", [b"[" * 100_000, b'"\xff\xfe"', b'"\\ud800"'])
def test_line_that_is_no_json_is_reported_with_its_number(line: bytes, tmp_path: Path) -> None:
    path = log_of(written(record()) + line + b"\n", tmp_path)
    assert problem_of(path).startswith(f"{path}:4: is not a line of a run log: Invalid JSON: ")


def test_several_threads_may_write(tmp_path: Path) -> None:
    stream = io.BytesIO()
    writer = RunLogWriter(stream, {"toy@1.0": Counter({"pass": 5})})
    writer.header(header())

    def write() -> None:
        for _ in range(50):
            writer.check(record(message="x" * 5000))

    threads = [threading.Thread(target=write) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert writer.footer("").records == 205
    assert len(list(lines_as_they_stand(log_of(stream.getvalue(), tmp_path)))) == 202


def test_a_log_whose_footer_counts_other_records_is_refused(tmp_path: Path) -> None:
    log = written(record(Verdict.WRONG_RESULT), record())
    path = log_of(log.replace(b'"verdict":"wrong result"', b'"verdict":"pass"'), tmp_path)
    what = "the closing line counts toy@1.0: 1 pass, 1 wrong result, but the log holds toy@1.0: 2 pass"
    assert problem_of(path) == f"{path}:4: {what}\n  fix:  the log was edited: run again"


def test_a_log_with_a_record_less_than_its_footer_counts_is_refused(tmp_path: Path) -> None:
    header_line, _, *rest = written(record(), record()).splitlines(keepends=True)
    path = log_of(b"".join([header_line, *rest]), tmp_path)
    assert problem_of(path).startswith(
        f"{path}:3: the closing line counts toy@1.0: 2 pass, but the log holds toy@1.0: 1 pass"
    )


def test_each_footer_of_a_log_that_was_resumed_counts_what_is_before_it(tmp_path: Path) -> None:
    stream = io.BytesIO()
    writer = RunLogWriter(stream, {})
    writer.header(header())
    writer.check(record())
    writer.footer("interrupted by SIGINT")
    writer.check(record(Verdict.CRASHED))
    writer.footer("")
    assert len(list(read_lines(log_of(stream.getvalue(), tmp_path)))) == 5


def test_schema_describes_the_lines_that_are_written() -> None:
    validator = jsonschema.Draft202012Validator(log_schema())
    wrong = difference(entry([1.0]), entry([2.0]), differing=1)
    data = written(record(), record(Verdict.WRONG_RESULT, differences=[wrong]), reason="interrupted")
    for line in data.splitlines():
        validator.validate(json.loads(line))


def test_schema_describes_a_record_of_a_judged_check() -> None:
    case = split_case(Value(dtype="int8", shape=(6,)), [2, 4])
    outcome = Produced(runs=((Tensor("int8", (2,), b"\0\1"),),))
    stream = io.BytesIO()
    RunLogWriter(stream, {}).check(record_of(Check(case, Form.CONSTANT), "toy@1", outcome, []))
    jsonschema.Draft202012Validator(log_schema()).validate(json.loads(stream.getvalue()))


@pytest.mark.parametrize("line", ['{"type":"check"}', '{"type":"other"}', "[]", '{"type":"header","format":"one"}'])
def test_schema_refuses_what_is_no_line(line: str) -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(log_schema()).validate(json.loads(line))


def test_header_is_read_without_the_rest(tmp_path: Path) -> None:
    path = log_of(written() + b"garbage\n", tmp_path)
    assert isinstance(read_header(path), Header)
