"""What this process has loaded: packages and modules of Python, and libraries."""

from __future__ import annotations

import sys
from itertools import chain
from pathlib import Path

from conformance.border.messages import CODE
from conformance.values import procfs
from conformance.values.files_digest import files_digest

ADAPTER_MODULE = "opconform_adapter_"
"""How the name of an adapter's own module begins."""
_NO_FILES = ("/memfd:", "/dev/")
"""What code that a process made itself is mapped from."""


def loaded_modules() -> dict[str, str]:
    """The folder of each package, and the file of each other module, by name.

    Those of Python itself, of this worker and of its adapter are left out.
    """
    return {name: places[0] for name, places in _modules().items() if not name.startswith(ADAPTER_MODULE)}


def loaded_digest(adapter: Path) -> str:
    """The digest of the files of these modules, and of the libraries that the process has mapped.

    The adapter's own folder is left out: the engine has its digest. Empty if a file cannot be read.
    """
    places = {Path(place) for place in chain(_libraries(), *_modules().values())} - {adapter}
    outermost = [place for place in places if places.isdisjoint(place.parents)]
    return files_digest(outermost) if all(map(Path.exists, places)) else ""


def _modules() -> dict[str, list[str]]:
    """The folders of each package, or the file of a module."""
    found = {}
    for name, module in [*sys.modules.items()]:
        if "." not in name and name not in sys.stdlib_module_names and not name.startswith("__"):
            said = getattr(module, "__dict__", {})
            found[name] = list(map(str, said.get("__path__") or filter(None, [said.get("__file__")])))
    return {name: places for name, places in found.items() if places not in ([], [CODE])}


def _libraries() -> set[str]:
    """The files whose code is mapped, as far as the system says it."""
    lines = (line.split(maxsplit=5) for line in procfs.text("self/maps").splitlines())
    mapped = {words[5] for words in lines if len(words) == 6 and "x" in words[1]}
    return {path for path in mapped if path.startswith("/") and not path.startswith(_NO_FILES)}
