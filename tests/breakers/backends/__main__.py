"""`python tests/breakers/backends`: proves by mutation that faulty backends are noticed.

Exit code 1 where one is not.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from fnmatch import fnmatchcase
from time import monotonic

from families import FAMILIES, Family, Mutant, all_mutants
from hunt import Hunted, all_checks, failed_node_test, first_catch, hunted, node_tests

from conformance.spec.verdict import Verdict


def main() -> int:
    parser = argparse.ArgumentParser(prog="python tests/breakers/backends", description=__doc__)
    parser.add_argument("names", nargs="*", help="patterns over the names of mutants (default: all)")
    parser.add_argument("--jobs", type=int, default=2, help="how many at a time")
    chosen = parser.parse_args()
    started = monotonic()
    are_caught = _are_caught(chosen.names, chosen.jobs)
    print(f"\n{monotonic() - started:.0f} s")
    return 0 if are_caught else 1


def _are_caught(patterns: Sequence[str], jobs: int) -> bool:
    """Whether the unmutated backends pass and every mutant is caught."""
    chosen = [mutant for mutant in all_mutants() if _is_chosen_mutant(mutant, patterns)]
    families = [family for family in FAMILIES if any(mutant.family is family for mutant in chosen)]
    if not all(map(_is_sound, families)):
        return False
    results = []
    for result in hunted([mutant.name for mutant in chosen], jobs):
        results.append(result)
        print(_line(result), flush=True)
    for family in families:
        print("\n" + "\n".join(_table(family, [result for result in results if result.mutant.family is family])))
    if results:
        print("\n" + "\n".join(_rates(families, results)))
    return all(map(_is_caught, results))


def _is_sound(family: Family) -> bool:
    """Whether the unmutated backend of a family passes everything."""
    unmutated = Mutant(family=family)
    problem = first_catch(unmutated, all_checks(family)) or failed_node_test(unmutated)
    if problem is not None:
        print(f"{family.name}: the unmutated backend does not pass: {problem}")
        return False
    counts = f"{len(all_checks(family)):,} checks and {len(node_tests(family))} node tests of ONNX"
    print(f"{family.name}: the unmutated backend passes {counts}", flush=True)
    return True


def _is_chosen(name: str, patterns: Sequence[str]) -> bool:
    return not patterns or any(fnmatchcase(name, pattern) for pattern in patterns)


def _is_chosen_mutant(mutant: Mutant, patterns: Sequence[str]) -> bool:
    return _is_chosen(mutant.name, patterns) or _is_chosen(mutant.option, patterns)


def _is_caught(result: Hunted) -> bool:
    return result.catch is not None and result.catch.verdict is not Verdict.HARNESS_ERROR


def _line(result: Hunted) -> str:
    name = result.mutant.name
    if result.catch is None:
        return f"SURVIVES  {name}"
    if result.catch.verdict is Verdict.HARNESS_ERROR:
        return f"NO MUTANT {name}: {result.catch} ({result.catch.cause})"
    return f"caught    {name}: {result.catch}"


def _table(family: Family, results: Sequence[Hunted]) -> list[str]:
    """Caught mutants of a family by theme."""
    lines = [f"{family.name:40} {'caught':>9} {'node tests':>11}"]
    for theme in family.themes:
        mine = [result for result in results if result.mutant.fault is not None and result.mutant.fault.theme is theme]
        if mine:
            lines.append(_row(theme.name, mine))
    return lines


def _rates(families: Sequence[Family], results: Sequence[Hunted]) -> list[str]:
    """The two corpora side by side, for each family, over all mutants, and over those that ONNX's operators show."""
    of_onnx = [result for result in results if result.mutant.concerns_onnx]
    return [
        f"{'family':40} {'caught':>9} {'node tests':>11}",
        *(_row(family.name, [result for result in results if result.mutant.family is family]) for family in families),
        _row("all", results),
        _row("those that concern ONNX", of_onnx),
    ]


def _row(title: str, results: Sequence[Hunted]) -> str:
    caught, by_onnx = sum(map(_is_caught, results)), sum(result.node_test is not None for result in results)
    return f"{title:40} {caught:>4}/{len(results):<4} {by_onnx:>6}/{len(results):<4}"


if __name__ == "__main__":
    sys.exit(main())
