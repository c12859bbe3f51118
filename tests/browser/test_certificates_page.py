"""The index of published certificates in a browser: readable at every width, in light and dark."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Page
from report_pages import AXE_VIOLATIONS

pytestmark = pytest.mark.browser
INDEX = Path(__file__).parents[2] / "reports" / "index.html"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 390])
def test_axe_finds_nothing_in_the_index(page: Page, axe: str, scheme: Literal["light", "dark"], width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=scheme)
    page.goto(INDEX.as_uri())
    page.evaluate(axe)
    page.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = true))")
    assert page.evaluate(AXE_VIOLATIONS) == []


@pytest.mark.parametrize("width", [1440, 1024, 390])
def test_the_index_and_its_certificates_never_scroll_sideways(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(INDEX.as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert (
        page.locator("table.certificates").evaluate("table => table.scrollWidth - table.parentElement.clientWidth") <= 0
    )


def test_a_phone_shows_the_name_of_a_column_beside_each_value(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(INDEX.as_uri())
    cell = page.locator("table.certificates td").first
    assert cell.evaluate("cell => getComputedStyle(cell, '::before').content") == '"issued by"'
    assert cell.evaluate("cell => cell.getBoundingClientRect().width") > 250


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_in_the_banner_of_a_certificate(
    page: Page, axe: str, scheme: Literal["light", "dark"]
) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.emulate_media(color_scheme=scheme)
    page.goto((INDEX.parent / "pages" / "openvino-core.html").as_uri())
    page.wait_for_selector("html.ready")
    page.evaluate(axe)
    assert page.locator(".banner").is_visible()
    assert page.evaluate(AXE_VIOLATIONS.replace("axe.run()", "axe.run('.banner')")) == []
