"""The compatibility table of all published certificates: what each product does, side by side; pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from conformance.certificate.certificate_file import CertificateFile, OperatorEntry, TallyEntry
from conformance.judging.deviation import Deviation

PAGES = "pages"
"""The folder of the pages, beside the folders of the certificates."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """One certificate: its folder, summary and deviations."""

    folder: str
    summary: CertificateFile
    deviations: tuple[Deviation, ...]

    @property
    def title(self) -> str:
        """Product and version, and the instruction set if there is one."""
        product = self.summary.product
        level = f" ({product.instruction_set})" if product.instruction_set else ""
        return f"{product.name} {product.version}{level}"


@dataclass(frozen=True, slots=True, kw_only=True)
class TableCell:
    """A text and its link."""

    text: str
    link: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A heading, a sentence, and rows; the first row names the columns."""

    title: str
    about: str
    rows: tuple[tuple[TableCell, ...], ...]


def tables_of(published: Sequence[Published]) -> Iterator[Table]:
    """All tables: the certificates, then those of each profile, then the deviations."""
    yield _certificates(published)
    for profile in dict.fromkeys(item.summary.suite.profile for item in published):
        yield from _of_profile(profile, [item for item in published if item.summary.suite.profile == profile])
    yield _deviations(published)


def _of_profile(profile: str, published: Sequence[Published]) -> Iterator[Table]:
    yield Table(
        title=f"Operators in the profile {profile}",
        about="Checks passed, of those that count. An operator that is reached through other operators is not claimed.",
        rows=_rows(published, "operator", lambda summary: {e.operator: _operator(e) for e in summary.operators}),
    )
    yield Table(
        title=f"Forms in the profile {profile}",
        about="How the arguments reach the product, over all operators that it claims.",
        rows=_rows(published, "form", lambda summary: _rates(summary, lambda entry: entry.forms)),
    )
    yield Table(
        title=f"Types in the profile {profile}",
        about="Types of the data, over all operators that it claims.",
        rows=_rows(published, "type", lambda summary: _rates(summary, lambda entry: entry.types)),
    )
    yield Table(
        title=f"Disputes in the profile {profile}",
        about="What the pages leave open, and the interpretation that each product follows, with the number of checks. "
        "Following one of them is no failure.",
        rows=_rows(published, "case", _interpretations),
    )


_HEAD = (
    *("product", "vendor", "issued by", "device", "profile", "result", "claimed", "passed"),
    *("recorded, the worst first", "failed", "unanswered", "apart", "log", "report"),
)


def _certificates(published: Sequence[Published]) -> Table:
    rows = [tuple(TableCell(text=name) for name in _HEAD)]
    for item in published:
        summary, counts = item.summary, item.summary.counts
        rows.append(
            (
                TableCell(text=item.title, link=f"{PAGES}/{item.folder}.md"),
                TableCell(text=summary.product.vendor),
                TableCell(text=summary.issuer),
                TableCell(text=", ".join(summary.product.devices)),
                TableCell(text=summary.suite.profile),
                TableCell(text=summary.result.value),
                TableCell(text=_claimed(summary)),
                TableCell(text=counts.rate),
                TableCell(text=", ".join(f"{what}: {count:,}" for what, count in summary.recorded.items())),
                *(TableCell(text=f"{n:,}") for n in (counts.failed, counts.unanswered, counts.apart)),
                TableCell(text="log", link=f"{item.folder}/run.jsonl.gz"),
                TableCell(text="report", link=f"{PAGES}/{item.folder}.html"),
            )
        )
    about = (
        "Claimed: versions of operators. Passed: of the checks that count. Recorded: wrong, as the adapter explains. "
        "Unanswered: unsupported, not expressible, or answered through other operators. Apart: neither for nor against."
    )
    return Table(title="Certificates", about=about, rows=tuple(rows))


def _claimed(summary: CertificateFile) -> str:
    others = [*summary.not_claimed, *summary.through_others]
    share = f"{len(summary.claimed)} of {len(summary.operators)}"
    return f"{share}, not {', '.join(others)}" if others else share


def _deviations(published: Sequence[Published]) -> Table:
    rows = [tuple(TableCell(text=name) for name in ("product", "checks", "deviation", "what happens"))]
    rows += [
        (
            TableCell(text=f"{item.title}, {item.summary.suite.profile}"),
            TableCell(text=f"{item.summary.deviations[deviation.id]:,}"),
            TableCell(text=deviation.id, link=deviation.upstream),
            TableCell(text=deviation.what),
        )
        for item in published
        for deviation in item.deviations
        if deviation.id in item.summary.deviations
    ]
    about = "What each product is known to get wrong. A link leads to the report upstream, where there is one."
    return Table(title="Deviations", about=about, rows=tuple(rows))


def _rows(
    published: Sequence[Published], name: str, texts_of: Callable[[CertificateFile], Mapping[str, str]]
) -> tuple[tuple[TableCell, ...], ...]:
    """A row for each name that occurs, a column for each product."""
    columns = [texts_of(item.summary) for item in published]
    names = sorted({row for column in columns for row in column})
    head = (TableCell(text=name), *(TableCell(text=item.title, link=f"{PAGES}/{item.folder}.md") for item in published))
    rows = [(TableCell(text=row), *(TableCell(text=column.get(row, "")) for column in columns)) for row in names]
    return (head, *rows)


def _operator(entry: OperatorEntry) -> str:
    return entry.claim if entry.result is None else f"{entry.result.value}, {entry.counts.rate}"


def _rates(summary: CertificateFile, tallies_of: Callable[[OperatorEntry], Mapping[str, TallyEntry]]) -> dict[str, str]:
    passed: dict[str, int] = {}
    required: dict[str, int] = {}
    for entry in summary.operators:
        for name, tally in tallies_of(entry).items() if entry.result is not None else ():
            passed[name] = passed.get(name, 0) + tally.passed
            required[name] = required.get(name, 0) + tally.required
    return {name: f"{passed[name]:,}/{required[name]:,}" if required[name] else "not asked" for name in required}


def _interpretations(summary: CertificateFile) -> dict[str, str]:
    return {
        case: ", ".join(f"{name} ({count:,})" for name, count in sorted(named.items()))
        for entry in summary.operators
        for case, named in entry.interpretations.items()
    }
