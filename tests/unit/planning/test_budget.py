from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from report_records import footer, header, record

from conformance.log.log_file import RunLogWriter
from conformance.planning.budget import checks_within


def test_bundled_means_hold_without_a_log(tmp_path: Path) -> None:
    none = tmp_path / "run.jsonl"
    assert checks_within(65, ["numpy"], 1, none) == 17_142
    assert checks_within(65, ["numpy", "onnxruntime", "openvino", "torch"], 2, none) == 2553
    assert checks_within(65, ["of-a-user"], 2, none) == 12_000


def test_a_budget_has_at_least_one_check(tmp_path: Path) -> None:
    assert checks_within(1, ["openvino"], 2, tmp_path / "run.jsonl") == 1


def test_the_times_of_an_earlier_log_come_first(tmp_path: Path) -> None:
    log = tmp_path / "run.jsonl"
    quick = record(case="toy/0", prepare_ns=500_000, run_ns=[1_000_000])
    with log.open("wb") as stream:
        writer = RunLogWriter(stream, {})
        writer.header(header(planned=2))
        for line in (quick, replace(quick, case="toy/1")):
            writer.check(line)
        writer.footer("", footer(2).ended)
    assert checks_within(25, ["toy"], 1, log) == 5_000
    assert checks_within(25, ["toy", "numpy"], 1, log) == 2_666
    log.write_text("not a log")
    assert checks_within(25, ["toy"], 1, log) == 2_000
