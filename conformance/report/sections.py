"""The content of the sections of the HTML page and of the Markdown summary, in the order of reading."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby

from conformance.findings.causes import Cause
from conformance.findings.counts import Counts
from conformance.findings.summary import OTHERS, NotCompared, Summary
from conformance.language.verdict import Section, Verdict
from conformance.log.record import DifferenceEntry, SelectionEntry
from conformance.report.tensors.call_text import dims_text
from conformance.report.wording import cause_extent, kinds_text
from conformance.values.text import counted, index_text, one_line

_MAX_PLACES = 12
_MAX_KINDS = 3


@dataclass(frozen=True, slots=True)
class CauseGroup:
    """A heading in the list of differences, and the causes under it."""

    id: str
    title: str
    about: str
    causes: tuple[Cause, ...]


def cause_groups(summary: Summary) -> tuple[CauseGroup, ...]:
    """The causes in the order of the report: new differences first, recorded ones last."""
    groups = groupby(summary.causes, lambda cause: cause.verdict.meaning.section)
    return tuple(CauseGroup(part.value, *_GROUPS[part], tuple(causes)) for part, causes in groups if part is not None)


def operator_rows(summary: Summary) -> dict[str, tuple[str, ...]]:
    """The rows of a table of operators, each with the versions that it adds up: one row for each operator, or for each
    version if there is one operator.
    """
    families = summary.families
    if len(families) == 1:
        return {version: (version,) for versions in families.values() for version in versions}
    return {versions[0] if len(versions) == 1 else name: versions for name, versions in families.items()}


def not_compared(summary: Summary, target: str) -> dict[Verdict, list[NotCompared]]:
    """The reasons why checks of a target were not compared, by verdict, the most frequent first."""
    by_verdict: dict[Verdict, list[NotCompared]] = {}
    for item in summary.not_compared:
        if item.target == target:
            by_verdict.setdefault(item.verdict, []).append(item)
    return by_verdict


def is_found(item: NotCompared) -> bool:
    """Whether a query can find the checks of a reason. The sum of all further reasons has no text to search for."""
    return item.reason != OTHERS


def kinds_sentence(cause: Cause) -> str:
    """The number and kinds of the checks of a cause: `14 checks of 5 cases · float16 only · 4 forms`."""
    parts = [cause_extent(cause)]
    if len(cause.judged) > 1:
        parts.append(kinds_text(cause.judged))
    for kinds, noun in ((cause.operators, "operators"), (cause.dtypes, "types"), (cause.forms, "forms")):
        names = [one_line(name, 80) for name in kinds]
        if len(names) == 1:
            parts.append(f"{names[0]} only")
        elif names:
            parts.append(", ".join(names) if len(names) <= _MAX_KINDS else f"{len(names)} {noun}")
    return " · ".join(parts)


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


def unmet_clauses(summary: Summary) -> list[str]:
    """The clauses without a record, as `operator clause`."""
    return [f"{operator} {clause}" for (operator, clause), by_target in summary.clauses.items() if not by_target]


CountsByClause = Mapping[str, Mapping[str, Counts]]
"""For each clause, the counts by target."""


def clauses_by_operator(summary: Summary) -> dict[str, dict[str, Mapping[str, Counts]]]:
    """Each operator with its clauses, and their counts by target."""
    found: dict[str, dict[str, Mapping[str, Counts]]] = {operator: {} for operator in summary.operators}
    for (operator, clause), counts in summary.clauses.items():
        found.setdefault(operator, {})[clause] = counts
    return {operator: clauses for operator, clauses in found.items() if clauses}


def places(summary: Summary, target: str) -> list[str]:
    """Where a target's results come from, the most frequent first: `412 checks: CPU, lowered: as ONNX Split-13`."""
    met = list(summary.ran_on.get(target, {}).items())
    lines = [
        f"{counted(count, 'check')}: {place or 'not reported'}{f', lowered: {lowering}' if lowering else ''}"
        for (place, lowering), count in met[:_MAX_PLACES]
    ]
    rest = sum(count for _, count in met[_MAX_PLACES:])
    return [*lines, f"{counted(rest, 'check')}: others"] if rest else lines


def selection_text(selection: SelectionEntry) -> str:
    """The selection of a run in words."""
    sentences = {
        "operators": "{}",
        "dtypes": "types {}",
        "expects": "that expect {}",
        "rerun": "what {} in an earlier run",
        "shard": "shard {}",
    }
    chosen = selection.chosen()
    if chosen.get("sets") == "default":
        del chosen["sets"]
    parts = [sentences.get(name, f"{name} {{}}").format(one_line(text)) for name, text in chosen.items()]
    return "; ".join(parts) or "all cases"


def part_sentence(selection: SelectionEntry) -> str:
    """A sentence with the selection of a partial run; empty if the whole suite ran."""
    if not selection.is_part:
        return ""
    text = selection_text(selection)
    return f"Partial run: only {text} {'were' if re.search('[;,]', text) else 'was'} selected."


_GROUPS = {
    Section.NEW: ("New differences", "No recorded deviation covers these."),
    Section.FIXED: ("Fixed", "These conform, though an entry of deviations.yaml says that they deviate."),
    Section.NOT_JUDGED: (
        "Not judged",
        "The run, the suite or the adapter failed here, which says nothing about the framework.",
    ),
    Section.NEIGHBOURS: (
        "Caused by another node",
        "Without the operator, the same graph deviates in the same way: these count neither for nor against it.",
    ),
    Section.BEFORE: (
        "Broken before",
        "These failed in the baseline too: they do not fail the run, nor count as conforming.",
    ),
    Section.KNOWN: ("Known deviations", "These deviate exactly as recorded, and do not fail the run."),
}
