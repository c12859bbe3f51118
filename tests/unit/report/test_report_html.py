from __future__ import annotations

import base64
import hashlib
import json
import re
import zlib
from typing import Any

import numpy as np
import pytest
from lxml import html as lxml_html
from report_records import (
    TARGET,
    call,
    deviation,
    difference,
    difference_of_arrays,
    entry,
    entry_of_bits,
    header,
    lines,
    page_of_log,
    record,
    target,
)

from conformance.log.record import CheckRecord, Line, RecordedInterpretation
from conformance.spec.verdict import Verdict

HOSTILE = ["</script><img src=x onerror=alert(1)>", "\"'><b onclick=alert(1)>", "{{ 7 * 7 }}", "javascript:alert(1)"]


def page_of(*records: CheckRecord, **options: Any) -> str:
    return page_of_log(lines(*records, **options))


def data_of(page: str, name: str) -> bytes:
    """What a data block of the page holds."""
    (text,) = re.findall(rf'<script type="application/octet-stream" id="data-{name}">([^<]*)</script>', page)
    return zlib.decompress(base64.b64decode(text))


def head_of(page: str) -> dict[str, Any]:
    """The texts and the layout of the columns."""
    head: dict[str, Any] = json.loads(data_of(page, "columns").partition(b"\n")[0])
    return head


def wrong(**fields: Any) -> CheckRecord:
    usual = {
        "cause": "wrong axis",
        "explanation": "cut along axis 0",
        "call": call(entry(np.zeros((2, 6)))),
        "where": "cases/onnx/Split/lengths.yaml:12",
        "differences": [difference_of_arrays(np.array([1, 2, 3]), np.array([1, 9, 3]))],
    }
    return record(Verdict.WRONG_RESULT, **{**usual, **fields})


def hostile_log(text: str) -> list[Line]:
    """Everything that a vendor or a log can put into a page."""
    name = f"toy@1{text}"
    entry_of_target = target(name, options={text: text}, details={text: text}, devices=[text], problem=text)
    texts = dict.fromkeys(
        (
            "cause",
            "explanation",
            "message",
            "stderr",
            "where",
            "ran_on",
            "lowered",
            "death",
            "first",
            "alone",
            "deviation",
        ),
        text,
    )
    strings = difference(entry([text], "object"), entry(["b"], "object"))
    odd_type = difference(entry([1]), entry([1]), mismatch="dtype")
    return lines(
        wrong(
            target=name,
            case=f"onnx.Split-13/{text}",
            clauses=[text],
            differences=[strings, odd_type],
            suspects=[text],
            **texts,
        ),
        record(Verdict.KNOWN, target=name, case=f"{text}/{text}", deviation=text),
        record(Verdict.FOLLOWS, target=name, case=f"onnx.Split-13/{text}", interpretation=text),
        record(Verdict.UNSUPPORTED, target=name, message=text),
        record(Verdict.HARNESS_ERROR, target=name, cause=text),
        head=header(
            entry_of_target,
            deviations=[deviation(text, target=name, what=text, why=text, upstream=text, reproducer=text)],
            clauses={text: text},
            law=[text],
            disputes={f"onnx.Split-13/{text}": [RecordedInterpretation(name=text, reason=text, thread=text)]},
            planned=5,
        ),
    )


def test_style_and_script_are_those_that_the_policy_names() -> None:
    page = page_of(record())
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    policy = policy.replace("&#39;", "'")
    (style,) = re.findall(r"<style>(.*?)</style>", page, re.DOTALL)
    (script,) = re.findall(r'<script type="module">(.*?)</script>', page, re.DOTALL)
    assert policy.startswith("default-src 'none'; ")
    for directive, text in (("style-src", style), ("script-src", script)):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{directive} 'sha256-{digest}';" in policy


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_stays_text(text: str) -> None:
    page = page_of_log(hostile_log(text))
    document = lxml_html.fromstring(page)
    attributes = {name for element in document.iter() for name in element.attrib}
    assert not [name for name in attributes if name.startswith("on") or name == "style"]
    assert [len(document.findall(f".//{tag}")) for tag in ("style", "img", "b[@onclick]")] == [1, 0, 0]
    assert {script.get("type") for script in document.iter("script")} == {"module", "application/octet-stream"}
    assert not [link for link in document.xpath("//@href") if not link.startswith("#")]
    assert text in document.text_content()


def test_ids_are_made_by_the_report_and_met_once() -> None:
    page = page_of(wrong(), wrong(), wrong(case='onnx.Split-13/" id="x'))
    ids = lxml_html.fromstring(page).xpath("//@id")
    assert len(ids) == len(set(ids))
    assert all(re.fullmatch(r"[a-z0-9-]+", name) for name in ids)


def test_the_link_to_a_check_names_it_and_nothing_else() -> None:
    (link,) = set(lxml_html.fromstring(page_of(wrong())).xpath("//h5/a/@href"))
    assert link == "#case=onnx.Split-13%2Funequal%5Bdtype%3Dfloat32%5D&form=constant&target=toy%401.0"


def test_long_text_is_cut() -> None:
    assert len(page_of(wrong(message="x" * 1_000_000, stderr="y" * 1_000_000, cause="z" * 1_000_000))) < 200_000


def test_hidden_characters_are_written_out() -> None:
    page = page_of(wrong(message="a\x00b\u202ec"))
    assert r"a\x00b\u202ec" in page
    assert "\u202e" not in page


def test_the_element_that_differs_is_marked_by_a_sign_too() -> None:
    document = lxml_html.fromstring(page_of(wrong()))
    assert [cell.text_content() for cell in document.xpath("//td[@class='differs']")] == ["≠ 2", "≠ 9"]


def test_the_digits_that_differ_are_marked() -> None:
    nan = difference(entry_of_bits([0x7FC00001], "float32", "uint32"), entry_of_bits([0x7FC00000], "float32", "uint32"))
    document = lxml_html.fromstring(page_of(wrong(differences=[nan])))
    assert [digit.text for digit in document.xpath("//table[@class='listed']//td[contains(@class, 'bits')]/b")] == [
        "1",
        "0",
    ]


def test_reasons_are_grouped_by_target_and_lead_to_their_checks() -> None:
    document = lxml_html.fromstring(page_of(record(), record(Verdict.UNSUPPORTED, message="no kernel")))
    (link,) = document.xpath("//section[@id='not-compared']//li/a")
    assert (link.text, link.get("href")) == ("1 check", "#find=toy%401.0%3A%22no+kernel%22")
    assert document.xpath("string(//section[@id='not-compared']/h3)").split() == ["toy@1.0", "1", "check"]


def test_a_check_has_all_that_is_needed_to_go_on() -> None:
    text = lxml_html.fromstring(page_of(wrong(message="axis is wrong", prepare_ns=1_230_000, run_ns=[4560])))
    shown = " ".join(text.text_content().split())
    for part in (
        "onnx.Split-13(input: float32[2, 6] at run time, split: int64[2] = [2, 4], axis=1) -> 2 outputs",
        "Output 0: 1 of 3 elements differs, the first at [1]",
        "cut along axis 0",
        "axis is wrong",
        f"conformance repro 'onnx.Split-13/unequal[dtype=float32]' --target '{TARGET}' --form constant",
        f"conformance run --target '{TARGET}' --case 'onnx.Split-13/unequal[dtype=float32]' --form constant",
        "prepare 1.23 ms, run 4.56 µs",
        "cases/onnx/Split/lengths.yaml:12",
    ):
        assert part in shown


def test_every_rate_has_its_denominator() -> None:
    page = page_of(record(), wrong(), record(Verdict.KNOWN, deviation="toy-001"), record(Verdict.NOT_EXPRESSIBLE))
    cell = lxml_html.fromstring(page).xpath("//table[@class='matrix']/tbody/tr/td")[0]
    assert " ".join(cell.text_content().split()) == "✗ 1/3 1 new 1 known 1 not expressible"


def test_a_truncated_log_is_reported_before_anything_else() -> None:
    page = page_of(record(), is_closed=False)
    assert page.index("the log has no closing line") < page.index('class="matrix"')


def test_a_clause_without_a_record_is_named() -> None:
    head = header(clauses={"split.lengths": "kept", "split.sum": "adds up"})
    assert "<code>onnx.Split-13 split.sum</code>" in page_of(record(), head=head)


def test_the_law_stands_beside_the_clauses() -> None:
    page = page_of(record(), head=header(law=["a = from_end(axis, rank(input))", "shape: input.shape"]))
    lines = lxml_html.fromstring(page).xpath("//section[@id='clauses']//details//li/code/text()")
    assert lines == ["a = from_end(axis, rank(input))", "shape: input.shape"]
    assert not lxml_html.fromstring(page_of(record())).xpath("//section[@id='clauses']//details//li")


def test_a_dispute_names_every_interpretation_and_who_follows_it() -> None:
    interpretations = [
        RecordedInterpretation(name="refuse", reason="too long"),
        RecordedInterpretation(name="pad", reason="kind"),
    ]
    head = header(disputes={"onnx.Split-13/open": interpretations})
    followed = record(Verdict.FOLLOWS, case="onnx.Split-13/open[n=1]", interpretation="refuse")
    (row,) = lxml_html.fromstring(page_of(followed, head=head)).xpath("//table[@class='disputes']/tbody/tr")
    shown = [" ".join(item.text_content().split()) for item in row.xpath(".//small | ./td")]
    assert shown == ["refuse: too long", "pad: kind", "refuse \N{MULTIPLICATION SIGN} 1"]


def test_a_known_deviation_is_shown_with_its_record() -> None:
    head = header(deviations=[deviation()], planned=2)
    page = page_of(record(), record(Verdict.KNOWN, deviation="toy-001"), head=head)
    for text in (
        "it was never written",
        "https://example.org/issues/1",
        "conformance repro --recorded toy-001",
        "2026-07-01",
    ):
        assert text in page


def test_every_check_of_the_log_is_in_the_columns() -> None:
    page = page_of(record(case="onnx.Split-13/a"), record(case="onnx.Split-13/b"), wrong())
    head = head_of(page)
    assert head["cases"] == ["onnx.Split-13/a", "onnx.Split-13/b", "onnx.Split-13/unequal[dtype=float32]"]
    assert data_of(page, "columns").endswith(b"\x01\x01\x02" + b"\0\0\0\0\x01\0" + b"\0\0\0")


def test_the_columns_keep_the_kind_of_a_known_check() -> None:
    head = head_of(page_of(record(Verdict.KNOWN, judged=Verdict.CRASHED, deviation="toy-001")))
    (known,) = [verdict for verdict in head["verdicts"] if verdict["judged"] != verdict["name"]]
    assert (known["name"], known["judged"]) == ("known", "crashed")
    assert known["groups"] == ["fail", "memory-or-crash"]


def test_the_targets_of_a_case_share_a_row() -> None:
    head = header(target("one@1"), target("two@2"))
    facts = head_of(page_of(record(target="one@1"), wrong(target="two@2"), head=head))
    assert (facts["rows"], facts["targets"]) == (1, ["one@1", "two@2"])


def test_the_details_of_a_check_are_found_by_row_and_target() -> None:
    page = page_of(record(case="onnx.Split-13/a"), wrong())
    assert head_of(page)["details"] == [[1, 0, 0]]
    ((row, place, call_html, result, deviation_html, script),) = json.loads(data_of(page, "details-0"))
    assert (row, place, deviation_html, script) == (1, 0, None, None)
    assert call_html.startswith('<div><pre class="call"><code>onnx.Split-13(')
    assert lxml_html.fromstring(result).get("class") == "result"


def test_what_came_of_an_invalid_call_is_shown() -> None:
    came = [
        difference(None, entry(values), output=number, mismatch="surplus") for number, values in enumerate(([7], [8]))
    ]
    accepted = record(Verdict.ACCEPTED_INVALID, outputs="ab" * 32, cause="violates split.sum", differences=came)
    document = lxml_html.fromstring(page_of(accepted))
    headings = [heading.text_content() for heading in document.xpath("//details[@class='cause']//h6")]
    assert headings[:2] == ["Accepted; gave 2 outputs", "Output 0: returned, but not expected"]
    assert document.xpath("//figure[@class='side have']//tbody/tr/td/text()") == ["7.0", "8.0"]


def test_a_cause_says_what_all_its_checks_have_in_common() -> None:
    page = page_of(wrong(case="onnx.Split-13/a"), wrong(case="onnx.Split-13/b"))
    (kinds,) = lxml_html.fromstring(page).xpath("//span[@class='kinds']")
    assert kinds.text_content() == "2 checks of 2 cases · onnx.Split-13 only · float32 only · constant only"


def test_a_mark_leads_to_the_checks_that_it_counts() -> None:
    links = lxml_html.fromstring(page_of(wrong(lowered="as Slice"))).xpath("//table[@class='matrix']/tbody//a/@href")
    assert links == [f"#find=toy%401.0%3A{did}+and+operator%3Aonnx.Split-13" for did in ("new", "lowered")]


def test_a_cell_has_one_number_of_all_that_was_not_compared() -> None:
    verdicts = (Verdict.PASS, Verdict.UNSUPPORTED, Verdict.UNSUPPORTED, Verdict.NOT_EXPRESSIBLE, Verdict.WRONG_RESULT)
    page = page_of(*(record(verdict, case=f"onnx.Split-13/{n}") for n, verdict in enumerate(verdicts)))
    (cell, *_) = lxml_html.fromstring(page).xpath("//table[@class='matrix']/tbody//td")
    assert [part.text_content().strip() for part in cell] == [
        "✗ 1/2",
        "1 new",
        "3 not compared 2 unsupported 1 not expressible",
    ]
    assert [link.text_content() for link in cell.xpath("./details//small/a")] == ["2 unsupported", "1 not expressible"]


def test_a_single_kind_that_was_not_compared_stands_for_itself() -> None:
    page = page_of(record(), record(Verdict.UNSUPPORTED, case="onnx.Split-13/other"))
    (cell, *_) = lxml_html.fromstring(page).xpath("//table[@class='matrix']/tbody//td")
    assert [part.text_content() for part in cell.xpath("./small")] == ["1 unsupported"]
    assert not cell.xpath("./details")
