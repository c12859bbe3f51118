from __future__ import annotations

import json

from conformance.report.document import markup, node


def test_text_and_attributes_are_escaped() -> None:
    tree = node("p", "<b>", kind='"x"')
    assert markup(tree) == '<p class="&#34;x&#34;">&lt;b&gt;</p>'


def test_hidden_characters_are_written_out() -> None:
    assert markup(node("p", "a\u202eb", aria_label="c\u202ed")) == r'<p aria-label="c\u202ed">a\u202eb</p>'


def test_none_is_no_child() -> None:
    assert markup(node("p", None, node("b", "x"))) == "<p><b>x</b></p>"


def test_json_holds_tag_attributes_and_children() -> None:
    assert json.dumps(node("p", "x", node("b"), kind="y")) == '["p", {"class": "y"}, ["x", ["b", {}, []]]]'
