from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from time import process_time, sleep

import numpy as np
import pytest

from conformance.protocol.serve import CostMeter

MIB = 1 << 20
on_linux = pytest.mark.skipif(sys.platform != "linux", reason="other systems cannot reset the peak")


def filled(mebibytes: int) -> np.ndarray[tuple[int], np.dtype[np.uint8]]:
    return np.full(mebibytes * MIB, 1, np.uint8)


def peak_mib(meter: CostMeter, inputs_bytes: int = 0) -> int:
    peak_bytes = meter.cost(inputs_bytes).peak_bytes
    assert peak_bytes is not None
    return round(peak_bytes / MIB)


@pytest.fixture
def meter() -> Iterator[CostMeter]:
    with CostMeter() as meter:
        yield meter


@on_linux
def test_memory_that_was_filled_and_let_go_counts(meter: CostMeter) -> None:
    meter.begin()
    filled(64)
    assert 60 <= peak_mib(meter) <= 80


@on_linux
def test_memory_of_calls_before_does_not_count_and_hides_nothing(meter: CostMeter) -> None:
    filled(128)
    kept = filled(32)
    meter.begin()
    assert peak_mib(meter) <= 16
    filled(64)
    assert 60 <= peak_mib(meter) <= 80
    assert kept.size


@on_linux
def test_memory_that_is_reserved_and_never_touched_costs_nothing(meter: CostMeter) -> None:
    meter.begin()
    reserved = np.empty(4096 * MIB, np.uint8)
    assert peak_mib(meter) <= 16
    assert reserved.size


@on_linux
def test_the_size_of_the_inputs_is_free(meter: CostMeter) -> None:
    meter.begin()
    filled(64)
    assert peak_mib(meter, 48 * MIB) <= 32
    assert peak_mib(meter, 1024 * MIB) == 0


def test_cpu_time_of_other_threads_counts_and_waiting_does_not(meter: CostMeter) -> None:
    meter.begin()
    sleep(0.3)
    waited_ns = meter.cost(0).cpu_ns or 0
    thread = Thread(target=_compute)
    thread.start()
    thread.join()
    assert waited_ns < 100_000_000 <= (meter.cost(0).cpu_ns or 0)


@on_linux
def test_a_rejected_run_costs_its_own_time_and_the_memory_of_preparing_too(meter: CostMeter) -> None:
    meter.begin()
    filled(64)
    _compute()
    meter.next_stage()
    assert 60 <= peak_mib(meter) <= 80
    assert (meter.cost(0).cpu_ns or 0) < 100_000_000


def test_where_the_system_cannot_reset_the_peak_memory_is_not_measured(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("conformance.tensors.machine.ROOT", tmp_path)
    meter = CostMeter()
    meter.begin()
    cost = meter.cost(0)
    assert (cost.peak_bytes, cost.cpu_ns is None) == (None, False)


def _compute() -> None:
    end = process_time() + 0.2
    while process_time() < end:
        pass
