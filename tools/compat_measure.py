"""Measures releases of frameworks for the published data: each runs the default set, and a history keeps its answers.

`python tools/compat_measure.py HISTORY TARGET...`, with targets as `onnxruntime@1.15..`. A release whose answers are
current is not asked again, so a stopped measurement goes on where it was.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from time import monotonic

from conformance.certificate.rules import read_profile
from conformance.cli.parser import TIMEOUT_S
from conformance.log.history import opened_store
from conformance.log.log_file import read_lines
from conformance.run.environments import Making, targets_at_releases
from conformance.run.run import run
from conformance.run.run_plan import RunRequest
from conformance.run.selection import Selection
from conformance.spec.choices import CaseSet
from conformance.suite.adapter_file import TargetRequest, target_from_text
from conformance.suite.suite import Suite, bundled_folder, load_suite
from conformance.tensors.errors import OpconformError


def measure(history: Path, suite: Suite, selection: Selection, target: TargetRequest) -> int:
    """Run a release, and keep its answers; returns their number.

    Raises:
        SystemExit: the run was not whole.
    """
    with tempfile.TemporaryDirectory() as folder:
        request = RunRequest(
            suite=suite,
            selection=selection,
            targets=(target,),
            log=Path(folder) / "run.jsonl",
            timeout_s=TIMEOUT_S,
            jobs=os.cpu_count() or 1,
            reuse=history if history.is_file() else None,
        )
        footer = run(request, lambda _: None, lambda *_: None)
        if not footer.complete:
            raise SystemExit(f"{footer.reason}; the same command goes on here")
        with opened_store(history) as store:
            return store.add(read_lines(request.log), target.name_at(target.version))


def main(arguments: Sequence[str]) -> None:
    """Run the command with these arguments."""
    parser = argparse.ArgumentParser(prog="compat_measure", description="Measure releases for the published data.")
    parser.add_argument("history", type=Path, help="the SQLite file that keeps the answers")
    parser.add_argument("targets", nargs="+", help="as onnxruntime@1.15.. or openvino@newest:3")
    parser.add_argument("--profile", help="the checks of a profile (default: the default set)")
    about = "only these checks, as onnx.Slice-13, to try the measurement; repeatable (default: all operator versions)"
    parser.add_argument("--operator", metavar="NAME", action="append", default=[], help=about)
    parser.add_argument("--offline", action="store_true", help="make no environment")
    options = parser.parse_args(arguments)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # a worker with another thread cannot fork
    suite, making = load_suite(bundled_folder("cases")), Making(is_offline=options.offline)
    selection = Selection(sets=(CaseSet.DEFAULT,), operators=tuple(options.operator))
    if options.profile is not None:
        of_profile = read_profile(options.profile, bundled_folder("profiles")).selection
        selection = replace(of_profile, operators=selection.operators or of_profile.operators)
    requests = ((target_from_text(text), text) for text in options.targets)
    try:
        targets = [target for request, text in requests for target in targets_at_releases(request, text, making)]
    except OpconformError as error:
        parser.exit(1, f"{error}\n")
    say = partial(print, flush=True)
    for number, target in enumerate(targets, 1):
        began = monotonic()
        answers = measure(options.history, suite, selection, target)
        took_s = monotonic() - began
        say(f"{target.name_at(target.version)}: {answers} answers in {took_s:.0f} s ({number} of {len(targets)})")


if __name__ == "__main__":
    main(sys.argv[1:])
