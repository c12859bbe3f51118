"""Prints what the recorded deviations of all adapters say, worst first: `python tools/findings.py > findings.md`.

`docs/reference/worst-findings.md` tells of ten of them by hand. Nothing is written twice: the text of a finding is that
of its entry in `deviations.yaml`, and of a fault of a node beside the operators the docstring of its script.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from finding_releases import found_by_adapter

from conformance.judge.deviation import Deviation, DeviationKind, read_deviations
from conformance.spec.verdict import Severity
from conformance.suite.adapter_file import Adapter, bundled_adapters
from conformance.tensors.text import counted

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
    print("\n".join(findings()))
