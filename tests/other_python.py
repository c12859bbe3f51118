"""Another Python: a virtual environment that needs no package index, an older one, and wheels for them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import ml_dtypes
import numpy as np

OTHER_VERSION = "3.11.99"
"""The version that it reports, so that it can be told from the Python of the tests."""

PYTHONS = ("python3.10", "python3.12", sys.executable)
"""Those that this NumPy has wheels for, the oldest first."""


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


def an_older_python() -> str:
    """The first of `PYTHONS` that is there; pyenv has commands for versions that are not."""
    folders = sorted(Path.home().glob(".pyenv/versions/3.1[02].*/bin"))
    path = os.pathsep.join([*map(str, folders), os.environ["PATH"]])
    found = filter(None, (shutil.which(name, path=path) for name in PYTHONS))
    return next(python for python in found if subprocess.run([python, "-c", ""], check=False).returncode == 0)


def wheel(project: Path, folder: Path) -> str:
    subprocess.run([sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", folder, project], check=True)
    (built,) = folder.glob("*.whl")
    return str(built)
