"""What the pages of the published data have in common: the frame with its style and script, and the query."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from compat_page_matrix import WORDS, badge
from markupsafe import Markup

from conformance.compat.data import CompatData
from conformance.report.document import HtmlNode, ReportTree, markup, node
from conformance.report.page import SCRIPTED, PageAssets, asset, data_block, page_of
from conformance.values.text import visible

_TEMPLATES = Path(__file__).parent / "templates"
_OF_ALL_PAGES = ("nodes", "blocks", "frame")


def page_with(
    tree: ReportTree, scripts: Sequence[str], *, title: str, after: Sequence[HtmlNode | Markup] = ()
) -> Iterator[str]:
    """The page of a tree, with the scripts of these names, each after those that it uses."""
    texts = [asset(f"script/{name}.js") for name in _OF_ALL_PAGES]
    texts += [(_TEMPLATES / f"compat-{name}.js").read_text("utf-8") for name in scripts]
    style = (_TEMPLATES / "compat.css").read_text("utf-8")
    behind = [Markup(f"{markup(one)}\n") for one in after]  # noqa: S704 - markup is escaped
    return page_of(tree, assets=PageAssets(script="\n".join(texts), style=style), title=title, after=behind)


def finder(example: str, label: str) -> HtmlNode:
    """The query of a page, which its script makes visible."""
    field = node(
        "input",
        id="query",
        type="text",
        placeholder=example,
        autocomplete="off",
        autocapitalize="off",
        spellcheck="false",
        aria_describedby="query-says",
        aria_keyshortcuts="/ Control+K",
    )
    key = node("kbd", "/", id="query-key", aria_hidden="true", title="this key leads to the query")
    clear = node("button", "Clear", type="button", id="query-clear")
    line = node(
        "div", node("label", label, **{"for": "query"}), node("div", field, key, kind="query"), clear, kind="finder"
    )
    says = node("p", id="query-says", kind="muted", aria_live="polite")
    return node("div", line, says, kind=SCRIPTED, role="search", hidden="")


def legend(data: CompatData) -> HtmlNode:
    """What each letter says."""
    chips = (
        node("li", badge(letter, letter), f" {WORDS.get(letter, '')}", title=says)
        for letter, says in data.letters.items()
    )
    return node("ul", *chips, kind="letters", aria_label="Letters")


def web_link(link: str) -> str:
    """The link if it leads to a page of the web; else none."""
    return link if link.startswith("https://") else ""


def json_block(name: str, data: object) -> Markup:
    """Data for the script, with its texts made visible as those of the page are."""
    return data_block(name, json.dumps(_shown(data)).encode())


def _shown(data: object) -> object:
    if isinstance(data, Mapping):
        return {visible(str(name)): _shown(one) for name, one in data.items()}
    if isinstance(data, list):
        return [_shown(one) for one in data]
    return visible(data) if isinstance(data, str) else data
