"""`conformance --help` against `python -c pass`."""

from __future__ import annotations

import sys

from measure import CONFORMANCE, alternating, ratio_line, wall_s


def main() -> None:
    """Print both medians in seconds, and their ratio."""
    shown, nothing = alternating(
        40, lambda: wall_s([*CONFORMANCE, "--help"]), lambda: wall_s([sys.executable, "-P", "-c", "pass"])
    )
    print(ratio_line("conformance --help (s)", shown, "python -c pass (s)", nothing, limit=5))


if __name__ == "__main__":
    main()
