"""The page of a trend in a browser."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Page
from report_pages import AXE_VIOLATIONS, HOSTILE, write_report
from report_records import header, lines, record, target

from conformance.findings.logged_run import NamedLog
from conformance.findings.trend import UnreadLog, trend_of
from conformance.language.verdict import Verdict
from conformance.report.page import page_of
from conformance.report.trend.tree import tree_of

pytestmark = pytest.mark.browser
VERDICTS = (Verdict.PASS, Verdict.CRASHED, Verdict.WRONG_RESULT, Verdict.ACCEPTED_INVALID, Verdict.REJECTED_VALID)


def write_trend(folder: Path) -> Path:
    """A trend over five runs of two targets, each of another kind of verdict, with the report of the last."""
    targets = (target("toy@1.0"), replace(target(f"toy@{HOSTILE}"), adapter="other", framework=HOSTILE))
    logs = []
    for number, verdict in enumerate(VERDICTS):
        head = header(*targets, planned=1)
        head = replace(head, started=f"2026-0{number + 1}-02T03:04:05+00:00")
        head = replace(head, suite=replace(head.suite, digest=f"{number // 3}" * 64))
        case = f"onnx.Split-13/{HOSTILE}{'c' * 90}"
        logs.append(lines(*(record(verdict, case=case, target=one.name, cause=HOSTILE) for one in targets), head=head))
    report = write_report(folder / "report.html", logs[-1])
    trend = trend_of((NamedLog(path=Path(), name=HOSTILE, report=str(report)), log) for log in logs)
    path = folder / "trend.html"
    trend = replace(trend, unread=(UnreadLog(log=HOSTILE, why=HOSTILE),))
    path.write_text("".join(page_of(tree_of(trend, path))), encoding="utf-8")
    return path


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 390])
def test_axe_finds_nothing(page: Page, axe: str, tmp_path: Path, scheme: Literal["light", "dark"], width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=scheme)
    page.goto(write_trend(tmp_path).as_uri())
    page.evaluate(axe)
    page.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = true))")
    assert page.evaluate(AXE_VIOLATIONS) == []


@pytest.mark.parametrize("width", [1440, 1024, 390])
def test_it_never_scrolls_sideways(page: Page, tmp_path: Path, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(write_trend(tmp_path).as_uri())
    page.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = true))")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.locator("svg[role=img]").first.bounding_box()["width"] >= 500


def test_a_cause_leads_to_itself_in_the_report_of_its_run(page: Page, tmp_path: Path) -> None:
    page.goto(write_trend(tmp_path).as_uri())
    page.locator("#target-1 .shifts > li > a").first.click()
    page.wait_for_selector("html.ready")
    assert page.locator("details.cause[open]").count() == 1
