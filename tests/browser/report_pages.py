"""Reports in files, pages that tell of all they should not do, and checks to show, for the tests in a browser."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import Browser, Dialog, Page, Request
from report_records import call, difference, difference_of_arrays, entry, page_of_log, record

from conformance.log.record import CheckRecord, Line
from conformance.spec.verdict import Verdict

OpenReport = Callable[..., Page]

AXE_VIOLATIONS = """async () => (await axe.run()).violations.map(({ id, nodes }) => [
  id, ...nodes.slice(0, 3).map((node) => `${node.html} ${node.failureSummary}`),
])"""
"""Runs axe-core, which must have been evaluated before, and gives each rule that is broken with where."""

HOSTILE = "</script></style><img src=x onerror=alert(1)><script>alert(2)</script>\"'><svg onload=alert(3)>\u202etxt"


@contextmanager
def watched_page(browser: Browser) -> Iterator[Page]:
    """A page that fails the test on a console message, an error, a dialog or a request that leaves the file."""
    complaints: list[str] = []
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    if browser.browser_type.name == "chromium":
        context.grant_permissions(["clipboard-read", "clipboard-write"])
    opened = context.new_page()
    opened.on("console", lambda message: complaints.append(f"console: {message.text}"))
    opened.on("pageerror", lambda error: complaints.append(f"error: {error}"))

    def dismiss(dialog: Dialog) -> None:
        complaints.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def note(request: Request) -> None:
        if not request.url.startswith("file://"):
            complaints.append(request.url)

    opened.on("dialog", dismiss)
    opened.on("request", note)
    opened.add_init_script(
        "addEventListener('securitypolicyviolation', (event) => console.error('policy', event.violatedDirective))"
    )
    yield opened
    context.close()
    assert complaints == []


def write_report(path: Path, log: list[Line]) -> Path:
    path.write_text(page_of_log(log), encoding="utf-8")
    return path


def wrong(case: str, **fields: Any) -> CheckRecord:
    """A check in which one element of a 2-D output differs."""
    usual = {
        "cause": "other values",
        "dtype": "float32",
        "call": call(entry(np.arange(12.0).reshape(2, 6))),
        "differences": [difference_of_arrays(np.array([[1, 2], [3, 4]]), np.array([[1, 2], [9, 4]]))],
    }
    return record(Verdict.WRONG_RESULT, case=f"onnx.Split-13/{case}", **{**usual, **fields})


def cut_elsewhere(case: str, **fields: Any) -> CheckRecord:
    """A check whose data was cut after 3 elements of axis 1, and not after 2."""
    data = np.arange(12.0).reshape(2, 6)
    pairs = zip(np.split(data, [2], 1), np.split(data, [3], 1), strict=True)
    differences = [
        difference(entry(want), entry(have), output=number, mismatch="shape")
        for number, (want, have) in enumerate(pairs)
    ]
    return wrong(case, cause="boundary off by one", differences=differences, **fields)
