"""The digests of an adapter's files, by which answers of another state of it are known."""

from __future__ import annotations

import hashlib

from conformance.formats.adapter_file import Adapter

_CODE = (".py", ".js", ".mjs")
_OF_OTHERS = frozenset({"repro.py", "reproducers", "node_modules"})
"""What changes no answer, or follows from other files."""


def deviations_digest(adapter: Adapter) -> str:
    """SHA-256 of its recorded deviations; of nothing if it has none."""
    path = adapter.folder / "deviations.yaml"
    return hashlib.sha256(path.read_bytes() if path.is_file() else b"").hexdigest()


def adapter_digest(adapter: Adapter) -> str:
    """SHA-256 over the relative path and the bytes of each file that its answers follow from.

    These are adapter.yaml, its code in Python or JavaScript, and what its build makes.
    """
    folder, total = adapter.folder, hashlib.sha256()
    paths = {folder / "adapter.yaml", *(path for path in folder.rglob("*") if path.suffix in _CODE)}
    if adapter.manifest.build is not None:
        paths.add(folder / adapter.manifest.build.makes)
    for name, path in sorted((path.relative_to(folder).as_posix(), path) for path in paths if path.is_file()):
        if name.partition("/")[0] not in _OF_OTHERS:
            content = path.read_bytes()
            total.update(f"{name}\0{len(content)}\0".encode() + content)
    return total.hexdigest()
