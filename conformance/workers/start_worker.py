"""Starts the worker of a Python adapter, in any interpreter: it finds the package of this file, installed there or not.

It runs as a script. The folder that holds the package stays off the import path: with it would come what is installed
beside the package, for another Python.
"""

import importlib.util
import re
import sys
from importlib import import_module
from pathlib import Path

NEEDS = {"numpy": (2, 0), "ml_dtypes": (0, 6)}
"""What the worker imports, and the oldest version of each."""
UNFIT = 70
"""The exit code if this interpreter lacks one of them; the last line on standard error says which."""


def main() -> None:
    """Serve the engine, unless something is missing here."""
    if problem := next(filter(None, map(_problem, NEEDS)), ""):
        sys.stderr.write(f"{problem}\n")
        raise SystemExit(UNFIT)
    import_module("conformance.worker").main()


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
    """Make the package importable. At import, so that processes that a framework spawns have it, too."""
    spec = importlib.util.spec_from_file_location("conformance", Path(__file__).parents[1] / "__init__.py")
    assert spec is not None
    assert spec.loader is not None
    sys.modules[spec.name] = package = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(package)


if "conformance" not in sys.modules:
    _provide_package()
if __name__ == "__main__":
    main()
