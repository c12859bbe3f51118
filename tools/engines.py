"""Adds releases of a package to engines/: `python tools/engines.py onnxruntime 1.33.0`.

Files, dates and hashes are those of pip's configured index, what a release needs that of its wheel for this machine;
`--need 'numpy<2'` says what the wheel does not. Then the release is installed, and asked for its newest opset. With
`--pin`, the version is one that releases are installed with, and goes into packages.yaml.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
import urllib.request
import zipfile
from collections.abc import Sequence
from datetime import UTC, datetime
from email.parser import Parser
from pathlib import Path
from typing import Any

from opset_probe import PROBES
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.tags import sys_tags
from packaging.utils import canonicalize_name, parse_wheel_filename
from packaging.version import Version

from conformance.run.environments import environment_of, lock_of, pip_settings
from conformance.run.process import run_to_end
from conformance.suite.adapter_file import (
    PINNED,
    FrameworkRelease,
    PackageEntry,
    bundled_packages,
    file_digest,
    read_engine,
    read_packages,
)

ENGINES = Path(__file__).parents[1] / "engines"
_FORMAT = "application/vnd.pypi.simple.v1+json"
_INTERPRETER = re.compile(r"cp(31[1-9]|3[2-9]\d)$|py3$|py2\.py3$|cp3\d+$")
_PLATFORM = re.compile(r"any$|macosx_\d+_\d+_(arm64|x86_64|universal2)$|manylinux\w*_(x86_64|aarch64)$|win_amd64$")
_WORKERS = ("numpy", "ml-dtypes")
_OF_TORCH = (
    "filelock",
    "fsspec",
    "jinja2",
    "markupsafe",
    "mpmath",
    "networkx",
    "setuptools",
    "sympy",
    "typing-extensions",
)
_IMPORTED = {"onnx": {"protobuf", "typing-extensions", *_WORKERS}, "torch": {*_OF_TORCH, *_WORKERS}}
"""The dependencies without which a package cannot be imported; of any other, those that a worker shares with it."""
_PROBE = Path(__file__).with_name("opset_probe.py")
"""Prints a release's newest opset, and its newest version of ONNX's IR."""


def files_of(package: str) -> list[dict[str, Any]]:
    """The wheels of a package in pip's configured index that the suite can use."""
    request = urllib.request.Request(f"{_index().rstrip('/')}/{package}/", headers={"Accept": _FORMAT})  # noqa: S310
    with urllib.request.urlopen(request) as answer:  # noqa: S310  (the index that pip is configured with)
        listed: list[dict[str, Any]] = json.load(answer)["files"]
    listed += [
        _file(path)
        for folder in pip_settings().get("find-links", "").split()
        for path in Path(folder).glob(f"{package}-*.whl")
    ]
    return [file for file in listed if file["filename"].endswith(".whl") and _is_usable(_tags(file))]


def _file(path: Path) -> dict[str, Any]:
    """A wheel in a folder of pip's find-links, as an index describes it."""
    day = datetime.fromtimestamp(path.stat().st_mtime, UTC).date()
    return {"filename": path.name, "hashes": {"sha256": file_digest(path)}, "upload-time": str(day)}


def _index() -> str:
    if named := pip_settings().get("index-url"):
        return named
    from pip._internal.models.index import PyPI  # its own default is named nowhere else

    return str(PyPI.simple_url)


def _tags(file: dict[str, Any]) -> str:
    """The tags in a wheel's name, as cp311-cp311-manylinux_2_28_x86_64."""
    return "-".join(str(file["filename"]).removesuffix(".whl").rsplit("-", 3)[1:])


def _is_usable(tags: str) -> bool:
    """Whether a wheel is for a Python, with its lock, and a system on which the suite runs."""
    interpreter, abi, platform = tags.split("-")
    if abi not in (interpreter, "abi3", "none") or not _INTERPRETER.match(interpreter):
        return False
    is_old = abi == interpreter and int(interpreter[3:] or 0) < 11
    return not is_old and bool(_PLATFORM.match(platform.rsplit(".", 1)[-1]))


def _wheels(files: list[dict[str, Any]], version: str) -> tuple[dict[str, str], str]:
    """The hash of each wheel of a version, and the day on which the first was published."""
    of_version = [file for file in files if parse_wheel_filename(file["filename"])[1] == Version(version)]
    if not of_version:
        raise SystemExit(f"the index has no wheel of version {version} that the suite can use")
    wheels = {_tags(file): str(file["hashes"]["sha256"]) for file in of_version}
    return dict(sorted(wheels.items())), min(str(file.get("upload-time", ""))[:10] for file in of_version)


def _needs(package: str, version: str, further: Sequence[str]) -> dict[str, str]:
    """What its wheel asks of the packages that its import needs, and of those that a worker imports."""
    with tempfile.TemporaryDirectory() as folder:
        options = ["--quiet", "--no-deps", "--only-binary", ":all:", "--dest", folder]
        subprocess.run([sys.executable, "-m", "pip", "download", *options, f"{package}=={version}"], check=True)  # noqa: S603
        (wheel,) = Path(folder).glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            (name,) = (name for name in archive.namelist() if re.fullmatch(r"[^/]+\.dist-info/METADATA", name))
            metadata = Parser().parsestr(archive.read(name).decode())
    wanted = _IMPORTED.get(package, set(_WORKERS))
    needs: dict[str, str] = {}
    for text in (*(metadata.get_all("Requires-Dist") or ()), *further):
        need = Requirement(text)
        name = canonicalize_name(need.name)
        if name in wanted and (need.marker is None or need.marker.evaluate({"extra": ""})):
            key = name.replace("-", "_")
            needs[key] = ",".join(sorted(map(str, need.specifier & SpecifierSet(needs.get(key, "")))))
    return needs


def flow(value: object) -> str:
    """A value in YAML's flow style, on one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {flow(item)}" for key, item in value.items()) + "}"
    text = str(value)
    is_plain = isinstance(value, int) or (re.fullmatch(r"[\w.+-]+", text) and not re.fullmatch(r"\d+\.\d+", text))
    return text if is_plain else f'"{text}"'


def _write(path: Path, head: str, entries: list[FrameworkRelease] | list[PackageEntry]) -> None:
    lines = [f"- {flow(entry.model_dump(exclude_defaults=True))}\n" for entry in entries]
    path.write_text(f"# Written by tools/engines.py: one line for each.\n{head}\n{''.join(lines)}", encoding="utf-8")


def _opset(package: str, release: FrameworkRelease) -> dict[str, int]:
    """The newest opset and IR version of a release, as it says itself, from its environment."""
    if package not in PROBES:
        return {}
    lock = lock_of(package, release, bundled_packages(), list(sys_tags()))
    made = environment_of(lock, is_offline=False, say=print)
    ended = run_to_end([str(made.python), str(_PROBE), package], 120.0)
    if ended.code != 0:
        raise SystemExit(f"{package} {release.version} does not say its opset: {ended.stderr}")
    return dict(zip(("opset", "ir"), map(int, ended.stdout.split()), strict=False))


def add_releases(package: str, versions: Sequence[str], needs: Sequence[str] = ()) -> None:
    """Add releases to the file of a package, or replace their lines."""
    path = ENGINES / f"{package}.yaml"
    known = {release.version: release for release in read_engine(path).releases} if path.is_file() else {}
    files = files_of(package)
    for version in versions:
        wheels, date = _wheels(files, version)
        needed = _needs(package, version, needs)
        release = FrameworkRelease(version=version, date=date, needs=needed, wheels=wheels)
        known[version] = release.model_copy(update=_opset(package, release))
        print(f"{package} {version}: {flow(known[version].model_dump(exclude={'wheels'}, exclude_defaults=True))}")
    ordered = sorted(known.values(), key=lambda release: Version(release.version))
    _write(path, f"package: {package}\nreleases:", ordered)


def pin(package: str, versions: list[str]) -> None:
    """Add versions to packages.yaml, or replace their lines."""
    path = ENGINES / PINNED
    known = {(entry.name, entry.version): entry for entry in read_packages(path)} if path.is_file() else {}
    files = files_of(package)
    for version in versions:
        name = package.replace("-", "_")
        known[name, version] = PackageEntry(name=name, version=version, wheels=_wheels(files, version)[0])
    _write(path, "packages:", sorted(known.values(), key=lambda entry: (entry.name, Version(entry.version))))


def main() -> None:
    """Add what the arguments name."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("package")
    parser.add_argument("versions", nargs="+")
    parser.add_argument("--pin", action="store_true", help="a version that releases are installed with")
    parser.add_argument("--need", action="append", default=[], help="a range that the wheel does not name")
    options = parser.parse_args()
    if options.pin:
        pin(options.package, options.versions)
    else:
        add_releases(options.package, options.versions, options.need)


if __name__ == "__main__":
    main()
