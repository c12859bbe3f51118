"""The page of a comparison in a browser."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Page
from report_pages import AXE_VIOLATIONS, HOSTILE, write_report
from report_records import header, lines, record, target

from conformance.log.compare import compare
from conformance.report.comparison import tree_of
from conformance.report.page import page_of
from conformance.spec.verdict import Verdict

pytestmark = [pytest.mark.slow, pytest.mark.browser]
VERDICTS = (Verdict.CRASHED, Verdict.WRONG_RESULT, Verdict.UNSUPPORTED, Verdict.PASS)
WIDE = ("toy@1.0", "another-framework@2026.4.1", f"toy@{HOSTILE}")


def write_comparison(folder: Path) -> Path:
    """A comparison of two runs of three targets on four operators, with the report of the new run beside it."""
    head = header(*map(target, WIDE), planned=4)
    cases = {f"onnx.Split-{number}/{HOSTILE}{'c' * 90}": verdict for number, verdict in enumerate(VERDICTS)}
    old = lines(*(record(case=case, target=name) for name in WIDE for case in cases), head=head)
    new = lines(
        *(record(verdict, case=case, target=name, cause=HOSTILE) for name in WIDE for case, verdict in cases.items()),
        head=replace(head, machine=replace(head.machine, processor=HOSTILE)),
    )
    comparison = compare(old, new)
    report = write_report(folder / "report.html", new)
    comparison = replace(comparison, new=replace(comparison.new, report=str(report)))
    path = folder / "comparison.html"
    path.write_text("".join(page_of(tree_of(comparison, path))), encoding="utf-8")
    return path


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 390])
def test_axe_finds_nothing(page: Page, axe: str, tmp_path: Path, scheme: Literal["light", "dark"], width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=scheme)
    page.goto(write_comparison(tmp_path).as_uri())
    page.evaluate(axe)
    page.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = true))")
    assert page.evaluate(AXE_VIOLATIONS) == []


@pytest.mark.parametrize("width", [1440, 1024, 390])
def test_it_has_the_margins_of_the_report_and_never_scrolls_sideways(page: Page, tmp_path: Path, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(write_comparison(tmp_path).as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    place = "document.querySelector('h1').getBoundingClientRect().left"
    left = page.evaluate(place)
    page.goto((tmp_path / "report.html").as_uri())
    assert left == page.evaluate(place) >= 15


def test_a_regressed_check_leads_to_its_case_in_the_report(page: Page, tmp_path: Path) -> None:
    page.goto(write_comparison(tmp_path).as_uri())
    page.locator("#regressed a.case").first.click()
    page.wait_for_selector("#case h1")
    assert page.url.startswith((tmp_path / "report.html").as_uri())
