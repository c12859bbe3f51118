"""What a report shows of one check that needs explaining: the call, what came instead, and how to see it again."""

from __future__ import annotations

from itertools import zip_longest
from urllib.parse import urlencode

from conformance.display.call_text import ArgumentText, argument_texts, call_line, dims_text
from conformance.display.grid import Grid, GridCell, GridPair, comparison_of
from conformance.records.record import CheckRecord, DifferenceEntry, RecordedDeviation, TensorEntry
from conformance.report.check_text import control_text
from conformance.report.drawing import cuts_drawing
from conformance.report.nodes import HtmlNode, node
from conformance.report.parts_found import cuts_of
from conformance.report.sections import difference_sentence
from conformance.spec.verdict import Verdict
from conformance.values.text import BLOCK, counted, duration, one_line

_MAX_DIFFERENCES = 4
_MAX_CLAUSES = 20


def check_link(record: CheckRecord) -> str:
    """The fragment that opens a check; it stays the same from report to report."""
    name = {"case": record.case, "form": record.form.value, "target": record.target}
    return "#" + urlencode({key: one_line(text) for key, text in name.items()})


def call_view(record: CheckRecord) -> HtmlNode:
    """The call in the spec's terms: on one line, and argument by argument."""
    line = node("pre", node("code", call_line(record)), kind="call")
    if record.call is None:
        return node("div", line)
    head = node("tr", *(node("th", name, scope="col") for name in ("Argument", "Comes as", "Type", "Shape", "Value")))
    rows = [_argument(item) for item in argument_texts(record.call)]
    table = node("table", node("thead", head), node("tbody", *rows), kind="arguments")
    return node("div", line, _scrolling(table, "Arguments"))


def badge(verdict: Verdict) -> HtmlNode:
    """A verdict with its sign."""
    sign = node("span", verdict.meaning.sign, aria_hidden="true")
    return node("span", sign, f" {verdict.value}", kind=f"badge {verdict.meaning.colour}")


def deviation_view(entry: RecordedDeviation) -> HtmlNode:
    """What is recorded of a deviation, with the way to see it without this suite."""
    said = {
        "Recorded as": entry.id,
        "What": entry.what,
        "Why": entry.why,
        "Upstream": entry.upstream,
        "Reproducer": entry.reproducer,
        "Since": entry.since,
        "Review": entry.review,
    }
    facts = (
        node("div", node("dt", name), node("dd", _linked(text) if name == "Upstream" else text))
        for name, text in said.items()
        if text.strip()
    )
    return node("dl", *facts, kind="facts recorded")


def result_view(record: CheckRecord) -> HtmlNode:
    """What came of a check, and how that differs from what the spec demands."""
    cuts = cuts_of(record)
    shown = record.differences[:_MAX_DIFFERENCES]
    left_out = len(record.differences) - len(shown)
    is_accepted = record.judged is Verdict.ACCEPTED_INVALID and record.outputs
    return node(
        "div",
        _verdict(record),
        node("p", record.explanation, kind="explanation") if _has_explanation(record) else None,
        node("p", control_text(record, record.control), kind="explanation") if record.control is not None else None,
        cuts_drawing(cuts) if cuts is not None else None,
        node("h3", f"Accepted; gave {counted(len(record.differences), 'output')}") if is_accepted else None,
        *(_difference(item, len(record.run_ns)) for item in shown),
        node("p", f"{counted(left_out, 'further output')}, which the log holds.", kind="muted") if left_out else None,
        *_text(f"Message{f' while {one_line(record.stage, 40)}' if record.stage else ''}", record.message),
        *_text("End of its standard error", record.stderr),
        _facts(record),
        kind="result",
    )


def _linked(text: str) -> HtmlNode | str:
    is_link = text.startswith(("https://", "http://")) and len(text) < BLOCK
    return node("a", text, href=text, rel="noopener noreferrer") if is_link else text


def _verdict(record: CheckRecord) -> HtmlNode:
    meaning = record.verdict.meaning.sentence
    judged = f" (judged: {record.judged.value})" if record.judged is not record.verdict else ""
    return node("p", badge(record.verdict), f" {meaning}{judged}", kind="verdict")


def _has_explanation(record: CheckRecord) -> bool:
    return bool(record.explanation) and record.explanation != record.message


def _argument(item: ArgumentText) -> HtmlNode:
    calls = len(item.values)
    values = [
        node("div", node("span", f"call {number}: ", kind="muted") if calls > 1 else None, node("code", value))
        for number, value in enumerate(item.values, 1)
    ]
    texts = item.way, one_line(item.dtype, 100), item.dims
    return node(
        "tr", node("th", one_line(item.name, 100), scope="row"), *(node("td", t) for t in texts), node("td", *values)
    )


def _difference(difference: DifferenceEntry, runs: int) -> HtmlNode:
    call = f" of call {difference.run + 1}" if difference.run or runs > 1 else ""
    comparison = comparison_of(difference)
    return node(
        "div",
        node("h3", f"Output {difference.output}{call}: {difference_sentence(difference)}"),
        _listed(comparison, difference.differing) if comparison.listed else None,
        *_sides(difference, comparison),
        kind="output",
    )


def _listed(comparison: GridPair, differing: int) -> HtmlNode:
    head = node("tr", *(node("th", name, scope="col") for name in ("Index", "Expected", "Bits", "Actual", "Bits")))
    rows = [
        node(
            "tr",
            node("th", item.index, scope="row"),
            node("td", item.expected.text, kind="want"),
            node("td", item.expected.bits, kind="want bits"),
            node("td", "≠ ", node("b", item.actual.text), kind="have"),
            node("td", item.actual.bits, kind="have bits"),
        )
        for item in comparison.listed
    ]
    more = differing - len(comparison.listed)
    if more > 0:
        rows.append(node("tr", node("td", f"and {counted(more, 'further element')}", kind="muted", colspan="5")))
    return _scrolling(node("table", node("thead", head), node("tbody", *rows), kind="listed"), "Elements that differ")


def _sides(difference: DifferenceEntry, comparison: GridPair) -> list[HtmlNode]:
    """Both tensors slice by slice, expected beside actual, and what of them is not shown."""
    expected, actual = comparison.expected, comparison.actual
    want = _caption("Expected", difference.expected, difference.actual)
    have = _caption("Actual", difference.actual, difference.expected)
    pairs = zip_longest(expected.grids if expected else (), actual.grids if actual else ())
    slices = [
        node("div", _figure(want, "want", one), _figure(have, "have", other), kind="slice") for one, other in pairs
    ] or [node("div", _figure(want, "want", None), _figure(have, "have", None), kind="slice")]
    notes = [
        node("p", f"{side}: {layout.note}", kind="muted")
        for side, layout in (("Expected", expected), ("Actual", actual))
        if layout is not None and layout.note
    ]
    return [node("div", *slices, kind="slices"), *notes]


def _caption(name: str, entry: TensorEntry | None, other: TensorEntry | None) -> HtmlNode | None:
    if entry is None:
        return None
    beside = entry if other is None else other
    dtype = _marked(entry.dtype, beside.dtype)
    return node("figcaption", f"{name}: ", dtype, " ", _marked(dims_text(entry.shape), dims_text(beside.shape)))


def _marked(text: str, beside: str) -> HtmlNode:
    """The text, marked where the other side says something else."""
    shown = one_line(text, 200)
    return node("span", shown) if text == beside else node("b", f"≠ {shown}", kind="differs")


def _figure(caption: HtmlNode | None, kind: str, grid: Grid | None) -> HtmlNode | None:
    if caption is None:
        return None
    return node("figure", caption, _grid(grid) if grid is not None else None, kind=f"side {kind}")


def _grid(grid: Grid) -> HtmlNode:
    head = node("tr", node("td"), *(node("th", column, scope="col") for column in grid.columns))
    rows = [node("tr", node("th", label, scope="row"), *(_cell(cell) for cell in cells)) for label, cells in grid.rows]
    caption = node("caption", grid.title) if grid.title else None
    table = node("table", caption, node("thead", head), node("tbody", *rows), kind="grid")
    return _scrolling(table, f"Elements {grid.title}".strip())


def _cell(cell: GridCell | None) -> HtmlNode:
    if cell is None:
        return node("td", kind="absent")
    if not cell.differs:
        return node("td", cell.text)
    return node("td", "≠ ", node("b", cell.text), node("small", cell.bits) if cell.bits else None, kind="differs")


def _text(title: str, text: str) -> list[HtmlNode]:
    return [node("h3", title), node("pre", text)] if text else []


def _facts(record: CheckRecord) -> HtmlNode:
    times = ", ".join(duration(time) for time in record.run_ns) or "not reached"
    timed = f"prepare {duration(record.prepare_ns)}, run {times}" if record.prepare_ns or record.run_ns else ""
    clauses = ", ".join(record.clauses[:_MAX_CLAUSES])
    facts = (
        timed,
        f"ran on {one_line(record.ran_on)}" if record.ran_on else "",
        f"lowered: {one_line(record.lowered)}" if record.lowered else "",
        "outputs shared memory with the inputs" if record.aliases_input else "",
        f"changed its inputs: {one_line(', '.join(record.changed_inputs))}" if record.changed_inputs else "",
        f"clauses {one_line(clauses)}" if clauses else "",
        f"written in {one_line(record.where)}" if record.where else "",
    )
    return node("p", " · ".join(filter(None, facts)), kind="meta")


def _scrolling(table: HtmlNode, name: str) -> HtmlNode:
    """The table in a stretch that scrolls sideways."""
    return node("div", table, kind="scroll", role="group", aria_label=name)
