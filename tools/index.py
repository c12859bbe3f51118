"""The tables of all published certificates: what each product does, side by side; pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from conformance.certificate.certificate_file import CertificateFile, OperatorEntry, TallyEntry
from conformance.certificate.folder import PAGES
from conformance.certificate.pages import measured_words, tone_of, verify_command
from conformance.certificate.verify import Signature
from conformance.judge.deviation import Deviation
from conformance.report.document import (
    Details,
    Facts,
    ReportBlock,
    ReportSection,
    ReportTree,
    Sentence,
    Span,
    Table,
    TableCell,
    TableColumn,
    TableRow,
    Text,
    Tone,
    plain_text,
    row,
    spans,
)
from conformance.report.page import Banner, escaped, page_of
from conformance.tensors.text import counted, one_line


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


def _tree(published: Sequence[Published], suffix: str) -> ReportTree:
    """The certificates, what their columns mean, the tables of each profile, then the deviations.

    Links lead to the pages of the certificates with this suffix.
    """
    profiles = dict.fromkeys(item.summary.suite.profile for item in published)
    about = "A row is one certificate: of one product, in one profile."
    explained = Facts({column.name: about for column, about in _COLUMNS.items()})
    return ReportTree(
        product="Certificates",
        headline="Certificates of conformance",
        title="Certificates of conformance",
        id="certificates",
        result=[
            Sentence([about, " ", Span("What the columns mean", link="#columns")], "about"),
            _certificates(published, suffix),
        ],
        sections=[
            ReportSection(title="What the columns mean", id="columns", blocks=[explained]),
            *(
                _profile(profile, [item for item in published if item.summary.suite.profile == profile], suffix)
                for profile in profiles
            ),
            _deviations(published),
        ],
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


def _profile(profile: str, published: Sequence[Published], suffix: str) -> ReportSection:
    def folded(title: str, name: str, about: str, rows: Sequence[TableRow]) -> Details:
        columns = [TableColumn(name), *(TableColumn(item.title, link=_page(item, suffix)) for item in published)]
        table = Table(name=title, columns=columns, rows=rows, kind="side-by-side")
        return Details(head=title, line=about, blocks=[table], kind="folded", is_open=title == "Operators")

    parts = (
        folded(
            "Operators",
            "operator",
            "Checks passed, of those that count, and the result of the operator. An operator that is reached through "
            "other operators is not claimed.",
            _rows(
                published, lambda summary: {e.operator: _operator(e) for e in summary.operators}, order=dict.fromkeys
            ),
        ),
        folded(
            "Forms",
            "form",
            "Checks passed, of those that count, by how the arguments reach the product, over all operators that it "
            "claims.",
            _rows(published, lambda summary: _rates(summary, lambda entry: entry.forms)),
        ),
        folded(
            "Types",
            "type",
            "Checks passed, of those that count, by type of the data, over all operators that it claims.",
            _rows(published, lambda summary: _rates(summary, lambda entry: entry.types)),
        ),
        folded(
            "Disputes",
            "case",
            "What the specs leave open, and the interpretation that each product follows, with the number of checks. "
            "Following one of them is no failure.",
            _rows(published, _interpretations),
        ),
    )
    about = f"What each product did in the profile {profile}. A column is the certificate of one product."
    return ReportSection(title=f"Profile {profile}", about=about, id=f"profile-{profile}", blocks=parts)


_COLUMNS = {
    TableColumn(
        "product"
    ): "the product, its version, and the newest instruction set of its kernels; its vendor; its devices",
    TableColumn("issued by"): "who ran the suite and answers for the result; whether there is a signature",
    TableColumn("profile"): "the named set of cases and rules that the certificate speaks about",
    TableColumn("suite"): "the release of opconform whose cases the profile has; later ones have more",
    TableColumn("result"): "by the rules of the profile. Conformant: all that counts passed. Partial: nothing failed, "
    "but something was not answered, or too little passed. Not conformant: a check failed that is not recorded. "
    "Recorded memory errors, crashes and wrong results stand first",
    TableColumn("claimed"): "the versions of operators for which the certificate speaks, of those in the profile",
    TableColumn("passed", is_number=True): "checks passed, of the checks that count",
    TableColumn("recorded"): "checks that deviate as the adapter records and explains, by kind, the worst first",
    TableColumn("failed", is_number=True): "checks that deviate and are not recorded",
    TableColumn("unanswered", is_number=True): "checks unsupported, not expressible, not declared by the adapter, or "
    "answered through other operators",
    TableColumn("not counted", is_number=True): "checks that count neither for nor against, such as disputed cases",
    TableColumn("report"): "all differences, with the cases and their values",
    TableColumn("log"): "the digest of all answers, and of the time of the run",
}
"""The columns of the certificates, and what each means."""


def _certificates(published: Sequence[Published], suffix: str) -> Table:
    rows = [_certificate(item, suffix) for item in published]
    return Table(name="Certificates", columns=[*_COLUMNS], rows=rows, kind="certificates stacked")


def _certificate(item: Published, suffix: str) -> TableRow:
    summary, product, counts = item.summary, item.summary.product, item.summary.counts
    others = ", ".join([*summary.not_claimed, *summary.through_others])
    recorded = ", ".join(f"{what}: {count:,}" for what, count in summary.recorded.items())
    return row(
        _noted(Span(item.title, link=_page(item, suffix)), ", ".join((product.vendor, *product.devices))),
        _noted(summary.issuer, f"{item.signature.value}{measured_words(summary)}"),
        summary.suite.profile,
        summary.suite.version,
        TableCell(summary.stated_result, tone=tone_of(summary.result)),
        _noted(f"{len(summary.claimed)} of {len(summary.operators)}", f"not {others}" if others else ""),
        counts.rate,
        recorded or "nothing",
        *(f"{number:,}" for number in (counts.failed, counts.unanswered, counts.not_counted)),
        Span("report", link=_page(item, suffix)),
        item.summary.log[:8],
    )


def _noted(text: Text, note: str, tone: Tone = Tone.QUIET) -> TableCell:
    return TableCell(text, [TableCell(note)] if note else [], tone)


def _page(item: Published, suffix: str) -> str:
    return _safe_link(f"{PAGES}/{item.folder}.{suffix}")


def _deviations(published: Sequence[Published]) -> ReportSection:
    tables = [_deviations_of(item) for item in published if item.summary.deviations]
    about = "What each product is known to get wrong. A link leads to the report upstream, where there is one."
    return ReportSection(title="Recorded deviations", about=about, id="deviations", blocks=tables)


def _deviations_of(item: Published) -> Details:
    met = item.summary.deviations
    columns = (TableColumn("deviation"), TableColumn("checks", is_number=True), TableColumn("what happens"))
    rows = [
        row(Span(deviation.id, link=_safe_link(deviation.upstream)), f"{met[deviation.id]:,}", deviation.what)
        for deviation in item.deviations
        if deviation.id in met
    ]
    about = f"{counted(len(rows), 'deviation')}, {counted(sum(met.values()), 'check')}."
    title = f"{item.title}, profile {item.summary.suite.profile}"
    table = Table(name=title, columns=columns, rows=rows, kind="deviations")
    return Details(head=title, line=about, blocks=[table], kind="folded")


def _rows(
    published: Sequence[Published],
    cells_of: Callable[[CertificateFile], Mapping[str, TableCell]],
    order: Callable[[Iterable[str]], Iterable[str]] = sorted,
) -> list[TableRow]:
    """A row for each name that occurs, a column for each product."""
    columns = [cells_of(item.summary) for item in published]
    names = order(dict.fromkeys(name for column in columns for name in column))
    return [row(name, *(column.get(name, TableCell("")) for column in columns)) for name in names]


def _operator(entry: OperatorEntry) -> TableCell:
    if entry.result is None:
        return _noted("—", entry.claim.value)
    return _noted(entry.counts.rate, entry.result.value, tone_of(entry.result))


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
            f"{passed[name]:,}/{count:,}" if count else "not tested",
            tone=Tone.GOOD if count and passed[name] == count else Tone.QUIET,
        )
        for name, count in required.items()
    }


def _interpretations(summary: CertificateFile) -> dict[str, TableCell]:
    return {
        case: TableCell(", ".join(f"{name} ({count:,})" for name, count in sorted(named.items())))
        for entry in summary.operators
        for case, named in entry.interpretations.items()
    }


def _safe_link(link: str) -> str:
    """The link; empty for one that could do more than lead to a page.

    A link is relative or https, and has no character that could end the markup around it.
    """
    is_local = link[:1].isalnum() and ":" not in link
    may_link = (is_local or link.startswith("https://")) and link.isprintable() and not set(link) & set(" <>\\\"'")
    return link if may_link else ""


# The index of a folder of certificates as Markdown and as one HTML page; all text is escaped.

_ABOUT = (
    "Certificates of conformance: what products did with the profiles of this suite, who issued each, and the result. "
    "`conformance verify FOLDER` verifies each from a clone, and `python tools/publish.py reports --tables` builds "
    "index.html and a page for each, with all differences; without `--tables`, it runs the products that are installed "
    "and makes their certificates anew. [published.yaml](published.yaml) has the digest of the verdicts in each; yours "
    "has it, too, on the same instruction set. "
    "[docs/certify.md](../docs/certify.md) says how to hand one in."
)
_STYLE = Path(__file__).parent / "templates" / "certificates.css"


def index_as_html(published: Sequence[Published]) -> str:
    """`reports/index.html`: one file that loads nothing and runs nothing."""
    return "".join(page_of(_tree(published, "html"), style=_STYLE.read_text("utf-8"), banner=_banner(published)))


def index_as_markdown(published: Sequence[Published]) -> str:
    """`reports/README.md`: all of it, with its links, where `markdown_of` writes a summary."""
    return "\n".join(_markdown_lines(published))


def _markdown_lines(published: Sequence[Published]) -> Iterator[str]:
    banner, tree = _banner(published), _tree(published, "md")
    yield from ("# Certificates", "", _ABOUT, "")
    yield from (f"- **{name}**: {escaped(fact, 2000)}" for name, fact in banner.facts.items())
    yield from ("", "To verify one with its log, run this in the same folder:", "", "```console")
    yield from (f"$ {banner.command}", "```", "", "## The certificates", "")
    for block in tree.result:
        yield from _markdown(block)
    yield from (f"- **{column.name}**: {about}" for column, about in _COLUMNS.items())
    for section in tree.sections[1:]:
        yield from ("", f"## {_text(section.title)}", "", _text(section.about))
        for block in section.blocks:
            yield from _markdown(block)
    yield ""


def _markdown(block: ReportBlock) -> Iterator[str]:
    if isinstance(block, Sentence):
        yield from (plain_text(spans(block.text)[0]), "")
    elif isinstance(block, Details):
        yield from ("", f"### {_text(block.head)}", "", plain_text(block.line), "")
        for inner in block.blocks:
            yield from _markdown(inner)
    elif isinstance(block, Table):
        if not block.rows:
            yield from ("None.", "")
            return
        yield _line(_text(Span(column.name, link=column.link)) for column in block.columns)
        yield "|" + "---|" * len(block.columns)
        for one in block.rows:
            yield _line("<br>".join(map(_text, (cell.text, *(note.text for note in cell.notes)))) for cell in one.cells)
        yield ""


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _text(text: Text) -> str:
    return "".join(f"[{escaped(one.text)}](<{one.link}>)" if one.link else escaped(one.text) for one in spans(text))
