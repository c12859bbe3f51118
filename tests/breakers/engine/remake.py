"""`python tests/breakers/engine/remake.py` measures which tests notice the recorded faults of the engine, and keeps it.

`--all` runs all tests first, chooses those that the fast set has beside the unit tests (`tests/fast.txt`), and measures
every fault; otherwise the fast set is run, and only faults are measured that changed, or whose function did.
"""

from __future__ import annotations

import argparse
import inspect
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

from engine_faults import TESTS, EngineFault, all_engine_faults, failures, place_of
from executed import Executed, Place, cover, executed_in, measure, test_named
from kill_matrix import FAST, fast_tests, node_of, read_matrix, row_of, stale, write_matrix

COVER_S = 100.0
"""What the tests beside the unit tests may take, on one core."""
FAULT_S = 5.0
"""What the tests to which a fault is shown may take, unless none of them notices it."""

_FRAMEWORK = re.compile(r"^import (onnxruntime|openvino|torch)", re.MULTILINE)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--all", action="store_true", help="choose the fast set anew, and measure every fault")
    parser.add_argument("--measured", type=Path, metavar="FOLDER", help="take the lines of this earlier measurement")
    parser.add_argument("--jobs", type=int, default=2, help="how many at a time")
    chosen = parser.parse_args()
    with TemporaryDirectory() as scratch:
        folder = chosen.measured or Path(scratch) / "measured"
        if chosen.measured is None:
            measure(folder, ["--numprocesses", str(chosen.jobs), *([] if chosen.all else ["--part", "fast"])])
        executed = executed_in(folder)
    rows = {} if chosen.all else read_matrix()
    if chosen.all:
        unit = [test for test in fast_tests() if Path(node_of()[test]).parts[0] == "unit"]
        beside = cover(executed, unit, _light_tests(), COVER_S)
        FAST.write_text("".join(f"{test}\n" for test in sorted(beside)))
    faults = stale(all_engine_faults(), rows)
    with ThreadPoolExecutor(chosen.jobs) as pool:
        for fault, noticed_by in zip(faults, pool.map(lambda fault: _noticed_by(fault, executed), faults), strict=True):
            print(f"{fault.name}: {len(noticed_by)} tests, {noticed_by[:1]}", flush=True)
            rows[fault.name] = row_of(fault, noticed_by)
            write_matrix(rows)  # what is measured stays, whatever comes next
    fast = set(fast_tests())
    late = [name for name, row in rows.items() if row.noticed_by and not fast.intersection(row.noticed_by)]
    with FAST.open("a") as list_:
        list_.writelines(f"{rows[name].noticed_by[0]}\n" for name in late)
    write_matrix({fault.name: rows[fault.name] for fault in all_engine_faults()})
    unnoticed = [name for name, row in rows.items() if not row.noticed_by]
    print(f"{len(faults)} faults measured; noticed by no test: {', '.join(unnoticed) or 'none'}")
    return 1 if unnoticed else 0


def _light_tests() -> set[str]:
    """Those that need no framework, browser or registry."""
    choice = ["-m", "not (frameworks or browser or node)"]
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", *choice, "--ignore", "tests/browser"]
    listed = subprocess.run(command, cwd=TESTS.parent, capture_output=True, text=True, check=True).stdout
    found = {test_named(line) for line in listed.splitlines() if "::" in line}.intersection(node_of())
    return {test for test in found if not _FRAMEWORK.search((TESTS / node_of()[test].partition("::")[0]).read_text())}


def _noticed_by(fault: EngineFault, executed: Executed) -> list[str]:
    """The tests of the fast set that notice a fault, or else the first of all others, cheapest first."""
    fast = set(fast_tests())
    candidates = [test for test in executed.by(_place(fault)) if test in node_of()]
    found = _failing(fault, list(_within(FAULT_S, [test for test in candidates if test in fast], executed)))
    for test in [] if found else candidates:
        found = found or _failing(fault, [test])
    return sorted(found, key=executed.cost_s)


def _place(fault: EngineFault) -> Place:
    """Where the function that a fault replaces is defined."""
    owner, name = place_of(fault)
    function = inspect.unwrap(getattr(owner, name))
    return function.__module__.rpartition(".")[2], function.__qualname__


def _within(limit_s: float, tests: Sequence[str], executed: Executed) -> Iterator[str]:
    for test in tests:
        limit_s -= executed.cost_s(test)
        if limit_s < 0:
            return
        yield test


def _failing(fault: EngineFault, tests: Sequence[str]) -> list[str]:
    nodes = [node_of()[test] for test in tests]
    return sorted({test_named(node) for node in failures(fault, nodes)}) if nodes else []


if __name__ == "__main__":
    sys.exit(main())
