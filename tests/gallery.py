"""The gallery of liars as adapters in folders, and logs read back whole."""

from __future__ import annotations

import json
import re
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import yaml

from conformance.log.log_file import read_lines
from conformance.log.record import CheckRecord, Footer, Header

MadeOnce = Callable[[str, Callable[[Path], object]], Path]
"""Folders that one test process fills and all of them read, by name."""
Copied = Callable[[str, Callable[[Path], object]], None]
"""Puts what `MadeOnce` has of that name into the folder of a test."""

LIARS = Path(__file__).parent / "breakers" / "backends" / "liars"
HOSTILE = Path(__file__).parent / "hostile"
SPEAKERS = LIARS / "speakers"


@dataclass(frozen=True, slots=True, kw_only=True)
class Log:
    """What a run wrote."""

    path: Path
    header: Header
    records: tuple[CheckRecord, ...]
    footer: Footer | None

    def of(self, liar: str) -> list[CheckRecord]:
        """The records of one liar, in the order of the log."""
        return [record for record in self.records if record.target.partition("@")[0] == liar]

    def problem(self, liar: str) -> str:
        """Why a liar could not start."""
        return next(target.problem for target in self.header.targets if target.adapter == liar)


def read_log(path: Path) -> Log:
    """All lines of a log."""
    lines = list(read_lines(path))
    header, last = lines[0], lines[-1]
    assert isinstance(header, Header)
    records = tuple(line for line in lines if isinstance(line, CheckRecord))
    return Log(path=path, header=header, records=records, footer=last if isinstance(last, Footer) else None)


def count_again(path: Path) -> None:
    """Let each footer of a log that was edited count what is before it."""
    lines, counts = [json.loads(line) for line in path.read_text().splitlines()], dict[str, Counter[str]]()
    for line in lines:
        if line["type"] == "check":
            counts.setdefault(line["target"], Counter())[line["verdict"]] += 1
        elif line["type"] == "footer":
            verdicts = {target: dict(counter) for target, counter in counts.items()}
            line.update(records=sum(map(Counter.total, counts.values())), verdicts=verdicts)
    path.write_text("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines))


@cache
def liars() -> Mapping[str, Path]:
    """The module of each liar: it has a class there, or is the module where it does more than define one."""
    several = [LIARS / f"{name}.py" for name in ("answers", "descriptions", "processes")]
    alone = {path.stem: path for path in LIARS.glob("*.py") if path not in several and path.stem != "honest"}
    named = {name: path for path in several for name in re.findall(r"^class (\w+)\(", path.read_text(), re.MULTILINE)}
    return alone | named


def write_liar(root: Path, name: str, alias: str = "") -> Path:
    """The folder of an adapter that is the liar of that name."""
    folder = root / (alias or name)
    folder.mkdir(parents=True)
    manifest: dict[str, object] = {"name": alias or name, "summary": "a liar"}
    if (SPEAKERS / f"{name}.py").exists():
        manifest["command"] = [sys.executable, f"{name}.py"]
        shutil.copy(SPEAKERS / f"{name}.py", folder)
        shutil.copy(SPEAKERS / "wire.py", folder)
    else:
        put_liar(name, folder)
    (folder / "adapter.yaml").write_text(yaml.safe_dump(manifest))
    return folder


def put_liar(name: str, folder: Path) -> None:
    """Make a liar the adapter of a folder; `honest` is only beside it."""
    shutil.copy(LIARS / "honest.py", folder)
    if name == "honest":
        return
    module = liars()[name]
    shutil.copy(module, folder / ("adapter.py" if module.stem == name else module.name))
    if module.stem != name:
        (folder / "adapter.py").write_text(f"from .{module.stem} import {name} as Adapter\n")
