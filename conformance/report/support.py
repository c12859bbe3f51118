"""What releases support by the published data, as a tree."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from conformance.compat.data import CompatCell, CompatFinding
from conformance.compat.letters import LETTERS
from conformance.compat.series import extent, ranges, spread
from conformance.compat.statements import described, sentence
from conformance.report.document import (
    ALL,
    Facts,
    Items,
    ReportBlock,
    ReportSection,
    ReportTree,
    Sentence,
    ShellCommand,
    Table,
    TableRow,
    columns,
    row,
)
from conformance.values.text import counted


@dataclass(frozen=True, slots=True, kw_only=True)
class Support:
    """What is known of an operator version, or of the `part` of it that has a type and a form, for one framework.

    `absence` says that the version does not list the type; without an engine, of all of them. `releases` are those that
    are asked for, none for all. `cells` and `evidence` are those of every release, and `findings` those that name the
    part. `forms` has whether the type was asked in each form of the operator version. `profile` is the one whose checks
    were asked, if not those of the default set. `has_other_cases` if the cases of the operator are not those that are
    bundled.
    """

    operator: str
    part: str
    engine: str = ""
    absence: str = ""
    releases: Sequence[str] = ()
    cells: Mapping[str, CompatCell | None] = field(default_factory=dict)
    evidence: Mapping[str, str | None] = field(default_factory=dict)
    spec_url: str = ""
    findings: Sequence[CompatFinding] = ()
    forms: Mapping[str, bool] = field(default_factory=dict)
    profile: str = ""
    has_other_cases: bool = False


def support_tree(found: Sequence[Support]) -> ReportTree:
    """What frameworks support: a sentence for each, and of one operator version a table."""
    operators = list(dict.fromkeys(f"{one.operator} {one.part}".rstrip() for one in found))
    of_one = len(operators) == 1
    lines = [": ".join(filter(None, (_name(one, of_one=of_one), _said(one)))) for one in found]
    return ReportTree(
        product="Support",
        headline=operators[0] if of_one else counted(len(operators), "operator version"),
        result=[Items(lines, few=ALL), *_other_cases(found)],
        sections=[_section(one) for one in found if any(one.cells.values()) and not one.absence] if of_one else [],
    )


def _other_cases(found: Sequence[Support]) -> Iterator[ReportBlock]:
    if others := dict.fromkeys(one.operator for one in found if one.has_other_cases):
        yield Sentence(f"Measured with other cases than those here: {', '.join(others)}. A run can answer otherwise.")


def _name(one: Support, *, of_one: bool) -> str:
    return one.engine if of_one else f"{one.operator} {one.engine}".rstrip()


def _said(one: Support) -> str:
    if one.absence:
        return one.absence
    num_asked = sum(one.forms.values())
    forms = f"; asked in {num_asked} of {counted(len(one.forms), 'form')}" if num_asked else ""
    if not one.releases:
        return sentence(one.cells) + forms
    return "; ".join(f"{extent} {_meaning(cell)}" for cell, extent in _extents(one)) + forms


def _section(one: Support) -> ReportSection:
    heads = [*columns("releases", "deviate", "judged", "asked", "faults", numbers_from=1), *columns("answer")]
    rows = [_row(cell, extent) for cell, extent in _extents(one)]
    table = Table(name=one.engine, columns=heads, rows=rows, few=ALL)
    return ReportSection(title=one.engine, blocks=[table, *_findings(one), *_not_asked(one), *_evidence(one)])


def _row(cell: CompatCell | None, extent: str) -> TableRow:
    if cell is None:
        return row(extent, "", "", "", "", "not asked")
    counts = (cell.deviating, cell.judged, cell.asked, cell.findings)
    return row(extent, *(f"{count:,}" for count in counts), f"{cell.letter} {LETTERS[cell.letter]}")


def _findings(one: Support) -> Iterator[ReportBlock]:
    """The recorded faults of the part, with the releases in which their scripts show them."""
    asked = one.releases or [*one.cells]
    shown = [(finding, spread(finding.operators[one.operator], [*one.cells])) for finding in one.findings]
    lines = [
        f"{', '.join(extent(of[0], of[-1]) for is_shown, of in ranges(found) if is_shown)}: {finding.what}"
        for finding, found in shown
        if any(found[release] for release in asked)
    ]
    if lines:
        yield Sentence("Recorded faults, by the releases in which their scripts show them:")
        yield Items(lines, few=ALL)


def _not_asked(one: Support) -> Iterator[ReportBlock]:
    missing = [form for form, was_asked in one.forms.items() if not was_asked]
    if missing:
        yield Sentence(f"Not asked in {len(missing)} of {counted(len(one.forms), 'form')}: {', '.join(missing)}.")


def _extents(one: Support) -> Iterator[tuple[CompatCell | None, str]]:
    """Each cell with the consecutive releases that have it."""
    cells = {release: cell for release, cell in one.cells.items() if not one.releases or release in one.releases}
    for cell, releases in ranges(cells):
        yield cell, extent(releases[0], releases[-1])


def _meaning(cell: CompatCell | None) -> str:
    return "was not asked" if cell is None else described(cell)


def _evidence(one: Support) -> Iterator[ReportBlock]:
    """For one release, the digest of its answers, and the command that gives it again."""
    (release,) = one.releases if len(one.releases) == 1 else ("",)
    if digest := one.evidence.get(release):
        yield Facts({"evidence": digest, "page": one.spec_url})
        yield Sentence("The digest of all its answers. With the cases of this data, you get it again:")
        yield from map(ShellCommand, evidence_commands(one.engine, release, one.operator, one.profile))


def evidence_commands(engine: str, release: str, operator: str, profile: str) -> list[str]:
    """The commands that give the digest of a release's answers to an operator version again."""
    of_profile = f" --profile {shlex.quote(profile)}" if profile else ""
    target, name = target_at(engine, release), f"{shlex.quote(operator)}{of_profile}"
    run = f"conformance run -t {target} --operator {name} --output evidence"
    return [run, "conformance history --store evidence/history.sqlite --add evidence --evidence"]


def target_at(engine: str, release: str) -> str:
    """An engine at a release as commands take it, quoted for a POSIX shell."""
    adapter, bracket, options = engine.partition("[")
    return shlex.quote(f"{adapter}@{release}{bracket}{options}")
