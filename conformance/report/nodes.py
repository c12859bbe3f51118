"""A piece of a page as a tree of elements, written as HTML, or as JSON from which the page's script builds it.

So the layout of such a piece is defined once. Text is made visible and bounded here, and escaped when it is written.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from markupsafe import Markup, escape

from conformance.values.text import visible

_NO_ATTRIBUTES: Mapping[str, str] = {}
_VOID = ("br", "col", "input", "meta")
_LINES = re.compile(r"p|h[1-6]|[ud]l|li|t[rhd]|d[td]|div|summary|details|section|table|figcaption")
"""Elements that begin a line, for readers of the source and of the text alone."""


class HtmlNode(NamedTuple):
    """An element; as JSON it is a list of tag, attributes and children."""

    tag: str
    attributes: Mapping[str, str]
    children: tuple[Child, ...]


Child = HtmlNode | str


def node(tag: str, *children: Child | None, kind: str | None = None, **attributes: str | float | None) -> HtmlNode:
    """An element whose class is `kind`. Children and attributes that are None are left out, and `_` in a name is `-`.

    Numbers are pixels: whole ones as they are, others to a tenth.
    """
    shown = tuple(map(_shown, (child for child in children if child is not None)))
    if not (kind or attributes):
        return HtmlNode(tag, _NO_ATTRIBUTES, shown)
    given = {key.replace("_", "-"): _text(value) for key, value in attributes.items() if value is not None}
    return HtmlNode(tag, {"class": _text(kind), **given} if kind else given, shown)


def facts_list(facts: Iterable[tuple[str, Sequence[Child]]], kind: str | None = None) -> HtmlNode:
    """Values by name."""
    return node("dl", *(node("div", node("dt", name), node("dd", *value)) for name, value in facts), kind=kind)


def deeper(tree: HtmlNode, levels: int) -> HtmlNode:
    """The tree with its headings lowered by a number of levels."""
    tag = f"h{int(tree.tag[1]) + levels}" if tree.tag in ("h2", "h3") else tree.tag
    return tree._replace(
        tag=tag, children=tuple(child if isinstance(child, str) else deeper(child, levels) for child in tree.children)
    )


def markup(tree: HtmlNode | Markup) -> Markup:
    """The tree as HTML."""
    if isinstance(tree, Markup):
        return tree
    return Markup("".join(_pieces(tree)))  # noqa: S704 - what is not ours is escaped


def _pieces(tree: HtmlNode) -> list[str]:
    attributes = "".join(f' {name}="{escape(text)}"' for name, text in tree.attributes.items())
    pieces = [f"<{tree.tag}{attributes}>"]
    for child in tree.children:
        if isinstance(child, str):
            pieces.append(str(escape(child)))
        else:
            pieces += ["\n", *_pieces(child)] if _LINES.fullmatch(child.tag) else _pieces(child)
    if tree.tag not in _VOID:
        pieces.append(f"</{tree.tag}>")
    return pieces


def _shown(child: Child) -> Child:
    return visible(child) if isinstance(child, str) and not isinstance(child, Markup) else child


def _text(value: str | float) -> str:
    return visible(value) if isinstance(value, str) else f"{value:.1f}" if isinstance(value, float) else str(value)
