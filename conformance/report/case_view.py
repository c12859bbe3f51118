"""Renders one check in detail: its call, its result and its recorded deviation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import groupby, zip_longest

from conformance.judge.controls import control_explains
from conformance.log.causes import likeness
from conformance.log.record import CheckRecord, ControlEntry, DifferenceEntry, RecordedDeviation, TensorEntry
from conformance.report.document import HtmlNode, facts_list, node
from conformance.report.tensors import (
    Grid,
    GridCell,
    GridPair,
    TensorGrids,
    argument_texts,
    call_line,
    comparison_of,
    dims_text,
    input_of_moved,
    nested_text,
    recorded_command,
    rerun_command,
)
from conformance.spec.verdict import Section, Severity, Verdict
from conformance.tensors.text import BLOCK, counted, duration, index_text, one_line, visible

# The finding of a single check in plain text, for reports that show one check at a time.

_MAX_ELEMENTS = 24


def reason_text(record: CheckRecord) -> str:
    """The verdict and its reason, on one line."""
    first = record.cause or record.explanation or record.message
    if record.judged.meaning.severity is Severity.ACCEPTANCE and (returned := _returned(record)):
        first = f"{first}; returned {returned}"
    return one_line(f"{record.verdict.value}: {first}" if first else record.verdict.value)


def _returned(record: CheckRecord) -> str:
    """The types and shapes of the recorded outputs of a call that should have been rejected."""
    actual = [item.actual for item in record.differences if item.actual is not None]
    return ", ".join(f"{entry.dtype}{dims_text(entry.shape)}" for entry in actual)


def finding_text(record: CheckRecord) -> str:
    """The recorded deviation, what the check looks like, the explanation, the control, a sentence for each output that
    differs, and the framework's own message.
    """
    texts = [
        f"recorded deviation {record.deviation}" if record.deviation else "",
        likeness(record),
        record.explanation,
        control_text(record, record.control) if record.control is not None else "",
        *(f"output {item.output}: {difference_sentence(item)}" for item in record.differences),
        record.message if record.message != record.explanation else "",
        f"checks before it in the same process: {'; '.join(record.suspects)}" if record.suspects else "",
    ]
    return visible("\n".join(filter(None, texts)), BLOCK)


def difference_sentence(difference: DifferenceEntry) -> str:
    """What is wrong with an output."""
    expected, actual = difference.expected, difference.actual
    if expected is None:
        return "returned, but not expected"
    if actual is None:
        return "expected, but not returned"
    if expected.dtype != actual.dtype:
        return f"expected type {expected.dtype}, actual {actual.dtype}"
    if expected.shape != actual.shape:
        return f"expected shape {dims_text(expected.shape)}, actual {dims_text(actual.shape)}"
    first = index_text(difference.first, expected.shape)
    verb = "differs" if difference.differing == 1 else "differ"
    return f"{difference.differing:,} of {counted(math.prod(expected.shape), 'element')} {verb}, the first at {first}"


def control_text(record: CheckRecord, control: ControlEntry) -> str:
    """The result of the control: what the same graph does without the operator."""
    if record.verdict.meaning.section is Section.NEIGHBOURS:
        return f"Without the operator, the same graph deviates in the same way: {record.form.neighbour} does it."
    if control_explains(record, control):
        return (
            "Without the operator, the same graph deviates in the same way. That excuses nothing: the call does not "
            f"conform without {record.form.neighbour} either."
        )
    if control.judged.is_conforming:
        return "Without the operator, the same graph is right."
    said = one_line(control.cause or control.explanation, 300)
    return f"Without the operator, the same graph does something else: {control.judged.value}: {said}"


def failure_text(record: CheckRecord, options: str) -> str:
    """All facts about a failed check, with the values of small outputs and the command that runs it again.

    `options` name the target, as `target_options` gives them.
    """
    texts = [reason_text(record), "", finding_text(record)]
    texts += [text for item in record.differences for text in _values(item)]
    if record.call is not None:
        texts += ["", call_line(record), rerun_command(record, options), visible(record.where)]
    if record.stderr:
        texts += ["", "standard error of the worker:", visible(record.stderr)]
    return "\n".join(texts)


def _values(difference: DifferenceEntry) -> list[str]:
    entries = {"expected": difference.expected, "actual": difference.actual}
    return [
        f"output {difference.output} {name}: {nested_text(entry, _MAX_ELEMENTS)}"
        for name, entry in entries.items()
        if entry is not None
    ]


_MAX_DIFFERENCES = 4
_MAX_SHOWN_CLAUSES = 20


def call_view(record: CheckRecord) -> HtmlNode:
    """The call in the terms of the spec: on one line, and as a table of its arguments."""
    line = node("pre", node("code", call_line(record)), kind="call")
    if record.call is None:
        return node("div", line)
    names = ("Argument", "Comes as", "Type", "Shape", "Value")
    rows = [_argument(*item) for item in argument_texts(record.call)]
    return node("div", line, _table("arguments", "Arguments", None, _column_names(names), rows))


def badge(verdict: Verdict, judged: Verdict) -> HtmlNode:
    """A verdict and its sign and, if records changed it, the verdict without them: `known · crashed`."""
    sign = node("span", verdict.meaning.sign, aria_hidden="true")
    kind = None if judged is verdict else node("span", f" · {judged.value}", kind=f"judged {judged.meaning.colour}")
    return node("span", sign, f" {verdict.value}", kind, kind=f"badge {verdict.meaning.colour}")


def deviation_view(entry: RecordedDeviation, options: str) -> HtmlNode:
    """A recorded deviation, with the command that writes its script; `options` name the target."""
    said = {
        "What": entry.what,
        "Why": entry.why,
        "Recorded as": entry.id,
        "Upstream": entry.upstream,
        "Reproducer": recorded_command(entry.id, options),
        "Since": entry.since,
        "Review": entry.review,
    }
    facts = ((name, [_SHOWN.get(name, str)(text)]) for name, text in said.items() if text.strip())
    return facts_list(facts, kind="facts recorded")


def result_view(record: CheckRecord) -> HtmlNode:
    """The result of a check, and how it differs from what the spec requires."""
    shown = record.differences[:_MAX_DIFFERENCES]
    left_out = len(record.differences) - len(shown)
    has_explanation = bool(record.explanation) and record.explanation != record.message
    is_accepted = record.judged.meaning.severity is Severity.ACCEPTANCE and record.outputs
    return node(
        "div",
        node("p", badge(record.verdict, record.judged), f" {record.verdict.meaning.sentence}", kind="verdict"),
        node("p", likeness(record), kind="explanation") if record.looks_like else None,
        node("p", record.explanation, kind="explanation") if has_explanation else None,
        node("p", control_text(record, record.control), kind="explanation") if record.control is not None else None,
        node("h3", f"Accepted; gave {counted(len(record.differences), 'output')}") if is_accepted else None,
        *(_difference(record, item) for item in shown),
        node("p", f"{counted(left_out, 'further output')}, which the log holds.", kind="muted") if left_out else None,
        *_text(f"Message{f' while {record.stage.value}' if record.stage else ''}", record.message),
        *_text("Checks before it in the same process", "; ".join(record.suspects)),
        *_text("End of its standard error", record.stderr),
        _facts(record),
        kind="result",
    )


def is_link(text: str) -> bool:
    """Whether a text is the address of a page."""
    return text.startswith(("https://", "http://")) and len(text) < BLOCK


def _linked(text: str) -> HtmlNode | str:
    return node("a", text, href=text, rel="noopener noreferrer") if is_link(text) else text


def _code(text: str) -> HtmlNode:
    return node("code", text)


def _argument(name: str, way: str, dtype: str, dims: str, values: Sequence[str]) -> HtmlNode:
    shown = [
        node("div", node("span", f"call {call}: ", kind="muted") if len(values) > 1 else None, node("code", value))
        for call, value in enumerate(values, 1)
    ]
    texts = (node("td", text) for text in (way, one_line(dtype, 100), dims))
    return node("tr", node("th", one_line(name, 100), scope="row"), *texts, node("td", *shown))


def _difference(record: CheckRecord, difference: DifferenceEntry) -> HtmlNode:
    call = f" of call {difference.run + 1}" if difference.run or len(record.run_ns) > 1 else ""
    comparison = comparison_of(difference)
    return node(
        "div",
        node("h3", f"Output {difference.output}{call}: {difference_sentence(difference)}"),
        _listed(comparison, difference.differing) if comparison.listed else None,
        *_sides(difference, comparison, input_of_moved(record, difference)),
        kind="output",
    )


def _listed(comparison: GridPair, differing: int) -> HtmlNode:
    has_ulp = any(item.ulp is not None for item in comparison.listed)
    names = ("Index", "Expected", "Bits", "Actual", "Bits", *(["Distance"] if has_ulp else []))
    rows = [
        node(
            "tr",
            node("th", item.index, scope="row"),
            node("td", item.expected.text, kind="want"),
            node("td", *_bits(item.expected.bits, item.actual.bits), kind="want bits"),
            node("td", "≠ ", node("b", item.actual.text), kind="have"),
            node("td", *_bits(item.actual.bits, item.expected.bits), kind="have bits"),
            *([node("td", "" if item.ulp is None else f"{item.ulp:,} ULP", kind="number")] if has_ulp else []),
        )
        for item in comparison.listed
    ]
    more = differing - len(comparison.listed)
    if more > 0:
        text = f"and {counted(more, 'further element')}"
        rows.append(node("tr", node("td", text, kind="muted", colspan=str(len(names)))))
    return _table("listed", "Elements that differ", None, _column_names(names), rows)


def _bits(text: str, other: str) -> list[HtmlNode]:
    """The digits in runs: those that differ from the other side stand out."""
    runs = groupby(zip_longest(text, other[: len(text)]), key=lambda pair: pair[0] == pair[1])
    texts = ((is_same, "".join(digit for digit, _ in run)) for is_same, run in runs)
    return [node("span", digits, kind="same") if is_same else node("b", digits) for is_same, digits in texts]


def _sides(difference: DifferenceEntry, comparison: GridPair, moved_from: TensorGrids) -> list[HtmlNode]:
    """Both tensors slice by slice, expected beside actual, the input if elements may have moved, and notes."""
    want = _caption("Expected", difference.expected, difference.actual)
    have = _caption("Actual", difference.actual, difference.expected)
    pairs = [*zip_longest(comparison.expected.grids, comparison.actual.grids)] or [(None, None)]
    slices = [
        node("div", _figure(want, "want", one), _figure(have, "have", other), kind="slice") for one, other in pairs
    ]
    shown = {"Expected": comparison.expected, "Actual": comparison.actual, "Input": moved_from}
    notes = [node("p", f"{side}: {layout.note}", kind="muted") for side, layout in shown.items() if layout.note]
    inputs = [_figure(node("figcaption", "Input"), "given", grid) for grid in moved_from.grids]
    return [node("div", *slices, kind="slices"), *([node("div", *inputs, kind="slice")] if inputs else []), *notes]


def _caption(name: str, entry: TensorEntry | None, other: TensorEntry | None) -> HtmlNode | None:
    if entry is None:
        return None
    beside = entry if other is None else other
    dtype = _marked(entry.dtype, beside.dtype)
    return node("figcaption", f"{name}: ", dtype, " ", _marked(dims_text(entry.shape), dims_text(beside.shape)))


def _marked(text: str, beside: str) -> HtmlNode:
    """The text, marked if it differs from that of the other side."""
    shown = one_line(text, 200)
    return node("span", shown) if text == beside else node("b", f"≠ {shown}", kind="differs")


def _figure(caption: HtmlNode | None, kind: str, grid: Grid | None) -> HtmlNode | None:
    if caption is None:
        return None
    return node("figure", caption, _grid(grid) if grid is not None else None, kind=f"side {kind}")


def _grid(grid: Grid) -> HtmlNode:
    rows = [node("tr", node("th", label, scope="row"), *(_cell(cell) for cell in cells)) for label, cells in grid.rows]
    caption = node("caption", grid.title) if grid.title else None
    return _table("grid", f"Elements {grid.title}".strip(), caption, [node("td"), *_column_names(grid.columns)], rows)


def _cell(cell: GridCell | None) -> HtmlNode:
    if cell is None:
        return node("td", kind="absent")
    element, other = cell.element, cell.other
    if other is None:
        return node("td", element.text)
    bits = node("small", *_bits(element.bits, other.bits), kind="bits") if cell.is_ambiguous else None
    return node("td", "≠ ", node("b", element.text), bits, kind="differs")


def _text(title: str, text: str) -> list[HtmlNode]:
    return [node("h3", title), node("pre", text)] if text else []


def _facts(record: CheckRecord) -> HtmlNode:
    times = ", ".join(duration(time) for time in record.run_ns) or "not reached"
    timed = f"prepare {duration(record.prepare_ns)}, run {times}" if record.prepare_ns or record.run_ns else ""
    clauses = ", ".join(record.clauses[:_MAX_SHOWN_CLAUSES])
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


def _column_names(names: Sequence[str]) -> list[HtmlNode]:
    return [node("th", name, scope="col") for name in names]


def _table(
    kind: str, name: str, caption: HtmlNode | None, head: Sequence[HtmlNode], rows: Sequence[HtmlNode]
) -> HtmlNode:
    """A table in a box that scrolls sideways."""
    table = node("table", caption, node("thead", node("tr", *head)), node("tbody", *rows), kind=kind)
    return node("div", table, kind="scroll", role="group", aria_label=name)


_SHOWN = {"Upstream": _linked, "Recorded as": _code, "Reproducer": _code}
