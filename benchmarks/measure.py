"""What the benchmarks share: commands timed alternately, their medians, and suites of any size."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median

CONFORMANCE = [sys.executable, "-P", "-m", "conformance"]


def wall_s(command: Sequence[str]) -> float:
    """Seconds that a command takes; it must end with 0."""
    started = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - started


def alternating(repetitions: int, *measured: Callable[[], float]) -> list[list[float]]:
    """Each measurement as often as asked, in turn, so that drift hits all alike."""
    results: list[list[float]] = [[] for _ in measured]
    for _ in range(repetitions):
        for values, measure in zip(results, measured, strict=True):
            values.append(measure())
    return results


def ratio_line(name: str, values: Sequence[float], against: str, reference: Sequence[float], limit: float) -> str:
    """Both medians with their range, and their ratio beside the limit that the project has set itself."""
    ratio = median(values) / median(reference)
    return (
        f"{name}: {_spread(values)}\n{against}: {_spread(reference)}\n"
        f"ratio: {ratio:.2f} (limit {limit:.3g}), {len(values)} repetitions"
    )


ARGUMENTS = {
    "onnx.Split": "{input: {dtype: float32, shape: $row}, axis: 1, split: $column}",
    "openvino.VariadicSplit": "{data: {dtype: float32, shape: $row}, axis: 1, split_lengths: $column}",
}
VERSIONS = {"onnx.Split": "==13", "openvino.VariadicSplit": "==1"}


def write_suite(folder: Path, operator: str, count: int) -> None:
    """A suite of `count` cases of one operator that differ in their ids alone: all choices have the same value."""
    place = Path(*operator.split("."))
    bundled = Path(__file__).parents[1] / "cases" / place / "operator.yaml"
    target = folder / place
    target.mkdir(parents=True, exist_ok=True)
    (target / "operator.yaml").write_bytes(bundled.read_bytes())
    rows = ", ".join(f"{number}: [2, 6]" for number in range(count // 100))
    columns = ", ".join(f"{number}: [2, 4]" for number in range(100))
    (target / "many.yaml").write_text(
        f"operator: {operator}\ncases:\n"
        f"  - id: many\n    versions: '{VERSIONS[operator]}'\n    clauses: [outputs.shape]\n"
        f"    arguments: {ARGUMENTS[operator]}\n"
        f"    matrix: {{row: {{{rows}}}, column: {{{columns}}}}}\n"
        '    outputs: ["0:2", "2:6"]\n'
    )


def _spread(values: Sequence[float]) -> str:
    return f"median {median(values):.4g} (from {min(values):.4g} to {max(values):.4g})"
