"""What a release answered in one letter: a function of its verdicts, counted."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from conformance.compat.data import CompatCell
from conformance.compat.letters import FAULTS
from conformance.history.store import AnswerCount
from conformance.language.verdict import RateMark, Severity, Standing, Verdict

LETTER_OF_SEVERITY = {
    Severity.MEMORY: "m",
    Severity.CRASH: "c",
    Severity.WRONG: "w",
    Severity.ACCEPTANCE: "a",
    Severity.REJECTION: "r",
    Severity.COST: "r",
}
_OF_MARK = {
    RateMark.DISPUTED: "i",
    RateMark.UNSUPPORTED: "n",
    RateMark.NOT_EXPRESSIBLE: "x",
    RateMark.NOT_DECLARED: "x",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryCell:
    """What a release answered to some checks. It is stale if an answer is."""

    answered: CompatCell
    is_stale: bool


def cell_of(counts: Iterable[AnswerCount]) -> HistoryCell:
    """The cell of these counts of one release."""
    letters: Counter[str] = Counter()
    is_stale = False
    for counted in counts:
        letters[letter_of(counted.judged)] += counted.count
        is_stale |= counted.is_stale
    return HistoryCell(answered=summed(letters), is_stale=is_stale)


def summed(letters: Mapping[str, int]) -> CompatCell:
    """The cell of checks, counted by their letters."""
    deviating = sum(letters.get(letter, 0) for letter in FAULTS)
    judged = deviating + letters.get("y", 0) + letters.get("i", 0)
    return CompatCell(letter=_letter(letters), deviating=deviating, judged=judged, asked=sum(letters.values()))


def letter_of(verdict: Verdict) -> str:
    """The letter of one verdict."""
    meaning = verdict.meaning
    if meaning.severity is not None:
        return LETTER_OF_SEVERITY[meaning.severity]
    if meaning.standing is Standing.CONFORMING:
        return "y"
    return "u" if meaning.mark is None else _OF_MARK.get(meaning.mark, "u")


def _letter(letters: Mapping[str, int]) -> str:
    """The worst that happened; without a deviation, whether all of it is supported."""
    for letter in (*FAULTS, "y", "i", "n", "x"):
        if letters.get(letter):
            return "p" if letter == "y" and letters.get("n") else letter
    return "u"


def rows_of(counts: Iterable[AnswerCount], row: Callable[[AnswerCount], str]) -> dict[str, list[AnswerCount]]:
    """The counts by the name of a row."""
    found: defaultdict[str, list[AnswerCount]] = defaultdict(list)
    for counted in counts:
        found[row(counted)].append(counted)
    return found
