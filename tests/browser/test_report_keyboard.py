"""The HTML report without a mouse, in each browser: from the page to the query, the list and a case, and back."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect
from report_pages import OpenReport, wrong

pytestmark = [
    pytest.mark.slow,
    pytest.mark.browser,
    pytest.mark.parametrize("browser", ["chromium", "firefox"], indirect=True),
]

FOCUSED = "document.activeElement.id || document.activeElement.textContent"
OUTLINE = """() => {
  const active = document.activeElement;
  const shown = active.querySelector(".row.active") ?? active;
  return [active.matches(":focus-visible"), getComputedStyle(shown).outlineStyle];
}"""


@pytest.fixture
def shown(opened: OpenReport) -> Page:
    """A report of forty cases as it opens."""
    return opened(*(wrong(f"case-{number:02}") for number in range(40)))


def test_a_walk_by_keys_leads_from_the_page_to_a_case_and_back(shown: Page) -> None:
    keys = shown.keyboard
    keys.press("/")
    assert shown.evaluate(FOCUSED) == "query"
    assert shown.evaluate(OUTLINE) == [True, "solid"]
    keys.type("case-1")
    keys.press("Enter")
    assert shown.evaluate(FOCUSED) == "list"
    assert shown.evaluate(OUTLINE) == [True, "solid"]
    keys.press("ArrowDown")
    keys.press("Enter")
    expect(shown.locator("#case h1")).to_have_text("onnx.Split-13/case-11")
    assert shown.evaluate(FOCUSED) == "case-title"
    keys.press("ArrowRight")
    expect(shown.locator("#case h1")).to_have_text("onnx.Split-13/case-12")
    keys.press("Escape")
    expect(shown.locator("#list")).to_be_focused()
    assert shown.evaluate(OUTLINE) == [True, "solid"]
    assert shown.locator(".row.active").inner_text().startswith("onnx.Split-13/case-11")
    keys.press("Escape")
    assert shown.evaluate(FOCUSED) == "query"
    assert shown.get_by_label("Query").input_value() == "case-1"


def test_the_down_arrow_leads_into_the_list_and_up_out_of_it(shown: Page) -> None:
    shown.keyboard.press("/")
    shown.keyboard.press("ArrowDown")
    assert shown.evaluate(FOCUSED) == "list"
    shown.keyboard.press("ArrowUp")
    assert shown.evaluate(FOCUSED) == "query"


def test_a_query_that_is_not_understood_leads_nowhere(shown: Page) -> None:
    shown.keyboard.press("/")
    shown.keyboard.type("dtpe:x")
    shown.keyboard.press("Enter")
    assert shown.evaluate(FOCUSED) == "query"


def test_the_key_of_the_query_is_shown_in_it_until_it_is_used(shown: Page) -> None:
    hint = shown.locator("#query-key")
    assert hint.inner_text() == "/"
    shown.keyboard.press("/")
    expect(hint).not_to_be_visible()
    shown.keyboard.press("/")
    assert shown.get_by_label("Query").input_value() == "/"


def test_the_key_of_the_query_leads_out_of_a_case(shown: Page) -> None:
    shown.locator(".list .rows a").first.click()
    shown.wait_for_selector("#case h1")
    shown.keyboard.press("/")
    expect(shown.locator("#query")).to_be_focused()
    assert shown.locator("#case").is_hidden()


def test_two_skip_links_lead_to_the_result_and_to_the_checks(shown: Page) -> None:
    for name, fragment in (("Skip to the result", "#conformance"), ("Skip to the checks", "#checks")):
        shown.keyboard.press("Tab")
        assert shown.evaluate(FOCUSED) == name
        assert shown.locator(":focus").bounding_box()["x"] >= 0
        assert shown.evaluate("document.activeElement.hash") == fragment
    shown.keyboard.press("Enter")
    expect(shown).to_have_url(re.compile("#checks$"))
    shown.keyboard.press("Tab")
    assert shown.evaluate(FOCUSED) == "query"


def test_a_completion_is_walked_to_and_taken_before_the_list(shown: Page) -> None:
    shown.keyboard.press("/")
    shown.keyboard.type("verdict:wrong-r")
    shown.keyboard.press("ArrowDown")
    shown.keyboard.press("Enter")
    assert shown.get_by_label("Query").input_value() == "verdict:wrong-result "
    shown.keyboard.press("ArrowDown")
    assert shown.evaluate(FOCUSED) == "list"


def test_the_place_in_the_list_is_the_same_after_a_case(shown: Page) -> None:
    shown.keyboard.press("/")
    shown.keyboard.press("ArrowDown")
    shown.keyboard.press("End")
    before = shown.locator("#list").evaluate("list => list.scrollTop")
    assert before > 0
    shown.keyboard.press("Enter")
    shown.wait_for_selector("#case h1")
    shown.keyboard.press("Escape")
    expect(shown.locator("#list")).to_be_focused()
    assert shown.locator("#list").evaluate("list => list.scrollTop") == before
    assert shown.locator(".row.active").inner_text().startswith("onnx.Split-13/case-39")
