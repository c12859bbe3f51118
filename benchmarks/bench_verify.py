"""`conformance verify`: its time by the length of a log, and with deviations at their limits against none.

It verifies the beginnings of one real log, and the whole log beside lists of deviations as long as they may be.
"""

from __future__ import annotations

import lzma
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from statistics import median
from time import process_time

from measure import CONFORMANCE, alternating, ratio_line

from conformance.certificate import review
from conformance.certificate.certificate_file import DEVIATIONS, LOG, document_bytes
from conformance.certificate.rules import installed
from conformance.certificate.verify import verify
from conformance.judge.wrong_answer import WRONG_ANSWERS
from conformance.suite.suite import load_suite

REPETITIONS = 3
PARTS = (0.0, 0.25, 0.5, 1.0)
_MEMORY = {"memory": "reads", "happens": "sometimes", "depends_on": "what lies there"}


def main() -> None:
    """Print the time by length, the time of a record, and the ratios of long lists of deviations."""
    review.MAX_PROBLEMS = sys.maxsize  # a review of lists that no run meets would end early
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "certificate"
        _certify(folder)
        lines = lzma.decompress((folder / LOG).read_bytes()).splitlines(keepends=True)
        empty_s = _by_length(folder, lines)
        operators = [operator.id for operator in load_suite(installed().cases).operators]
        for what, entries in _longest(operators).items():
            other = Path(shutil.copytree(folder, Path(name) / "other", dirs_exist_ok=True))
            (other / DEVIATIONS).write_bytes(document_bytes({"deviations": entries}))
            long, plain = alternating(REPETITIONS, partial(_cpu_s, other), partial(_cpu_s, folder))
            print(ratio_line(f"{what}, s", long, "no deviation, s", plain, 2.0))
            print(f"{1000 * (median(long) - empty_s) / len(lines):.2f} ms a record (limit 2)", flush=True)


def _certify(folder: Path) -> None:
    command = [*CONFORMANCE, "certify", "--quiet", "-t", "numpy", "--profile", "core", "--vendor", "V"]
    subprocess.run([*command, "--output", str(folder)], check=True, stdout=subprocess.DEVNULL)


def _by_length(folder: Path, lines: Sequence[bytes]) -> float:
    """Print the times of the beginnings of a log, which grow with their length; the time without records."""
    whole = (folder / LOG).read_bytes()
    times = {}
    for part in PARTS:
        count = 1 + round(part * (len(lines) - 1))
        (folder / LOG).write_bytes(lzma.compress(b"".join(islice(lines, count))))
        times[count] = median(_cpu_s(folder) for _ in range(REPETITIONS))
        print(f"{count - 1:>6,} records: {times[count]:.2f} s", flush=True)
    (folder / LOG).write_bytes(whole)
    (none, before), *_, (half, middle), (all_, after) = times.items()
    first, second = (middle - before) / (half - none), (after - middle) / (all_ - half)
    print(f"a record: {1000 * first:.2f} ms in the first half, {1000 * second:.2f} ms in the second (limit 2)")
    return before


def _cpu_s(folder: Path) -> float:
    started = process_time()
    verify(folder, installed())
    return process_time() - started


def _longest(operators: Sequence[str]) -> Mapping[str, list[dict[str, object]]]:
    """Entries as many and as long as they may be, which some check meets by accident at most."""
    functions = list(WRONG_ANSWERS)[:8]
    return {
        "8 functions": [_entry(n, operators, values=[name]) for n, name in enumerate(functions)],
        "long conditions": [_entry(n, operators, when=f"declared in [{'0, ' * 300}0]") for n in range(8)],
        "400 entries": [_entry(n, [operators[n // 100]], when="declared < 0") for n in range(400)],
    }


def _entry(number: int, operators: Sequence[str], **said: object) -> dict[str, object]:
    return {
        "id": f"entry-{number}",
        "kind": "plainly wrong",
        "where": {"versions": ">=0"},
        "operators": operators,
        "when": "True",
        "verdict": "wrong result",
        **_MEMORY,
        "what": "It is wrong.",
        "why": "To be measured.",
        "since": "2026-11-01",
        "review": "2027-01-01",
        "reproducer": "adapter.py",
        **said,
    }


if __name__ == "__main__":
    main()
