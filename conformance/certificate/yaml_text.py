"""YAML that our own reader takes back: core types, no anchors, and quotes around whatever could be read as another."""

from __future__ import annotations

import re

import yaml

from conformance.formats.yaml_document import Plain

_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9 .,+@/()_-]{0,100}")
_LOOKALIKES = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n"})


class _Dumper(yaml.SafeDumper):
    """Repeats what occurs twice instead of referring to it."""

    def ignore_aliases(self, data: object) -> bool:
        del data
        return True


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    is_plain = _PLAIN.fullmatch(text) and text.lower() not in _LOOKALIKES and text == text.strip()
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=None if is_plain else '"')


_Dumper.add_representer(str, _text)


def yaml_text(value: Plain) -> str:
    """The value as YAML, mappings in the order that they have."""
    text: str = yaml.dump(value, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=120)
    return text
