"""Where along the releases of a framework the answers to a few checks change, as a tree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from conformance.compat.series import extent
from conformance.history.bisect import (
    BisectEdge,
    ReleaseAnswer,
    ReleaseState,
    Stretch,
    bisect_edges,
    stretches_of,
)
from conformance.report.document import (
    ALL,
    Items,
    ReportBlock,
    ReportSection,
    ReportTree,
    Table,
    TableCell,
    TableRow,
    Tone,
    columns,
    row,
)
from conformance.values.text import counted, one_line

_TONES = {ReleaseState.GOOD: Tone.GOOD, ReleaseState.BAD: Tone.BAD, ReleaseState.UNSTABLE: Tone.BAD}
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
    return [*items, Table(name="answers", columns=heads, rows=list(map(_row, stretches)), few=ALL)]


def _edge_text(edge: BisectEdge) -> str:
    """`fixed in 1.17.0, after 1.16.3: rejected a valid call, then pass`."""
    was, becomes, where = edge.was, edge.becomes, f"{edge.release}, after {edge.before}"
    if edge.unclear:
        where = f"{edge.release} or one of {', '.join(edge.unclear)}, which cannot tell, after {edge.before}"
    said = (was.says, becomes.says) if was.verdict == becomes.verdict else (was.verdict, becomes.verdict)
    return f"{_change(was.state, becomes.state)} in {where}: {', then '.join(said)}"


def _change(was: ReleaseState, becomes: ReleaseState) -> str:
    if was is becomes:
        return "answered otherwise"
    return _CHANGES.get((was, becomes), becomes.value)


def _row(stretch: Stretch) -> TableRow:
    answer = stretch.answer
    state = TableCell(answer.state.value, tone=_TONES.get(answer.state, Tone.QUIET))
    return row(extent(stretch.first, stretch.last), state, _answer_text(answer))


def _answer_text(answer: ReleaseAnswer) -> str:
    """The verdict and its cause; where these say too little, the reason, too."""
    if answer.cause or answer.state is ReleaseState.GOOD or not answer.reason:
        return answer.says
    reason = one_line(answer.reason, _REASON)
    return reason if answer.verdict == answer.state.value else f"{answer.verdict}: {reason}"
