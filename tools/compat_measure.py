"""Measures releases of frameworks for the published data: each runs the default set, and a history keeps its answers.

`python tools/compat_measure.py HISTORY TARGET...`, with targets as `onnxruntime@1.15..`. A release whose answers are
current is not asked again, so a stopped measurement goes on where it was.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from time import monotonic

from conformance.environments.resolution import locks_named

_WITH_ANSWERS = (0, 1)
"""Exit codes of a run that was whole: the target conforms, or does not."""


def releases_of(text: str) -> list[str]:
    """The targets, one for each release that a text such as onnx-reference@1.13.. names."""
    adapter, _, version = text.partition("@")
    package = {"onnx-reference": "onnx"}.get(adapter, adapter)
    return [f"{adapter}@{lock.wheels[0].version}" for lock in locks_named(f"{package}@{version}")]


def measure(history: Path, target: str, options: Sequence[str]) -> float:
    """Run a release and keep its answers; returns the seconds that it took.

    Raises:
        SystemExit: the run was not whole, or its answers cannot be kept.
    """
    began = monotonic()
    reuse = ["--reuse", str(history)] if history.is_file() else []
    with tempfile.TemporaryDirectory() as folder:
        code = _conformance("run", "-t", target, "--quiet", "--output", folder, *reuse, *options)
        if code not in _WITH_ANSWERS or _conformance("history", "--store", str(history), "--add", folder):
            raise SystemExit(f"{target}: exit code {code}; the same command goes on here")
    return monotonic() - began


def _conformance(*arguments: str) -> int:
    command = [sys.executable, "-m", "conformance", *arguments]
    return subprocess.run(command, check=False, stdout=subprocess.DEVNULL).returncode  # noqa: S603


def main(arguments: Sequence[str]) -> None:
    """Run the command with these arguments; those that it does not know go to `conformance run`."""
    parser = argparse.ArgumentParser(prog="compat_measure", description="Measure releases for the published data.")
    parser.add_argument("history", type=Path, help="the SQLite file that keeps the answers")
    parser.add_argument("targets", nargs="+", help="as onnxruntime@1.15.. or openvino@newest:3")
    options, others = parser.parse_known_args(arguments)
    releases = [release for text in options.targets for release in releases_of(text)]
    for number, release in enumerate(releases, 1):
        print(f"{release}: {measure(options.history, release, others):.0f} s ({number} of {len(releases)})", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
