"""The method of `--timing` against `timeit`, on the same calls of the four frameworks, alternately in one process.

Both measure the call that an adapter binds, so that their medians must agree: the ratio is to be within 5 % of 1.
"""

from __future__ import annotations

import math
import subprocess
import sys
import timeit
from dataclasses import replace
from functools import partial
from statistics import median

from measure import alternating

from conformance.protocol.serve import TimedCall, load_adapter, samples_of
from conformance.run.dispatch import EFFORTS, Dispatch, TimingMode, dispatch
from conformance.run.selection import Selection, checks_of, families_selected
from conformance.spec.choices import CaseSet
from conformance.suite.adapter_file import target_from_text
from conformance.suite.suite import bundled_folder, load_suite
from conformance.tensors.tensor import array_from_tensor

TARGETS = ("numpy", "onnxruntime", "openvino", "torch")
CASES = ("256B,axis=1", "1MiB,axis=1", "16MiB,axis=1")
ROUNDS = 25
LIMIT = 0.05
_SECONDS = 0.2


def main() -> None:
    """Print the ratio for each target and size, each target in a process of its own."""
    if len(sys.argv) == 1:
        for target in TARGETS:
            subprocess.run([sys.executable, __file__, target], check=True)
        return
    for size in CASES:
        call = _bound(sys.argv[1], f"onnx.Split-18/time-by-size[size={size}]")
        ours, theirs = alternating(ROUNDS, partial(_ours, call), partial(_theirs, call))
        ratio = median(ours) / median(theirs)
        told = "within" if abs(ratio - 1) <= LIMIT else "beyond"
        print(
            f"{sys.argv[1]}, {size}: ours {median(ours) / 1e3:.4g} µs, timeit {median(theirs) / 1e3:.4g} µs, "
            f"ratio {ratio:.3f}, {told} {LIMIT:.0%}, {ROUNDS} rounds",
            flush=True,
        )


def _bound(target: str, case: str) -> TimedCall:
    """The framework's own call of a case, which is what is timed."""
    target_request = target_from_text(target)
    adapter = load_adapter(target_request.adapter.folder, target_request.all_options)
    selection = Selection(cases=(case,), sets=(CaseSet.TIMING,))
    (check,) = checks_of(families_selected(load_suite(bundled_folder("cases")), selection), selection)
    posed = dispatch(adapter.describe(), check)
    assert isinstance(posed, Dispatch)
    prepared = adapter.prepare(posed.request.call)
    assert prepared.bind is not None
    return prepared.bind({name: array_from_tensor(tensor).copy() for name, tensor in posed.request.runs[0].items()})


def _ours(call: TimedCall) -> float:
    """Nanoseconds of a call as the worker measures them in one round."""
    effort = replace(EFFORTS[TimingMode.PRECISE], width_percent=0)
    return median(samples_of(call, effort).call_ns)


def _theirs(call: TimedCall) -> float:
    """Nanoseconds of a call as `timeit` measures them: the median of repetitions that take together as long as ours."""
    timer = timeit.Timer(call)
    number = max(1, math.ceil(5e-4 / (timer.timeit(20) / 20)))
    repetitions = max(5, int(_SECONDS / (timer.timeit(number) + 1e-9)))
    return median(timer.repeat(repetitions, number)) / number * 1e9


if __name__ == "__main__":
    main()
