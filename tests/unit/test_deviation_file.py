from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from conformance.deviation_file import read_deviations
from conformance.form import Form
from conformance.verdict import Verdict

HOSTILE = Path(__file__).parent / "hostile"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "toy").mkdir()
    (tmp_path / "toy" / "last.py").write_text("")
    (tmp_path / "adapter.py").write_text("")
    return tmp_path / "toy"


@pytest.mark.parametrize("path", sorted((HOSTILE / "deviations").glob("*.yaml")), ids=lambda path: path.stem)
def test_careless_file_gets_complete_messages(path: Path, folder: Path) -> None:
    (folder / "deviations.yaml").write_bytes(path.read_bytes())
    with pytest.raises(ExceptionGroup) as caught:
        read_deviations(folder)
    told = "".join(f"{problem}\n" for problem in caught.value.exceptions)
    assert told.replace(str(folder), "toy") == path.with_suffix(".txt").read_text(encoding="utf-8")


def test_adapter_without_the_file_has_no_deviations(folder: Path) -> None:
    assert read_deviations(folder) == ()


def test_entry_is_read_with_all_that_it_says(folder: Path) -> None:
    (folder / "deviations.yaml").write_text("""
deviations:
  - id: drops-the-last
    cases: [onnx.Split-13/a, "onnx.Split-18/*"]
    forms: [dynamic, second-call]
    versions: ">=2.13,<3"
    options: {mode: eager}
    verdict: [crashed, wrong result]
    what: the last part is dropped
    why: it was never written
    upstream: https://example.org/1
    since: "2026-11-21"
    review: "2027-02-01"
    reproducer: last.py
""")
    (entry,) = read_deviations(folder)
    assert (entry.cases, entry.forms) == (("onnx.Split-13/a", "onnx.Split-18/*"), (Form.DYNAMIC, Form.SECOND_CALL))
    assert entry.verdicts == (Verdict.CRASHED, Verdict.WRONG_RESULT)
    assert (entry.since, entry.review) == (date(2026, 11, 21), date(2027, 2, 1))
    assert (entry.versions, entry.options, entry.reproducer) == (">=2.13,<3", {"mode": "eager"}, "last.py")


def test_one_verdict_needs_no_list_and_forms_may_be_left_out(folder: Path) -> None:
    (folder / "deviations.yaml").write_text("""
deviations:
  - {id: a, cases: ["*"], versions: ">=1", verdict: unstable, what: x, why: x, since: "2026-11-21",
     review: "2027-02-01", reproducer: last.py}
""")
    (entry,) = read_deviations(folder)
    assert (entry.verdicts, entry.forms, entry.options, entry.upstream) == ((Verdict.UNSTABLE,), (), {}, "")
