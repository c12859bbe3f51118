"""Installs locked wheels with uv, or with pip where there is none; both ask the index of their configuration."""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from conformance.sessions.process import run_to_end
from conformance.values.errors import MachineError

_LIMIT_S = 1800.0
_VENV_LIMIT_S = 120.0
_OPTIONS = ("--no-deps", "--require-hashes", "--only-binary", ":all:")
"""Only the wheels that are named, only with the hashes that are listed: nothing is built, so that nothing runs."""
_CAUSES = (
    (("No space left", "os error 28"), "the disk is full", "free some space: see `conformance env list`"),
    (
        ("DO NOT MATCH THE HASHES", "Hash mismatch"),
        "the index has another wheel than the one that engines/ lists",
        "do not install it; ask who runs the index",
    ),
    (
        ("connection broken by", "error sending request", "client error (Connect)"),
        "the package index cannot be reached",
        "check the network, and the index that pip or uv is configured with",
    ),
    (
        ("No matching distribution", "No solution found"),
        "the index does not have its wheels",
        "name an index that has them: pip and uv take it from their configuration",
    ),
)  # fmt: skip
"""What an installer says, what that means, and what to do."""


_INDEX_SETTINGS = ("index-url", "extra-index-url", "find-links")
_UV_INDEX = ("UV_DEFAULT_INDEX", "UV_INDEX_URL", "UV_INDEX", "UV_CONFIG_FILE")
"""With these, a user tells uv itself."""


def python_in(folder: Path) -> Path:
    """The Python of the environment in a folder."""
    return folder / ("Scripts/python.exe" if sysconfig.get_platform().startswith("win") else "bin/python")


def make_environment(folder: Path, requirements: Path, framework: str) -> None:
    """Make an environment of this Python in a folder, and install what a file of requirements names.

    The framework is imported once, so that what it imports is compiled. If it cannot be, its workers say why.

    Raises:
        MachineError: it cannot be made, or a package cannot be installed.
    """
    _run([sys.executable, "-m", "venv", "--without-pip", str(folder)], _VENV_LIMIT_S)
    uv = shutil.which("uv")
    settings = uv_options(pip_settings()) if uv and not any(name in os.environ for name in _UV_INDEX) else []
    _run([*install_command(python_in(folder), requirements, uv), *settings], _LIMIT_S)
    run_to_end([str(python_in(folder)), "-c", f"import ml_dtypes, {framework}"], _VENV_LIMIT_S)


def install_command(python: Path, requirements: Path, uv: str | None) -> list[str]:
    """The command that installs into the environment of a Python.

    Raises:
        MachineError: there is neither uv nor pip.
    """
    if uv is not None:
        how = ["--python", str(python), "--quiet", "--no-progress"]
        return [uv, "pip", "install", *how, *_OPTIONS, "--requirement", str(requirements)]
    if find_spec("pip") is None:
        raise MachineError("environments", f"there is neither uv nor a pip for {sys.executable}", fix="install uv")
    pip = [sys.executable, "-m", "pip", "--python", str(python), "--disable-pip-version-check"]
    return [*pip, "install", "--quiet", "--no-input", "--no-compile", *_OPTIONS, "--requirement", str(requirements)]


def uv_options(settings: str) -> list[str]:
    """The options with which uv asks the index of pip's settings, as `pip config list` prints them.

    A hash allows one wheel, whichever index has it: so all of them are asked.
    """
    options = [word for name, address in index_settings(settings) for word in (f"--{name}", address)]
    return [*options, "--index-strategy", "unsafe-best-match"] if options else []


def index_settings(settings: str) -> list[tuple[str, str]]:
    """Where pip looks for wheels by its settings: the name of each setting with one address or folder."""
    found = (line.partition("=") for line in settings.splitlines())
    return [
        (name, address)
        for key, _, value in found
        if (name := key.rpartition(".")[2]) in _INDEX_SETTINGS
        for address in value.strip("'\"").replace("\\n", " ").split()
    ]


@cache
def pip_settings() -> str:
    """What pip is configured with, as `pip config list` prints it; empty without pip."""
    if find_spec("pip") is None:
        return ""
    return run_to_end([sys.executable, "-m", "pip", "config", "list"], _VENV_LIMIT_S).stdout


def _run(command: list[str], limit_s: float) -> None:
    ended = run_to_end(command, limit_s)
    if ended.code != 0:
        raise failure(ended.stdout + ended.stderr, is_late=ended.code is None)


def failure(said: str, *, is_late: bool) -> MachineError:
    """The error for what an installer wrote before it failed."""
    for words, what, fix in _CAUSES:
        if any(word in said for word in words):
            return MachineError("environments", what, fix=fix)
    last = " | ".join(line.strip() for line in said.splitlines()[-3:] if line.strip())
    what = "the installer took too long" if is_late else "the installer failed"
    return MachineError("environments", what, fix=f"it wrote: {last or 'nothing'}")
