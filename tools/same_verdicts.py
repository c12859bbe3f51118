"""Compares the verdicts in two run logs of any format: of two checkouts, before and after a change.

    python tools/same_verdicts.py before/run.jsonl after/run.jsonl

It reads the lines as plain JSON, since the reader of one checkout refuses the format of another. It prints each check
whose verdict differs, and a count; the exit code is 1 if one differs.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path

Verdicts = dict[tuple[str, str, str], tuple[str, str]]
"""By target, case and form: the verdict that counts, and the one before deviations are applied."""


def verdicts_in(log: Path) -> Verdicts:
    """The verdicts of all checks of a log."""
    with log.open(encoding="utf-8") as lines:
        records = (line for line in map(json.loads, lines) if line["type"] == "check")
        return {(item["target"], item["case"], item["form"]): (item["verdict"], item["judged"]) for item in records}


def main() -> int:
    """Compare the logs that the command names."""
    before, after = (verdicts_in(Path(name)) for name in sys.argv[1:])
    differing = sorted(key for key in before.keys() | after.keys() if before.get(key) != after.get(key))
    for key in differing:
        print(*key, before.get(key, "not there"), "->", after.get(key, "not there"))
    print(f"{len(before):,} checks before, {len(after):,} after; {len(differing):,} verdicts differ")
    print(", ".join(f"{count:,} {verdict}" for verdict, count in Counter(v for v, _ in after.values()).most_common()))
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
