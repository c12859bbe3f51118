"""The recorded deviations of all adapters: what they say, and in which releases their scripts show them.

`python tools/findings.py > findings.md` prints them, worst first. `docs/reference/worst-findings.md` tells of ten of
them by hand. Nothing is written twice: the text of a finding is that of its entry in `deviations.yaml`, and of a fault
of a node next to the operators the docstring of its script.

`python tools/findings.py run [ADAPTER...]` runs the script of each in each release, and writes compat/findings.json.
`python tools/findings.py versions` writes into each deviations.yaml in which releases the records hold by that file.
"""

from __future__ import annotations

import ast
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
from enum import Enum
from functools import cache, partial
from itertools import groupby
from pathlib import Path

from packaging.version import Version
from pydantic import Field, TypeAdapter

from conformance.compat.data import extent
from conformance.judge.deviation import Deviation, DeviationKind, read_deviations
from conformance.run.environments import Environment, environments
from conformance.run.script_folder import Script, Showing, scripts_of
from conformance.spec.verdict import Severity, Verdict
from conformance.suite.adapter_file import Adapter, bundled_adapters, bundled_engine
from conformance.suite.suite import bundled_folder, load_suite
from conformance.suite.yaml_file import FileModel
from conformance.tensors.text import counted

# In which releases the script of each recorded deviation shows its fault: compat/findings.json, by adapter.

FINDINGS = Path(__file__).parents[1] / "compat" / "findings.json"


class FindingLetter(Enum):
    """What a script shows in a release; it says nothing where it needs an interface that the release lacks."""

    BAD = "b"
    GOOD = "g"
    UNKNOWN = "-"


class FoundInReleases(FileModel):
    """The releases of an adapter's framework, the oldest first, and for each record a letter for each of them."""

    releases: list[str] = Field(min_length=1)
    records: dict[str, str]

    def sentence(self, record: str) -> str:
        """As `bad 1.15.0 to 1.31.1, good from 1.32.0`; releases in which its script says nothing are left out."""
        letters = self.records.get(record, "")
        told = [pair for pair in zip(letters, self.releases, strict=False) if pair[0] != FindingLetter.UNKNOWN.value]
        return ", ".join(_parts(told, self.releases[-1]))


def _parts(told: list[tuple[str, str]], newest: str) -> Iterator[str]:
    for letter, pairs in groupby(told, key=lambda pair: pair[0]):
        versions = [version for _, version in pairs]
        first, last, word = versions[0], versions[-1], FindingLetter(letter).name.lower()
        if last == newest:
            yield f"{word} from {first} on"
        else:
            yield f"{word} {extent(first, last)}"


@cache
def found_by_adapter() -> dict[str, FoundInReleases]:
    """The contents of compat/findings.json; nothing before the scripts ran in any release."""
    if not FINDINGS.is_file():
        return {}
    return TypeAdapter(dict[str, FoundInReleases]).validate_json(FINDINGS.read_bytes())


# Runs the script of each recorded deviation in each release that has an environment (`conformance env add`).
#
# A release whose newest opset is older than the operator versions of a script rejects all of them, so that it is not
# asked. What the file has of the same releases is not run again.

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


def run_scripts(names: Sequence[str]) -> None:
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


# The versions in which each record holds. A record whose script ran in no release keeps what it says.


def versions_of(found: FoundInReleases, record: str) -> str:
    """The releases with the fault, as `>=1.15,!=1.17.*,<1.33`; empty if the script shows it in none.

    Further releases of the newest minor version are taken to be as that is.
    """
    letters = found.records.get(record, "")
    bad = [letter == FindingLetter.BAD.value for letter in letters]
    if True not in bad:
        return ""
    first, after = bad.index(True), len(bad) - bad[::-1].index(True)
    end = _short(found.releases[after]) if after < len(bad) else _next_minor(found.releases[-1])
    between = dict(zip(found.releases[first:after], bad[first:after], strict=True))
    return ",".join((f">={_short(found.releases[first])}", *_holes(between), f"<{end}"))


def _holes(between: dict[str, bool]) -> Iterator[str]:
    """What leaves out the releases without the fault; a minor version as a whole if none has it."""
    for (major, minor), group in groupby(between, key=lambda release: Version(release).release[:2]):
        releases = [*group]
        if not any(between[release] for release in releases):
            yield f"!={major}.{minor}.*"
        else:
            yield from (f"!={release}" for release in releases if not between[release])


def _next_minor(release: str) -> str:
    major, minor = Version(release).release[:2]
    return f"{major}.{minor + 1}"


def _short(release: str) -> str:
    return re.sub(r"^(\d+\.\d+)\.0$", r"\1", release)


def with_versions(text: str, versions: dict[str, str]) -> str:
    """The text of a deviations.yaml in which the records with these ids hold in these versions."""
    for name, written in versions.items():
        own = rf'(?ms)^(  - id: {name}$(?:(?!^  - id: ).)*?\bversions: ")[^"]*'
        text = re.sub(own, rf"\g<1>{written}", text, count=1)
    return text


def write_versions() -> None:
    """Write the versions of all bundled records."""
    for adapter in bundled_adapters():
        found = found_by_adapter().get(adapter.name)
        if found is not None:
            derived = {entry.id: versions_of(found, entry.id) for entry in read_deviations(adapter.folder)}
            path = adapter.folder / "deviations.yaml"
            path.write_text(with_versions(path.read_text("utf-8"), {k: v for k, v in derived.items() if v}), "utf-8")


# The page of all findings.

_ABOUT = "What the frameworks do that the specifications do not allow, worst first. Each has a script of its own."
_WORST = list(Severity)


def findings() -> Iterator[str]:
    """The lines of the page."""
    yield from ("# Findings", "", _ABOUT)
    for adapter in bundled_adapters():
        entries = sorted(read_deviations(adapter.folder), key=_rank)
        if entries:
            number = counted(len(entries), "recorded deviation")
            yield from ("", f"## {adapter.name}", "", f"{adapter.manifest.summary}. {number}.")
        for rank, of_rank in groupby(entries, key=_rank):
            yield from ("", f"### {_title(rank)}", "")
            for entry in of_rank:
                yield from _finding(entry, adapter)
        yield from _neighbours(adapter)


def _rank(entry: Deviation) -> tuple[bool, int]:
    """Arguable ones last, and the worst first."""
    severities = {verdict.meaning.severity for verdict in entry.verdicts}
    severities |= {Severity.MEMORY} if entry.memory is not None else set()
    worst = min(_WORST.index(severity) for severity in severities if severity is not None)
    return entry.kind is DeviationKind.ARGUABLE, worst


def _title(rank: tuple[bool, int]) -> str:
    is_arguable, place = rank
    return f"{_WORST[place].value}{', arguable' if is_arguable else ''}"


def _finding(entry: Deviation, adapter: Adapter) -> Iterator[str]:
    verdicts = ", ".join(verdict.value for verdict in entry.verdicts)
    upstream = f" [Upstream]({entry.upstream})." if entry.upstream.startswith("https://") else ""
    script = f"conformance repro --recorded {entry.id} -t {adapter.name}"
    yield f"- **{entry.what.strip()}** ({verdicts}; {adapter.name} {entry.conditions.versions})"
    yield f"  {' '.join(entry.why.split())}{upstream}"
    releases = f"; {said}" if (said := _releases(entry, adapter)) else ""
    yield f"  `{entry.id}`: {', '.join(entry.operators)}; `{script}`{releases}"


def _releases(entry: Deviation, adapter: Adapter) -> str:
    """The first bad and the first good releases."""
    found = found_by_adapter().get(adapter.name)
    return found.sentence(entry.id) if found is not None else ""


def _neighbours(adapter: Adapter) -> Iterator[str]:
    """What scripts say of nodes beside the operators, which no case tests and no entry records."""
    scripts = sorted((adapter.folder / "reproducers" / "neighbours").glob("*.py"))
    if scripts:
        yield from ("", "### nodes beside the operators", "")
    for script in scripts:
        yield f"- {_docstring(script)} `adapters/{adapter.name}/reproducers/neighbours/{script.name}`"


def _docstring(script: Path) -> str:
    """The first paragraph."""
    text = ast.get_docstring(ast.parse(script.read_text("utf-8"))) or ""
    return " ".join(text.partition("\n\n")[0].split())


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["run", *adapters]:
            run_scripts(adapters)
        case ["versions"]:
            write_versions()
        case []:
            print("\n".join(findings()))
        case _:
            sys.exit(__doc__)
