"""The compatibility table as Markdown and as one HTML page; all text is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape

from conformance.certificate.table import Table, TableCell
from conformance.report.markdown import escaped
from conformance.values.text import one_line

_ABOUT = (
    "Certificates of conformance: what products did with the profiles of this suite, by whom each is issued, and with "
    "which result. Each folder here is a certificate; `conformance verify DIR` judges every verdict of it again. These "
    "tables, and a page for each certificate, are made from them by `nox -s publish`. How to hand one in is told in "
    "[docs/certify.md](../docs/certify.md)."
)
_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:90rem;padding:0 1rem}"
    "table{border-collapse:collapse;display:block;overflow-x:auto}"
    "th,td{border:1px solid #8888;padding:.25rem .6rem;text-align:left;vertical-align:top}"
    "@media(prefers-color-scheme:dark){body{background:#111;color:#eee}a{color:#8bf}}"
)


def tables_as_markdown(tables: Iterable[Table]) -> str:
    """`reports/README.md`."""
    return "\n".join(["# Compatibility", "", _ABOUT, "", *(line for table in tables for line in _markdown(table))])


def tables_as_html(tables: Iterable[Table]) -> str:
    """`reports/index.html`: one file that loads nothing and runs nothing."""
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    return "\n".join(
        [
            '<!doctype html><html lang="en"><head><meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
            '<meta name="viewport" content="width=device-width"><title>Compatibility</title>',
            f"<style>{_STYLE}</style></head><body><main><h1>Compatibility</h1>",
            "<p>Certificates of conformance: what products did with the profiles of this suite, who issued them, and",
            "their results. Each product's link leads to the page of its certificate.</p>",
            *(line for table in tables for line in _html(table)),
            "</main></body></html>",
            "",
        ]
    )


def _markdown(table: Table) -> Iterator[str]:
    yield from (f"## {table.title}", "", table.about, "")
    if len(table.rows) == 1:
        yield from ("None.", "")
        return
    head, *rows = table.rows
    yield _markdown_row(head)
    yield "|" + "---|" * len(head)
    for row in rows:
        yield _markdown_row(row)
    yield ""


def _markdown_row(row: tuple[TableCell, ...]) -> str:
    return "| " + " | ".join(_markdown_cell(cell) for cell in row) + " |"


def _markdown_cell(cell: TableCell) -> str:
    text = escaped(cell.text)
    return f"[{text}](<{cell.link}>)" if _may_link(cell.link) else text


def _html(table: Table) -> Iterator[str]:
    yield f"<h2>{escape(table.title)}</h2><p>{escape(table.about)}</p>"
    if len(table.rows) == 1:
        yield "<p>None.</p>"
        return
    head, *rows = table.rows
    yield "<table><thead><tr>" + "".join(f'<th scope="col">{_html_cell(cell)}</th>' for cell in head) + "</tr></thead>"
    yield "<tbody>"
    for first, *others in rows:
        cells = "".join(f"<td>{_html_cell(cell)}</td>" for cell in others)
        yield f'<tr><th scope="row">{_html_cell(first)}</th>{cells}</tr>'
    yield "</tbody></table>"


def _html_cell(cell: TableCell) -> str:
    text = escape(one_line(cell.text))
    return f'<a href="{escape(cell.link)}">{text}</a>' if _may_link(cell.link) else text


def _may_link(link: str) -> bool:
    """Whether a link is relative or https, and has no character that could end the markup around it."""
    is_local = link[:1].isalnum() and ":" not in link
    return (is_local or link.startswith("https://")) and link.isprintable() and not set(link) & set(" <>\\\"'")
