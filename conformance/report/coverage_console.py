"""The coverage on a terminal: clauses with their cases, and the missing and excluded combinations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from rich import box
from rich.console import Console
from rich.table import Column, Table

from conformance.formats.coverage.space import Coverage
from conformance.planning.coverage_measure import OperatorCoverage
from conformance.report.terminal import indented, plain, terminal
from conformance.values.text import counted

_MAX_MISSING = 5


def show(found: Iterable[OperatorCoverage], *, max_missing: int | None, max_ids: int) -> None:
    """Print the coverage of each operator.

    Lists up to `max_missing` missing combinations for each choice of parameters (None: a few), and up to `max_ids`
    case ids for each clause.
    """
    out = terminal()
    for coverage in found:
        out.print(plain(f"{coverage.operator.id}: {counted(coverage.checks, 'check')}"), style="bold")
        _print_clauses(coverage, out, max_ids)
        _print_combinations(coverage, out, _MAX_MISSING if max_missing is None else max_missing)
        out.print()


def _print_clauses(coverage: OperatorCoverage, out: Console, max_ids: int) -> None:
    tested = sum(bool(ids) for ids in coverage.clauses.values())
    out.print(f"clauses with a case: {tested}/{len(coverage.clauses)}")
    for clause, ids in coverage.clauses.items():
        out.print(indented(f"{clause}: {counted(len(ids), 'case')}", 2), style="" if ids else "red")
        for case_id in ids[:max_ids]:
            out.print(indented(case_id, 4), style="dim")


def _print_combinations(coverage: OperatorCoverage, out: Console, max_missing: int) -> None:
    if not coverage.combinations:
        out.print("no parameter space is written down in coverage.yaml")
        return
    covered = sum(one.covered for one in coverage.combinations)
    possible = sum(one.possible for one in coverage.combinations)
    out.print(f"combinations of {len(coverage.combinations[0].names)} parameters: {covered}/{possible}")
    out.print(_table(coverage.combinations))
    for one in coverage.combinations:
        for row in one.missing[:max_missing]:
            combination = ", ".join(f"{name}={value}" for name, value in row.items())
            out.print(indented(f"no check has {combination}", 2), style="red")
        if len(one.missing) > max_missing:
            out.print(indented(f"and {len(one.missing) - max_missing} more of {' x '.join(one.names)}", 2), style="red")
    left_out: Counter[str] = Counter()
    for one in coverage.combinations:
        for exclusion, count in one.left_out.items():
            left_out[exclusion.because] += count
    for because, count in left_out.most_common():
        out.print(indented(f"left out {count}: {because}", 2), style="dim")


def _table(combinations: Iterable[Coverage]) -> Table:
    numbers = (Column(name, justify="right") for name in ("covered", "left out"))
    table = Table("parameters", *numbers, box=box.SIMPLE, pad_edge=False)
    for one in combinations:
        style = "red" if one.missing else ""
        left_out = str(sum(one.left_out.values()) or "")
        table.add_row(" x ".join(one.names), f"{one.covered}/{one.possible}", left_out, style=style)
    return table
