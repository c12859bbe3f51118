from __future__ import annotations

import pytest

from conformance.spec.cost import CPU_LIMIT_NS, PEAK_LIMIT_BYTES, Cost


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
def test_only_what_passes_its_limit_is_told(cost: Cost, excess: str) -> None:
    assert cost.excess == excess


def test_a_refused_run_costs_the_memory_of_preparing_too_and_its_own_time() -> None:
    prepared, run = Cost(cpu_ns=9, peak_bytes=100), Cost(cpu_ns=1, peak_bytes=7)
    assert run.after(prepared) == Cost(cpu_ns=1, peak_bytes=100)


def test_what_was_not_measured_in_preparing_does_not_hide_the_rest() -> None:
    assert Cost(cpu_ns=1, peak_bytes=7).after(Cost()) == Cost(cpu_ns=1, peak_bytes=7)
    assert Cost(cpu_ns=1).after(Cost()) == Cost(cpu_ns=1)
