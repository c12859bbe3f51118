from __future__ import annotations

import json
import os
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from report_records import difference, entry, lines, record

from conformance.log.record import TensorEntry
from conformance.log.summary import summarize
from conformance.report.writers import ReportSource, refuse_overwriting, write, write_text
from conformance.run.script_folder import LogScripts
from conformance.spec.verdict import Verdict
from conformance.tensors.errors import UsageError


def source() -> ReportSource:
    log = lines(record())
    summary = summarize(log)
    return ReportSource(log, summary, LogScripts(summary))


@pytest.mark.parametrize("kind", ["html", "markdown", "json", "junit"])
def test_every_kind_of_report_is_a_whole_file(kind: str, tmp_path: Path) -> None:
    path = write(kind, source(), tmp_path / "new" / "folder" / "report")
    text = path.read_text(encoding="utf-8")
    match kind:
        case "html":
            assert text.startswith("<!doctype html>")
            assert text.rstrip().endswith("</html>")
        case "markdown":
            assert "toy@1.0" in text
        case "json":
            json.loads(text)
        case _:
            ET.fromstring(text)


@pytest.mark.parametrize("kind", ["html", "junit"])
def test_every_report_of_single_checks_carries_an_answer_with_a_negative_dim(kind: str, tmp_path: Path) -> None:
    sentence = "output 0 has the shape (-2, -3), expected (2,)"
    wrong = difference(entry([1.0, 2.0]), TensorEntry(dtype="float32", shape=[-2, -3]), mismatch="shape")
    found = record(
        Verdict.WRONG_RESULT, cause="wrong shape", explanation=sentence, differences=[wrong], inferred=[[-2, None]]
    )
    log = lines(found)
    summary = summarize(log)
    text = write(kind, ReportSource(log, summary, LogScripts(summary)), tmp_path / "report").read_text()
    assert sentence in text.replace("\\", "")
    if kind == "html":
        assert "[-2, -3]" in text


def test_an_earlier_report_stays_if_a_new_one_cannot_be_rendered(tmp_path: Path) -> None:
    path = tmp_path / "report.txt"
    path.write_text("earlier")

    def pieces() -> object:
        yield "half"
        raise RuntimeError("the log ends here")

    with pytest.raises(RuntimeError):
        write_text(pieces(), path)  # type: ignore[arg-type]
    assert path.read_text() == "earlier"
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_is_refused_and_not_followed(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("earlier")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with pytest.raises(UsageError, match="is a link, or no regular file; nothing is written there"):
        write_text(["new"], tmp_path / "link")
    assert (tmp_path / "real").read_text() == "earlier"


def test_a_link_planted_under_the_name_of_the_unfinished_file_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("earlier")
    (tmp_path / f".page.{os.getpid()}.unfinished").symlink_to(tmp_path / "real")
    write_text(["new"], tmp_path / "page")
    assert (tmp_path / "real").read_text() == "earlier"
    assert (tmp_path / "page").read_text() == "new"


def test_a_device_is_written_to_directly() -> None:
    assert write_text(["gone"], Path(os.devnull)) == Path(os.devnull)


def test_a_file_that_cannot_be_written_is_named_with_a_remedy(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError) as caught:
        write_text(["text"], tmp_path / "file" / "report")
    assert str(tmp_path / "file" / "report") in str(caught.value)
    assert "name a file in a folder that can be written to" in str(caught.value)


def test_no_output_is_an_input_under_any_name(tmp_path: Path) -> None:
    log = tmp_path / "run.jsonl"
    log.write_text("")
    (tmp_path / "alias").symlink_to(log)
    with pytest.raises(UsageError, match="is read by this command"):
        refuse_overwriting([tmp_path / "alias"], [log])


def test_no_two_reports_have_one_file(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is named for two reports"):
        refuse_overwriting([tmp_path / "a", tmp_path / "b", tmp_path / "." / "a"], [])
    refuse_overwriting([tmp_path / "a", tmp_path / "b"], [tmp_path / "c"])
