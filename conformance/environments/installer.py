"""Installs locked wheels with uv, or with pip where there is none; both ask the index of their configuration."""

from __future__ import annotations

import os
import re
import shutil
import sys
import sysconfig
from collections.abc import Mapping
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
_PIP_SETTINGS = (*_INDEX_SETTINGS, "no-index", "trusted-host", "cert", "client-cert", "proxy", "timeout",
                 "default-timeout", "retries", "cache-dir", "no-cache-dir", "keyring-provider")  # fmt: skip
"""The settings of pip that say where wheels are and how they come. Others could say where they go."""
_UV_SETTINGS = re.compile(
    r"UV_(DEFAULT_INDEX|(EXTRA_)?INDEX(_.*)?|FIND_LINKS|NO_INDEX|INSECURE_HOST|KEYRING_PROVIDER|.*_TIMEOUT|NATIVE_TLS|"
    r"SYSTEM_CERTS|(NO_)?CACHE(_DIR)?|OFFLINE|CONFIG_FILE|LINK_MODE|CONCURRENT_.*)"
)
"""Those of uv, as variables."""
_OF_SECTIONS = ("global", "install", ":env:")
"""Sections of pip's settings, in increasing order of precedence."""


def python_in(folder: Path) -> Path:
    """The Python of the environment in a folder."""
    return folder / ("Scripts/python.exe" if sysconfig.get_platform().startswith("win") else "bin/python")


def make_environment(folder: Path, requirements: Path, framework: str) -> None:
    """Make an environment of this Python in a folder, and install what a file of requirements names.

    The framework is imported once, so that what it imports is compiled. If it cannot be, its workers say why.

    Raises:
        MachineError: it cannot be made, or a package cannot be installed.
    """
    settings, uv = pip_settings(), shutil.which("uv")
    variables = variables_for_installers(os.environ, settings)
    _run([sys.executable, "-m", "venv", "--without-pip", str(folder)], _VENV_LIMIT_S, variables)
    options = uv_options(settings) if uv and not any(name in os.environ for name in _UV_INDEX) else []
    _run([*install_command(python_in(folder), requirements, uv), *options], _LIMIT_S, variables)
    run_to_end([str(python_in(folder)), "-I", "-c", f"import ml_dtypes, {framework}"], _VENV_LIMIT_S)


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


def variables_for_installers(variables: Mapping[str, str], settings: str) -> dict[str, str]:
    """The variables of an installer: those of the user, but of Python none, and of pip and uv only where wheels are.

    `settings` are those of pip as `pip config list` prints them; pip reads no other ones.
    """
    kept = {
        name: value
        for name, value in variables.items()
        if not name.startswith(("PYTHON", "PIP_", "UV_")) or _UV_SETTINGS.fullmatch(name)
    }
    found = (line.partition("=") for line in settings.splitlines())
    places = [(*key.rpartition("."), value.strip("'\"").replace("\\n", " ")) for key, _, value in found]
    chosen = [place for place in places if place[0] in _OF_SECTIONS and place[2] in _PIP_SETTINGS]
    of_pip = {name: value for _, _, name, value in sorted(chosen, key=lambda place: _OF_SECTIONS.index(place[0]))}
    if "cert" in of_pip:
        kept.setdefault("SSL_CERT_FILE", of_pip["cert"])  # for uv
    as_variables = {f"PIP_{name.upper().replace('-', '_')}": value for name, value in of_pip.items()}
    return {**kept, **as_variables, "PIP_CONFIG_FILE": os.devnull}


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
    variables = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return run_to_end([sys.executable, "-m", "pip", "config", "list"], _VENV_LIMIT_S, variables=variables).stdout


def _run(command: list[str], limit_s: float, variables: Mapping[str, str]) -> None:
    ended = run_to_end(command, limit_s, variables=variables)
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
