from __future__ import annotations

import pytest

from conformance.protocol.outcome import CPU_LIMIT_NS, PEAK_LIMIT_BYTES, Cost


@pytest.mark.parametrize(
    ("cost", "excess"),
    [
        (Cost(), ""),
        (Cost(cpu_ns=CPU_LIMIT_NS, peak_bytes=PEAK_LIMIT_BYTES), ""),
        (Cost(cpu_ns=7_340_000_000), "7.3 s of CPU time (at most 5)"),
        (Cost(cpu_ns=1, peak_bytes=1526 << 20), "1,526 MiB of memory (at most 1,024)"),
        (
            Cost(cpu_ns=6 * 10**9, peak_bytes=2 << 30),
            "2,048 MiB of memory (at most 1,024) and 6.0 s of CPU time (at most 5)",
        ),
    ],
)
def test_only_what_passes_its_limit_is_reported(cost: Cost, excess: str) -> None:
    assert cost.excess == excess
