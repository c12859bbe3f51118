"""Checks a second on the NumPy reference, end to end, against empty parametrized tests a second in pytest."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from statistics import median

from measure import CONFORMANCE, alternating, ratio_line, wall_s, write_suite

COUNT = 20_000


def main() -> None:
    """Print both rates and their ratio; one check is one case in one form."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_suite(folder / "cases", "onnx.Split", COUNT)
        tests = folder / "test_empty.py"
        tests.write_text(
            "import pytest\n\n"
            f"@pytest.mark.parametrize('number', range({COUNT}))\n"
            "def test_nothing(number):\n    pass\n"
        )
        run = [*CONFORMANCE, "run", "--target", "numpy", "--cases-folder", str(folder / "cases"), "--form", "constant"]
        pytest = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tests)]
        ours, theirs = alternating(
            5, lambda: wall_s([*run, "--quiet", "--output", str(folder / "out")]), lambda: wall_s(pytest)
        )
    name, against = f"conformance run, {COUNT} checks (s)", f"pytest, {COUNT} empty tests (s)"
    print(ratio_line(name, ours, against, theirs, limit=1 / 3))
    print(f"checks a second: {COUNT / median(ours):.0f}; tests a second: {COUNT / median(theirs):.0f}")


if __name__ == "__main__":
    main()
