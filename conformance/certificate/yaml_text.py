"""Writes YAML that our own reader accepts: core types, no anchors, quotes around text that could be another type.

What is beyond ASCII is escaped, so that a reader sees all that there is.
"""

from __future__ import annotations

import re

import yaml

from conformance.formats.yaml_document import Plain

_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9 .,+@/()_-]{0,100}")
_LOOKALIKES = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n"})


class _Dumper(yaml.SafeDumper):
    """Writes repeated values in full instead of as aliases."""

    def ignore_aliases(self, data: object) -> bool:
        del data
        return True


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    is_plain = _PLAIN.fullmatch(text) and text.lower() not in _LOOKALIKES and text == text.strip()
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=None if is_plain else '"')


_Dumper.add_representer(str, _text)


def yaml_text(value: Plain) -> str:
    """The value as YAML; mappings keep their order."""
    text: str = yaml.dump(value, Dumper=_Dumper, sort_keys=False, width=120)
    return text
