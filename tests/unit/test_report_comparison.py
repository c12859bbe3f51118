from __future__ import annotations

import io
import json
import re
from dataclasses import replace
from typing import Any

import jsonschema
import pytest
from lxml import html
from markdown_it import MarkdownIt
from report_records import header, lines, record, target
from rich.console import Console

from conformance.commands.schemas import schema
from conformance.comparison.compare import Comparison, compare
from conformance.records.record import CheckRecord
from conformance.report.comparison.console import show
from conformance.report.comparison.document import render_json
from conformance.report.comparison.html import render_html
from conformance.report.comparison.markdown import render_markdown
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
    return compare(old, new, old_log=BAD, new_log=BAD)


def shown(comparison: Comparison) -> str:
    stream = io.StringIO()
    show(comparison, Console(file=stream, width=100, highlight=False))
    return "\n".join(line.rstrip() for line in stream.getvalue().splitlines())


def page_of(comparison: Comparison) -> str:
    return "".join(render_html(comparison))


def test_the_terminal_tells_what_regressed_and_where() -> None:
    assert shown(regression()) == (
        "old: old, started 2026-01-02T03:04:05+00:00, suite 0.1.0, 5 records\n"
        "new: new, started 2026-01-02T03:04:05+00:00, suite 0.1.0, 5 records\n"
        "not the same in both runs:\n"
        "  toy@2.0: name: toy@1.0 → toy@2.0\n"
        "  toy@2.0: framework: Toy 1.0 → Toy 2.0\n"
        "[1] toy@2.0 5 regressed\n"
        "    is compared with toy@1.0, the only one with the same adapter and options\n"
        "\n"
        " operator           regressed\n"
        " ────────────────────────────\n"
        " [1] onnx.Split-13          5\n"
        "\n"
        "\n"
        "regressed: 5 checks. It no longer conforms, deviates where it was not answered, or fails worse than\n"
        "before.\n"
        "  toy@2.0 5 checks: pass → wrong result: wrong axis\n"
        "    onnx.Split-13/c0 (constant)\n"
        "    onnx.Split-13/c1 (constant)\n"
        "    onnx.Split-13/c2 (constant)\n"
        "    and 2 more\n"
        "\n"
        "5 checks regressed. (exit code 1)"
    )


def test_the_terminal_says_why_nothing_can_be_concluded() -> None:
    told = shown(compare(lines(record()), lines(record(Verdict.CRASHED), is_closed=False)))
    assert told.endswith(
        "not comparable: new run: the log has no closing line: it was cut off after 1 record\n"
        "This comparison proves nothing; 1 check regressed. (exit code 3)"
    )


def test_the_terminal_shows_no_control_characters() -> None:
    assert not re.search("[\x00-\x09\x0b-\x1f\u202e\ud800]", shown(hostile()))


def test_equal_runs_are_told_in_a_few_lines() -> None:
    told = shown(compare(lines(record()), lines(record())))
    assert told.endswith("\nNo check regressed. (exit code 0)")
    assert len(told.splitlines()) < 15


def test_markdown_tells_what_regressed_and_where() -> None:
    text = render_markdown(regression())
    assert text.startswith("## Compared runs: 5 checks regressed.\n")
    assert "| [1] | `onnx.Split-13` | 5 |\n" in text
    assert "- 5 checks on `toy@2.0`: `pass → wrong result: wrong axis`\n  - `onnx.Split-13/c0` (constant)\n" in text


def test_hostile_names_are_no_markup_in_markdown() -> None:
    page = MarkdownIt("gfm-like", {"linkify": False}).render(render_markdown(hostile()))
    allowed = {"h2", "h3", "p", "ul", "li", "code", "strong", "sub", "table", "thead", "tbody", "tr", "th", "td"}
    assert {element.tag for element in html.fromstring(f"<div>{page}</div>").iter()} - {"div"} <= allowed
    assert page.count("<td") == page.count("<th>") + page.count("<th ")


def test_markdown_is_short_enough_for_a_comment_whatever_changed() -> None:
    old = [record(case=f"onnx.Split-13/{'c' * 400}{n}") for n in range(1000)]
    new = [replace(item, verdict=Verdict.CRASHED, cause="é" * 300 + item.case[-3:]) for item in old]
    assert len(render_markdown(compare(lines(*old), lines(*new))).encode()) < 60_000


def test_the_page_allows_its_own_style_and_nothing_else() -> None:
    page = html.fromstring(page_of(hostile()))
    (policy,) = page.xpath("//meta[@http-equiv='Content-Security-Policy']/@content")
    assert re.fullmatch(r"default-src 'none'; style-src 'sha256-[\w+/=]+'; base-uri 'none'; form-action 'none'", policy)
    assert page.xpath("//script | //*[@src] | //*[@href] | //*[@style] | //@*[starts-with(name(), 'on')]") == []


def test_the_page_tells_what_regressed_and_where() -> None:
    page = html.fromstring(page_of(regression()))
    assert page.findtext(".//h1") == "5 checks regressed."
    (group,) = page.xpath("//details[@open]")
    assert " ".join(group.find("summary").text_content().split()) == (
        "pass → wrong result: wrong axis 5 checks on toy@2.0"
    )
    assert [item.text for item in group.iter("li")] == [f"onnx.Split-13/c{number} (constant)" for number in range(5)]


def test_the_page_can_be_written_whatever_the_names_are() -> None:
    page = page_of(hostile())
    assert page.encode("utf-8").count(b"alert(1)") > 3
    assert "<script>" not in page
    assert "\u202e" not in page
    assert len(page) < 200_000


@pytest.mark.parametrize("make", [regression, hostile])
def test_json_keeps_its_schema(make: Any) -> None:
    document = json.loads(render_json(make()).decode("utf-8"))
    jsonschema.Draft202012Validator(schema("comparison")).validate(document)
    assert document["exit_code"] == 1
    assert len(json.dumps(document)) < 20_000
