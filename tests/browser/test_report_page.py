"""The HTML report as it opens: what it says, what it keeps from happening, and what works without its script."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser, Page
from report_pages import AXE_VIOLATIONS, HOSTILE, OpenReport, cut_elsewhere, write_report, wrong
from report_records import ONNXRUNTIME, asked_of_onnxruntime, deviation, header, lines, record, target

from conformance.spec.verdict import Verdict

pytestmark = [pytest.mark.slow, pytest.mark.browser]


def test_it_opens_from_a_file_without_a_complaint(opened: OpenReport) -> None:
    page = opened(record(), wrong("a"))
    assert page.locator("h1").inner_text() == "The target does not conform."
    assert page.locator("table.matrix").evaluate("table => getComputedStyle(table).borderCollapse") == "collapse"


def test_hostile_text_is_shown_and_not_run(opened: OpenReport) -> None:
    texts = dict.fromkeys(("cause", "explanation", "message", "stderr", "ran_on", "where", "dtype"), HOSTILE)
    name = f"toy@1{HOSTILE}"
    page = opened(wrong(HOSTILE, target=name, **texts), head=header(target(name, details={HOSTILE: HOSTILE})))
    page.locator("details.cause > summary").click()
    page.locator(".list .rows a").first.click()
    page.wait_for_selector("#case h1")
    assert page.locator("img, svg[onload]").count() == 0
    assert page.locator("#case pre", has_text=HOSTILE.replace("\u202e", r"\u202e")).first.is_visible()


def test_a_message_of_a_megabyte_is_cut_and_reported(opened: OpenReport) -> None:
    page = opened(wrong("a", message="x" * 1_000_000, cause="y" * 1_000_000))
    page.locator("details.cause > summary").click()
    assert page.locator("details.cause pre", has_text="(1,000,000 characters in all)").is_visible()


def test_a_script_that_gets_in_would_not_run(browser: Browser, tmp_path: Path) -> None:
    path = write_report(tmp_path / "report.html", lines(record()))
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("</main>", "<script>document.title = 'run'</script></main>"), encoding="utf-8")
    page = browser.new_page()
    refused = []
    page.on("console", lambda message: refused.append(message.text))
    page.goto(path.as_uri())
    assert page.title().startswith("Conformance report")
    assert "violates the following Content Security Policy" in refused[0]
    page.close()


def test_three_clicks_lead_to_the_element_and_its_reproducer(opened: OpenReport) -> None:
    page = opened(record(), wrong("a"))
    page.locator("table.matrix a", has_text="1 new").first.click()
    page.locator(".list .rows a").first.click()
    assert page.locator("#case figure.have td.differs").inner_text() == "≠ 9"
    page.locator("#case .copy").nth(1).click()
    assert page.evaluate("navigator.clipboard.readText()") == (
        "conformance repro 'onnx.Split-13/a' --target 'toy@1.0' --form constant"
    )


def test_the_third_click_may_copy_the_script_itself(opened: OpenReport) -> None:
    page = opened(asked_of_onnxruntime(), head=header(ONNXRUNTIME))
    page.locator("table.matrix a", has_text="1 new").first.click()
    page.locator(".list .rows a").first.click()
    assert page.locator("#case figure.have td.differs").inner_text() == "≠ 9.0"
    page.locator("#case .copy").last.click()
    script = page.evaluate("navigator.clipboard.readText()")
    assert script.startswith('"""onnx.Split-13/axis[position=rank2-axis1], form constant, on ONNX Runtime 1.31.1 with ')
    compile(script, "repro.py", "exec")


def test_a_cause_opens_on_its_first_case(opened: OpenReport) -> None:
    page = opened(wrong("a"), wrong("b"))
    page.locator("details.cause > summary").click()
    assert page.locator("details.cause figure.have td.differs").is_visible()
    page.locator("details.cause .copy").first.click()
    assert page.evaluate("navigator.clipboard.readText()").startswith("conformance run --target 'toy@1.0'")


def test_a_link_opens_a_cause(opened: OpenReport) -> None:
    page = opened(wrong("a"), wrong("b", cause="NaN quieted"))
    fragment = page.get_by_text("Link to this cause").nth(1).get_attribute("href")
    page = opened(wrong("a"), wrong("b", cause="NaN quieted"), fragment=fragment)
    page.reload()
    page.wait_for_selector("html.ready")
    assert page.locator("details.cause[open] h4").all_inner_texts() == ["NaN quieted"]


def test_all_that_matters_is_there_without_the_script(browser: Browser, tmp_path: Path) -> None:
    path = write_report(tmp_path / "report.html", lines(wrong("alpha")))
    page = browser.new_context(java_script_enabled=False).new_page()
    page.goto(path.as_uri())
    assert page.get_by_text("shows the first case of each cause").is_visible()
    assert not page.get_by_label("Query").is_visible()
    page.locator("details.cause > summary").click()
    assert page.locator("figure.have td.differs").is_visible()
    page.context.close()


def test_a_keyboard_reaches_the_result_first(opened: OpenReport) -> None:
    page = opened(wrong("alpha"))
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the result"
    page.keyboard.press("Enter")
    assert page.evaluate("location.hash") == "#conformance"


def test_print_leaves_out_what_only_a_screen_can_do(opened: OpenReport, page: Page) -> None:
    opened(wrong("alpha"))
    page.emulate_media(media="print")
    assert not page.locator("header.bar").is_visible()
    assert not page.locator("#checks").is_visible()
    assert page.locator("table.matrix").is_visible()


@pytest.mark.parametrize("width", [1280, 360])
def test_the_page_itself_never_scrolls_sideways(opened: OpenReport, page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    opened(wrong("alpha-" + "x" * 200), record(Verdict.KNOWN, deviation="toy-001"))
    page.locator("details.cause > summary").first.click()
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(opened: OpenReport, page: Page, axe: str, scheme: Literal["light", "dark"]) -> None:
    """WCAG 2.2 AA, and what axe calls best practice, on the report and on a case."""
    page.emulate_media(color_scheme=scheme)
    head = header(deviations=[deviation()], planned=5)
    verdicts = (Verdict.CRASHED, Verdict.NOT_RUN, Verdict.FOLLOWS)
    opened(
        cut_elsewhere("alpha"),
        record(Verdict.KNOWN, deviation="toy-001"),
        *(record(verdict, case=f"onnx.Split-13/{verdict.name}") for verdict in verdicts),
        head=head,
    )
    page.evaluate(axe)
    page.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = true))")
    page.get_by_label("Query").fill("dtpe:x")
    assert page.evaluate(AXE_VIOLATIONS) == []
    page.get_by_label("Query").fill("")
    page.locator("details.cause h5 a").first.click()
    page.wait_for_selector("#case h1")
    assert page.evaluate(AXE_VIOLATIONS) == []


def test_an_operator_unfolds_to_its_versions_the_newest_first(opened: OpenReport) -> None:
    page = opened(*(record(case=f"onnx.Split-{version}/a") for version in (2, 13, 11)), record(case="onnx.Concat-4/a"))
    shown = page.locator("table.matrix tbody th:visible")
    assert [text.split()[0] for text in shown.all_inner_texts()] == ["onnx.Concat-4", "onnx.Split"]
    page.get_by_label("onnx.Split 3 versions").check()
    assert shown.all_inner_texts()[2:] == ["onnx.Split-13", "onnx.Split-11", "onnx.Split-2"]
