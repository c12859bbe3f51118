"""Measuring a call: when it ends, and what it leaves alone."""

from __future__ import annotations

import gc
import time
from dataclasses import replace

import numpy as np

from conformance.protocol.outcome import Effort
from conformance.protocol.serve import copy_call, elapsed_ns, samples_of
from conformance.run.dispatch import EFFORTS, TimingMode

SHORT = Effort(
    rounds=1,
    warm_up_ns=100_000,
    batch_ns=20_000,
    min_samples=7,
    max_samples=30,
    limit_ns=1_000_000_000,
    width_percent=5,
)


def nothing() -> None:
    pass


def test_a_short_call_is_measured_in_batches() -> None:
    samples = samples_of(nothing, SHORT)
    assert samples.loops > 1
    assert 7 <= len(samples.elapsed_ns) <= 30


def test_a_long_call_is_measured_one_by_one_and_not_for_ever() -> None:
    samples = samples_of(lambda: time.sleep(0.02), replace(SHORT, limit_ns=1_000_000))
    assert samples.loops == 1
    assert 1 <= len(samples.elapsed_ns) < 7
    assert min(samples.call_ns) > 19e6


def test_it_ends_when_the_median_is_known_well_enough() -> None:
    never = replace(SHORT, max_samples=400, limit_ns=600_000_000_000, width_percent=0)
    assert len(samples_of(nothing, replace(never, width_percent=1000)).elapsed_ns) < 100
    assert len(samples_of(lambda: time.sleep(0), never).elapsed_ns) == 400


def test_garbage_is_not_collected_while_a_call_is_measured() -> None:
    was_enabled = []
    samples_of(lambda: was_enabled.append(gc.isenabled()), replace(SHORT, max_samples=7))
    assert not any(was_enabled)
    assert gc.isenabled()


def test_a_call_that_waits_keeps_no_core_busy() -> None:
    assert samples_of(lambda: time.sleep(0.002), SHORT).busy_cores < 0.5


def test_the_plain_copy_copies_every_byte() -> None:
    source, target = np.arange(256, dtype=np.uint8), np.zeros(256, np.uint8)
    copy_call(source, target)()
    assert target.tolist() == source.tolist()


def test_so_many_calls_are_made_as_requested() -> None:
    calls: list[None] = []
    elapsed_ns(lambda: calls.append(None), 5)
    assert len(calls) == 5


def test_a_precise_measurement_has_rounds_enough_for_an_interval_between_them() -> None:
    assert EFFORTS[TimingMode.PRECISE].rounds >= 6
    assert TimingMode.OFF not in EFFORTS
