"""Certifies the small suite's target in a folder; where that was cut off, the log that is left is certified."""

from __future__ import annotations

import sys
from datetime import date, timedelta
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parents[1]), str(HERE.parents[2] / "tools")]

from small_suite import certified, order, write_installation, write_target  # noqa: E402

from conformance.certificate.issue import certify_log  # noqa: E402
from conformance.certificate.rules import Installation  # noqa: E402
from conformance.suite.adapter_file import TargetRequest, read_adapter  # noqa: E402
from conformance.suite.suite import load_suite  # noqa: E402


def begin(root: Path) -> None:
    """Write an installation and a target, run that, and write its certificate."""
    installation, today = write_installation(root), date.today()  # noqa: DTZ011  (a review is due by the calendar)
    target = write_target(root, since=str(today - timedelta(days=2)), review=str(today + timedelta(days=90)))
    certified(order(installation, root / "certificate"), installation, target)


def finish(root: Path, log: Path) -> None:
    """Write the certificate of a log."""
    target = TargetRequest(adapter=read_adapter(root / "mixed"), options={})
    installation = Installation(cases=root / "cases", profiles=root / "profiles")
    certify_log(order(installation, root / "certificate"), load_suite(root / "cases"), target, log)


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    left = folder / "certificate.run" / "run.jsonl"
    finish(folder, left) if left.is_file() else begin(folder)
