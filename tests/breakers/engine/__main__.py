"""`python tests/breakers/engine`: proves that fast tests notice the recorded faults of the engine.

Exit code 1 where one is not noticed by the test that `NOTICED_BY` names.
"""

from __future__ import annotations

import argparse
import sys
from concurrent.futures import ThreadPoolExecutor
from fnmatch import fnmatchcase

from engine_faults import NOTICED_BY, EngineFault, all_engine_faults, failures, node_of


def main() -> int:
    parser = argparse.ArgumentParser(prog="python tests/breakers/engine", description=__doc__)
    parser.add_argument("names", nargs="*", default=["*"], help="patterns over the names of faults (default: all)")
    parser.add_argument("--jobs", type=int, default=2, help="how many at a time")
    chosen = parser.parse_args()
    faults = [f for f in all_engine_faults() if any(fnmatchcase(f.name, pattern) for pattern in chosen.names)]
    nodes = {fault.name: node_of(NOTICED_BY[fault.name]) for fault in faults}
    if failed := failures(None, sorted(set(nodes.values()))):
        print(f"these tests fail on the engine as it is: {', '.join(failed)}")
        return 1

    def noticed(fault: EngineFault) -> bool:
        is_noticed = bool(failures(fault, [nodes[fault.name]], "-x"))
        state = f"noticed  {fault.name}: {nodes[fault.name]}" if is_noticed else f"SURVIVES {fault.name}: {fault.says}"
        print(state, flush=True)
        return is_noticed

    with ThreadPoolExecutor(chosen.jobs) as pool:
        results = list(pool.map(noticed, faults))
    print(f"\nfaults of the engine: {sum(results)} of {len(results)} noticed")
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
