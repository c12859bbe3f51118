"""Peak memory of the engine's process for 1,000 and for 100,000 cases: the run, and the report from its log."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from measure import write_suite

_CHILD = """
import resource, sys
from conformance.cli.main import main
code = main(sys.argv[1:])
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024, file=sys.stderr)
raise SystemExit(code)
"""


def main() -> None:
    """Print the peaks in MiB and their ratio."""
    peaks = {}
    with tempfile.TemporaryDirectory() as name:
        for count in (1_000, 100_000):
            folder = Path(name) / str(count)
            write_suite(folder / "cases", "onnx.Split", count)
            run = ["run", "--target", "numpy", "--cases-folder", str(folder / "cases"), "--form", "constant"]
            peaks["run", count] = _peak_mib([*run, "--quiet", "--output", str(folder / "out")])
            log = str(folder / "out" / "run.jsonl")
            peaks["report", count] = _peak_mib(["report", log, "--html", str(folder / "report.html")])
    for what in ("run", "report"):
        small, large = peaks[what, 1_000], peaks[what, 100_000]
        print(f"{what}: {small} MiB for 1,000 cases, {large} MiB for 100,000; ratio {large / small:.2f} (limit 1.2)")


def _peak_mib(arguments: list[str]) -> int:
    done = subprocess.run(
        [sys.executable, "-P", "-c", _CHILD, *arguments],
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    return int(done.stderr.split()[-1])


if __name__ == "__main__":
    main()
