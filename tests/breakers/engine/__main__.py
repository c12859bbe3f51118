"""`python tests/breakers/engine`: proves by mutation that the tests notice faults of the engine.

Exit code 1 where one is not noticed.
"""

from __future__ import annotations

import argparse
import sys
from fnmatch import fnmatchcase

from engine_faults import all_engine_faults, noticed, tests_that_fail_unmutated


def main() -> int:
    parser = argparse.ArgumentParser(prog="python tests/breakers/engine", description=__doc__)
    parser.add_argument("names", nargs="*", default=["*"], help="patterns over the names of faults (default: all)")
    parser.add_argument("--jobs", type=int, default=2, help="how many at a time")
    chosen = parser.parse_args()
    faults = [f for f in all_engine_faults() if any(fnmatchcase(f.name, pattern) for pattern in chosen.names)]
    unsound = tests_that_fail_unmutated(faults, chosen.jobs)
    if unsound:
        print(f"these tests fail on the engine as it is: {', '.join(unsound)}")
        return 1
    results = []
    for result in noticed(faults, chosen.jobs):
        results.append(result)
        state = "caught   " if result.is_noticed else "SURVIVES "
        print(f"{state} {result.fault.name}: {result.test or result.fault.says}", flush=True)
    print(f"\nfaults of the engine: {sum(result.is_noticed for result in results)}/{len(results)} caught")
    return 0 if all(result.is_noticed for result in results) else 1


if __name__ == "__main__":
    sys.exit(main())
