"""The digests of an adapter's files, by which answers of another state of it are known."""

from __future__ import annotations

import hashlib
from pathlib import Path

from conformance.formats.adapter_file import Adapter
from conformance.values.files_digest import files_digest

_OF_OTHERS = frozenset({"repro.py", "reproducers", "deviations.yaml", "node_modules"})
"""What changes no answer, or follows from other files."""
_OF_RUNS = "conformance-"
"""How the folders begin in which runs write."""


def deviations_digest(adapter: Adapter) -> str:
    """SHA-256 of its recorded deviations; of nothing if it has none."""
    path = adapter.folder / "deviations.yaml"
    return hashlib.sha256(path.read_bytes() if path.is_file() else b"").hexdigest()


def adapter_digest(adapter: Adapter) -> str:
    """SHA-256 over the relative path and the bytes of each file in its folder: its code, its engine, its data.

    What follows from other files is left out, such as virtual environments, and folders of results.
    """
    roots = (path for path in adapter.folder.iterdir() if path.name not in _OF_OTHERS and not _is_left_out(path))
    return files_digest(roots, _is_left_out)


def _is_left_out(path: Path) -> bool:
    return path.name.startswith(_OF_RUNS) or (path / "pyvenv.cfg").is_file()
