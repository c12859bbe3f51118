"""The benchmark that simulates a lab drives the real command, which changes."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import conformance
from conformance.run.selection import Selection, families_selected
from conformance.suite.adapter_file import released_suite

pytest.importorskip("distributed")
sys.path.append(str(Path(conformance.__file__).parents[1] / "benchmarks"))
from bench_lab import CHUNK_S, LongPlan, simulated_s

pytestmark = pytest.mark.slow


def test_simulated_machines_take_as_long_as_their_chunks() -> None:
    suite, selection = released_suite(["onnx.Split-11"]), Selection(operators=("onnx.Split-11",))
    families = families_selected(suite, selection)
    plan = LongPlan(families=families, selection=selection, cases=((0, 0, 1),), starts=(0,), places=range(1024))
    assert simulated_s(suite, plan, machines=4) >= 2 * CHUNK_S
