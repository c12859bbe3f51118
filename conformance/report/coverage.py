"""The coverage of operators as a tree: clauses with their cases, and the missing and excluded combinations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from conformance.planning.coverage_measure import OperatorCoverage
from conformance.report.document import (
    ALL,
    Details,
    Items,
    ReportBlock,
    ReportSection,
    Sentence,
    Table,
    TableCell,
    Tone,
    columns,
    row,
)
from conformance.values.text import counted

_MAX_MISSING = 5


def section_of(coverage: OperatorCoverage, *, max_missing: int | None, max_ids: int) -> ReportSection:
    """The coverage of an operator.

    Lists up to `max_missing` missing combinations for each choice of parameters (None: a few), and up to `max_ids`
    case ids for each clause.
    """
    tested = sum(bool(ids) for ids in coverage.clauses.values())
    clauses = [
        Details(
            head=f"{clause}: {counted(len(ids), 'case')}",
            blocks=[Items(ids[:max_ids], few=ALL)],
            tone=None if ids else Tone.BAD,
        )
        for clause, ids in coverage.clauses.items()
    ]
    return ReportSection(
        title=f"{coverage.operator.id}: {counted(coverage.checks, 'check')}",
        blocks=[
            Sentence(f"clauses with a case: {tested}/{len(coverage.clauses)}"),
            Items(clauses, few=ALL),
            *_combinations(coverage, _MAX_MISSING if max_missing is None else max_missing),
        ],
    )


def class_sections(counts: Mapping[str, Mapping[tuple[str, str], int]]) -> Iterator[ReportSection]:
    """The classes of each kind of argument: how many operators have cases of each, and which have none."""
    having: dict[str, dict[str, dict[str, int]]] = {}
    for operator, found in counts.items():
        for (kind, name), count in found.items():
            having.setdefault(kind, {}).setdefault(name, {})[operator] = count
    for kind, classes in having.items():
        rows = []
        for name, by_operator in classes.items():
            without = [operator for operator, count in by_operator.items() if not count]
            ratio = TableCell(
                f"{len(by_operator) - len(without)}/{len(by_operator)}", tone=Tone.BAD if without else None
            )
            rows.append(row(name, ratio, str(sum(by_operator.values())), ", ".join(without)))
        names = [*columns("class", "operators", "cases", numbers_from=1), *columns("without")]
        yield ReportSection(title=kind, blocks=[Table(name=kind, columns=names, rows=rows, few=ALL, kind="numbers")])


def _combinations(coverage: OperatorCoverage, max_missing: int) -> Iterator[ReportBlock]:
    found = coverage.combinations
    if not found:
        yield Sentence("no parameter space is written down in coverage.yaml")
        return
    covered, possible = (sum(counts) for counts in zip(*((one.covered, one.possible) for one in found), strict=True))
    yield Sentence(f"combinations of {len(found[0].names)} parameters: {covered}/{possible}")
    rows = []
    for one in found:
        ratio = TableCell(f"{one.covered}/{one.possible}", tone=Tone.BAD if one.missing else None)
        rows.append(row(" x ".join(one.names), ratio, str(sum(one.left_out.values()) or "")))
    names = columns("parameters", "covered", "left out", numbers_from=1)
    yield Table(name="combinations", columns=names, rows=rows, few=ALL, kind="numbers")
    for one in found:
        for missing in one.missing[:max_missing]:
            combination = ", ".join(f"{name}={value}" for name, value in missing.items())
            yield Sentence(f"no check has {combination}", tone=Tone.BAD)
        if len(one.missing) > max_missing:
            yield Sentence(f"and {len(one.missing) - max_missing} more of {' x '.join(one.names)}", tone=Tone.BAD)
    left_out: Counter[str] = Counter()
    for one in found:
        for exclusion, count in one.left_out.items():
            left_out[exclusion.because] += count
    yield Items([f"left out {count}: {because}" for because, count in left_out.most_common()], few=ALL)
