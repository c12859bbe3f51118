"""`python tests/breakers/data`: proves that recorded deviations excuse what they describe, and nothing else.

Copies of the bundled adapters with a fault behind the framework are asked a part of the default set. Exit code 1 where
more than 1 % of the answers that the faults made worse is forgiven.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from fnmatch import fnmatchcase
from pathlib import Path

from seeded_counts import Forgiven, Seeding, Tally
from seeded_faults import all_faults

from conformance.run.run_plan import Shard
from conformance.run.selection import Selection
from conformance.suite.adapter_file import bundled_adapters, target_from_text
from conformance.suite.suite import bundled_folder, load_suite

LIMIT = 0.01


def main() -> int:
    parser = argparse.ArgumentParser(prog="python tests/breakers/data", description=__doc__)
    parser.add_argument("targets", nargs="*", help="default: each bundled adapter with recorded deviations")
    parser.add_argument("--fault", action="append", default=[], help="pattern over the names of faults (default: all)")
    parser.add_argument("--shard", default="1/6", help="the part of the default set (default: %(default)s; all: 1/1)")
    parser.add_argument("--case", action="append", default=[], help="pattern over case ids (default: all)")
    parser.add_argument("--jobs", type=int, default=2, help="copies that are asked at a time")
    parser.add_argument("--output", type=Path, help="where the copies are kept")
    chosen = parser.parse_args()
    targets = chosen.targets or _with_deviations()
    with tempfile.TemporaryDirectory() as scratch:
        totals = {name: _seed(name, chosen, chosen.output or Path(scratch)) for name in targets}
    for name, total in totals.items():
        print(f"{name}: {total.forgiven} of {total.worse} forgiven, {total.share:.1%}")
    return 0 if all(total.share <= LIMIT for total in totals.values()) else 1


def _with_deviations() -> list[str]:
    return [adapter.name for adapter in bundled_adapters() if (adapter.folder / "deviations.yaml").is_file()]


def _seed(name: str, chosen: argparse.Namespace, output: Path) -> Forgiven:
    """Ask one target and its copies, and print a row for each fault."""
    folder = output / name.partition("[")[0]
    seeding = Seeding(load_suite(bundled_folder("cases")), target_from_text(name), folder)
    number, of = map(int, chosen.shard.split("/"))
    shard = Shard(number=number, of=of) if of > 1 else None
    asked = seeding.ask_plainly(Selection(cases=tuple(chosen.case)), shard)
    print(f"{name}: {asked:,} checks\n{_HEAD}", flush=True)
    patterns = chosen.fault or ["*"]
    faults = [fault for fault in all_faults() if any(fnmatchcase(fault.name, pattern) for pattern in patterns)]
    tallies = []
    with ThreadPoolExecutor(chosen.jobs) as pool:
        for tally in pool.map(seeding.tally, faults):
            tallies.append(tally)
            print(_line(tally), flush=True)
            _tell_entries(tally)
    of_all = _summed(tallies)
    print(f"{_line(of_all)}\n", flush=True)
    return of_all.total


def _tell_entries(tally: Tally) -> None:
    """Which entries forgive, with a check each."""
    for entry, (number, (case, form)) in tally.entries.items():
        print(f"    {number:>5} {entry}: {case} ({form.value})", file=sys.stderr)


def _summed(tallies: Sequence[Tally]) -> Tally:
    return Tally(
        fault="all faults",
        asked=sum(tally.asked for tally in tallies),
        conforming=sum((tally.conforming for tally in tallies), Forgiven()),
        recorded=sum((tally.recorded for tally in tallies), Forgiven()),
        num_unforeseeable=sum(tally.num_unforeseeable for tally in tallies),
    )


_HEAD = (
    "| fault | asked | conformed, now fails | forgiven | recorded, now otherwise | forgiven | not counted | share |\n"
    "| --- | --: | --: | --: | --: | --: | --: | --: |"
)


def _line(tally: Tally) -> str:
    counts = [tally.asked]
    for kind in (tally.conforming, tally.recorded):
        counts += [kind.worse, kind.forgiven]
    cells = " | ".join(f"{count:,}" for count in [*counts, tally.num_unforeseeable])
    return f"| {tally.fault} | {cells} | {tally.total.share:.1%} |"


if __name__ == "__main__":
    sys.exit(main())
