"""A whole `conformance run` against a bare loop that makes the same framework calls and judges nothing.

Both are whole processes: start-up, loading what to ask, asking. The loop gets its requests ready-made from a file, and
throws the answers away.
"""

from __future__ import annotations

import pickle
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from measure import CONFORMANCE, alternating, ratio_line, wall_s, write_suite

from conformance.run.selection import Selection, checks_of, families_selected
from conformance.spec.lowering.onnx_model import Lowered, lower
from conformance.suite.adapter_file import target_from_text
from conformance.suite.suite import load_suite

_LOOP = """
import pickle, sys
from pathlib import Path
from conformance.adapter import NotExpressible, Rejected, Unsupported
from conformance.tensors.tensor import array_from_tensor
from conformance.protocol.serve import load_adapter
folder, requests = sys.argv[1:]
adapter = load_adapter(Path(folder), {options!r})
with open(requests, "rb") as stream:
    requests = pickle.load(stream)
for request in requests:
    try:
        prepared = adapter.prepare(request.call)
        for run in request.runs:
            prepared.run({{name: array_from_tensor(tensor) for name, tensor in run.items()}})
    except (Rejected, Unsupported, NotExpressible):
        pass
"""


def main() -> None:
    """Print both times for OpenVINO and for ONNX Runtime, with their ratios."""
    with tempfile.TemporaryDirectory() as name:
        _compare("openvino", "openvino.VariadicSplit", 100, 1.15, Path(name) / "openvino")
        _compare("onnxruntime", "onnx.Split", 3_000, 1.3, Path(name) / "onnxruntime")


def _compare(target: str, operator: str, count: int, limit: float, folder: Path) -> None:
    write_suite(folder / "cases", operator, count)
    requests = folder / "requests.pickle"
    number = _write_questions(folder / "cases", requests)
    target_request = target_from_text(target)
    loop = [sys.executable, "-P", "-c", _LOOP.format(options=target_request.all_options)]
    loop += [str(target_request.adapter.folder), str(requests)]
    run = [*CONFORMANCE, "run", "--target", target, "--cases-folder", str(folder / "cases"), "--quiet"]
    run += ["--output", str(folder / "out")]
    subprocess.run(run, check=True, stdout=subprocess.DEVNULL)
    whole, bare = alternating(5, lambda: wall_s(run), lambda: wall_s(loop))
    print(f"{target}, {number} checks")
    print(ratio_line("  conformance run (s)", whole, "  bare loop (s)", bare, limit))


def _write_questions(cases: Path, path: Path) -> int:
    requests = []
    selection = Selection()
    for check in checks_of(families_selected(load_suite(cases), selection), selection):
        request = check.request
        if request.call.dialect == "onnx":
            lowered = lower(request.call)
            assert isinstance(lowered, Lowered)
            request = replace(request, call=replace(request.call, model=lowered.model))
        requests.append(request)
    with path.open("wb") as stream:
        pickle.dump(requests, stream)
    return len(requests)


if __name__ == "__main__":
    main()
