"""The tables of all published certificates: what each product does, side by side; pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from conformance.certificate.certificate_file import CertificateFile, OperatorEntry, TallyEntry
from conformance.certificate.folder import PAGES
from conformance.certificate.pages import measured_words, tone_of, verify_command
from conformance.certificate.verify import Signature
from conformance.judge.deviation import Deviation
from conformance.report.document import Tone
from conformance.report.markdown import escaped
from conformance.report.page import Banner, asset, policy
from conformance.tensors.text import BLOCK, counted, one_line, visible


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """One certificate: its folder, summary, deviations, and the state of its signature."""

    folder: str
    summary: CertificateFile
    deviations: tuple[Deviation, ...]
    signature: Signature

    @property
    def title(self) -> str:
        """Product and version, and the instruction set if there is one."""
        product = self.summary.product
        level = f" ({product.instruction_set})" if product.instruction_set else ""
        return f"{product.name} {product.version}{level}"


@dataclass(frozen=True, slots=True, kw_only=True)
class TableColumn:
    """The name of a column and its explanation; `page` is the certificate that the column is of."""

    name: str
    about: str = ""
    page: str = ""
    is_number: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TableCell:
    """A text with a note under it. It links to `link`, or to the page of the certificate `page`."""

    text: str
    note: str = ""
    link: str = ""
    page: str = ""
    tone: Tone = Tone.QUIET


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A heading, a sentence, columns and rows."""

    title: str
    about: str
    columns: tuple[TableColumn, ...]
    rows: tuple[tuple[TableCell, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TableGroup:
    """A part of the index: its name in a link, a heading, a sentence, and tables."""

    id: str
    title: str
    about: str
    tables: tuple[Table, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Index:
    """All that the index of a folder of certificates shows."""

    banner: Banner
    certificates: Table
    groups: tuple[TableGroup, ...]


def index_of(published: Sequence[Published]) -> Index:
    """The index: the certificates, then the tables of each profile, then the deviations."""
    profiles = dict.fromkeys(item.summary.suite.profile for item in published)
    groups = [
        _profile_tables(profile, [item for item in published if item.summary.suite.profile == profile])
        for profile in profiles
    ]
    return Index(
        banner=_banner(published), certificates=_certificates(published), groups=(*groups, _deviations(published))
    )


def _banner(published: Sequence[Published]) -> Banner:
    summaries = [item.summary for item in published]
    first = published[0] if published else None
    command = (
        "conformance verify DIR" if first is None else verify_command(first.summary, first.signature, first.folder)
    )
    return Banner(
        eyebrow="Certificates",
        title=f"{counted(len(published), 'certificate')} of conformance to opconform's profiles",
        tone=Tone.QUIET,
        facts={
            "Products": _numbered(f"{summary.product.name} {summary.product.version}" for summary in summaries),
            "Vendors": _numbered(summary.product.vendor for summary in summaries),
            "Profiles": _numbered(summary.suite.profile for summary in summaries),
            "Issued by": _numbered(summary.issuer for summary in summaries),
            "Signature": _numbered(item.signature.value for item in published),
        },
        about="Each folder beside this page is a certificate. To verify one with its log, run this in the same folder:",
        command=command,
    )


def _numbered(names: Iterable[str]) -> str:
    """`Intel (3), Microsoft (2)`."""
    return ", ".join(f"{one_line(name)} ({count:,})" for name, count in Counter(names).items()) or "none"


def _profile_tables(profile: str, published: Sequence[Published]) -> TableGroup:
    tables = (
        Table(
            title="Operators",
            about="Checks passed, of those that count, and the result of the operator. An operator that is reached "
            "through other operators is not claimed.",
            columns=_columns(published, "operator"),
            rows=_rows(
                published, lambda summary: {e.operator: _operator(e) for e in summary.operators}, order=dict.fromkeys
            ),
        ),
        Table(
            title="Forms",
            about="Checks passed, of those that count, by how the arguments reach the product, over all operators "
            "that it claims.",
            columns=_columns(published, "form"),
            rows=_rows(published, lambda summary: _rates(summary, lambda entry: entry.forms)),
        ),
        Table(
            title="Types",
            about="Checks passed, of those that count, by type of the data, over all operators that it claims.",
            columns=_columns(published, "type"),
            rows=_rows(published, lambda summary: _rates(summary, lambda entry: entry.types)),
        ),
        Table(
            title="Disputes",
            about="What the specs leave open, and the interpretation that each product follows, with the number of "
            "checks. Following one of them is no failure.",
            columns=_columns(published, "case"),
            rows=_rows(published, _interpretations),
        ),
    )
    about = f"What each product did in the profile {profile}. A column is the certificate of one product."
    return TableGroup(id=f"profile-{profile}", title=f"Profile {profile}", about=about, tables=tables)


_CERTIFICATE_COLUMNS = (
    TableColumn(
        name="product",
        about="the product, its version, and the newest instruction set of its kernels; its vendor; its devices",
    ),
    TableColumn(name="issued by", about="who ran the suite and answers for the result; whether there is a signature"),
    TableColumn(name="profile", about="the named set of cases and rules that the certificate speaks about"),
    TableColumn(name="suite", about="the release of opconform whose cases the profile has; later ones have more"),
    TableColumn(
        name="result",
        about="by the rules of the profile. Conformant: all that counts passed. Partial: nothing failed, but something "
        "was not answered, or too little passed. Not conformant: a check failed that is not recorded. Recorded memory "
        "errors, crashes and wrong results stand first",
    ),
    TableColumn(
        name="claimed", about="the versions of operators for which the certificate speaks, of those in the profile"
    ),
    TableColumn(name="passed", is_number=True, about="checks passed, of the checks that count"),
    TableColumn(
        name="recorded", about="checks that deviate as the adapter records and explains, by kind, the worst first"
    ),
    TableColumn(name="failed", is_number=True, about="checks that deviate and are not recorded"),
    TableColumn(
        name="unanswered",
        is_number=True,
        about="checks unsupported, not expressible, not declared by the adapter, or answered through other operators",
    ),
    TableColumn(
        name="not counted", is_number=True, about="checks that count neither for nor against, such as disputed cases"
    ),
    TableColumn(name="report", about="all differences, with the cases and their values"),
    TableColumn(name="log", about="the digest of all answers, and of the time of the run"),
)


def _certificates(published: Sequence[Published]) -> Table:
    rows = tuple(_certificate(item) for item in published)
    about = "A row is one certificate: of one product, in one profile."
    return Table(title="Certificates", about=about, columns=_CERTIFICATE_COLUMNS, rows=rows)


def _certificate(item: Published) -> tuple[TableCell, ...]:
    summary, product, counts = item.summary, item.summary.product, item.summary.counts
    others = [*summary.not_claimed, *summary.through_others]
    return (
        TableCell(text=item.title, page=item.folder, note=", ".join((product.vendor, *product.devices))),
        TableCell(text=summary.issuer, note=f"{item.signature.value}{measured_words(summary)}"),
        TableCell(text=summary.suite.profile),
        TableCell(text=summary.suite.version),
        TableCell(text=summary.stated_result, tone=tone_of(summary.result)),
        TableCell(
            text=f"{len(summary.claimed)} of {len(summary.operators)}",
            note=f"not {', '.join(others)}" if others else "",
        ),
        TableCell(text=counts.rate),
        TableCell(text=", ".join(f"{what}: {count:,}" for what, count in summary.recorded.items()) or "nothing"),
        *(TableCell(text=f"{n:,}") for n in (counts.failed, counts.unanswered, counts.not_counted)),
        TableCell(text="report", page=item.folder),
        TableCell(text=item.summary.log[:8]),
    )


def _deviations(published: Sequence[Published]) -> TableGroup:
    tables = tuple(_deviations_of(item) for item in published if item.summary.deviations)
    about = "What each product is known to get wrong. A link leads to the report upstream, where there is one."
    return TableGroup(id="deviations", title="Recorded deviations", about=about, tables=tables)


def _deviations_of(item: Published) -> Table:
    met = item.summary.deviations
    columns = (
        TableColumn(name="deviation"),
        TableColumn(name="checks", is_number=True),
        TableColumn(name="what happens"),
    )
    rows = tuple(
        (
            TableCell(text=deviation.id, link=deviation.upstream),
            TableCell(text=f"{met[deviation.id]:,}"),
            TableCell(text=deviation.what),
        )
        for deviation in item.deviations
        if deviation.id in met
    )
    about = f"{counted(len(rows), 'deviation')}, {counted(sum(met.values()), 'check')}."
    return Table(title=f"{item.title}, profile {item.summary.suite.profile}", about=about, columns=columns, rows=rows)


def _columns(published: Sequence[Published], name: str) -> tuple[TableColumn, ...]:
    return (TableColumn(name=name), *(TableColumn(name=item.title, page=item.folder) for item in published))


def _rows(
    published: Sequence[Published],
    cells_of: Callable[[CertificateFile], Mapping[str, TableCell]],
    order: Callable[[Iterable[str]], Iterable[str]] = sorted,
) -> tuple[tuple[TableCell, ...], ...]:
    """A row for each name that occurs, a column for each product."""
    columns = [cells_of(item.summary) for item in published]
    names = order(dict.fromkeys(row for column in columns for row in column))
    return tuple((TableCell(text=row), *(column.get(row, TableCell(text="")) for column in columns)) for row in names)


def _operator(entry: OperatorEntry) -> TableCell:
    if entry.result is None:
        return TableCell(text="—", note=entry.claim.value)
    return TableCell(text=entry.counts.rate, note=entry.result.value, tone=tone_of(entry.result))


def _rates(
    summary: CertificateFile, tallies_of: Callable[[OperatorEntry], Mapping[str, TallyEntry]]
) -> dict[str, TableCell]:
    passed: Counter[str] = Counter()
    required: Counter[str] = Counter()
    for entry in summary.operators:
        for name, tally in tallies_of(entry).items() if entry.result is not None else ():
            passed[name] += tally.passed
            required[name] += tally.required
    return {
        name: TableCell(
            text=f"{passed[name]:,}/{count:,}" if count else "not tested",
            tone=Tone.GOOD if count and passed[name] == count else Tone.QUIET,
        )
        for name, count in required.items()
    }


def _interpretations(summary: CertificateFile) -> dict[str, TableCell]:
    return {
        case: TableCell(text=", ".join(f"{name} ({count:,})" for name, count in sorted(named.items())))
        for entry in summary.operators
        for case, named in entry.interpretations.items()
    }


# The index of a folder of certificates as Markdown and as one HTML page; all text is escaped.

_ABOUT = (
    "Certificates of conformance: what products did with the profiles of this suite, who issued each, and the result. "
    "`conformance verify FOLDER` verifies each from a clone, and `python tools/publish.py reports --tables` builds "
    "index.html and a page for each, with all differences; without `--tables`, it runs the products that are installed "
    "and makes their certificates anew. [published.yaml](published.yaml) has the digest of the verdicts in each; yours "
    "has it, too, on the same instruction set. "
    "[docs/certify.md](../docs/certify.md) says how to hand one in."
)
_TEMPLATES = Path(__file__).parent / "templates"


def index_as_markdown(index: Index) -> str:
    """`reports/README.md`."""
    return "\n".join(_markdown_lines(index))


def index_as_html(index: Index) -> str:
    """`reports/index.html`: one file that loads nothing and runs nothing."""
    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        finalize=_fit,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals.update(one_line=one_line, link_of=lambda cell: _link(cell, "html"))
    style = asset("report.css") + (_TEMPLATES / "certificates.css").read_text("utf-8")
    return environment.get_template("certificates.html.j2").render(
        index=index,
        banner=index.banner,
        policy=policy(style, ""),
        style=Markup(style),  # noqa: S704 - ours, and named by its hash
    )


def _fit(value: object) -> object:
    """The value that an expression puts into the page: markup and numbers unchanged, text made visible and bounded.

    Jinja escapes it after that, so that a template can forget neither.
    """
    return visible(value, BLOCK) if isinstance(value, str) and not isinstance(value, Markup) else value


def _markdown_lines(index: Index) -> Iterator[str]:
    yield from ("# Certificates", "", _ABOUT, "")
    yield from (f"- **{name}**: {escaped(fact, 2000)}" for name, fact in index.banner.facts.items())
    yield from ("", "To verify one with its log, run this in the same folder:", "", "```console")
    yield from (f"$ {index.banner.command}", "```", "", "## The certificates", "", index.certificates.about, "")
    yield from _markdown(index.certificates)
    yield from (f"- **{column.name}**: {column.about}" for column in index.certificates.columns)
    for group in index.groups:
        yield from ("", f"## {escaped(group.title)}", "", group.about)
        for table in group.tables:
            yield from ("", f"### {escaped(table.title)}", "", table.about, "")
            yield from _markdown(table)
    yield ""


def _markdown(table: Table) -> Iterator[str]:
    if not table.rows:
        yield from ("None.", "")
        return
    yield _markdown_row(_markdown_text(column.name, _link(column, "md")) for column in table.columns)
    yield "|" + "---|" * len(table.columns)
    for row in table.rows:
        yield _markdown_row(_markdown_cell(cell) for cell in row)
    yield ""


def _markdown_row(cells: Iterator[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _markdown_cell(cell: TableCell) -> str:
    note = f"<br>{escaped(cell.note)}" if cell.note else ""
    return f"{_markdown_text(cell.text, _link(cell, 'md'))}{note}"


def _markdown_text(text: str, link: str) -> str:
    return f"[{escaped(text)}](<{link}>)" if link else escaped(text)


def _link(item: TableCell | TableColumn, suffix: str) -> str:
    """The link of a cell or column; empty if there is none, or one that could do more than lead to a page.

    A link is relative or https, and has no character that could end the markup around it.
    """
    named = item.link if isinstance(item, TableCell) else ""
    link = f"{PAGES}/{item.page}.{suffix}" if item.page else named
    is_local = link[:1].isalnum() and ":" not in link
    may_link = (is_local or link.startswith("https://")) and link.isprintable() and not set(link) & set(" <>\\\"'")
    return link if may_link else ""
