from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest
from command import Conformance, run_to
from gallery import Copied, count_again

pytestmark = pytest.mark.slow


def two_releases(folder: Path) -> None:
    """Runs of two releases of the numpy target; the second one crashes on one check."""
    run_to(folder, "run", "-t", "numpy", "--case", "onnx.Split-11/axis*", "--quiet", "--output", "runs/1")
    text = (folder / "runs/1/run.jsonl").read_text()
    version = next(entry["version"] for entry in json.loads(text.partition("\n")[0])["targets"])
    log = folder / "runs/2/run.jsonl"
    log.parent.mkdir()
    text = text.replace(f"numpy@{version}", "numpy@9.9").replace(f'"version":"{version}"', '"version":"9.9"')
    log.write_text(text.replace('"verdict":"pass","judged":"pass"', '"verdict":"crashed","judged":"crashed"', 1))
    count_again(log)


@pytest.fixture
def releases(copied: Copied) -> None:
    copied("two_releases", two_releases)


@pytest.mark.usefixtures("releases")
def test_releases_stand_side_by_side_and_what_broke_is_named(conformance: Conformance, tmp_path: Path) -> None:
    store = ("history", "--store", "h.sqlite")
    added = conformance(*store, "--add", "runs")
    assert added.returncode == 0, added.stdout + added.stderr
    assert added.stdout.count("answers kept") == 2

    shown = conformance(*store, "onnx.Split-11", "-t", "numpy", "--form", "constant", "--markdown", "h.md")
    assert shown.returncode == 0
    lines = (tmp_path / "h.md").read_text().splitlines()
    head, row = (line for line in lines if line.startswith(("| form", "| constant")))
    assert head.endswith("| 9.9 |")
    assert [cell.strip()[:1] for cell in row.split("|")[2:4]] == ["y", "c"]

    changes = conformance(*store, "--changes", "--html", "h.html")
    assert changes.stdout.count("broke 1 check (crashes or hangs)") == 1
    assert "9.9, after" in (tmp_path / "h.html").read_text()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((), "no answers of any release are kept"),
        (("onnx.Split-11",), "no answers of this operator version are kept"),
        (("--add", "missing.jsonl"), "missing.jsonl"),
    ],
)
def test_what_is_not_there_is_named_with_what_to_do(
    conformance: Conformance, arguments: tuple[str, ...], says: str
) -> None:
    done = conformance("history", "--store", "h.sqlite", *arguments)
    assert done.returncode == 2
    assert says in done.stderr


SQUEEZE = ("--operator", "onnx.Squeeze-1", "--quiet")


def squeeze_runs(folder: Path) -> None:
    run_to(folder, "run", "-t", "numpy", *SQUEEZE, "--output", "first")
    run_to(folder, "history", "--store", "h.sqlite", "--add", "first")


@pytest.fixture
def kept(copied: Copied) -> None:
    copied("squeeze_runs", squeeze_runs)


def records(log: Path) -> list[dict[str, object]]:
    lines = map(json.loads, log.read_text().splitlines())
    return [line for line in lines if line["type"] == "check"]


@pytest.mark.usefixtures("kept")
def test_a_run_takes_answers_over_asks_the_others_and_says_so(conformance: Conformance, tmp_path: Path) -> None:
    more = ("--operator", "onnx.Unsqueeze-1")
    reusing = ("--reuse", "h.sqlite", "--jobs", "1", "--output", "second")
    done = conformance("run", "-t", "numpy", *SQUEEZE, *more, *reusing)
    assert done.returncode == 0, done.stderr
    first, second = (records(tmp_path / name / "run.jsonl") for name in ("first", "second"))
    first = [record for record in first if record["outcome"] != "not declared"]
    taken = [record for record in second if "reused" in record]
    as_asked = [{name: value for name, value in record.items() if not name.startswith("reused")} for record in taken]
    asked = {
        record["case"]: str(record["case"]).partition("/")[0]
        for record in second
        if "reused" not in record and record["outcome"] != "not declared"
    }
    assert as_asked == [record for record in first if record["case"] not in asked]
    versions = Counter(asked.values())
    assert (len(versions), versions["onnx.Squeeze-1"]) == (2, 1)
    says = f"{len(first) - 1} answers taken over from earlier runs"
    assert says in " ".join(done.stdout.split())
    assert says in (tmp_path / "second" / "report.html").read_text()


@pytest.mark.usefixtures("kept")
def test_a_run_under_another_time_limit_asks_everything(conformance: Conformance, tmp_path: Path) -> None:
    conformance("run", "-t", "numpy", *SQUEEZE, "--reuse", "h.sqlite", "--timeout", "17", "--output", "second")
    assert not any("reused" in record for record in records(tmp_path / "second" / "run.jsonl"))


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--reuse", "missing.sqlite"), "there is no history missing.sqlite"),
        (("--reuse", "h.sqlite", "--challenge", "seed"), "cannot be combined with --challenge"),
    ],
)
@pytest.mark.usefixtures("kept")
def test_a_run_that_cannot_take_answers_over_is_refused(
    conformance: Conformance, arguments: tuple[str, ...], says: str
) -> None:
    done = conformance("run", "-t", "numpy", *SQUEEZE, *arguments)
    assert done.returncode == 2
    assert says in done.stderr


@pytest.mark.usefixtures("releases")
def test_another_run_gives_the_same_evidence(conformance: Conformance, tmp_path: Path) -> None:
    again = ("run", "-t", "numpy", "--case", "onnx.Split-11/axis*", "--quiet", "--output", "again")
    assert conformance(*again).returncode == 0

    def digests(store: str, log: str) -> list[str]:
        shown = conformance("history", "--store", store, "--add", log, "--evidence", "--markdown", "evidence.md")
        assert shown.returncode == 0, shown.stderr
        return re.findall(r"\b[0-9a-f]{64}\b", (tmp_path / "evidence.md").read_text())

    both = digests("all.sqlite", "runs")
    assert len({*both}) == 2
    assert digests("again/history.sqlite", "again") == digests("first.sqlite", "runs/1")
    assert {*digests("first.sqlite", "runs/2")} == {*both}
