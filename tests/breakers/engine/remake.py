"""`python tests/breakers/engine/remake.py` measures which tests notice the recorded faults of the engine, and keeps it.

`--all` runs all tests and measures every fault. Otherwise the fast tests run, and a fault is measured only if it or its
function changed. Exit code 1 if no fast test notices some fault.
"""

from __future__ import annotations

import argparse
import inspect
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

from engine_faults import EngineFault, all_engine_faults, failures, place_of
from executed import Executed, Place, executed_in, measure, test_named
from kill_matrix import fast_tests, node_of, read_matrix, row_of, stale, write_matrix

FAULT_S = 5.0
"""What the tests to which a fault is shown may take, unless none of them notices it."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--all", action="store_true", help="run all tests, and measure every fault")
    parser.add_argument("--measured", type=Path, metavar="FOLDER", help="take the lines of this earlier measurement")
    parser.add_argument("--jobs", type=int, default=2, help="how many at a time")
    chosen = parser.parse_args()
    with TemporaryDirectory() as scratch:
        folder = chosen.measured or Path(scratch) / "measured"
        if chosen.measured is None:
            measure(folder, ["--numprocesses", str(chosen.jobs), *([] if chosen.all else ["-m", "not slow"])])
        executed = executed_in(folder)
    rows = {} if chosen.all else read_matrix()
    faults = stale(all_engine_faults(), rows)
    with ThreadPoolExecutor(chosen.jobs) as pool:
        for fault, noticed_by in zip(faults, pool.map(lambda fault: _noticed_by(fault, executed), faults), strict=True):
            print(f"{fault.name}: {len(noticed_by)} tests, {noticed_by[:1]}", flush=True)
            rows[fault.name] = row_of(fault, noticed_by)
            write_matrix(rows)  # what is measured stays, whatever comes next
    rows = {fault.name: rows[fault.name] for fault in all_engine_faults()}
    write_matrix(rows)
    late = {name: row.noticed_by for name, row in rows.items() if not fast_tests().intersection(row.noticed_by)}
    print(f"{len(faults)} faults measured, {len(late)} noticed by no fast test")
    for name, tests in late.items():
        print(f"{name}: {f'{tests[0]} is slow' if tests else 'no test notices it'}")
    return 1 if late else 0


def _noticed_by(fault: EngineFault, executed: Executed) -> list[str]:
    """The fast tests that notice a fault, or else the first of all others, cheapest first."""
    candidates = [test for test in executed.by(_place(fault)) if test in node_of()]
    found = _failing(fault, list(_within(FAULT_S, [test for test in candidates if test in fast_tests()], executed)))
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
