"""Which tests notice each recorded fault of the engine, as `kill_matrix.json` keeps it."""

from __future__ import annotations

import ast
import inspect
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from engine_faults import HERE, TESTS, EngineFault, place_of

MATRIX = HERE / "kill_matrix.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """The tests that notice a fault, cheapest first, and digests of the fault and of the function that it replaces."""

    fault: str
    place: str
    noticed_by: tuple[str, ...]


def row_of(fault: EngineFault, noticed_by: Sequence[str]) -> Row:
    """What is known of a fault now."""
    owner, name = place_of(fault)
    return Row(fault=_digest(fault.function), place=_digest(getattr(owner, name)), noticed_by=tuple(noticed_by))


def _digest(function: Any) -> str:
    """A digest of a function's code, wherever it lies and however it is indented."""
    function = inspect.unwrap(function)
    return sha256(" ".join(inspect.getsource(function).split()).encode()).hexdigest()[:16]


def read_matrix() -> dict[str, Row]:
    """The rows by the name of the fault."""
    rows = json.loads(MATRIX.read_text(encoding="utf-8"))
    return {name: Row(**{**row, "noticed_by": tuple(row["noticed_by"])}) for name, row in rows.items()}


def write_matrix(rows: Mapping[str, Row]) -> None:
    """Keep rows."""
    MATRIX.write_text(json.dumps({name: asdict(row) for name, row in rows.items()}, indent=1) + "\n", encoding="utf-8")


def stale(faults: Iterable[EngineFault], rows: Mapping[str, Row]) -> list[EngineFault]:
    """The faults that are not as they were measured, or that no test is known to notice."""

    def is_as_measured(fault: EngineFault) -> bool:
        row = rows.get(fault.name)
        tests = [test for test in row.noticed_by if test in node_of()] if row is not None else []
        return bool(tests) and row == row_of(fault, tests)

    return [fault for fault in faults if not is_as_measured(fault)]


@cache
def node_of() -> Mapping[str, str]:
    """The node of pytest below `tests/` of each test, as `test_judge.py::test_type`."""
    return {
        f"{path.name}::{name}": f"{path.relative_to(TESTS)}::{name}"
        for path in TESTS.rglob("test_*.py")
        for name in re.findall(r"^(?:async )?def (test_\w+)", path.read_text(encoding="utf-8"), re.MULTILINE)
    }


@cache
def fast_tests() -> frozenset[str]:
    """The tests that `nox -s tests` runs: those that are not marked as slow, neither alone nor with their module."""
    return frozenset(f"{path.name}::{name}" for path in TESTS.rglob("test_*.py") for name in _fast_tests_of(path))


def _fast_tests_of(path: Path) -> list[str]:
    body = ast.parse(path.read_text(encoding="utf-8")).body
    marks = [
        node.value for node in body if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "pytestmark"
    ]
    functions = [node for node in body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    tests = [function for function in functions if function.name.startswith("test_")]
    return [test.name for test in tests if not _are_slow((*marks, *test.decorator_list))]


def _are_slow(marks: Iterable[ast.expr]) -> bool:
    return any("pytest.mark.slow" in ast.unparse(mark) for mark in marks)
