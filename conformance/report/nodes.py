"""A piece of a page as a tree of elements: written as HTML, or as JSON that the page's script builds again.

What the page shows both ways is laid out once. Text is made visible and bounded here, and escaped where it is written.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from markupsafe import Markup, escape

from conformance.values.text import visible

_NO_ATTRIBUTES: Mapping[str, str] = {}


class HtmlNode(NamedTuple):
    """An element; as JSON it is a list of tag, attributes and children."""

    tag: str
    attributes: Mapping[str, str]
    children: tuple[Child, ...]


Child = HtmlNode | str


def node(tag: str, *children: Child | None, **attributes: str) -> HtmlNode:
    """An element; the attribute `class` is given as `kind`, `_` stands for `-`, and None is no child."""
    shown = tuple(visible(child) if isinstance(child, str) else child for child in children if child is not None)
    return HtmlNode(tag, {_name(key): visible(text) for key, text in attributes.items()} or _NO_ATTRIBUTES, shown)


def markup(tree: HtmlNode) -> Markup:
    """The tree as HTML."""
    return Markup("".join(_pieces(tree)))  # noqa: S704 - what is not ours is escaped


def _pieces(tree: HtmlNode) -> list[str]:
    attributes = "".join(f' {name}="{escape(text)}"' for name, text in tree.attributes.items())
    pieces = [f"<{tree.tag}{attributes}>"]
    for child in tree.children:
        if isinstance(child, str):
            pieces.append(str(escape(child)))
        else:
            pieces += _pieces(child)
    pieces.append(f"</{tree.tag}>")
    return pieces


def _name(key: str) -> str:
    return "class" if key == "kind" else key if key == "viewBox" else key.replace("_", "-")
