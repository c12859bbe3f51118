"""What is wrong with the data: what it says without evidence, of a release that does not exist, or against a count."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from .data import (
    FAULTS,
    LETTERS,
    CompatCell,
    CompatData,
    CompatDeviation,
    CompatEngine,
    CompatError,
    CompatFeature,
    CompatFinding,
    CompatFrameworks,
    CompatOperator,
    Results,
    gathered,
    spread,
)

_DIGEST = re.compile(r"[0-9a-f]{64}")


def problems(data: CompatData, frameworks: CompatFrameworks) -> Iterator[str]:
    """A line for each problem of the data, and of what it says of the releases in `engines.json`."""
    if data.letters != dict(LETTERS):
        yield "letters: are not those of the format"
    for name, engine in data.engines.items():
        yield from _engine_problems(name, engine, frameworks)
    names = list(data.operators)
    if names != sorted(names, key=_order):
        yield "operators: are not sorted by name and version"
    for name, operator in data.operators.items():
        yield from _operator_problems(name, operator, data)
    for deviation in data.deviations:
        yield from _deviation_problems(deviation, data)
    for finding in data.findings:
        yield from _finding_problems(finding, data)


def _order(operator: str) -> tuple[str, int]:
    family, _, version = operator.rpartition("-")
    return family, int(version) if version.isdecimal() else 0


def _engine_problems(name: str, engine: CompatEngine, frameworks: CompatFrameworks) -> Iterator[str]:
    listed = frameworks.engines.get(engine.package)
    known = list(listed.releases) if listed else []
    for release in engine.releases:
        if release not in known:
            yield f"{name} {release}: is not among the releases of {engine.package} in engines.json"
    if [release for release in known if release in engine.releases] != engine.releases:
        yield f"{name}: its releases are not in the order of engines.json"
    yield from _series_problems(f"{name}: conditions", engine.conditions, engine.releases)
    if None in spread(engine.conditions, engine.releases).values():
        yield f"{name}: a release has no conditions"


def _series_problems(where: str, series: Mapping[str, object], releases: Sequence[str]) -> Iterator[str]:
    """A series names releases, in their order, and each value once."""
    if unknown := [release for release in series if release not in releases]:
        yield f"{where}: there is no release {', '.join(unknown)}"
    elif list(gathered(spread(series, releases), releases)) != list(series):
        yield f"{where}: its releases are out of order, or repeat a value"


def _operator_problems(name: str, operator: CompatOperator, data: CompatData) -> Iterator[str]:
    if not operator.spec_url.startswith("https://"):
        yield f"{name}: spec_url is not an address"
    if not _DIGEST.fullmatch(operator.suite):
        yield f"{name}: suite is not a digest"
    yield from _result_problems(name, operator.results, data)
    yield from _evidence_problems(name, operator, data)
    yield from _part_problems(f"{name}: forms", operator.results, operator.forms, data)
    yield from _type_problems(name, operator, data)
    for clause, found in operator.clauses.items():
        yield from _result_problems(f"{name} {clause}", found.results, data)


def _type_problems(name: str, operator: CompatOperator, data: CompatData) -> Iterator[str]:
    """Types are listed or refused, and those of an argument have no more checks than there are."""
    listed = operator.type_names()
    for dtype in operator.types:
        if dtype not in listed:
            yield f"{name}: types: {dtype} is not listed"
    for dtype, results in operator.refused.items():
        if dtype in listed:
            yield f"{name}: refused: {dtype} is listed"
        yield from _result_problems(f"{name}: refused {dtype}", results, data)
    for argument, dtypes in operator.listed.items():
        names = [operator.type_name(f"{argument}={dtype}") for dtype in dtypes]
        own = {name: feature for name, feature in operator.types.items() if name in names}
        yield from _part_problems(f"{name}: types of {argument}", operator.results, own, data, is_whole=False)
    for dtype, feature in operator.types.items():
        yield from _part_problems(f"{name} {dtype}: forms", feature.results, feature.forms, data)


def _part_problems(
    where: str, whole: Results, parts: Mapping[str, CompatFeature], data: CompatData, *, is_whole: bool = True
) -> Iterator[str]:
    """The parts of a whole are sorted, and their counts add up to its counts; to no more if they are a part of it."""
    if list(parts) != sorted(parts):
        yield f"{where}: are not sorted"
    for name, feature in parts.items():
        yield from _result_problems(f"{where} {name}", feature.results, data)
    for engine in whole.keys() & data.engines.keys():
        releases = data.engines[engine].releases
        sums = {release: [0, 0, 0] for release in releases}
        for feature in parts.values():
            for release, counts in _counts(feature.results, engine, releases):
                sums[release] = [one + other for one, other in zip(sums[release], counts, strict=True)]
        for release, counts in _counts(whole, engine, releases):
            is_more = any(one > other for one, other in zip(sums[release], counts, strict=True))
            if is_more or (is_whole and sums[release] != counts):
                yield f"{where}: {engine} {release}: add up to {sums[release]} and not to {counts}"


def _result_problems(where: str, results: Results, data: CompatData) -> Iterator[str]:
    for engine, series in results.items():
        if engine not in data.engines:
            yield f"{where}: there is no engine {engine}"
            continue
        yield from _series_problems(f"{where}: {engine}", series, data.engines[engine].releases)
        for release, text in series.items():
            if text is not None and (why := _misfit(text)):
                yield f"{where}: {engine} {release}: {text!r} {why}"


def _misfit(text: str) -> str:
    """Why a text is not a cell; empty if it is one."""
    try:
        cell = CompatCell.of(text)
    except CompatError:
        return "is not a cell"
    if not cell.deviating <= cell.judged <= cell.asked or not cell.asked:
        return "has counts that cannot be"
    if (cell.letter in FAULTS) != bool(cell.deviating) or (cell.letter in "nxu") != (not cell.judged):
        return "has a letter that its counts do not give"
    return ""


def _evidence_problems(name: str, operator: CompatOperator, data: CompatData) -> Iterator[str]:
    """Each release with an answer has evidence, and no other one."""
    for engine in {*operator.results, *operator.evidence} & data.engines.keys():
        releases = data.engines[engine].releases
        series = operator.evidence.get(engine, {})
        yield from _series_problems(f"{name}: evidence of {engine}", series, releases)
        cells, digests = spread(operator.results.get(engine, {}), releases), spread(series, releases)
        for release in releases:
            if (cells[release] is None) != (digests[release] is None):
                what = "has no evidence" if digests[release] is None else "has evidence without an answer"
                yield f"{name}: {engine} {release}: {what}"
        for release, digest in series.items():
            if digest is not None and not _DIGEST.fullmatch(digest):
                yield f"{name}: {engine} {release}: its evidence is not a digest"


def _counts(results: Results, engine: str, releases: Sequence[str]) -> Iterator[tuple[str, list[int]]]:
    for release, text in spread(results.get(engine, {}), releases).items():
        if text is not None and not _misfit(text):
            cell = CompatCell.of(text)
            yield release, [cell.deviating, cell.judged, cell.asked]


def _deviation_problems(deviation: CompatDeviation, data: CompatData) -> Iterator[str]:
    where = f"deviation {deviation.cause!r} of {deviation.engine}"
    if deviation.engine not in data.engines:
        yield f"{where}: there is no such engine"
        return
    releases = data.engines[deviation.engine].releases
    yield from _series_problems(where, deviation.checks, releases)
    if unknown := [name for name in deviation.operators if name not in data.operators]:
        yield f"{where}: there is no operator version {', '.join(unknown)}"
        return
    if deviation.example.case.partition("/")[0] not in deviation.operators:
        yield f"{where}: its example is of another operator version"
    checks = spread(deviation.checks, releases)
    if not any(checks.values()):
        yield f"{where}: no release has it"
    cells = [data.cells(name, deviation.engine) for name in deviation.operators]
    for release, count in checks.items():
        deviating = sum(cell.deviating for of in cells if (cell := of[release]) is not None)
        if count is not None and count > deviating:
            yield f"{where}: {release} has {count} checks with it, and {deviating} that deviate"


def _finding_problems(finding: CompatFinding, data: CompatData) -> Iterator[str]:
    where = f"finding {finding.id!r} of {finding.engine}"
    if finding.engine not in data.engines:
        yield f"{where}: there is no such engine"
        return
    if finding.letter not in FAULTS:
        yield f"{where}: {finding.letter!r} is not a letter of a fault"
    if unknown := [name for name in finding.operators if name not in data.operators]:
        yield f"{where}: there is no operator version {', '.join(unknown)}"
    for name, series in finding.operators.items():
        yield from _series_problems(f"{where}: {name}", series, data.engines[finding.engine].releases)
