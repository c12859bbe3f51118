"""The command, as `conformance` and as `python -m conformance`."""

from __future__ import annotations

import gc
import math
import sys

GC_THRESHOLDS = (20_000, 50, 20)
"""Cases, requests and records hold no cycles: searching for some took a tenth of the time of a run."""

_LEAST_ADDRESS_SPACE = 700 << 20
"""With less, NumPy and its threads end in messages of their own."""


def main() -> int:
    """Run the command. Ctrl-C ends it in order even while modules are imported."""
    gc.set_threshold(*GC_THRESHOLDS)
    if (limit := _address_space()) < _LEAST_ADDRESS_SPACE:
        sys.stderr.write(
            f"conformance: the limit of the address space, {limit / 2**20:.0f} MiB, is too small to start in\n"
            f"  fix:  raise it to {_LEAST_ADDRESS_SPACE >> 20} MiB or more, as with `ulimit -v unlimited`\n"
        )
        return 3
    try:
        from conformance.cli.main import main as command
    except KeyboardInterrupt:
        sys.stderr.write("interrupted by SIGINT\n")
        return 3
    return command()


def _address_space() -> float:
    """The most bytes of addresses that this process may have; infinite where nothing limits them."""
    try:
        import resource
    except ImportError:  # Windows
        return math.inf
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    return math.inf if limit == resource.RLIM_INFINITY else limit


if __name__ == "__main__":
    raise SystemExit(main())
