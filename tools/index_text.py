"""The index of a folder of certificates as Markdown and as one HTML page; all text is escaped."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from index_tables import Index, Table, TableCell, TableColumn
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from conformance.certificate.folder import PAGES
from conformance.report.markdown import escaped
from conformance.report.page import asset, policy
from conformance.values.text import BLOCK, one_line, visible

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
