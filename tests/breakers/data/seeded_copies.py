"""Copies of adapters, each with one fault behind its framework."""

from __future__ import annotations

import shutil
from pathlib import Path

from conformance.suite.adapter_file import Adapter, read_adapter

_FAULTS = Path(__file__).parent / "seeded_faults.py"
_DOOR = '''"""A copy of an adapter with a fault behind its framework."""

from .original import Adapter as Original
from .seeded_faults import seeded

Adapter = seeded(Original, {fault!r})
'''


def write_copy(adapter: Adapter, fault: str, folder: Path) -> Adapter:
    """The adapter again, in a folder of its own below `folder`, with its recorded deviations and this fault."""
    copy = folder / f"{adapter.folder.name}-{fault}"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(adapter.folder, copy, ignore=shutil.ignore_patterns("__pycache__", "node_modules"))
    (copy / "adapter.py").rename(copy / "original.py")
    shutil.copy(_FAULTS, copy)
    (copy / "adapter.py").write_text(_DOOR.format(fault=fault))
    return read_adapter(copy)
