"""The HTML report as a reader meets it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import ml_dtypes
import numpy as np
import pytest
from playwright.sync_api import Browser, Page
from report_records import call, difference_of_arrays, entry, header, lines, record, target

from conformance.form import Form
from conformance.record import CheckRecord
from conformance.report.html import render_html
from conformance.report.summary import summarize
from conformance.verdict import Verdict

pytestmark = pytest.mark.browser

OpenReport = Callable[..., Page]

HOSTILE = "</script></style><img src=x onerror=alert(1)><script>alert(2)</script>\"'><svg onload=alert(3)>"


def wrong(case: str, **fields: Any) -> CheckRecord:
    usual = {
        "cause": "wrong axis",
        "call": call(entry(np.zeros((2, 6)))),
        "differences": [difference_of_arrays(np.array([[1, 2], [3, 4]]), np.array([[1, 2], [9, 4]]))],
    }
    return record(Verdict.WRONG_RESULT, case=f"onnx.Split-13/{case}", **{**usual, **fields})


@pytest.fixture
def opened(page: Page, tmp_path: Path) -> OpenReport:
    """Opens the report of some records from a file, and returns the page."""

    def open_report(*records: CheckRecord, fragment: str = "", **options: Any) -> Page:
        path = tmp_path / "report.html"
        path.write_text("".join(render_html(summarize(lines(*records, **options)))), encoding="utf-8")
        page.goto(f"{path.as_uri()}{fragment}")
        return page

    return open_report


def test_it_opens_from_a_file_without_a_complaint(opened: OpenReport) -> None:
    page = opened(record(), wrong("a"))
    assert page.locator("h1").inner_text() == "The target does not conform."
    assert page.locator("table.matrix").evaluate("table => getComputedStyle(table).borderCollapse") == "collapse"


def test_hostile_text_is_shown_and_not_run(opened: OpenReport) -> None:
    texts = dict.fromkeys(("cause", "explanation", "message", "stderr", "ran_on", "where"), HOSTILE)
    name = f"toy@1{HOSTILE}"
    page = opened(wrong(HOSTILE, target=name, **texts), head=header(target(name, details={HOSTILE: HOSTILE})))
    assert page.locator("img, svg").count() == 0
    assert page.locator("script").count() == 1
    page.locator("details.cause > summary").click()
    page.locator("details.check > summary").click()
    assert page.locator("details.check pre", has_text=HOSTILE).first.is_visible()


def test_a_script_that_gets_in_would_not_run(browser: Browser, tmp_path: Path) -> None:
    text = "".join(render_html(summarize(lines(record()))))
    path = tmp_path / "report.html"
    path.write_text(text.replace("</main>", "<script>document.title = 'run'</script></main>"), encoding="utf-8")
    page = browser.new_page()
    refused = []
    page.on("console", lambda message: refused.append(message.text))
    page.goto(path.as_uri())
    assert page.title().startswith("Conformance report")
    assert "violates the following Content Security Policy" in refused[0]
    page.close()


def test_the_element_that_differs_is_the_one_that_is_marked(opened: OpenReport) -> None:
    page = opened(wrong("a"))
    page.locator("details.cause > summary").click()
    page.locator("details.check > summary").click()
    cell = page.locator("figure.have td.differs")
    assert cell.inner_text() == "≠\xa09"
    assert cell.evaluate("cell => [cell.parentElement.rowIndex, cell.cellIndex]") == [2, 1]
    assert "underline" in cell.locator("b").evaluate("b => getComputedStyle(b).textDecorationLine")
    other = page.locator("figure.have tbody td:not(.differs)").first
    background = "cell => getComputedStyle(cell).backgroundColor"
    assert cell.evaluate(background) != other.evaluate(background)


def test_bits_tell_values_apart_that_look_alike(opened: OpenReport) -> None:
    want, have = (np.array([bits], np.uint16).view(ml_dtypes.bfloat16) for bits in (0x7FC1, 0x7FC0))
    page = opened(wrong("a", differences=[difference_of_arrays(want, have)]))
    page.locator("details.cause > summary").click()
    page.locator("details.check > summary").click()
    assert page.locator("figure.want td.differs small").inner_text() == "0x7fc1"
    assert page.locator("figure.have td.differs small").inner_text() == "0x7fc0"


def test_the_filter_leaves_the_cases_that_hold_every_word(opened: OpenReport) -> None:
    page = opened(
        wrong("alpha"),
        wrong("alpha", form=Form.RUNTIME),
        wrong("beta", cause="outputs swapped"),
        record(Verdict.CRASHED, cause="process died: SIGSEGV", case="onnx.Split-13/alpha"),
    )
    page.get_by_role("button", name="Open all causes").click()
    page.get_by_label("Show only").fill("Wrong ALPHA runtime")
    assert page.locator("details.check:visible").count() == 1
    assert page.locator("details.cause:visible").count() == 1
    assert page.locator("output").inner_text() == "1 of 4 cases shown"
    page.get_by_label("Show only").fill("")
    assert page.locator("details.check:visible").count() == 4
    assert page.locator("output").inner_text() == ""


def test_the_filter_hides_a_group_in_which_nothing_is_left(opened: OpenReport) -> None:
    page = opened(wrong("alpha"), record(Verdict.KNOWN, deviation="toy-001"))
    page.get_by_label("Show only").fill("alpha")
    assert not page.get_by_role("heading", name="Known deviations").is_visible()
    page.get_by_label("Show only").fill("nothing has this")
    assert page.locator("output").inner_text() == "0 of 2 cases shown"


def test_a_link_to_a_case_opens_it(opened: OpenReport) -> None:
    page = opened(wrong("alpha"), wrong("beta"))
    link = page.locator("details.check").nth(1).get_attribute("id")
    page = opened(wrong("alpha"), wrong("beta"), fragment=f"#{link}")
    page.reload()
    assert page.locator("figure:visible").count() == 2
    assert page.locator("details.check[open] > summary").inner_text().startswith("onnx.Split-13/beta")


def test_everything_is_there_without_the_script(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_text("".join(render_html(summarize(lines(wrong("alpha"))))), encoding="utf-8")
    page = browser.new_context(java_script_enabled=False).new_page()
    page.goto(path.as_uri())
    assert not page.get_by_label("Show only").is_visible()
    page.locator("details.cause > summary").click()
    page.locator("details.check > summary").click()
    assert page.locator("figure.have td.differs").is_visible()
    page.context.close()


def test_a_keyboard_reaches_the_result_first(opened: OpenReport) -> None:
    page = opened(wrong("alpha"))
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the result"
    page.keyboard.press("Enter")
    assert page.evaluate("location.hash") == "#conformance"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_has_contrast_in_both_schemes(opened: OpenReport, page: Page, scheme: Literal["light", "dark"]) -> None:
    """WCAG AA asks for 4.5 to 1."""
    page.emulate_media(color_scheme=scheme)
    opened(wrong("alpha"), record(Verdict.KNOWN, deviation="toy-001"), record(Verdict.CRASHED), record(Verdict.NOT_RUN))
    page.get_by_role("button", name="Open all causes").click()
    page.locator("details.check > summary").first.click()
    assert page.evaluate(_LOW_CONTRAST) == []


_LOW_CONTRAST = """() => {
  const channels = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const luminance = ([r, g, b]) => [r, g, b]
    .map((c) => c / 255).map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const paper = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const found = channels(getComputedStyle(at).backgroundColor);
      if (found.length < 4 || found[3] > 0) return found;
    }
  };
  const low = [];
  for (const element of document.querySelectorAll("body *")) {
    const isText = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    if (!isText || !element.checkVisibility()) continue;
    const [ink, back] = [channels(getComputedStyle(element).color), paper(element)].map(luminance);
    const ratio = (Math.max(ink, back) + 0.05) / (Math.min(ink, back) + 0.05);
    if (ratio < 4.5) low.push(`${element.tagName}.${element.className} ${ratio.toFixed(2)}`);
  }
  return low;
}"""
