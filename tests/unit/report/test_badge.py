from __future__ import annotations

import pytest
from lxml import etree
from report_records import header, lines, record, target

from conformance.findings.summary import summarize
from conformance.language.verdict import Verdict
from conformance.log.record import Line
from conformance.report.badge import render_badge

SVG = "{http://www.w3.org/2000/svg}"


def badge_of(log: list[Line]) -> etree._Element:
    return etree.fromstring(render_badge(summarize(log)))


def fields(svg: etree._Element) -> list[tuple[str | None, str | None]]:
    """Each text with the colour behind it."""
    fills = [rect.get("fill") for rect in svg.iter(f"{SVG}rect")]
    return list(zip([text.text for text in svg.iter(f"{SVG}text")], fills, strict=True))


@pytest.mark.parametrize(
    ("verdicts", "said", "fill"),
    [
        ([Verdict.PASS] * 2, "2/2 conform", "#14602f"),
        ([Verdict.PASS, Verdict.WRONG_RESULT], "1/2 conform", "#a40e26"),
        ([Verdict.PASS, Verdict.KNOWN], "1/2 conform, the rest as recorded", "#6f4e00"),
        ([Verdict.PASS, Verdict.HARNESS_ERROR], "not judged in full", "#8a3d00"),
        ([Verdict.UNSUPPORTED], "nothing was compared", "#8a3d00"),
        ([Verdict.FOLLOWS], "conforms", "#14602f"),
    ],
)
def test_a_target_has_its_rate_in_the_colour_of_its_result(verdicts: list[Verdict], said: str, fill: str) -> None:
    assert fields(badge_of(lines(*map(record, verdicts)))) == [("toy 1.0", "#3b4148"), (said, fill)]


def test_each_target_has_a_row_and_all_are_reported_to_those_who_do_not_see() -> None:
    head = header(target(), target("other@2[x=1]"))
    svg = badge_of(lines(record(), record(Verdict.CRASHED, target="other@2[x=1]"), head=head))
    sentence = "toy 1.0: 1/1 conform; other 2 [x=1]: 0/1 conform"
    assert (svg.get("role"), svg.get("aria-label"), svg.findtext(f"{SVG}title")) == ("img", sentence, sentence)
    assert svg.get("height") == "44"


def test_hostile_names_become_no_markup_and_load_nothing() -> None:
    name = "<script>alert(1)</script>&\x00\u202e\ud800" + "é" * 1_000_000
    svg = badge_of(lines(record(target=name), head=header(target(name))))
    assert {element.tag for element in svg.iter()} == {f"{SVG}{tag}" for tag in ("svg", "title", "rect", "text")}
    assert len(etree.tostring(svg)) < 5000


@pytest.mark.parametrize("fill", ["#14602f", "#a40e26", "#6f4e00", "#57606a", "#8a3d00", "#3b4148"])
def test_white_text_stands_out_on_every_colour(fill: str) -> None:
    """WCAG 2.1, contrast of at least 4.5."""
    channels = [int(fill[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [value / 12.92 if value <= 0.03928 else ((value + 0.055) / 1.055) ** 2.4 for value in channels]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    assert 1.05 / (luminance + 0.05) > 4.5
