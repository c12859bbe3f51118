"""The command, as `conformance` and as `python -m conformance`."""

from __future__ import annotations

import gc
import sys

GC_THRESHOLDS = (20_000, 50, 20)
"""Cases, requests and records hold no cycles: searching for some took a tenth of the time of a run."""


def main() -> int:
    """Run the command. Ctrl-C ends it in order even while modules are imported."""
    gc.set_threshold(*GC_THRESHOLDS)
    try:
        from conformance.commands.main import main as command
    except KeyboardInterrupt:
        sys.stderr.write("interrupted by SIGINT\n")
        return 3
    return command()


if __name__ == "__main__":
    raise SystemExit(main())
