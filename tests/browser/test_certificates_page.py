"""The index of published certificates in a browser: readable at every width, in light and dark."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest
from index import index_as_html
from playwright.sync_api import Page
from publish import published_in
from report_pages import AXE_VIOLATIONS
from small_suite import certified_scene

from conformance.certificate.folder import unpacked_log
from conformance.certificate.pages import html_page
from conformance.certificate.verify import Verification

pytestmark = [pytest.mark.slow, pytest.mark.browser]
REPORTS = Path(__file__).parents[2] / "reports"
PUBLISHED = published_in(REPORTS)


@pytest.fixture(scope="session")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("reports") / "index.html"
    path.write_text(index_as_html(PUBLISHED))
    return path


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("pages") / "page.html"
    folder = certified_scene(path.parent).certificate
    (path.parent / "products.yaml").write_text((REPORTS / "products.yaml").read_text())
    (item,) = published_in(path.parent)
    found = Verification(broken=(), summary=item.summary, signature=item.signature)
    with unpacked_log(folder) as log:
        path.write_text("".join(html_page(found, log, item.folder, links={})))
    return path


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 390])
def test_axe_finds_nothing_in_the_index(
    page: Page, axe: str, index: Path, scheme: Literal["light", "dark"], width: int
) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=scheme)
    page.goto(index.as_uri())
    page.evaluate(axe)
    page.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = true))")
    assert page.evaluate(AXE_VIOLATIONS) == []


@pytest.mark.parametrize("width", [1440, 1024, 390])
def test_the_index_and_its_certificates_never_scroll_sideways(page: Page, index: Path, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(index.as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert (
        page.locator("table.certificates").evaluate("table => table.scrollWidth - table.parentElement.clientWidth") <= 0
    )


def test_a_phone_shows_the_name_of_a_column_beside_each_value(page: Page, index: Path) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(index.as_uri())
    cell = page.locator("table.certificates td").first
    assert cell.evaluate("cell => getComputedStyle(cell, '::before').content") == '"issued by"'
    assert cell.evaluate("cell => cell.getBoundingClientRect().width") > 250


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_in_the_banner_of_a_certificate(
    page: Page, axe: str, certificate: Path, scheme: Literal["light", "dark"]
) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.emulate_media(color_scheme=scheme)
    page.goto(certificate.as_uri())
    page.wait_for_selector("html.ready")
    page.evaluate(axe)
    assert page.locator(".banner").is_visible()
    assert page.evaluate(AXE_VIOLATIONS.replace("axe.run()", "axe.run('.banner')")) == []
