"""The compatibility table of all published certificates: what each product does, side by side; pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from conformance.certificate.summary import CertificateFile, OperatorEntry, TallyEntry
from conformance.deviation import Deviation


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """One certificate: its folder, its summary, and the deviations that it records."""

    folder: str
    summary: CertificateFile
    deviations: tuple[Deviation, ...]

    @property
    def title(self) -> str:
        """Product and version."""
        return f"{self.summary.product.name} {self.summary.product.version}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """A text, and where it leads."""

    text: str
    link: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A heading, a sentence, and rows; the first row names the columns."""

    title: str
    about: str
    rows: tuple[tuple[Cell, ...], ...]


def tables_of(published: Sequence[Published]) -> Iterator[Table]:
    """All tables, the most important first."""
    yield _certificates(published)
    yield Table(
        title="Operators",
        about="Checks passed, of those that count. An operator that is reached through other operators is not claimed.",
        rows=_rows(published, "operator", lambda summary: {e.operator: _operator(e) for e in summary.operators}),
    )
    yield Table(
        title="Forms",
        about="How the arguments reach the product, over all operators that it claims.",
        rows=_rows(published, "form", lambda summary: _rates(summary, lambda entry: entry.forms)),
    )
    yield Table(
        title="Types",
        about="Types of the data, over all operators that it claims.",
        rows=_rows(published, "type", lambda summary: _rates(summary, lambda entry: entry.types)),
    )
    yield Table(
        title="Disputes",
        about="What the pages leave open, and the reading that each product follows, with the number of checks. Nobody "
        "fails by following one.",
        rows=_rows(published, "case", _readings),
    )
    yield _deviations(published)


def _certificates(published: Sequence[Published]) -> Table:
    head = ("product", "vendor", "device", "profile", "result", "passed", "deviating", "failed", "unanswered", "apart")
    rows = [tuple(Cell(text=name) for name in (*head, "log", "report"))]
    for item in published:
        summary, counts = item.summary, item.summary.counts
        rows.append(
            (
                Cell(text=item.title, link=f"{item.folder}/README.md"),
                Cell(text=summary.product.vendor),
                Cell(text=", ".join(summary.product.devices)),
                Cell(text=summary.suite.profile),
                Cell(text=summary.result),
                Cell(text=counts.rate),
                *(Cell(text=f"{n:,}") for n in (counts.deviating, counts.failed, counts.unanswered, counts.apart)),
                Cell(text="log", link=f"{item.folder}/run.jsonl.gz"),
                Cell(text="report", link=f"{item.folder}/report.html"),
            )
        )
    about = "Deviating: as recorded, with a reason. Unanswered: unsupported, or answered through other operators."
    return Table(title="Certificates", about=about, rows=tuple(rows))


def _deviations(published: Sequence[Published]) -> Table:
    rows = [tuple(Cell(text=name) for name in ("product", "checks", "deviation", "what happens"))]
    rows += [
        (
            Cell(text=item.title),
            Cell(text=f"{item.summary.deviations[deviation.id]:,}"),
            Cell(text=deviation.id, link=deviation.upstream),
            Cell(text=deviation.what),
        )
        for item in published
        for deviation in item.deviations
        if deviation.id in item.summary.deviations
    ]
    about = "What each product is known to get wrong. A link leads to the report upstream, where there is one."
    return Table(title="Deviations", about=about, rows=tuple(rows))


def _rows(
    published: Sequence[Published], name: str, texts_of: Callable[[CertificateFile], Mapping[str, str]]
) -> tuple[tuple[Cell, ...], ...]:
    """A row for each name that any product has, a column for each product."""
    columns = [texts_of(item.summary) for item in published]
    names = sorted({row for column in columns for row in column})
    head = (Cell(text=name), *(Cell(text=item.title, link=f"{item.folder}/README.md") for item in published))
    rows = [(Cell(text=row), *(Cell(text=column.get(row, "")) for column in columns)) for row in names]
    return (head, *rows)


def _operator(entry: OperatorEntry) -> str:
    return entry.claim if entry.result is None else f"{entry.result}, {entry.counts.rate}"


def _rates(summary: CertificateFile, tallies_of: Callable[[OperatorEntry], Mapping[str, TallyEntry]]) -> dict[str, str]:
    passed: dict[str, int] = {}
    required: dict[str, int] = {}
    for entry in summary.operators:
        for name, tally in tallies_of(entry).items() if entry.result is not None else ():
            passed[name] = passed.get(name, 0) + tally.passed
            required[name] = required.get(name, 0) + tally.required
    return {name: f"{passed[name]:,}/{required[name]:,}" if required[name] else "not asked" for name in required}


def _readings(summary: CertificateFile) -> dict[str, str]:
    return {
        case: ", ".join(f"{name} ({count:,})" for name, count in sorted(named.items()))
        for entry in summary.operators
        for case, named in entry.readings.items()
    }
