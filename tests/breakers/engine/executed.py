"""Which test executes which lines of the engine, itself and in the processes that it starts.

This is a plugin of pytest, too: `pytest -p executed` tells the measurement which test runs.
"""

from __future__ import annotations

import ast
import os
import re
import sqlite3
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from coverage import Coverage
from coverage.numbits import numbits_to_nums
from engine_faults import HERE, TESTS

Place = tuple[str, str]
"""A module and a function in it, without packages: these are renamed more often."""
Line = tuple[str, int]

_SETTINGS = """\
[run]
data_file = {folder}/lines
parallel = true
source = conformance
context = ${{PYTEST_CURRENT_TEST}}
sigterm = true
patch = _exit, fork
disable_warnings = no-data-collected, module-not-measured, already-imported, module-not-imported
"""
_EXECUTED = """
SELECT path, context, numbits FROM line_bits
JOIN file ON file.id = file_id JOIN context ON context.id = context_id WHERE context != ''
"""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """What this process executes now, it does for this test."""
    measured = Coverage.current()
    if measured is None:
        return (yield)
    measured.switch_context(item.nodeid)
    try:
        return (yield)
    finally:
        measured.switch_context("")


def measure(folder: Path, options: Sequence[str]) -> None:
    """Run tests, as options of pytest select them, and leave in a folder what each executes and how long it takes."""
    folder.mkdir(parents=True)
    settings = folder / "settings"
    settings.write_text(_SETTINGS.format(folder=folder.resolve()))
    path = os.pathsep.join(filter(None, [str(HERE), os.environ.get("PYTHONPATH")]))
    subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "executed", "-q", f"--junitxml={folder.resolve()}/times.xml", *options],
        cwd=TESTS.parent,
        env={**os.environ, "COVERAGE_PROCESS_START": str(settings.resolve()), "PYTHONPATH": path},
        check=True,
    )


def test_named(node: str) -> str:
    """`test_judge.py::test_type`, of a node of pytest: without folders, which change, and without parameters."""
    return re.sub(r"(\[| \(|\|).*", "", node, flags=re.DOTALL).rpartition("/")[2]


@dataclass(frozen=True, slots=True, kw_only=True)
class Executed:
    """The lines of the engine that tests execute, and the seconds that each test takes."""

    lines: Mapping[str, frozenset[Line]]
    seconds: Mapping[str, float]
    places: Mapping[Line, Place]

    def by(self, place: Place) -> list[str]:
        """The tests that execute a function, cheapest first."""
        lines = {line for line, found in self.places.items() if found == place}
        return sorted((test for test, mine in self.lines.items() if mine & lines), key=self.cost_s)

    def cost_s(self, test: str) -> float:
        """What a test with all its parameters takes."""
        return self.seconds.get(test, 0.0)


def executed_in(folder: Path) -> Executed:
    """What a measurement left."""
    lines: dict[str, set[Line]] = defaultdict(set)
    places: dict[Line, Place] = {}
    modules: dict[str, Mapping[int, Place]] = {}
    for path in folder.glob("lines.*"):
        for file, context, numbits in _rows(path):
            if file not in modules:
                modules[file] = _places_of(Path(file)) if file.endswith(".py") else {}  # a template has no functions
            inside = modules[file]
            numbers = [number for number in numbits_to_nums(numbits) if number in inside]
            places.update({(file, number): inside[number] for number in numbers})
            lines[test_named(context)].update((file, number) for number in numbers)
    seconds: dict[str, float] = defaultdict(float)
    for case in ET.parse(folder / "times.xml").iter("testcase"):
        module = case.get("classname", "").rpartition(".")[2]
        seconds[test_named(f"{module}.py::{case.get('name')}")] += float(case.get("time", 0))
    return Executed(lines={test: frozenset(mine) for test, mine in lines.items()}, seconds=seconds, places=places)


def _rows(path: Path) -> list[tuple[str, str, bytes]]:
    """The file, the test and the lines that one process executed; nothing, if it was killed while it wrote them."""
    try:
        with closing(sqlite3.connect(path)) as data:
            return data.execute(_EXECUTED).fetchall()
    except sqlite3.DatabaseError:
        return []


def _places_of(path: Path) -> dict[int, Place]:
    """The function of each line in the body of one; what is outside, an import executes."""
    found: dict[int, Place] = {}

    def enter(node: ast.AST, prefix: str) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.ClassDef):
                enter(child, f"{prefix}{child.name}.")
            elif isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                span = range(child.body[0].lineno, (child.end_lineno or 0) + 1)
                found.update(dict.fromkeys(span, (path.stem, f"{prefix}{child.name}")))

    enter(ast.parse(path.read_text(encoding="utf-8")), "")
    return found
