"""Starts the worker of a Python adapter in any interpreter: it finds the package of this file, installed there or not.

The engine runs it as a script; it is also the command `opconform-worker` of the package of that name. The folder
that holds the package stays off the import path: with it would come what is installed next to the package, for another
Python.
"""

import sys

if __name__ == "__main__" and not (sys.flags.isolated or getattr(sys.flags, "safe_path", False)):
    del sys.path[0]  # the folder of this script, where a module would hide one of the same name

import importlib.util
import re
from importlib import import_module
from pathlib import Path

NEEDS = {"numpy": (1, 26), "ml_dtypes": (0, 2)}
"""What the worker imports, and the oldest version of each."""
OLDEST = "Python 3.10"
"""The oldest Python that it runs in."""
UNFIT = 70
"""The exit code if this interpreter does not fit; the last line on standard error says why."""


def main() -> None:
    """Serve the engine, unless something is missing here."""
    problem = _age() or next(filter(None, map(_problem, NEEDS)), "")
    if problem:
        sys.stderr.write(problem + "\n")
        raise SystemExit(UNFIT)
    import_module("conformance.protocol.serve").main()


def _age() -> str:
    return "" if sys.version_info >= (3, 10) else f"it is older than {OLDEST}"


def _problem(name: str) -> str:
    """Why the worker cannot use a module here; empty if it can."""
    try:
        version = str(import_module(name).__version__)
    except ModuleNotFoundError as error:
        return f"it has no {error.name}"
    except Exception as error:  # noqa: BLE001  (a library built for another Python or NumPy)
        cause = error.__cause__ or error  # NumPy puts a page of advice in front of it
        return f"it cannot import {name}: {' '.join(str(cause).split())[:300]}"
    least = NEEDS[name]
    found = tuple(map(int, re.findall(r"\d+", version)[:2]))
    return f"its {name} is {version}, which is older than {'.'.join(map(str, least))}" if found < least else ""


def _provide_package() -> None:
    """Make the package importable. At import, so that processes that a framework spawns also have it."""
    spec = importlib.util.spec_from_file_location("conformance", str(Path(__file__).parents[1] / "__init__.py"))
    assert spec is not None
    assert spec.loader is not None
    sys.modules[spec.name] = package = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(package)


if "conformance" not in sys.modules:
    _provide_package()
if __name__ == "__main__":
    main()
