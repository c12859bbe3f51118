"""The section of times in a browser: its table is accessible and within the page."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Page
from report_pages import AXE_VIOLATIONS, HOSTILE, write_report
from timing_records import log_with, time, timing

pytestmark = [pytest.mark.slow, pytest.mark.browser]


@pytest.fixture
def times(page: Page, tmp_path: Path) -> Page:
    """A report with sizes, parts, noise, a view, and a target without a time."""
    records = [
        timing(f"size-{exponent}", nbytes=1 << exponent, target=name, run=time(1000.0 * exponent))
        for exponent in (10, 20, 28)
        for name in ("toy@1.0", "other@2.0")
    ]
    records += [timing(f"parts-{parts}", parts=parts) for parts in (2, 16, 128)]
    records.append(timing("noisy", run=time(5000, 0.4), is_view=True))
    records.append(timing("wrong", run=None, copy=None, reason=HOSTILE))
    page.goto(write_report(tmp_path / "report.html", log_with(*records)).as_uri())
    page.wait_for_selector("html.ready")
    page.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = true))")
    return page


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(times: Page, axe: str, scheme: Literal["light", "dark"]) -> None:
    times.emulate_media(color_scheme=scheme)
    times.evaluate(axe)
    assert times.evaluate(AXE_VIOLATIONS) == []


def test_the_table_has_a_row_for_each_time(times: Page) -> None:
    assert times.locator("#timing tbody tr").count() == 11


def test_a_reason_is_shown_and_not_run(times: Page) -> None:
    assert times.locator("#timing td", has_text="no time: </script>").is_visible()
    assert times.locator("img").count() == 0


@pytest.mark.parametrize("width", [1280, 360])
def test_the_page_itself_never_scrolls_sideways(times: Page, width: int) -> None:
    times.set_viewport_size({"width": width, "height": 800})
    assert times.evaluate("document.documentElement.scrollWidth") <= width
