"""Another Python: a virtual environment that needs no package index."""

from __future__ import annotations

import venv
from pathlib import Path

import ml_dtypes
import numpy as np

OTHER_VERSION = "3.11.99"
"""The version that it reports, so that it can be told from the Python of the tests."""


def other_python(folder: Path) -> Path:
    """Make a virtual environment of this Python without packages; returns the folder of those that it will have."""
    venv.create(folder, symlinks=True)
    (site,) = (folder / "lib").glob("python*/site-packages")
    (site / "version.pth").write_text(f"import platform; platform.python_version = lambda: {OTHER_VERSION!r}\n")
    return site


def provide_packages(site: Path) -> None:
    """Put what a worker needs into the folder of packages of another Python."""
    for module in (np, ml_dtypes):
        package = Path(str(module.__file__)).parent
        for found in package.parent.glob(f"{package.name}*"):
            (site / found.name).symlink_to(found)
