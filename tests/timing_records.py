"""Times by hand, for the tests of reports."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from report_records import header, lines, record, target

from conformance.log.record import Footer, Line, TimeEntry, TimingRecord
from conformance.protocol.form import Form
from conformance.run.dispatch import EFFORTS, TimingMode


def time(median: float, spread: float = 0.02, **fields: Any) -> TimeEntry:
    usual: dict[str, Any] = {
        "low_ns": median * (1 - spread),
        "high_ns": median * (1 + spread),
        "fastest_ns": median,
        "slowest_ns": median,
        "samples": 60,
        "loops": [1],
        "rounds_ns": [median] * 6,
    }
    return TimeEntry(**{"median_ns": median, **usual, **fields})


def timing(case: str = "a", **fields: Any) -> TimingRecord:
    usual: dict[str, Any] = {
        "target": "toy@1.0",
        "form": Form.CONSTANT,
        "dtype": "float32",
        "shape": [512, 512],
        "axis": 1,
        "nbytes": 1 << 20,
        "parts": 4,
        "run": time(100_000),
        "copy": time(50_000),
    }
    return TimingRecord(case=f"onnx.Split-13/{case}", **{**usual, **fields})


def log_with(*records: TimingRecord) -> list[Line]:
    head = replace(header(target()), timing=EFFORTS[TimingMode.PRECISE])
    first, *rest = lines(record(), head=head)
    footer = rest.pop()
    assert isinstance(footer, Footer)
    return [first, *rest, *records, footer]
