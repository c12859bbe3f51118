"""Runs the script of each recorded deviation in each release: `python tools/finding_edges.py [ADAPTER]`.

It asks the releases that have an environment (`conformance env add`), and writes compat/findings.json: for each script
a letter for each release. `tools/findings.py` names the first bad and the first good releases by it.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from finding_releases import FINDINGS, FindingLetter, FoundInReleases

from conformance.environments.store import Environment, environments
from conformance.formats.adapter_file import Adapter, bundled_adapters
from conformance.judging.deviation_file import read_deviations
from conformance.running.reproducer import Script, Showing, run_alone, scripts_of, showing_of

_LETTERS = {Showing.SHOWS: FindingLetter.BAD, Showing.GONE: FindingLetter.GOOD, Showing.BROKEN: FindingLetter.UNKNOWN}


def letter_in(release: Environment, script: Script) -> str:
    """What a script shows in a release; what its environment lacks, such as onnx, is that of this Python."""
    ended = run_alone(script.path, python=str(release.python), others=sys.path[1:])
    return _LETTERS[showing_of(ended)].value


def found_in_releases(adapter: Adapter, releases: Sequence[Environment]) -> FoundInReleases:
    """The letters of all scripts of an adapter."""
    found = {}
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for script in scripts_of(adapter, read_deviations(adapter.folder)):
            found[script.name] = "".join(pool.map(partial(letter_in, script=script), releases))
            print(f"{adapter.name} {script.name}: {found[script.name]}", flush=True)
    return FoundInReleases(releases=[release.version for release in releases], scripts=found)


def main(names: Sequence[str]) -> None:
    """Run the scripts of these adapters, or of all that have environments."""
    found = json.loads(FINDINGS.read_text("utf-8")) if FINDINGS.is_file() else {}
    for adapter in bundled_adapters():
        releases = [one for one in environments() if adapter.name == one.package]
        if releases and (not names or adapter.name in names):
            found[adapter.name] = found_in_releases(adapter, releases).model_dump()
            FINDINGS.write_text(json.dumps(found, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
