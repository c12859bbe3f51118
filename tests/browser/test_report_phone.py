"""The HTML report at the widths of a phone, a tablet and a desk: what fits, what a finger taps, what axe-core finds."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, Literal

import pytest
from playwright.sync_api import Page
from report_pages import AXE_VIOLATIONS, OpenReport, cut_elsewhere, wrong
from report_records import deviation, header, record, target

from conformance.log.record import CheckRecord
from conformance.spec.verdict import Verdict

WIDTHS = (360, 390, 1024, 1440)
TARGETS = ("openvino@2026.4.1", "onnxruntime@1.31.1", "torch@2.13.0+cpu", "numpy@2.4.6")
SMALL = """() => [...document.querySelectorAll("a, button, input, select, summary")]
  .filter((one) => one.checkVisibility() && !one.matches(".skip, .list .rows a, p a, pre a, dd a"))
  .map((one) => [one.outerHTML.slice(0, 80), one.getBoundingClientRect()])
  .filter(([, { width, height }]) => width < 44 || height < 44)
  .map(([text, { width, height }]) => `${text} ${width}x${height}`)"""

pytestmark = [pytest.mark.slow, pytest.mark.browser]


def log() -> tuple[list[CheckRecord], dict[str, Any]]:
    """A case with a long id that each of four targets answers in another way."""
    case = f"onnx.Split-13/a-case-with-a-long-id[{'axis=-1,' * 6}dtype=float32]"
    known = {"deviation": "toy-001", "judged": Verdict.REJECTED_VALID}
    records = [
        record(Verdict.KNOWN, target=TARGETS[0], case=case, **known),
        cut_elsewhere("alpha", target=TARGETS[1]),
        record(Verdict.FOLLOWS, target=TARGETS[2], case=case, interpretation="an empty part"),
        record(target=TARGETS[3], case=case, lowered="as Slice"),
        record(Verdict.NOT_RUN, target=TARGETS[3], case="onnx.Split-13/beta"),
    ]
    return records, {"head": header(*map(target, TARGETS), deviations=[deviation(target=TARGETS[0])])}


def opened_at(opened: OpenReport, page: Page, width: int) -> Page:
    page.set_viewport_size({"width": width, "height": 844})
    records, options = log()
    opened(*records, fragment="#checks", **options)
    page.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = true))")
    return page


def open_case(page: Page) -> None:
    page.locator(".list .rows .row").first.click(position={"x": 20, "y": 10})
    page.wait_for_selector("#case h1")
    page.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = true))")


@pytest.mark.parametrize("browser", ["chromium", "firefox"], indirect=True)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_at_any_width(
    opened: OpenReport, page: Page, axe: str, scheme: Literal["light", "dark"]
) -> None:
    page.emulate_media(color_scheme=scheme)
    opened_at(opened, page, WIDTHS[0])
    page.evaluate(axe)
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 844})
        assert page.evaluate(AXE_VIOLATIONS) == []
        open_case(page)
        assert page.evaluate(AXE_VIOLATIONS) == []
        page.keyboard.press("Escape")
        page.wait_for_selector("#report:not([hidden])")


@pytest.mark.parametrize("width", WIDTHS)
def test_neither_the_page_nor_a_case_scrolls_sideways(opened: OpenReport, page: Page, width: int) -> None:
    opened_at(opened, page, width)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    open_case(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("browser", ["chromium", "firefox"], indirect=True)
@pytest.mark.parametrize("width", [360, 390])
def test_the_list_shows_whole_verdicts_on_a_phone(opened: OpenReport, page: Page, width: int) -> None:
    opened_at(opened, page, width)
    badges = page.locator("#row-0 .at .badge:visible")
    assert badges.all_inner_texts() == [
        "± known · rejected a valid call",
        "≈ spec ambiguous",
        "✓ pass",
    ]
    for box in (badges.nth(number).bounding_box() for number in range(3)):
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width
    row = page.locator("#row-0").bounding_box()
    last = badges.last.bounding_box()
    assert row is not None
    assert last is not None
    assert last["y"] + last["height"] <= row["y"] + row["height"]


@pytest.mark.parametrize("width", [360, 390])
def test_what_a_finger_taps_is_large_enough(opened: OpenReport, page: Page, width: int) -> None:
    opened_at(opened, page, width)
    assert page.evaluate(SMALL) == []
    open_case(page)
    assert page.evaluate(SMALL) == []


LETTERS_ALONE = """
[...document.querySelectorAll("table th, table td")].filter((cell) => {
  const range = document.createRange();
  range.selectNodeContents(cell);
  const box = range.getBoundingClientRect();
  return cell.innerText.trim().length > 6 && box.width && box.width < 30 && box.height > 100;
}).map((cell) => cell.innerText)
"""


def test_no_table_has_a_name_of_one_letter_a_line(opened: OpenReport, page: Page) -> None:
    opened_at(opened, page, 390)
    assert page.evaluate(LETTERS_ALONE) == []


def test_a_tap_anywhere_in_a_row_opens_its_case(opened: OpenReport, page: Page) -> None:
    opened_at(opened, page, 390)
    row = page.locator("#row-1")
    box = row.bounding_box()
    assert box is not None
    assert box["height"] >= 44
    row.click(position={"x": box["width"] - 20, "y": box["height"] - 10})
    page.wait_for_selector("#case h1")
    assert page.locator("#case h1").inner_text() == "onnx.Split-13/alpha"


def test_the_first_column_of_a_wide_table_stays_in_view(opened: OpenReport, page: Page) -> None:
    opened_at(opened, page, 390)
    box = page.locator(".scroll:has(> table.matrix)")
    assert box.evaluate("box => { box.scrollLeft = 500; return box.scrollLeft; }") > 0
    name = page.locator("table.matrix tbody th").first
    assert name.evaluate("name => name.getBoundingClientRect().x >= 0")
    assert name.evaluate("name => name.getBoundingClientRect().width") <= 195


@pytest.mark.parametrize("view", ["report", "case"])
def test_headings_nest_without_gaps(opened: OpenReport, page: Page, view: str) -> None:
    opened_at(opened, page, 1440)
    if view == "case":
        open_case(page)
    levels = page.locator(f"#{view} :is(h1, h2, h3, h4, h5, h6)").evaluate_all(
        "all => all.map((one) => +one.tagName[1])"
    )
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(next_one <= level + 1 for level, next_one in pairwise(levels))


def test_headings_of_a_first_case_are_below_that_of_its_cause(opened: OpenReport, page: Page) -> None:
    opened(wrong("alpha"))
    headings = page.locator("details.cause :is(h1, h2, h3, h4, h5, h6)")
    assert headings.evaluate_all("all => all.map((one) => one.tagName)")[:3] == ["H4", "H5", "H6"]
