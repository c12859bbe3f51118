from __future__ import annotations

from collections.abc import Callable

import pytest
from markdown_it import MarkdownIt
from report_records import deviation, header, lines, record, target

from conformance.log.summary import summarize
from conformance.report.page import code, escaped, markdown_of
from conformance.report.terminal import screen_of
from conformance.spec.verdict import Verdict

HOSTILE = [
    "<img src=x onerror=alert(1)>",
    "[a](javascript:alert(1))",
    "**b** _c_ `d` | e",
    "# h",
    "a`b``c",
    "\\|x",
    "`",
]


def html_of(markdown: str) -> str:
    return str(MarkdownIt("gfm-like", {"linkify": False}).render(markdown))


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("write", [escaped, code])
def test_no_text_becomes_markup(text: str, write: Callable[[str], str]) -> None:
    page = html_of(f"| a | b |\n|---|---|\n| {write(text)} | end |\n")
    assert page.count("<td>") == 2
    for tag in ("<img", "<a ", "<strong>", "<em>", "<h1>"):
        assert tag not in page


def test_mentions_references_and_links_are_broken_up() -> None:
    assert escaped("@someone #12 https://example.org www.example.org toy@1.0") == (
        "@\u200bsomeone \\#\u200b12 https://\u200bexample.org www\u200b.example.org toy@1.0"
    )


def test_the_result_and_the_causes_are_there() -> None:
    text = markdown_of(screen_of(summarize(lines(record(), record(Verdict.WRONG_RESULT, cause="wrong axis")))))
    assert text.startswith("## Conformance report: The target does not conform.\n")
    assert "| onnx.Split | ✗ 1/2 1 new |" in text
    assert "<summary>wrong result [1] 1 check of onnx.Split-13: wrong axis</summary>" in text


def test_a_known_deviation_is_reported_with_its_record() -> None:
    head = header(deviations=[deviation()], planned=2)
    text = markdown_of(
        screen_of(summarize(lines(record(), record(Verdict.KNOWN, deviation="toy-001"), head=head)), lists_known=True)
    )
    assert "wrong result \\[1\\] 1 check of onnx.Split-13: the last part is dropped (toy-001)" in text


def test_it_fits_into_a_job_summary_whatever_differs() -> None:
    targets = [target(f"framework{n}@1.0[{'option=x,' * 30}]") for n in range(30)]
    records = [
        record(Verdict.WRONG_RESULT, target=t.name, cause=f"{n}{'é' * 500}", explanation="e" * 5000, case="c" * 900)
        for t in targets
        for n in range(20)
    ]
    text = markdown_of(screen_of(summarize(lines(*records, head=header(*targets, planned=20)))))
    assert len(text.encode()) < 60_000


def test_a_truncated_log_is_reported_first() -> None:
    text = markdown_of(screen_of(summarize(lines(record(), is_closed=False))))
    assert "> **Not judged:** the log has no closing line" in text.split("\n- ")[0]
