"""Runs the script of each recorded deviation in each release: `python tools/finding_edges.py [ADAPTER]`.

It asks the releases that have an environment (`conformance env add`), and writes compat/findings.json: for each record
a letter for each release. `tools/findings.py` names the first bad and the first good releases by it. A release whose
newest opset is older than the operator versions of a script rejects all of them, so that it is not asked. What the file
has of the same releases is not run again.
"""

from __future__ import annotations

import json
import os
import re
import sys
import sysconfig
import tempfile
from collections.abc import Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

from finding_releases import FINDINGS, FindingLetter, FoundInReleases, found_by_adapter

from conformance.judge.deviation import read_deviations
from conformance.run.environments import Environment, environments
from conformance.run.script_folder import Script, Showing, scripts_of
from conformance.spec.verdict import Verdict
from conformance.suite.adapter_file import Adapter, bundled_adapters, bundled_engine
from conformance.suite.suite import bundled_folder, load_suite

_LETTERS = {Showing.SHOWS: FindingLetter.BAD, Showing.GONE: FindingLetter.GOOD, Showing.BROKEN: FindingLetter.UNKNOWN}
_TRIES = 3
_BEFORE = {
    "openvino": """
import sys
import openvino
if not hasattr(openvino, "op"):  # before 2025 it was below openvino.runtime
    import openvino.runtime as runtime
    import openvino.runtime.utils.node_factory
    for name, module in list(sys.modules.items()):
        if name.startswith("openvino.runtime."):
            sys.modules.setdefault(name.replace(".runtime", "", 1), module)
    vars(openvino).update({name: held for name, held in vars(runtime).items() if name not in vars(openvino)})
"""
}
"""What each Python runs first in old releases of an adapter's framework, so that newer scripts find what they name."""


@contextmanager
def prepared_for(adapter: Adapter) -> Iterator[None]:
    """Scripts, and the processes that they start, have from this Python what their environment lacks, such as onnx."""
    lent = f"import sys\nsys.path.append({sysconfig.get_path('purelib')!r})\n"
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "sitecustomize.py").write_text(_BEFORE.get(adapter.name, "") + lent, "utf-8")
        os.environ["PYTHONPATH"] = folder
        try:
            yield
        finally:
            del os.environ["PYTHONPATH"]


def letter_in(script: Script, release: Environment, opset: int) -> str:
    """What a script shows in a release that has opsets up to this one."""
    if opset < oldest_opset(script, release.package):
        return FindingLetter.UNKNOWN.value
    there = replace(script, python=str(release.python))
    shown = (there.showing_of(there.run()) for _ in range(tries_of(script)))
    return _LETTERS[next((one for one in shown if one is not Showing.GONE), Showing.GONE)].value


def tries_of(script: Script) -> int:
    """How often a script runs until it shows its fault; damaged memory does not always end a process."""
    entry = script.entry
    is_unsure = entry.memory is not None or not {Verdict.CRASHED, Verdict.UNSTABLE}.isdisjoint(entry.verdicts)
    return _TRIES if is_unsure else 1


def oldest_opset(script: Script, package: str) -> int:
    """The first opset with an operator version that the script is about; 0 if its record does not say that."""
    spec = "openvino" if package == "openvino" else "onnx"
    named = [re.fullmatch(rf"{spec}\.\w+-([0-9]+)", name) for name in script.entry.operators]
    return min(int(found[1]) if found is not None else 0 for found in named)


def found_in_releases(
    adapter: Adapter, releases: Sequence[Environment], known: Collection[str]
) -> Iterator[tuple[str, str]]:
    """The id of each record of an adapter that is not known yet, and its letters."""
    engine = bundled_engine(adapter.name)
    opsets = {release.version: release.opset or 0 for release in (engine.releases if engine is not None else ())}
    newest = [opsets.get(release.version, 0) for release in releases]
    unknown = [entry for entry in read_deviations(adapter.folder) if entry.id not in known]
    suite = load_suite(bundled_folder("cases"))
    with prepared_for(adapter), ThreadPoolExecutor(os.cpu_count()) as pool:
        for script in scripts_of(adapter, unknown, suite):
            yield script.entry.id, "".join(pool.map(partial(letter_in, script), releases, newest))


def main(names: Sequence[str]) -> None:
    """Run the scripts of these adapters, or of all that have environments."""
    found = dict(found_by_adapter())
    for adapter in bundled_adapters():
        releases = [one for one in environments() if adapter.name == one.package]
        if not releases or (names and adapter.name not in names):
            continue
        versions = [release.version for release in releases]
        before = found.get(adapter.name)
        known = dict(before.records) if before is not None and before.releases == versions else {}
        for name, letters in found_in_releases(adapter, releases, known):
            print(f"{adapter.name} {name}: {letters}", flush=True)
            known[name] = letters
            found[adapter.name] = FoundInReleases(releases=versions, records=known)
            text = json.dumps({one: of.model_dump() for one, of in found.items()}, indent=1)
            FINDINGS.write_text(f"{text}\n", "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
