"""A case of the HTML report: the call, expected beside actual, all targets, and its neighbours."""

from __future__ import annotations

import re

import ml_dtypes
import numpy as np
import pytest
from playwright.sync_api import Page, expect
from report_pages import OpenReport, wrong
from report_records import deviation, difference_of_arrays, header, record, target

from conformance.log.record import CheckRecord
from conformance.protocol.form import Form
from conformance.spec.verdict import Verdict

pytestmark = [pytest.mark.slow, pytest.mark.browser]

LINK = "#case=onnx.Split-13%2Fa&form=constant"


def case_of(opened: OpenReport, *records: CheckRecord, **options: object) -> Page:
    page = opened(*records, fragment=LINK, **options)
    page.wait_for_selector("#case h1")
    return page


def test_a_link_opens_the_case(opened: OpenReport) -> None:
    page = case_of(opened, wrong("b"), wrong("a"))
    assert page.locator("#case h1").inner_text() == "onnx.Split-13/a"
    assert not page.locator("#report").is_visible()
    assert page.title().startswith("onnx.Split-13/a · Conformance report")


def test_the_element_that_differs_is_the_one_that_is_marked(opened: OpenReport) -> None:
    page = case_of(opened, wrong("a"))
    cell = page.locator("#case figure.have td.differs")
    assert cell.inner_text() == "≠ 9"
    assert cell.evaluate("cell => [cell.parentElement.rowIndex, cell.cellIndex]") == [2, 1]
    assert "underline" in cell.locator("b").evaluate("b => getComputedStyle(b).textDecorationLine")
    background = "cell => getComputedStyle(cell).backgroundColor"
    other = page.locator("#case figure.have tbody td:not(.differs)").first
    assert cell.evaluate(background) != other.evaluate(background)


def test_bits_distinguish_values_that_look_alike(opened: OpenReport) -> None:
    want, have = (np.array([bits], np.uint16).view(ml_dtypes.bfloat16) for bits in (0x7FC1, 0x7FC0))
    page = case_of(opened, wrong("a", differences=[difference_of_arrays(want, have)]))
    assert page.locator("#case figure.want td.differs small").inner_text() == "0x7fc1"
    assert page.locator("#case figure.have td.differs small").inner_text() == "0x7fc0"


def test_a_slice_of_a_higher_rank_can_be_chosen(opened: OpenReport) -> None:
    want = np.zeros((3, 2, 2), np.int8)
    have = want.copy()
    have[1, 0, 1] = 7
    page = case_of(opened, wrong("a", differences=[difference_of_arrays(want, have)]))
    assert page.locator("#case .slice:visible caption").first.inner_text() == "[1, :, :]"
    page.locator("#case").get_by_label("Slice").select_option(label="[2, :, :]")
    assert page.locator("#case .slice:visible caption").first.inner_text() == "[2, :, :]"


def test_all_targets_stand_side_by_side(opened: OpenReport) -> None:
    names = ("one@1", "two@2", "three@3")
    records = [wrong("a", target="one@1"), wrong("a", target="two@2")]
    passed = record(target="three@3", case="onnx.Split-13/a")
    page = case_of(opened, *records, passed, head=header(*map(target, names)))
    tops = page.locator(".target h2").evaluate_all("all => all.map((one) => one.getBoundingClientRect().top)")
    assert tops[0] == tops[1]
    assert page.get_by_label("Other targets").inner_text().split() == ["three@3", "✓", "pass"]


def test_a_recorded_deviation_is_reported_with_its_reproducer(opened: OpenReport) -> None:
    known = record(Verdict.KNOWN, case="onnx.Split-13/a", deviation="toy-001")
    page = case_of(opened, known, head=header(deviations=[deviation()]))
    assert "conformance repro --recorded toy-001" in page.locator("#case dl.recorded").inner_text()
    assert page.locator("#case dl.recorded a").get_attribute("href") == "https://example.org/issues/1"


def test_the_end_of_a_crash_is_shown(opened: OpenReport) -> None:
    crashed = record(Verdict.CRASHED, case="onnx.Split-13/a", cause="process died", stderr="double free")
    page = case_of(opened, crashed)
    assert page.locator("#case pre", has_text="double free").is_visible()


def test_the_other_forms_are_a_click_away(opened: OpenReport) -> None:
    page = case_of(opened, wrong("a"), wrong("a", form=Form.RUNTIME))
    page.locator("table.forms tr", has_text="runtime").get_by_role("link").click()
    expect(page.locator("#case .meta").first).to_contain_text("runtime")


def test_arrows_lead_to_the_neighbours_and_escape_back(opened: OpenReport) -> None:
    page = case_of(opened, wrong("a"), wrong("b"))
    page.keyboard.press("ArrowRight")
    expect(page.locator("#case h1")).to_have_text(re.compile("/b$"))
    page.keyboard.press("Escape")
    page.wait_for_selector("#report:not([hidden])")
    assert page.locator("#case").is_hidden()


def test_a_link_to_a_case_that_is_not_there_says_so(opened: OpenReport) -> None:
    page = case_of(opened, wrong("b"))
    assert page.locator("#case h1").inner_text() == "This report has no such case"


def test_the_way_back_leads_to_the_query(opened: OpenReport) -> None:
    page = opened(wrong("a"), wrong("b"), fragment="#checks")
    page.get_by_label("Query").fill("case:b")
    page.locator(".list .rows a").first.click()
    page.wait_for_selector("#case h1")
    page.get_by_text("Back to the report").click()
    page.wait_for_selector("#report:not([hidden])")
    assert page.evaluate("location.hash") == "#find=case%3Ab"


def test_a_case_whose_values_had_no_room_says_so(opened: OpenReport) -> None:
    page = opened(*(wrong(f"many-{number}") for number in range(101)), fragment="#case=onnx.Split-13%2Fmany-100")
    page.wait_for_selector("#case h1")
    assert page.get_by_text("The page has no room for the values of this check").is_visible()
    assert page.locator("#case pre.command").first.is_visible()


def test_wide_grids_scroll_together(opened: OpenReport) -> None:
    want = np.arange(24, dtype=np.int64).reshape(2, 12) * 10**15
    have = want.copy()
    have[1, 3] = -1
    page = case_of(opened, wrong("a", differences=[difference_of_arrays(want, have)]))
    page.set_viewport_size({"width": 500, "height": 900})
    boxes = page.locator("#case .slice .scroll")
    boxes.first.evaluate("box => { box.scrollLeft = 60; }")
    expect(boxes.nth(1)).to_have_js_property("scrollLeft", 60)
