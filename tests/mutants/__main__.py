"""`python tests/mutants`: proves by mutation that faulty backends, and faults of the engine, are noticed.

Exit code 1 where one is not.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from fnmatch import fnmatchcase
from time import monotonic

from engine_faults import all_engine_faults, noticed, tests_that_fail_unmutated
from faulty_split.faults import THEMES, all_faults, fault_named
from hunt import Hunted, all_checks, failed_node_test, first_catch, hunted, node_tests

from conformance.spec.verdict import Verdict


def main() -> int:
    parser = argparse.ArgumentParser(prog="python tests/mutants", description=__doc__)
    parser.add_argument("names", nargs="*", help="patterns over the names of mutants and faults (default: all)")
    parser.add_argument("--jobs", type=int, default=2, help="how many at a time")
    chosen = parser.parse_args()
    started = monotonic()
    are_caught = [_hunt_backends(chosen.names, chosen.jobs), _hunt_engine(chosen.names, chosen.jobs)]
    print(f"\n{monotonic() - started:.0f} s")
    return 0 if all(are_caught) else 1


def _hunt_backends(patterns: Sequence[str], jobs: int) -> bool:
    """Whether the unmutated backend passes and every mutant is caught."""
    names = [fault.name for fault in all_faults() if _is_chosen(fault.name, patterns)]
    if not names:
        return True
    problem = first_catch("none", all_checks()) or failed_node_test("none")
    if problem is not None:
        print(f"the unmutated backend does not pass: {problem}")
        return False
    print(f"the unmutated backend passes {len(all_checks()):,} checks and {len(node_tests())} node tests of ONNX\n")
    results = []
    for result in hunted(names, jobs):
        results.append(result)
        print(_line(result), flush=True)
    print("\n" + "\n".join([*_table(results), "", *_rates(results)]))
    return all(map(_is_caught, results))


def _hunt_engine(patterns: Sequence[str], jobs: int) -> bool:
    """Whether the tests pass on the engine as it is, and notice every fault of it."""
    faults = [fault for fault in all_engine_faults() if _is_chosen(fault.name, patterns)]
    unsound = tests_that_fail_unmutated(faults, jobs)
    if unsound:
        print(f"these tests fail on the engine as it is: {', '.join(unsound)}")
        return False
    results = []
    for result in noticed(faults, jobs):
        results.append(result)
        state = "caught   " if result.is_noticed else "SURVIVES "
        print(f"{state} {result.fault.name}: {result.test or result.fault.says}", flush=True)
    print(f"\nfaults of the engine: {sum(result.is_noticed for result in results)}/{len(results)} caught")
    return all(result.is_noticed for result in results)


def _is_chosen(name: str, patterns: Sequence[str]) -> bool:
    return not patterns or any(fnmatchcase(name, pattern) for pattern in patterns)


def _is_caught(result: Hunted) -> bool:
    return result.catch is not None and result.catch.verdict is not Verdict.HARNESS_ERROR


def _line(result: Hunted) -> str:
    if result.catch is None:
        return f"SURVIVES  {result.name}: {fault_named(result.name).says}"
    if result.catch.verdict is Verdict.HARNESS_ERROR:
        return f"NO MUTANT {result.name}: {result.catch} ({result.catch.cause})"
    return f"caught    {result.name}: {result.catch}"


def _table(results: Sequence[Hunted]) -> list[str]:
    """Caught mutants by theme."""
    lines = [f"{'theme':24} {'caught':>9} {'node tests':>11}"]
    for theme in THEMES:
        mine = [result for result in results if fault_named(result.name).theme is theme]
        if mine:
            caught, by_onnx = sum(map(_is_caught, mine)), sum(result.node_test is not None for result in mine)
            lines.append(f"{theme.name:24} {caught:>4}/{len(mine):<4} {by_onnx:>6}/{len(mine):<4}")
    return lines


def _rates(results: Sequence[Hunted]) -> list[str]:
    """The two corpora side by side, over all mutants and over those that ONNX's operators can show."""
    onnx = [result for result in results if fault_named(result.name).concerns_onnx]
    lines = []
    for which, mine in (("all mutants", results), ("those that concern ONNX", onnx)):
        caught, by_onnx = sum(map(_is_caught, mine)), sum(result.node_test is not None for result in mine)
        lines.append(f"{which}: {caught}/{len(mine)} caught here, {by_onnx}/{len(mine)} by ONNX's node tests")
    return lines


if __name__ == "__main__":
    sys.exit(main())
