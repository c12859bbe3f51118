"""Finding checks in the HTML report: queries, their explanations, filters, order, links and keys."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page
from report_pages import OpenReport, watched_page, write_report, wrong
from report_records import header, lines, record, target

from conformance.log.record import CheckRecord
from conformance.protocol.form import Form
from conformance.spec.verdict import Verdict

pytestmark = [pytest.mark.slow, pytest.mark.browser]

HEAD = header(target("one@1"), target("two@2[device=CPU]"), planned=4)


def records() -> list[CheckRecord]:
    """Four cases on two targets."""
    one, two = "one@1", "two@2[device=CPU]"
    return [
        record(target=one, case="onnx.Split-13/alpha", dtype="float16", lowered="as ONNX Split-2"),
        wrong("alpha", target=two, dtype="float16", cause="NaN quieted"),
        wrong("beta", target=one, form=Form.DYNAMIC, clauses=["split.sum"]),
        record(target=two, case="onnx.Split-13/beta", form=Form.DYNAMIC, clauses=["split.sum"]),
        record(target=one, case="openvino.Split-1/gamma", form=Form.DYNAMIC_RANK),
        record(Verdict.KNOWN, target=two, case="openvino.Split-1/gamma", form=Form.DYNAMIC_RANK, deviation="toy-001"),
        record(target=one, case="openvino.Split-1/delta"),
        record(Verdict.CRASHED, target=two, case="openvino.Split-1/delta", cause="process died: SIGSEGV"),
    ]


def excused() -> list[CheckRecord]:
    """Two checks of which a recorded deviation excuses a crash and a rejection."""
    known = {"deviation": "toy-001", "target": "two@2[device=CPU]"}
    return [
        record(Verdict.KNOWN, case="onnx.Split-13/dies", judged=Verdict.CRASHED, **known),
        record(Verdict.KNOWN, case="onnx.Split-13/refuses", judged=Verdict.REJECTED_VALID, **known),
    ]


@pytest.fixture
def found(opened: OpenReport) -> Page:
    return opened(*records(), head=HEAD, fragment="#checks")


@pytest.fixture(scope="module")
def finder(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """A page that many queries are put to, one after the other."""
    path = write_report(tmp_path_factory.mktemp("finder") / "report.html", lines(*records(), head=HEAD))
    with watched_page(browser) as opened:
        opened.goto(f"{path.as_uri()}#checks")
        opened.wait_for_selector("html.ready")
        yield opened


def names(page: Page) -> list[str]:
    """The cases in the list, without their operators."""
    return [text.rpartition("/")[2] for text in page.locator(".rows .row > :first-child").all_inner_texts()]


@pytest.mark.parametrize(
    ("query", "cases"),
    [
        ("", ["alpha", "beta", "gamma", "delta"]),
        ("two:fail and one:pass", ["alpha", "gamma", "delta"]),
        ("is:different", ["alpha", "beta", "gamma", "delta"]),
        ("is:disagreement not two:known", ["alpha", "beta", "delta"]),
        ("dtype:float16", ["alpha"]),
        ("form:dynamic", ["beta"]),
        ("form:dyn", ["beta", "gamma"]),
        ("operator:Split-1", ["gamma", "delta"]),
        ("operator:onnx", ["alpha", "beta"]),
        ("clause:split.sum", ["beta"]),
        ("verdict:crashed or cause:nan", ["alpha", "delta"]),
        ('two:"NaN quieted"', ["alpha"]),
        ("deviation:toy", ["gamma"]),
        ('not (alpha or "SIGSEGV")', ["beta", "gamma"]),
        ('"two@2[device=CPU]":new', ["alpha", "delta"]),
        ("case:ALPHA", ["alpha"]),
        ("target:one is:new", ["alpha", "beta", "delta"]),
        ("is:lowered", ["alpha"]),
        ("one:lowered or two:lowered", ["alpha"]),
        ("two:lowered", []),
    ],
)
def test_a_query_finds(finder: Page, query: str, cases: list[str]) -> None:
    finder.get_by_label("Query").fill(query)
    assert names(finder) == cases


@pytest.mark.parametrize(
    ("query", "printed"),
    [
        ("dtpe:float16", "there is no field or target “dtpe”; did you mean dtype?"),
        ("one:pasd", "“pasd” is no verdict, and one said no such thing; did you mean pass?"),
        ("form:dinamic", "there is no form “dinamic”; did you mean dynamic?"),
        ("(one:pass", "the parenthesis is not closed"),
        ('"alpha', "the quote is not closed"),
        ("alpha and", "something is missing at the end"),
        ("alpha)", "this parenthesis was never opened"),
        ("or alpha", "a term is missing before “or”"),
        ("dtype:", "after dtype: stands nothing to look for"),
    ],
)
def test_a_query_that_is_not_understood_is_explained(finder: Page, query: str, printed: str) -> None:
    finder.get_by_label("Query").fill("")
    finder.get_by_label("Query").fill(query)
    assert printed in finder.locator("#query-says").inner_text()
    assert len(names(finder)) == 4


@pytest.mark.parametrize("query", ["is:lower", "two:lower"])
def test_lowered_is_among_what_may_follow(found: Page, query: str) -> None:
    found.get_by_label("Query").press_sequentially(query)
    assert [text.strip() for text in found.locator("[role=option]").all_inner_texts()] == ["lowered"]


def test_a_completion_is_taken_by_key(found: Page) -> None:
    query = found.get_by_label("Query")
    query.press_sequentially("form:run")
    assert found.locator("[role=option]").count() == 0
    query.fill("")
    query.press_sequentially("form:dynamic-r")
    query.press("ArrowDown")
    query.press("Enter")
    assert query.input_value() == "form:dynamic-rank "
    assert names(found) == ["gamma"]


def test_escape_closes_the_completions(found: Page) -> None:
    found.get_by_label("Query").press_sequentially("di")
    found.get_by_label("Query").fill("dt")
    assert found.locator("[role=option]").all_inner_texts() == ["dtype: an element type of the data"]
    found.keyboard.press("Escape")
    assert not found.locator("#completions").is_visible()


def test_a_quick_filter_writes_its_query(found: Page) -> None:
    found.get_by_role("button", name="Targets disagree").click()
    assert found.get_by_label("Query").input_value() == "is:disagreement"
    assert found.locator("#query-says").inner_text() == "4 of 4 rows · 4 cases"


@pytest.mark.parametrize("query", ["verdict:crashed", "is:crashed", "two:crashed", "is:memory-or-crash"])
def test_a_query_finds_the_kind_of_a_known_check(opened: OpenReport, query: str) -> None:
    page = opened(*excused(), head=HEAD, fragment="#checks")
    page.get_by_label("Query").fill(query)
    assert names(page) == ["dies"]
    assert page.locator(".list .rows .badge").inner_text() == "± known · crashed"


def test_quick_filters_by_kind_come_worst_first(opened: OpenReport) -> None:
    page = opened(*records(), *excused(), head=HEAD, fragment="#checks")
    labels = [text.rpartition(" ")[0] for text in page.locator("#quick button").all_inner_texts()]
    assert labels[:4] == ["All", "New differences", "Memory or crash", "Wrong values"]
    assert "Wrong rejection" in labels


def test_known_crashes_sort_before_known_rejections(opened: OpenReport) -> None:
    page = opened(*reversed(excused()), head=HEAD, fragment="#checks")
    page.locator("#list").get_by_role("columnheader").get_by_text("two@2[device=CPU]").click()
    assert names(page) == ["dies", "refuses"]


def test_a_column_sorts_up_down_and_not_at_all(found: Page) -> None:
    by_case = found.locator("#list").get_by_role("columnheader").get_by_text("case", exact=True)
    by_case.click()
    assert names(found) == ["alpha", "beta", "delta", "gamma"]
    by_case.click()
    assert names(found) == ["gamma", "delta", "beta", "alpha"]
    by_case.click()
    assert names(found) == ["alpha", "beta", "gamma", "delta"]


def test_the_worst_of_a_target_come_first(found: Page) -> None:
    found.locator("#list").get_by_role("columnheader").get_by_text("two@2[device=CPU]").click()
    assert names(found) == ["delta", "alpha", "gamma", "beta"]


def test_the_call_is_in_the_link(opened: OpenReport, found: Page) -> None:
    found.get_by_label("Query").fill("two:fail")
    found.locator("#list").get_by_role("columnheader").get_by_text("case", exact=True).click()
    fragment = found.evaluate("location.hash")
    again = opened(*records(), head=HEAD, fragment=fragment)
    again.reload()
    assert again.get_by_label("Query").input_value() == "two:fail"
    assert names(again) == ["alpha", "delta", "gamma"]


def test_keys_lead_from_the_query_to_a_case_and_back(found: Page) -> None:
    found.keyboard.press("Control+k")
    assert found.evaluate("document.activeElement.id") == "query"
    found.locator("#list").focus()
    found.keyboard.press("ArrowDown")
    found.keyboard.press("Enter")
    found.wait_for_selector("#case h1")
    assert found.locator("#case h1").inner_text() == "onnx.Split-13/beta"
    found.keyboard.press("Escape")
    found.wait_for_selector("#report:not([hidden])")
    assert found.evaluate("document.activeElement.id") == "list"


def test_only_the_rows_in_view_exist(opened: OpenReport) -> None:
    page = opened(*(record(case=f"onnx.Split-13/{number}") for number in range(5000)))
    assert page.locator(".rows .row").count() < 60
    page.locator("#list").focus()
    page.keyboard.press("End")
    page.wait_for_selector("#row-4999")
    assert page.locator("#row-4999").get_attribute("aria-rowindex") == "5001"
    assert page.locator(".rows .row").count() < 60
