"""`python tests/breakers/backends/beginnings.py`: how many faults each beginning of the default set catches.

Every mutant is asked the default set of each operator version that its fault concerns, the best checks first. A fault
counts for a share of the set if it is caught by so much of it in every version in which the whole set catches it.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import islice

from families import all_mutants, mutant_named
from hunt import checks_in_order, first_catch

SHARES = (0.05, 0.1, 0.25, 0.5, 1.0)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python tests/breakers/backends/beginnings.py", description=__doc__)
    parser.add_argument("--each", type=int, default=1, help="only each so-many-th mutant (default: all)")
    parser.add_argument("--jobs", type=int, default=2, help="how many at a time")
    chosen = parser.parse_args()
    names = [mutant.name for mutant in islice(all_mutants(), 0, None, chosen.each)]
    with ProcessPoolExecutor(chosen.jobs, mp_context=multiprocessing.get_context("spawn")) as pool:
        needed = list(pool.map(needed_shares, names))
    sys.stdout.write("\n".join(table(needed)) + "\n")


def needed_shares(name: str) -> list[float]:
    """The share of the default set of each operator version that catches a mutant, where the whole does."""
    mutant = mutant_named(name)
    shares = []
    for version in mutant.versions:
        checks = checks_in_order(version)
        caught = first_catch(mutant, checks)
        if caught is not None:
            names = [(check.case.id, check.form) for check in checks]
            shares.append((names.index((caught.case, caught.form)) + 1) / len(names))
    return shares


def table(needed: Sequence[Sequence[float]]) -> list[str]:
    """A line for each share: the faults caught in every operator version, and the pairs of a fault and a version."""
    caught, pairs = [shares for shares in needed if shares], [share for shares in needed for share in shares]
    return [
        f"{'share':>6} {'faults in every version':>24} {'faults and versions':>20}",
        *(
            f"{share:6.0%} {_part([max(shares) <= share for shares in caught]):>24}"
            f" {_part([found <= share for found in pairs]):>20}"
            for share in SHARES
        ),
    ]


def _part(are_caught: Sequence[bool]) -> str:
    return f"{sum(are_caught)}/{len(are_caught)} {sum(are_caught) / max(1, len(are_caught)):4.0%}"


if __name__ == "__main__":
    main()
