"""The finding of a single check in plain text, for reports that show one check at a time."""

from __future__ import annotations

import math

from conformance.findings.causes import likeness
from conformance.judging.controls import control_explains
from conformance.language.verdict import Section, Severity
from conformance.log.record import CheckRecord, ControlEntry, DifferenceEntry
from conformance.report.tensors.call_text import call_line, dims_text, rerun_command
from conformance.report.tensors.grid import nested_text
from conformance.values.text import BLOCK, counted, index_text, one_line, visible

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
