from __future__ import annotations

import io
import json
import re
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest
from lxml import html
from markdown_it import MarkdownIt
from report_records import TARGET, header, lines, record, target
from rich.console import Console

from conformance.commands.schema import schema
from conformance.findings.logged_run import NamedLog
from conformance.findings.summary import summarize
from conformance.findings.trend import Trend, UnreadLog, trend_of
from conformance.language.verdict import Severity, Verdict
from conformance.log.record import Line, SelectionEntry
from conformance.report.changes_document import render_changes
from conformance.report.links import cause_id
from conformance.report.markdown import markdown_of
from conformance.report.page import page_of as written_page
from conformance.report.terminal import show
from conformance.report.trend import wording
from conformance.report.trend.chart import kind_of
from conformance.report.trend.tree import tree_of

BAD = "</style><script>alert(1)</script>[b]*x*`y`|z\x00\x1b[31m\u202e\ud800"
PATH = BAD.replace("\x00", "").replace("\ud800", "\udc80")
"""A path that a file system can hold."""


def trend(*logs: list[Line], report: str = "") -> Trend:
    return trend_of((NamedLog(path=Path(), name=f"runs/{n}", report=report), log) for n, log in enumerate(logs))


def began(report: str = "") -> Trend:
    """A version of another suite in which a check crashes."""
    newer = header(replace(target("toy@2.0"), version="2.0"))
    suite = replace(newer.suite, version="0.2.0", digest="cd" * 32)
    crashed = record(Verdict.CRASHED, target="toy@2.0", cause="SIGSEGV")
    head = replace(newer, suite=suite, started="2026-02-03T04:05:06+00:00")
    return trend(lines(record()), lines(crashed, head=head), report=report)


def hostile() -> Trend:
    old = header(replace(target(BAD), framework=BAD, version=BAD))
    new = replace(old, started=BAD, suite=replace(old.suite, version=BAD, digest=BAD))
    crash = record(Verdict.CRASHED, target=BAD, case=BAD, cause=BAD + "x" * 1_000_000)
    found = trend(lines(record(target=BAD, case=BAD), head=old), lines(crash, head=new), report=f"{PATH}/report.html")
    return replace(found, unread=(UnreadLog(log=BAD, why=BAD),))


def text_of_page(trend: Trend) -> str:
    return "".join(written_page(tree_of(trend, Path("page.html"))))


def page_of(trend: Trend) -> html.HtmlElement:
    return html.fromstring(text_of_page(trend))


def markdown(trend: Trend) -> str:
    return markdown_of(tree_of(trend))


def shown(trend: Trend) -> str:
    stream = io.StringIO()
    show(tree_of(trend), Console(file=stream, width=100, highlight=False))
    return "\n".join(line.rstrip() for line in stream.getvalue().splitlines())


def text_of(element: html.HtmlElement) -> str:
    return " ".join(element.text_content().split())


def test_the_headline_counts_what_regressed_in_the_newest_run() -> None:
    assert wording.headline(began()) == "2 runs of 1 target: 1 check regressed in the newest."
    cut = trend(lines(record()), lines(record(), is_closed=False))
    assert wording.headline(cut) == ("2 runs of 1 target: no regressions; the newest run is incomplete.")


def test_a_newest_run_of_another_target_is_compared_with_nothing() -> None:
    other = header(replace(target("other@1"), adapter="other"))
    found = trend(lines(record()), lines(record(target="other@1"), head=other))
    assert wording.headline(found) == "2 runs of 2 targets: the newest has no earlier run to be compared with."
    assert "There is one run of this target." in text_of_page(found)


def test_only_all_is_one_hundred_percent() -> None:
    assert [wording.percent(*pair) for pair in ((3, 3), (99_999, 100_000), (0, 7), (0, 0))] == [
        "100 %",
        "99.99 %",
        "0.00 %",
        "—",
    ]


def test_the_page_says_what_changed_when() -> None:
    (event,) = page_of(began()).xpath("//details[@class='cause']")
    assert text_of(event.find("summary")) == (
        "2026-02-03 04:05: 1 regressed began: SIGSEGV; another suite: 0.1.0 abababababab → 0.2.0 cdcdcdcdcdcd; "
        "Toy 1.0 → Toy 2.0"
    )
    (shift,) = event.xpath(".//ul[@class='shifts']/li")
    assert text_of(shift) == "✗ began SIGSEGV crashed, 1 check onnx.Split-13/unequal[dtype=float32] (constant)"


def test_a_cause_and_its_checks_link_to_the_report_of_the_run() -> None:
    page = page_of(began(report="runs/a b/report.html"))
    cause, check = page.xpath("//ul[@class='shifts']//a/@href")
    (reported,) = summarize(lines(record(Verdict.CRASHED, target="toy@2.0", cause="SIGSEGV"))).causes
    assert cause == f"runs/a%20b/report.html#{cause_id(reported)}"
    assert check.startswith("runs/a%20b/report.html#case=onnx.Split-13%2Funequal")


def test_a_link_to_a_cause_is_the_one_in_the_report() -> None:
    from report_records import page_of_log

    log = lines(record(Verdict.CRASHED, cause="SIGSEGV"))
    (link,) = page_of(trend(lines(record()), log, report="report.html")).xpath("//ul[@class='shifts']/li/a/@href")
    assert f'id="{link.partition("#")[2]}"' in page_of_log(log)


def test_the_card_of_a_target_says_how_it_stands_and_what_changed() -> None:
    (card,) = page_of(began()).find_class("card")
    assert card.get("class") == "card new"
    assert text_of(card) == (
        "✗ toy@2.0 0.00 %, 0/1 passed on 2026-02-03 04:05; since 2026-01-02 03:04: 1 regressed "
        "Regressed by kind: crashes or hangs: 1"
    )


def test_runs_that_are_not_whole_are_said_and_hollow() -> None:
    part = replace(header(), selection=SelectionEntry(cases=("onnx.Split-13/*",)))
    found = trend(lines(record()), lines(record(), is_closed=False), lines(record(), head=part))
    page = page_of(found)
    notes = [text_of(row[-1]) for row in page.xpath("//section[@id='runs']//tbody/tr")]
    assert notes[0] == "a part of the suite"
    assert notes[1].startswith("the log has no closing line: it was cut off after 1 record")
    assert len(page.xpath("//circle")) == 3
    assert len(page.xpath("//circle[contains(@class, 'hollow')]")) == 2


def test_another_suite_is_marked_in_the_chart_and_among_the_runs() -> None:
    page = page_of(began())
    assert len(page.xpath("//line[@class='suite-change']")) == 1
    assert text_of(page.xpath("//section[@id='runs']//tbody/tr")[0][-1]) == "another suite than the run before"


def test_the_chart_says_its_rates_to_a_screen_reader() -> None:
    (chart,) = page_of(began()).xpath("//svg[@role='img']")
    assert chart.get("aria-label") == (
        "toy@2.0, conforming of compared checks by run: 2026-01-02 100 %, 2026-02-03 0.00 %."
    )


def test_the_page_allows_its_own_style_and_nothing_else() -> None:
    page = page_of(hostile())
    (policy,) = page.xpath("//meta[@http-equiv='Content-Security-Policy']/@content")
    assert re.fullmatch(r"default-src 'none'; style-src 'sha256-[\w+/=]+'; base-uri 'none'; form-action 'none'", policy)
    assert page.xpath("//script | //*[@src] | //*[@style] | //@*[starts-with(name(), 'on')]") == []
    foreign = [link for link in page.xpath("//@href") if not link.startswith("#")]
    assert foreign
    assert all(re.fullmatch(r"[\w%./~-]+(#[\w%&=.+*~-]+)?", link) for link in foreign)


def test_hostile_names_can_be_written_everywhere() -> None:
    page = text_of_page(hostile())
    assert page.encode("utf-8").count(b"alert(1)") > 3
    assert "<script>" not in page
    assert "\u202e" not in page
    assert len(page) < 200_000
    assert not re.search("[\x00-\x09\x0b-\x1f\u202e\ud800]", shown(hostile()))


def test_hostile_names_are_no_markup_in_markdown() -> None:
    page = MarkdownIt("gfm-like", {"linkify": False}).render(markdown(hostile()))
    allowed = {
        "h2",
        "h3",
        "h4",
        "p",
        "ul",
        "li",
        "code",
        "strong",
        "blockquote",
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
    }
    assert {element.tag for element in html.fromstring(f"<div>{page}</div>").iter()} - {"div"} <= allowed


def test_markdown_says_what_changed_when_and_is_bounded() -> None:
    text = markdown(began())
    assert text.startswith("## Trend: 2 runs of 1 target: 1 check regressed in the newest.\n")
    assert (
        "  - **began:** **SIGSEGV** crashed, 1 check\n    - `onnx.Split-13/unequal[dtype=float32]` (constant)\n" in text
    )
    many = [
        lines(*(record(verdict, case=f"onnx.Split-13/{'c' * 300}{n}", cause="é" * 300 + str(n)) for n in range(60)))
        for verdict in (Verdict.PASS, Verdict.CRASHED) * 20
    ]
    assert len(markdown(trend(*many)).encode()) < 60_000


def test_the_terminal_lists_each_run_and_the_newest_causes() -> None:
    text = shown(began())
    assert "2026-01-02 03:04" in text
    assert "began: SIGSEGV crashed, 1 check" in text
    assert text.endswith("2 runs of 1 target: 1 check regressed in the newest.")


def test_files_that_were_not_read_are_reported_everywhere() -> None:
    found = replace(began(), unread=(UnreadLog(log="notes.jsonl", why="is no log"),))
    assert "not read: notes.jsonl: is no log" in shown(found)
    assert "> **Not read:** notes.jsonl: is no log" in markdown(found)
    assert text_of(page_of(found).xpath("//div[@class='alert']")[0]) == "1 file not read notes.jsonl: is no log"


def test_the_line_of_a_run_names_the_causes_that_began_and_ended() -> None:
    before = [record(Verdict.CRASHED, case="onnx.Split-13/a", cause="SIGSEGV")]
    names = [f"cause {number}" for number in range(5)]
    after = [record(Verdict.WRONG_RESULT, case=f"onnx.Split-13/{name}", cause=name) for name in names]
    ((_, point),) = (series.points for series in trend(lines(*before), lines(*after)).targets)
    assert wording.causes_sentence(point) == "began: cause 0, cause 1, cause 2, 2 more; ended: SIGSEGV"


def test_the_command_for_all_changes_quotes_the_names_of_the_logs() -> None:
    (command,) = page_of(began()).xpath("//pre[@class='command']/text()")
    assert command == "conformance compare runs/0 runs/1 --html changes.html"


def test_json_keeps_its_schema() -> None:
    for made in (began(), hostile()):
        document = json.loads(render_changes(made))
        jsonschema.Draft202012Validator(schema("trend")).validate(document)
    (shift,) = json.loads(render_changes(began()))["trend"]["targets"][0]["points"][1]["causes"]
    assert (shift["movement"], shift["severity"], shift["text"]) == ("began", "crashes or hangs", "SIGSEGV")


def test_many_runs_fit_into_one_chart() -> None:
    heads = (replace(header(), started=f"2026-01-{day:02}T00:00:00+00:00") for day in range(1, 29))
    logs = [lines(record(Verdict.CRASHED if day % 2 else Verdict.PASS), head=head) for day, head in enumerate(heads)]
    page = page_of(trend(*logs * 10))
    places = [float(circle.get("cx")) for circle in page.xpath("//circle")]
    width = float(page.xpath("//svg[@role='img']/@width")[0])
    assert len(places) == 280
    assert 0 < places[0] < places[-1] < width
    assert TARGET in page.xpath("//svg/@aria-label")[0]


@pytest.mark.parametrize("severity", Severity)
def test_every_kind_of_deviation_has_a_colour_in_both_themes(severity: Severity) -> None:
    light, dark = text_of_page(trend(lines(record()))).split("@media (prefers-color-scheme: dark)", 1)
    rule = re.search(rf"\.{kind_of(severity)} {{ fill: var\((--[\w-]+)\); }}", dark)
    assert rule is not None
    assert f"{rule[1]}: #" in light
    assert f"{rule[1]}: #" in dark
