"""The causes of deviations over all releases, as the published data has them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from compat_operator import AnswersOf

from conformance.compat.data import CompatDeviation, CompatEngine, CompatExample
from conformance.compat.series import gathered
from conformance.formats.adapter_file import bundled_adapters
from conformance.history.store import StoredAnswer
from conformance.judging.deviation import Deviation
from conformance.judging.deviation_file import read_deviations
from conformance.language.verdict import Rank, Severity

_TOLD = (Severity.MEMORY, Severity.CRASH, Severity.WRONG)
"""The severities of causes that are told without being recorded."""
_ORDER = {severity: place for place, severity in enumerate(Severity)}

_Told = tuple[str, Severity, str, str]
"""An engine, a severity, a cause, and the operator without version; none for a recorded deviation, which may have
several.
"""


@dataclass
class _Seen:
    """In which releases checks had a cause, and in which the same checks were judged."""

    example: StoredAnswer
    operators: list[str] = field(default_factory=list)
    had: Counter[str] = field(default_factory=Counter)
    judged: Counter[str] = field(default_factory=Counter)


class DeviationsFound:
    """Collects the causes in the answers to one operator version after the other."""

    def __init__(self, adapters: Mapping[str, str]) -> None:
        """`adapters` has the adapter of each engine."""
        folders = {adapter.name: adapter.folder for adapter in bundled_adapters()}
        self._recorded: dict[str, dict[str, Deviation]] = {
            engine: {entry.id: entry for entry in read_deviations(folders[adapter])} if adapter in folders else {}
            for engine, adapter in adapters.items()
        }
        self._seen: dict[_Told, _Seen] = {}

    def add(self, operator: str, answers: AnswersOf) -> None:
        """Add the answers to an operator version."""
        for engine, by_version in answers.items():
            checks = self._checks(engine, by_version)
            for (severity, cause), examples in checks.items():
                family = "" if cause in self._recorded[engine] else operator.rpartition("-")[0]
                told = engine, severity, cause, family
                seen = self._seen.setdefault(told, _Seen(next(iter(examples.values()))))
                seen.operators.append(operator)
                for version, given in by_version.items():
                    asked = [answer for answer in given if (answer.case, answer.form) in examples]
                    seen.had[version] += sum(self._has(answer, severity, cause, engine) for answer in asked)
                    seen.judged[version] += sum(
                        answer.judged.meaning.rank in (Rank.DEVIATES, Rank.HOLDS) for answer in asked
                    )

    def _has(self, answer: StoredAnswer, severity: Severity, cause: str, engine: str) -> bool:
        """Whether an answer has a cause; a recorded one has no name in releases outside of its versions."""
        found = _cause(answer)
        return found is not None and found[0] is severity and (cause in self._recorded[engine] or found[1] == cause)

    def found(self, engines: Mapping[str, CompatEngine]) -> list[CompatDeviation]:
        """All causes, by engine, the worst first."""
        order = sorted(self._seen, key=lambda told: (told[0], _ORDER[told[1]], *told[2:]))
        return [self._deviation(*told[:3], self._seen[told], engines[told[0]].releases) for told in order]

    def _deviation(
        self, engine: str, severity: Severity, cause: str, seen: _Seen, releases: Sequence[str]
    ) -> CompatDeviation:
        entry = self._recorded[engine].get(cause)
        checks = {version: seen.had[version] for version in releases if seen.judged[version]}
        return CompatDeviation(
            engine=engine,
            cause=cause,
            severity=severity.value,
            recorded=entry is not None,
            what=entry.what.strip() if entry else "",
            upstream=entry.upstream if entry else "",
            operators=seen.operators,
            checks=gathered(checks, releases),
            example=CompatExample(seen.example.case, seen.example.form.value),
        )

    def _checks(
        self, engine: str, by_version: Mapping[str, Sequence[StoredAnswer]]
    ) -> dict[tuple[Severity, str], dict[tuple[str, object], StoredAnswer]]:
        """The checks that ever had each cause that is told, each with one answer."""
        found: defaultdict[tuple[Severity, str], dict[tuple[str, object], StoredAnswer]] = defaultdict(dict)
        for given in by_version.values():
            for answer in given:
                key = _cause(answer)
                if key is not None and (key[0] in _TOLD or key[1] in self._recorded[engine]):
                    found[key].setdefault((answer.case, answer.form), answer)
        return found


def _cause(answer: StoredAnswer) -> tuple[Severity, str] | None:
    severity = answer.judged.meaning.severity
    return None if severity is None else (severity, answer.cause_name)
