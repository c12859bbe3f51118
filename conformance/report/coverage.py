"""The coverage of operators as a tree: clauses with their cases, and the classes of each kind of argument."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from conformance.planning.coverage_measure import OperatorCoverage
from conformance.report.document import (
    ALL,
    Details,
    Items,
    ReportSection,
    Sentence,
    Table,
    TableCell,
    Tone,
    columns,
    row,
)
from conformance.values.text import counted


def section_of(coverage: OperatorCoverage, *, max_ids: int) -> ReportSection:
    """The coverage of an operator, with up to `max_ids` case ids for each clause."""
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
