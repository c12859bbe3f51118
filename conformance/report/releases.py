"""Trees of the history, of a bisection, and of the support of all releases."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from conformance.compat.data import LETTERS, CompatCell, CompatFinding, extent, ranges, spread
from conformance.compat.statements import described, sentence
from conformance.log.bisect import (
    BisectEdge,
    Evidence,
    HistoryEdge,
    ReleaseAnswer,
    ReleaseState,
    Stretch,
    bisect_edges,
    stretches_of,
)
from conformance.log.history import AnswerCount, HistoryCell, StoredRelease, cell_of, rows_of
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
    TableCell,
    TableRow,
    Tone,
    columns,
    row,
)
from conformance.tensors.text import counted, one_line

# The history of a framework as a tree: its releases side by side, and what each of them fixed and broke.

_TONES = {"y": Tone.GOOD, "i": Tone.GOOD, "p": Tone.KNOWN, "n": Tone.QUIET, "x": Tone.QUIET, "u": Tone.QUIET}
_STALE = "?"


def history_tree(
    releases: Sequence[StoredRelease],
    operators: Sequence[str],
    counts: Mapping[int, Sequence[AnswerCount]],
) -> ReportTree:
    """What the releases answered for these operator versions, in one table for each line of releases.

    `counts` are the answers of each release, by its id.
    """
    letters: set[str] = set()
    sections = [
        ReportSection(title=_title(line), blocks=list(_tables(list(of_line), operators, counts, letters)))
        for line, of_line in groupby(releases, key=lambda release: release.line)
    ]
    return ReportTree(
        product="History",
        headline=f"{counted(len(releases), 'release')} of {counted(len(operators), 'operator version')}",
        result=[Sentence(_legend(letters))],
        sections=sections,
    )


def changes_tree(releases: Sequence[StoredRelease], edges: Iterable[HistoryEdge]) -> ReportTree:
    """What each release fixed and broke, by cause, the newest first."""
    found = list(edges)
    by_release = [(pair, list(own)) for pair, own in groupby(found, key=lambda edge: (edge.before, edge.release))]
    sections = [
        ReportSection(
            title=f"{_title(release.line)} {release.version}, after {before.version}",
            blocks=[Items([f"{_change(edge)}: {edge.cause}; first {edge.example}" for edge in own], few=ALL)],
        )
        for (before, release), own in reversed(by_release)
    ]
    without = len(releases) - len({edge.release for edge in found})
    headline = f"{counted(len(found), 'change')} in {counted(len(releases), 'release')}"
    return ReportTree(
        product="History",
        headline=headline,
        result=[Sentence(f"{counted(without, 'release')} with no change, or nothing before it to compare with.")],
        sections=sections,
    )


def evidence_tree(found: Sequence[Evidence]) -> ReportTree:
    """The digests of what releases answered."""
    lines = [
        f"{one.operator} {one.release.target} {one.release.version}, {counted(one.answers, 'answer')} to cases "
        f"{one.suite[:12]}: {one.digest}"
        for one in found
    ]
    return ReportTree(product="Evidence", headline=counted(len(found), "digest"), result=[Items(lines, few=ALL)])


def _title(line: tuple[str, str, str]) -> str:
    target, system, instruction_set = line
    return f"{target} on {system} {instruction_set}".rstrip()


def _change(edge: HistoryEdge) -> str:
    kind = "not supported" if edge.severity is None else edge.severity.value
    parts = {"broke": edge.broke, "fixed": edge.fixed}
    said = [f"{name} {counted(count, 'check')}" for name, count in parts.items() if count]
    return f"{', '.join(said)} ({kind})"


def _tables(
    releases: Sequence[StoredRelease],
    operators: Sequence[str],
    counts: Mapping[int, Sequence[AnswerCount]],
    letters: set[str],
) -> Iterator[Table]:
    """One row for each operator version; of a single one, for each element type and each form."""
    answers = {release.id: counts[release.id] for release in releases}
    names = _OF_ALL if len(operators) > 1 else _OF_ONE
    for name, name_of in names.items():
        heads = columns(name, *(release.version for release in releases))
        yield Table(name=name, columns=heads, rows=_rows(answers, name_of, letters), few=ALL, kind="numbers")


_OF_ALL: Mapping[str, Callable[[AnswerCount], str]] = {"operator": lambda counted: counted.operator}
_OF_ONE: Mapping[str, Callable[[AnswerCount], str]] = {
    "element type": lambda counted: counted.dtype or "no data",
    "form": lambda counted: counted.form.value,
}


def _rows(
    answers: Mapping[int, Sequence[AnswerCount]],
    name: Callable[[AnswerCount], str],
    letters: set[str],
) -> list[TableRow]:
    """A row for each name, with a cell for each release."""
    by_release = [rows_of(own, name) for own in answers.values()]
    names = sorted({found for rows in by_release for found in rows})
    table = []
    for found in names:
        cells = [cell_of(rows[found]) if found in rows else None for rows in by_release]
        letters.update(cell.answered.letter for cell in cells if cell is not None)
        table.append(row(found, *map(_cell, cells)))
    return table


def _cell(cell: HistoryCell | None) -> TableCell:
    if cell is None:
        return TableCell("")
    found = cell.answered
    share = f" {found.deviating}/{found.judged}" if found.deviating else ""
    return TableCell(f"{found.letter}{share}{_STALE * cell.is_stale}", tone=_TONES.get(found.letter, Tone.BAD))


def _legend(letters: set[str]) -> str:
    shown = [f"{letter} {says}" for letter, says in LETTERS.items() if letter in letters]
    about = f"A share is of the checks that deviate; {_STALE} marks answers of other cases, adapters or environments."
    return f"{'; '.join(shown)}. {about}"


# Where along the releases of a framework the answers to a few checks change, as a tree.

_EDGE_TONES = {ReleaseState.GOOD: Tone.GOOD, ReleaseState.BAD: Tone.BAD, ReleaseState.UNSTABLE: Tone.BAD}
_CHANGES = {(ReleaseState.BAD, ReleaseState.GOOD): "fixed", (ReleaseState.GOOD, ReleaseState.BAD): "broken"}
_REASON = 120


def bisect_tree(target: str, releases: Sequence[str], answers: Mapping[str, Mapping[str, ReleaseAnswer]]) -> ReportTree:
    """What the releases of a target, the oldest first, answered to each check, by the check's name."""
    edges = {check: list(bisect_edges(releases, own)) for check, own in answers.items()}
    found = counted(sum(map(len, edges.values())), "edge")
    unasked = [release for release in releases if not any(release in own for own in answers.values())]
    unstable = [release for release in releases if any(_is_unstable(own.get(release)) for own in answers.values())]
    notes = (
        f"Unstable, since it answers one check in two ways: {', '.join(unstable)}." if unstable else "",
        f"{counted(len(unasked), 'release')} not asked: among them may be other edges." if unasked else "",
    )
    sections = [
        ReportSection(title=check, blocks=_blocks(edges[check], stretches_of(releases, own)))
        for check, own in answers.items()
    ]
    return ReportTree(
        product="Bisection",
        headline=f"{found} in {counted(len(releases), 'release')} of {target}, {releases[0]} to {releases[-1]}",
        note=" ".join(filter(None, notes)),
        sections=sections,
    )


def _is_unstable(answer: ReleaseAnswer | None) -> bool:
    return answer is not None and answer.state is ReleaseState.UNSTABLE


def _blocks(edges: Sequence[BisectEdge], stretches: Sequence[Stretch]) -> list[ReportBlock]:
    items: list[ReportBlock] = [Items([_edge_text(edge) for edge in edges], few=ALL)] if edges else []
    heads = columns("releases", "state", "answer")
    return [*items, Table(name="answers", columns=heads, rows=list(map(_edge_row, stretches)), few=ALL)]


def _edge_text(edge: BisectEdge) -> str:
    """`fixed in 1.17.0, after 1.16.3: rejected a valid call, then pass`."""
    was, becomes, where = edge.was, edge.becomes, f"{edge.release}, after {edge.before}"
    if edge.unclear:
        where = f"{edge.release} or one of {', '.join(edge.unclear)}, which cannot tell, after {edge.before}"
    said = (was.says, becomes.says) if was.verdict == becomes.verdict else (was.verdict, becomes.verdict)
    return f"{_edge_change(was.state, becomes.state)} in {where}: {', then '.join(said)}"


def _edge_change(was: ReleaseState, becomes: ReleaseState) -> str:
    if was is becomes:
        return "answered otherwise"
    return _CHANGES.get((was, becomes), becomes.value)


def _edge_row(stretch: Stretch) -> TableRow:
    answer = stretch.answer
    state = TableCell(answer.state.value, tone=_EDGE_TONES.get(answer.state, Tone.QUIET))
    return row(extent(stretch.first, stretch.last), state, _answer_text(answer))


def _answer_text(answer: ReleaseAnswer) -> str:
    """The verdict and its cause; where these say too little, the reason."""
    if answer.cause or answer.state is ReleaseState.GOOD or not answer.reason:
        return answer.says
    reason = one_line(answer.reason, _REASON)
    return reason if answer.verdict == answer.state.value else f"{answer.verdict}: {reason}"


# What releases support by the published data, as a tree.


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
