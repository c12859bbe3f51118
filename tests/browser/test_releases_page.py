"""The pages of the published data in a browser: a question in two clicks, by mouse, keyboard and link."""

from __future__ import annotations

from pathlib import Path
from typing import Literal
from urllib.parse import parse_qs

import pytest
from compat_pages import pages_of
from playwright.sync_api import Browser, Page
from published_data import EVIL, HOSTILE, SLICE, frameworks, published
from report_pages import AXE_VIOLATIONS

pytestmark = [pytest.mark.slow, pytest.mark.browser]
INT4_AT_RUN_TIME = 'tr.version[data-dtype="int4"][data-form="runtime"]'
NAMES = ("index.html", f"{SLICE}.html", f"{EVIL}.html")


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("pages")
    for name, text in pages_of(published(), frameworks()):
        (path / name).write_text(text, "utf-8")
    return path


def visit(page: Page, folder: Path, name: str, fragment: str = "") -> None:
    page.goto(f"{(folder / name).as_uri()}{fragment}")
    page.wait_for_selector("html.ready")


def fragment_of(page: Page) -> dict[str, list[str]]:
    return parse_qs(page.evaluate("location.hash.slice(1)"))


def heads_of(page: Page) -> list[str]:
    return [head.split("\n")[0] for head in page.locator(".releases thead th:visible").all_inner_texts()[1:]]


def test_two_clicks_answer_a_question(page: Page, folder: Path) -> None:
    visit(page, folder, "index.html")
    page.locator("#query").fill("slice int4 1.24 runtime")
    assert page.locator(".versions tbody tr:visible").count() == 1
    assert page.locator(".versions thead .release:visible").inner_text() == "1.24.1"
    assert page.locator(".versions tbody .answer:visible").inner_text() == "w wrong results 3/100 +1"
    assert page.locator("#query-says").inner_text() == (
        "1 of 2 operator versions. Answers here are of all checks, not of int4 runtime alone. "
        "Enter opens onnx.Slice-13 with int4 1.24 runtime."
    )
    page.locator(".versions a:visible").click()
    page.wait_for_selector("html.ready")
    assert page.locator("#query").input_value() == "int4 1.24 runtime"
    assert heads_of(page) == ["1.24.1", "1.24.0"]
    assert page.locator(".releases tr:visible:has(> td) > th").all_inner_texts() == ["all checks", "int4", "runtime"]
    assert page.locator(f"{INT4_AT_RUN_TIME} td:visible").all_inner_texts() == ["y", "n"]
    page.locator(f"{INT4_AT_RUN_TIME} td").first.click()
    sheet = page.locator("#answer")
    assert sheet.locator("h2").inner_text() == "ort 1.24.1: y conforms"
    assert "0 of 2 judged checks deviate; 2 asked; the same from 1.24.1 to 1.25.0" in sheet.inner_text()
    assert sheet.locator("pre").first.inner_text() == (
        "conformance run -t ort@1.24.1 --operator onnx.Slice-13 --form runtime --output answer"
    )
    assert "2" * 64 in sheet.inner_text()


def test_enter_opens_the_first_operator_version_that_is_found(page: Page, folder: Path) -> None:
    visit(page, folder, "index.html")
    page.keyboard.press("/")
    page.keyboard.type("slice 1.24")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/{SLICE}.html#find=1.24")


def test_a_cell_that_deviates_names_the_causes_of_its_release_with_an_example(page: Page, folder: Path) -> None:
    visit(page, folder, f"{SLICE}.html", "#engine=ort&release=1.24.0&form=runtime")
    sheet = page.locator("#answer")
    assert sheet.locator("h2").inner_text() == "ort 1.24.0: w gives wrong results"
    assert "3 of 100 judged checks deviate; 120 asked; the same from 1.24.0 to 1.24.1." in sheet.inner_text()
    assert sheet.locator(".cause summary").inner_text() == "w the last row is missing 3 checks"
    assert sheet.locator(".cause a").get_attribute("href") == "https://example.org/7"
    assert sheet.locator(".cause pre").inner_text() == (
        "conformance run -t ort@1.24.0 "
        """--case 'onnx.Slice-13/made[dtype=int4,it'"'"'s]' --form runtime --output answer"""
    )


def test_a_click_on_a_range_chooses_the_release_under_the_pointer(page: Page, folder: Path) -> None:
    visit(page, folder, f"{SLICE}.html")
    head = page.locator('.releases th[data-release="1.24.0"]').bounding_box()
    cell = page.locator(".releases tbody tr").first.locator("td").nth(1).bounding_box()
    assert head is not None
    assert cell is not None
    page.mouse.click(head["x"] + head["width"] / 2, cell["y"] + cell["height"] / 2)
    assert fragment_of(page) == {"engine": ["ort"], "release": ["1.24.0"]}


def test_arrow_keys_lead_through_the_cells_and_escape_closes_the_answer(page: Page, folder: Path) -> None:
    visit(page, folder, f"{SLICE}.html")
    page.locator(".releases tbody tr").first.locator("td").first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    assert page.locator("#answer h2").inner_text() == "ort 1.24.1: w gives wrong results"
    page.keyboard.press("ArrowDown")
    assert fragment_of(page) == {"engine": ["ort"], "release": ["1.24.1"], "dtype": ["int4"]}
    assert page.locator("#answer .part").inner_text() == "element type int4"
    page.keyboard.press("Escape")
    assert page.locator("#answer").is_hidden()
    assert fragment_of(page) == {}
    assert page.evaluate("document.activeElement.matches('td')")


def test_a_query_that_nothing_has_says_so(page: Page, folder: Path) -> None:
    visit(page, folder, f"{SLICE}.html")
    page.locator("#query").fill("float16")
    assert page.locator("#query-says").inner_text() == "No row has float16."
    page.locator("#query-clear").click()
    assert page.locator("#query-says").inner_text() == ""
    assert heads_of(page) == ["1.25.0", "1.24.1", "1.24.0", "1.16.0", "1.15.0"]


def test_a_clause_is_found_by_its_words(page: Page, folder: Path) -> None:
    visit(page, folder, f"{SLICE}.html", "#find=counts+last")
    assert page.locator(".releases tr:visible:has(> td)[data-clause]").count() == 1
    assert page.locator(".releases tr:visible:has(> td)").count() == 2


def test_hostile_names_are_texts(page: Page, folder: Path) -> None:
    visit(page, folder, f"{EVIL}.html")
    page.locator(".releases td").first.click()
    shown = HOSTILE.replace("\u202e", "\\u202e")
    assert page.locator("#answer h2").inner_text().startswith(f"{shown} 0 0: m damages memory")
    assert page.locator("#answer img, #answer script, #answer a").count() == 0


def test_it_can_be_read_without_its_script(browser: Browser, folder: Path) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto((folder / f"{SLICE}.html").as_uri())
    assert page.locator("#query").is_hidden()
    assert page.locator(INT4_AT_RUN_TIME).is_hidden()
    page.locator("label", has_text="int4").first.click()
    assert page.locator(INT4_AT_RUN_TIME).is_visible()
    context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_axe_finds_nothing_and_nothing_scrolls_sideways(
    page: Page, axe: str, folder: Path, scheme: Literal["light", "dark"], width: int
) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=scheme)
    for name in NAMES:
        visit(page, folder, name)
        page.evaluate(axe)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.evaluate(AXE_VIOLATIONS) == []
        if name != "index.html":
            page.locator(".releases td").first.click()
            assert page.evaluate(AXE_VIOLATIONS) == []
            assert page.evaluate("document.documentElement.scrollWidth") <= width
