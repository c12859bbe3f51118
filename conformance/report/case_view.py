"""Renders one check in detail: its call, its result and its recorded deviation."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import groupby, zip_longest

from markupsafe import Markup

from conformance.judge.controls import control_explains
from conformance.log.record import CheckRecord, ControlEntry, DifferenceEntry, RecordedDeviation
from conformance.log.summary import likeness
from conformance.report.document import Facts, Span, SpanKind, Text
from conformance.report.page import rendered
from conformance.report.tensors import (
    RERUN,
    argument_texts,
    call_line,
    comparison_of,
    dims_text,
    filled,
    input_of_moved,
    nested_text,
    recorded_command,
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
        texts += ["", call_line(record), filled(RERUN, record, options), visible(record.where)]
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


def call_view(record: CheckRecord) -> Markup:
    """The call in the terms of the spec: on one line, and as a table of its arguments."""
    arguments = None if record.call is None else [*argument_texts(record.call)]
    return rendered("call.html.j2", line=call_line(record), arguments=arguments)


def badge(verdict: Verdict, judged: Verdict) -> Markup:
    """A verdict and its sign and, if records changed it, the verdict without them: `known · crashed`."""
    excused = Markup('<span class="judged {}"> · {}</span>').format(judged.meaning.colour, judged.value)
    return Markup('<span class="badge {}"><span aria-hidden="true">{}</span> {}{}</span>').format(
        verdict.meaning.colour, verdict.meaning.sign, verdict.value, "" if judged is verdict else excused
    )


def deviation_facts(entry: RecordedDeviation, options: str) -> Facts:
    """A recorded deviation, with the command that writes its script; `options` name the target."""
    said: dict[str, Text] = {
        "What": Span(entry.what, limit=BLOCK),
        "Why": Span(entry.why, limit=BLOCK),
        "Recorded as": Span(entry.id, SpanKind.CODE),
        "Upstream": linked(entry.upstream, entry.upstream),
        "Reproducer": Span(recorded_command(entry.id, options), SpanKind.CODE, limit=BLOCK),
        "Since": entry.since,
        "Review": entry.review,
    }
    return Facts(said, kind="facts recorded")


def result_view(record: CheckRecord, level: int = 3) -> Markup:
    """The result of a check, and how it differs from what the spec requires; its headings have this level."""
    shown = record.differences[:_MAX_DIFFERENCES]
    explanations = (
        likeness(record) if record.looks_like else "",
        record.explanation if record.explanation != record.message else "",
        control_text(record, record.control) if record.control is not None else "",
    )
    texts = {
        f"Message{f' while {record.stage.value}' if record.stage else ''}": record.message,
        "Checks before it in the same process": "; ".join(record.suspects),
        "End of its standard error": record.stderr,
    }
    return rendered(
        "result.html.j2",
        record=record,
        level=level,
        badge=badge(record.verdict, record.judged),
        explanations=[text for text in explanations if text],
        is_accepted=record.judged.meaning.severity is Severity.ACCEPTANCE and record.outputs,
        differences=[_difference(record, item) for item in shown],
        left_out_outputs=len(record.differences) - len(shown),
        texts=[(title, text) for title, text in texts.items() if text],
        facts=[*_facts(record)],
        digit_runs=_digit_runs,
        dims_text=dims_text,
    )


def linked(text: str, link: str) -> Span:
    """A text with a link, if that is the address of a page."""
    is_address = link.startswith(("https://", "http://")) and len(link) < BLOCK
    return Span(text, link=link if is_address else "", limit=BLOCK)


def _difference(record: CheckRecord, difference: DifferenceEntry) -> dict[str, object]:
    """What the template shows of an output: both tensors slice by slice, and the input if elements may have moved."""
    call = f" of call {difference.run + 1}" if difference.run or len(record.run_ns) > 1 else ""
    pair = comparison_of(difference)
    return {
        "heading": f"Output {difference.output}{call}: {difference_sentence(difference)}",
        "entry": difference,
        "pair": pair,
        "slices": [*zip_longest(pair.expected.grids, pair.actual.grids)] or [(None, None)],
        "moved_from": input_of_moved(record, difference),
    }


def _digit_runs(text: str, other: str) -> list[tuple[bool, str]]:
    """The digits in runs: those that are the same on the other side, and those that differ."""
    runs = groupby(zip_longest(text, other[: len(text)]), key=lambda pair: pair[0] == pair[1])
    return [(is_same, "".join(digit for digit, _ in run)) for is_same, run in runs]


def _facts(record: CheckRecord) -> Iterator[str]:
    if record.prepare_ns or record.run_ns:
        times = ", ".join(map(duration, record.run_ns)) or "not reached"
        yield f"prepare {duration(record.prepare_ns)}, run {times}"
    named = {
        "ran on": record.ran_on,
        "lowered:": record.lowered,
        "changed its inputs:": ", ".join(record.changed_inputs),
        "clauses": ", ".join(record.clauses[:_MAX_SHOWN_CLAUSES]),
        "written in": record.where,
    }
    yield from (f"{name} {one_line(text)}" for name, text in named.items() if text)
    if record.aliases_input:
        yield "outputs shared memory with the inputs"
