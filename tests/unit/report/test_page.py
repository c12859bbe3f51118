from __future__ import annotations

from lxml import html
from markupsafe import Markup

from conformance.report.document import (
    Details,
    Drawing,
    Facts,
    Items,
    ReportBlock,
    ReportSection,
    Sentence,
    ShellCommand,
    Span,
    SpanKind,
)
from conformance.report.page import attributes, data_block, rendered, written

BAD = "<b> & \"'"
WRITTEN = "&lt;b&gt; &amp; &#34;&#39;"


def flat(*blocks: ReportBlock) -> str:
    """Their HTML on one line, without blanks between elements."""
    return "".join(line.strip() for line in written(blocks).splitlines())


def test_text_and_attributes_are_escaped() -> None:
    assert flat(Sentence(BAD, kind=BAD)) == f'<p class="{WRITTEN}">{WRITTEN}</p>'
    assert flat(ShellCommand(BAD)) == f'<pre class="command">{WRITTEN}</pre>'


def test_hidden_characters_are_written_out() -> None:
    assert flat(ShellCommand("a\u202eb")) == r'<pre class="command">a\u202eb</pre>'
    assert attributes(aria_label="c\u202ed", title=None) == r' aria-label="c\u202ed"'


def test_pieces_of_a_text_keep_the_blanks_between_them_and_get_no_others() -> None:
    pieces: list[str | Span] = [
        Span("a", SpanKind.STRONG),
        " b ",
        Span("c", SpanKind.CODE),
        Span("d", link="https://e"),
        ", f",
    ]
    assert flat(Sentence(pieces)) == (
        '<p><strong>a</strong> b <code>c</code><a href="https://e" rel="noopener noreferrer">d</a>, f</p>'
    )


def test_only_a_drawing_is_markup() -> None:
    assert flat(Drawing(Markup("<b>x</b>")), Sentence("<b>x</b>")) == "<b>x</b><p>&lt;b&gt;x&lt;/b&gt;</p>"


def test_facts_without_a_value_are_left_out() -> None:
    assert flat(Facts({"a": "1", "b": ""})) == '<dl class="facts"><div><dt>a</dt><dd>1</dd></div></dl>'


def test_sections_and_details_lower_the_headings_inside_them() -> None:
    inner = ReportSection(title="inner", blocks=[Details(head="head", kind="cause")])
    page = html.fromstring(flat(ReportSection(title="outer", id="outer", blocks=[inner])))
    assert [(one.tag, one.text) for one in page.xpath("//h2 | //h3 | //h4")] == [
        ("h2", "outer"),
        ("h3", "inner"),
        ("h4", "head"),
    ]


def test_a_list_says_how_many_items_it_leaves_out() -> None:
    assert flat(Items(["a"], more=2)) == '<ul class="plain"><li>a</li><li class="muted">and 2 more</li></ul>'


def test_data_is_neither_markup_nor_code() -> None:
    assert "</script><b>" not in data_block("x", b"</script><b>")
    assert rendered("share.html.j2", width=2, parts=[(BAD, 0, 1)]).count(WRITTEN) == 1
