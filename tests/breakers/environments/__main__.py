"""`python tests/breakers/environments`: asks each target where its framework could compute otherwise, and compares.

Exit code 1 where a run does not end as the plain one does, or where one that is only repeated gives another verdict.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from asked import Asked, ask, differences, is_of_verdicts
from environments import PLAIN, Environment, NotAsked, environments_of, levels_here

from conformance.log.compare import ChangeGroup
from conformance.run.handshake import missing_needs
from conformance.suite.adapter_file import TargetRequest, bundled_adapters, target_from_text


def main() -> int:
    parser = argparse.ArgumentParser(prog="python tests/breakers/environments", description=__doc__)
    parser.add_argument("targets", nargs="*", help="default: every bundled adapter whose framework is installed")
    parser.add_argument("--environment", action="append", help="pattern over their names (default: all)")
    parser.add_argument("--repeat", type=int, default=0, metavar="N", help="instead, ask N times as it is")
    parser.add_argument("--shard", help="the part of the default set, as 1/6 (default: all)")
    parser.add_argument("--case", action="append", default=[], help="pattern over case ids (default: all)")
    parser.add_argument("--jobs", help="workers at a time (default: one per core)")
    parser.add_argument("--output", type=Path, help="where the logs are kept")
    chosen = parser.parse_args()
    targets = [target_from_text(name) for name in chosen.targets] or _installed()
    with tempfile.TemporaryDirectory() as scratch:
        folder = chosen.output or Path(scratch)
        rows = [row for target in targets for row in _rows(target, chosen, folder / target.adapter.name)]
    return 0 if all(row.is_as_plain for row in rows) else 1


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    """What one environment did to one target."""

    exit_code: int
    groups: tuple[ChangeGroup, ...]
    is_repetition: bool
    plain_exit_code: int

    @property
    def is_as_plain(self) -> bool:
        return self.exit_code == self.plain_exit_code and not (
            self.is_repetition and any(map(is_of_verdicts, self.groups))
        )


def _installed() -> list[TargetRequest]:
    return [TargetRequest(adapter=item, options={}) for item in bundled_adapters() if not missing_needs(item)]


def _rows(target: TargetRequest, chosen: argparse.Namespace, folder: Path) -> list[_Row]:
    """Ask a target everywhere, and print a row for each environment."""
    selection = [item for case in chosen.case for item in ("--case", case)]
    for name in ("shard", "jobs"):
        selection += [f"--{name}", getattr(chosen, name)] if getattr(chosen, name) else []
    print(f"{target.adapter.name}\n{_HEAD}", flush=True)
    plain = ask(target, PLAIN, folder / PLAIN.name, selection)
    print(_line(PLAIN.name, plain, ()), flush=True)
    rows = []
    for environment in _environments(target, chosen):
        if isinstance(environment, NotAsked):
            print(f"| {environment.name} | not asked: {environment.reason} | | | | |", flush=True)
            continue
        asked = ask(target, environment, folder / environment.name, selection)
        groups = differences(plain.log, asked.log)
        print(_line(environment.name, asked, groups), flush=True)
        _tell(groups)
        rows.append(
            _Row(
                exit_code=asked.exit_code,
                groups=groups,
                is_repetition=bool(chosen.repeat),
                plain_exit_code=plain.exit_code,
            )
        )
    print(flush=True)
    return rows


def _environments(target: TargetRequest, chosen: argparse.Namespace) -> list[Environment | NotAsked]:
    if chosen.repeat:
        return [Environment(name=f"plain-{number}") for number in range(2, chosen.repeat + 1)]
    found = environments_of(target.adapter.manifest, levels_here())
    patterns = chosen.environment or ["*"]
    return [item for item in found if any(fnmatchcase(item.name, pattern) for pattern in patterns)]


_HEAD = (
    "| environment | instruction set in force | exit code | other verdicts | other outputs | which |\n"
    "| --- | --- | --: | --: | --: | --- |"
)


def _line(name: str, asked: Asked, groups: Sequence[ChangeGroup]) -> str:
    verdicts = [group for group in groups if is_of_verdicts(group)]
    counts = [sum(group.count for group in chosen) for chosen in (verdicts, [g for g in groups if g not in verdicts])]
    which = "; ".join(f"{group.count} {group.old} -> {group.new}" for group in verdicts)
    in_force = asked.instruction_set or "unknown"
    return f"| {name} | {in_force} | {asked.exit_code} | {counts[0]:,} | {counts[1]:,} | {which} |"


def _tell(groups: Sequence[ChangeGroup]) -> None:
    """Every check that is kept of each group."""
    for group in groups:
        what = f"{group.change.value}: {group.old} -> {group.new}"
        aspects = ", ".join(aspect.value for aspect in group.aspects)
        print(f"    {group.count:>5} {what}{f' ({aspects})' if aspects else ''}", file=sys.stderr)
        for check in group.checks:
            print(f"          {check.case} ({check.form.value})", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
