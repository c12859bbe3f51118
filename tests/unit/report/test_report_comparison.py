from __future__ import annotations

import io
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from lxml import html
from markdown_it import MarkdownIt
from report_records import header, lines, record, target
from rich.console import Console

from conformance.cli.listing import schema
from conformance.log.answers import NamedLog, named_log
from conformance.log.compare import Comparison, compare
from conformance.log.record import CheckRecord
from conformance.report.comparison import checks_sentence, render_comparison, tree_of
from conformance.report.page import markdown_of
from conformance.report.page import page_of as written_page
from conformance.report.terminal import show
from conformance.spec.verdict import Verdict

BAD = "</style><script>alert(1)</script>[b]*x*`y`|z\x00\x1b[31m\u202e\ud800"


def checks(verdict: Verdict, **fields: Any) -> list[CheckRecord]:
    return [record(verdict, case=f"onnx.Split-13/c{number}", **fields) for number in range(5)]


def regression() -> Comparison:
    new_target = replace(target("toy@2.0"), version="2.0")
    new = checks(Verdict.WRONG_RESULT, cause="wrong axis", target="toy@2.0")
    return compare(lines(*checks(Verdict.PASS)), lines(*new, head=header(new_target, planned=5)))


def hostile() -> Comparison:
    head = header(target(BAD), planned=1)
    old = lines(record(target=BAD, case=BAD, interpretation=BAD), head=head)
    head = replace(head, machine=replace(head.machine, processor=BAD))
    new = lines(record(Verdict.CRASHED, target=BAD, case=BAD, cause=BAD + "x" * 1_000_000), head=head)
    log = NamedLog(path=Path("bad"), name=BAD)
    return compare(old, new, old_log=log, new_log=log)


def shown(comparison: Comparison) -> str:
    stream = io.StringIO()
    show(tree_of(comparison), Console(file=stream, width=100, highlight=False))
    return "\n".join(line.rstrip() for line in stream.getvalue().splitlines())


def page_of(comparison: Comparison, page: str = "page.html") -> str:
    return "".join(written_page(tree_of(comparison, Path(page))))


def markdown(comparison: Comparison) -> str:
    return markdown_of(tree_of(comparison))


def test_the_terminal_names_what_regressed_and_where() -> None:
    assert shown(regression()) == (
        "old: old, started 2026-01-02T03:04:05+00:00, suite 0.1.0, 5 records\n"
        "new: new, started 2026-01-02T03:04:05+00:00, suite 0.1.0, 5 records\n"
        "[1] toy@2.0 5 regressed\n"
        "    Regressed by kind: wrong results: 5\n"
        "    It is compared with toy@1.0, the only one with the same adapter and options.\n"
        "\n"
        "✗ Regressed: 5 checks. It no longer conforms, deviates where it was not answered, or fails worse\n"
        "than before.\n"
        "  Wrong results: 5 checks\n"
        "    pass → wrong result: wrong axis · toy@2.0 5 checks of onnx.Split-13\n"
        "      onnx.Split-13/c0 (constant)\n"
        "      onnx.Split-13/c1 (constant)\n"
        "      onnx.Split-13/c2 (constant)\n"
        "      and 2 more\n"
        "\n"
        "By operator\n"
        "\n"
        " Operator       [1]\n"
        " ────────────────────────────\n"
        " onnx.Split-13  ✗ 5 regressed\n"
        "\n"
        "\n"
        "What differs between the runs\n"
        "\n"
        " What                Old        New\n"
        " ────────────────────────────────────────\n"
        " toy@2.0: name       toy@1.0    toy@2.0\n"
        " toy@2.0: framework  Toy 1.0    Toy 2.0\n"
        "\n"
        "\n"
        "5 checks regressed. (exit code 1)"
    )


def test_the_terminal_says_why_nothing_can_be_concluded() -> None:
    printed = shown(compare(lines(record()), lines(record(Verdict.CRASHED), is_closed=False)))
    assert printed.endswith(
        "not comparable: new run: the log has no closing line: it was cut off after 1 record\n"
        "Nothing can be concluded; 1 check regressed. (exit code 3)"
    )


def test_the_terminal_shows_no_control_characters() -> None:
    assert not re.search("[\x00-\x09\x0b-\x1f\u202e\ud800]", shown(hostile()))


def test_equal_runs_are_reported_in_a_few_lines() -> None:
    printed = shown(compare(lines(record()), lines(record())))
    assert printed.endswith("\nNo check regressed. (exit code 0)")
    assert len(printed.splitlines()) < 20


def test_markdown_names_what_regressed_and_where() -> None:
    text = markdown(regression())
    assert text.startswith("## Compared runs: 5 checks regressed.\n")
    assert "| `onnx.Split-13` | **✗ 5 regressed** |\n" in text
    assert "#### Wrong results: 5 checks\n" in text
    assert "- **pass → wrong result: wrong axis** `toy@2.0` 5 checks of onnx.Split-13\n" in text
    assert "  - `onnx.Split-13/c0` (constant)\n" in text


def test_hostile_names_are_no_markup_in_markdown() -> None:
    page = MarkdownIt("gfm-like", {"linkify": False}).render(markdown(hostile()))
    allowed = {"h2", "h3", "h4", "p", "ul", "li", "code", "strong", "sub", "table", "thead", "tbody", "tr", "th", "td"}
    assert {element.tag for element in html.fromstring(f"<div>{page}</div>").iter()} - {"div"} <= allowed
    assert page.count("<td") == page.count("<th>") + page.count("<th ")


def test_markdown_is_short_enough_for_a_comment_whatever_changed() -> None:
    old = [record(case=f"onnx.Split-13/{'c' * 400}{n}") for n in range(1000)]
    new = [replace(item, verdict=Verdict.CRASHED, cause="é" * 300 + item.case[-3:]) for item in old]
    assert len(markdown(compare(lines(*old), lines(*new))).encode()) < 60_000


def test_the_page_allows_its_own_style_and_nothing_else() -> None:
    page = html.fromstring(page_of(hostile()))
    (policy,) = page.xpath("//meta[@http-equiv='Content-Security-Policy']/@content")
    assert re.fullmatch(r"default-src 'none'; style-src 'sha256-[\w+/=]+'; base-uri 'none'; form-action 'none'", policy)
    assert page.xpath("//script | //*[@src] | //*[@style] | //@*[starts-with(name(), 'on')]") == []
    assert [link for link in page.xpath("//@href") if not link.startswith("#")] == []


def test_the_page_names_what_regressed_and_where() -> None:
    page = html.fromstring(page_of(regression()))
    assert page.findtext(".//h1") == "5 checks regressed."
    (group,) = page.xpath("//details[@open]")
    assert " ".join(group.find("summary").text_content().split()) == (
        "pass → wrong result: wrong axis toy@2.0 5 checks of onnx.Split-13"
    )
    assert [" ".join(item.text_content().split()) for item in group.iter("li")] == [
        f"onnx.Split-13/c{number} (constant)" for number in range(5)
    ]


def test_the_page_can_be_written_whatever_the_names_are() -> None:
    page = page_of(hostile())
    assert page.encode("utf-8").count(b"alert(1)") > 3
    assert "<script>" not in page
    assert "\u202e" not in page
    assert len(page) < 200_000


@pytest.mark.parametrize("make", [regression, hostile])
def test_json_keeps_its_schema(make: Any) -> None:
    document = json.loads(render_comparison(make()).decode("utf-8"))
    jsonschema.Draft202012Validator(schema("comparison")).validate(document)
    assert document["exit_code"] == 1
    assert len(json.dumps(document)) < 20_000


def kinds() -> Comparison:
    """A crash and a wrong result on one operator, a rejection on another, and a third operator without a change."""
    verdicts = {"b.Split-1": Verdict.WRONG_RESULT, "c.Split-1": Verdict.REJECTED_VALID, "a.Split-1": Verdict.PASS}
    cases = {f"{operator}/case": verdict for operator, verdict in verdicts.items()} | {"b.Split-1/z": Verdict.CRASHED}
    head = replace(header(planned=4), suite=replace(header().suite, operators={"b.Split-1": {}, "c.Split-1": {}}))
    old = lines(*(record(case=case) for case in cases), head=head)
    new = lines(*(record(verdict, case=case) for case, verdict in cases.items()), head=head)
    return compare(old, new)


def test_regressions_stand_by_kind_the_worst_first() -> None:
    page = html.fromstring(page_of(kinds()))
    regressed = page.xpath("//section[@id='regressed']")[0]
    assert [heading.text.strip() for heading in regressed.iter("h3")] == [
        "Crashes or hangs:",
        "Wrong results:",
        "Valid calls rejected:",
    ]
    by_kind = "crashes or hangs: 1, wrong results: 1, valid calls rejected: 1\n"
    assert f"**Regressed by kind:** {by_kind}" in markdown(kinds())
    assert f"Regressed by kind: {by_kind}" in shown(kinds())


def test_the_card_of_a_target_says_what_regressed_by_kind() -> None:
    (card,) = html.fromstring(page_of(kinds())).find_class("card")
    assert " ".join(card.text_content().split()) == (
        "✗ toy@1.0 3 regressed, 1 unchanged Regressed by kind: crashes or hangs: 1, wrong results: 1, "
        "valid calls rejected: 1"
    )


def test_a_check_that_is_no_longer_answered_is_a_kind_of_its_own() -> None:
    page = html.fromstring(page_of(compare(lines(record()), lines(record(Verdict.UNSUPPORTED)))))
    assert page.xpath("//section[@id='regressed']//h3/text()")[0].strip() == "No longer answered:"


def test_changes_stand_before_the_operators_and_unchanged_operators_are_folded() -> None:
    page = html.fromstring(page_of(kinds()))
    assert page.xpath("//main/section/@id") == ["result", "regressed", "operators", "runs"]
    (folded,) = page.xpath("//details[@class='unchanged']")
    assert folded.get("open") is None
    assert folded.xpath(".//tbody//th/code/text()") == ["a.Split-1"]


def test_operators_stand_in_the_order_of_the_report() -> None:
    comparison = kinds()
    assert comparison.operators == ("a.Split-1", "b.Split-1", "c.Split-1")
    assert [cell.operator for cell in comparison.cells] == ["a.Split-1", "b.Split-1", "c.Split-1"]
    page = html.fromstring(page_of(comparison))
    assert page.xpath("//section[@id='operators']/div//tbody//th/code/text()") == ["b.Split-1", "c.Split-1"]


def test_the_bar_leads_to_each_section() -> None:
    page = html.fromstring(page_of(kinds()))
    links = page.xpath("//header[@class='bar']//a/@href")
    assert links == [f"#{section}" for section in page.xpath("//main/section/@id")]


def test_a_regressed_check_links_to_the_report_of_its_run() -> None:
    comparison = regression()
    comparison = replace(comparison, new=replace(comparison.new, report="runs/a b:1/report.html"))
    page = html.fromstring(page_of(comparison, "pages/page.html"))
    (link, *_) = page.xpath("//section[@id='regressed']//a/@href")
    assert link == ("../runs/a%20b%3A1/report.html#case=onnx.Split-13%2Fc0&form=constant&target=toy%402.0")


def test_a_check_of_the_old_run_alone_links_to_the_report_of_the_old_run_under_its_old_name() -> None:
    new_target = replace(target("toy@2.0"), version="2.0")
    old, new = record(case="onnx.Split-13/gone"), record(case="onnx.Split-13/c", target="toy@2.0")
    comparison = compare(lines(old), lines(new, head=header(new_target)))
    comparison = replace(comparison, old=replace(comparison.old, report="old/report.html"))
    page = html.fromstring(page_of(comparison))
    (link,) = page.xpath("//section[@id='asked-differently']//a/@href")
    assert link == "old/report.html#case=onnx.Split-13%2Fgone&form=constant&target=toy%401.0"


def test_the_totals_stand_once() -> None:
    assert page_of(kinds()).count("All operators") == 1
    assert page_of(compare(lines(record()), lines(record()))).count("All operators") == 1


def test_a_run_without_a_report_has_no_link() -> None:
    assert html.fromstring(page_of(regression())).xpath("//main//a") == []


def test_the_log_of_a_run_is_named_with_the_report_beside_it(tmp_path: Path) -> None:
    for name in ("run.jsonl", "other.jsonl"):
        (tmp_path / name).write_text("")
    assert named_log(tmp_path / "run.jsonl").report == ""
    (tmp_path / "report.html").write_text("")
    assert named_log(tmp_path / "run.jsonl").report == str(tmp_path / "report.html")
    assert named_log(tmp_path / "other.jsonl").report == ""


def test_a_group_names_the_operators_of_its_checks() -> None:
    cases = ("onnx.Split-13/a", "onnx.Split-13/b", "onnx.Split-18/a")
    new = [record(Verdict.CRASHED, case=case, cause="died") for case in cases]
    (group,) = compare(lines(*(record(case=case) for case in cases)), lines(*new)).groups
    assert checks_sentence(group) == "3 checks: 2 of onnx.Split-13, 1 of onnx.Split-18"
    assert checks_sentence(replace(group, operators={f"o{n}": 1 for n in range(10)})).endswith(", more of 2 operators")
