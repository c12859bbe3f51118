"""`conformance adapter new`: writes the folder of a new adapter, which runs at once, from `templates`."""

from __future__ import annotations

import re
import shlex
from enum import Enum
from pathlib import Path, PurePosixPath

from jinja2 import Environment, PackageLoader, StrictUndefined

from conformance.suite.adapter_file import NAME_PATTERN
from conformance.tensors.errors import UsageError


class Language(Enum):
    """The language of a new adapter."""

    PYTHON = "python"
    """Python, importing this package."""
    PROTOCOL = "protocol"
    """A script that speaks the protocol and imports nothing of ours, as a model for any language."""


def write_adapter(name: str, language: Language, root: Path) -> list[Path]:
    """Write the folder `root/name`, and return its files.

    Raises:
        UsageError: the name is not valid, or already exists.
    """
    if not re.fullmatch(NAME_PATTERN, name):
        what = "is not a name for an adapter"
        raise UsageError(f"name {name!r}", what, fix="start with a small letter; then small letters, digits, - and _")
    folder = root / name
    if folder.exists():
        raise UsageError(str(folder), "is there already, and stays as it is", fix="take another name or --output")
    folder.mkdir(parents=True)
    environment = Environment(
        loader=PackageLoader("conformance.adapter_kit"),
        undefined=StrictUndefined,
        keep_trailing_newline=True,
        autoescape=False,  # noqa: S701  (writes code; `name` is of letters, digits, - and _)
    )
    written = []
    for template in environment.list_templates(filter_func=lambda path: path.startswith(f"{language.value}/")):
        path = folder / PurePosixPath(template).stem
        path.write_text(environment.get_template(template).render(name=name), encoding="utf-8")
        written.append(path)
    return written


def next_command(folder: Path) -> str:
    """The command for the first run of a new adapter, ready to paste."""
    path = str(folder) if folder.is_absolute() else f"./{folder.as_posix()}"
    return f"conformance adapter check {shlex.quote(path)}"
