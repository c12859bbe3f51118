"""The recorded deviations of frameworks with the releases in which their scripts show them, as the published data has
them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from compat_operator import AnswersOf, is_listed, type_name
from finding_releases import FindingLetter, FoundInReleases, found_by_adapter

from conformance.compat.data import CompatEngine, CompatFinding
from conformance.compat.series import gathered, spread
from conformance.formats.adapter_file import bundled_adapters
from conformance.history.store import LETTER_OF_SEVERITY, StoredAnswer
from conformance.judging.deviation import Circumstances, Deviation
from conformance.judging.deviation_file import read_deviations
from conformance.language.kinds import ArgumentKind
from conformance.language.operator import Operator, is_named
from conformance.language.verdict import Rank, Verdict

_NAMED_TYPE = re.compile(r"(?<!not )\b(\w+)_type == '(\w+)'")
_OF_INVALID_CALLS = (Verdict.ACCEPTED_INVALID, Verdict.COSTLY_REJECTION)


@dataclass
class _Named:
    """What a recorded deviation names of the operator versions that have answers."""

    operators: dict[str, dict[str, bool | None]] = field(default_factory=dict)
    types: set[str] = field(default_factory=set)


class FindingsFound:
    """Collects the findings of engines in the answers to one operator version after the other."""

    def __init__(self, engines: Mapping[str, CompatEngine]) -> None:
        folders = {adapter.name: adapter.folder for adapter in bundled_adapters()}
        self._engines = engines
        self._scripts = {name: found_by_adapter().get(engine.adapter) for name, engine in engines.items()}
        self._entries = {
            name: read_deviations(folders[engine.adapter])
            for name, engine in engines.items()
            if self._scripts[name] is not None and engine.adapter in folders
        }
        self._named: dict[tuple[str, str], _Named] = {}

    def add(self, operator: Operator, answers: AnswersOf) -> None:
        """Add the answers to an operator version."""
        for engine, by_version in answers.items():
            scripts = self._scripts[engine]
            for entry in self._entries.get(engine, ()):
                if scripts is None or not is_named(operator.id, entry.operators):
                    continue
                shown = _shown(scripts, entry.id)
                releases = [one for one in releases_of(entry, self._engines[engine]) if one in shown]
                known = _checks_of(entry, by_version.values())
                held = {one: True for one in releases if _may_have(by_version.get(one, ()), known)}
                if held:
                    named = self._named.setdefault((engine, entry.id), _Named())
                    named.operators[operator.id] = gathered(held, self._engines[engine].releases)
                    named.types.update(named_types(entry, operator))

    def found(self) -> list[CompatFinding]:
        """All findings, by engine, in the order of their records."""
        entries = [(engine, entry) for engine, of_engine in sorted(self._entries.items()) for entry in of_engine]
        return [
            _finding(engine, entry, self._named[engine, entry.id])
            for engine, entry in entries
            if (engine, entry.id) in self._named
        ]


def releases_of(entry: Deviation, engine: CompatEngine) -> Iterator[str]:
    """The releases that were asked under the conditions of a record, whatever versions it has."""
    conditions = entry.conditions.model_copy(update={"versions": ">=0"})
    options = dict(item.split("=", 1) for item in engine.options.split(",") if item)
    for release, ran in spread(engine.conditions, engine.releases).items():
        if ran is not None and conditions.hold(
            Circumstances(
                version=release,
                options=options,
                instruction_set=ran.instruction_set,
                devices=(conditions.device,),
                system=ran.system,
            )
        ):
            yield release


def _shown(scripts: FoundInReleases, name: str) -> set[str]:
    """The releases in which the script of a record shows its fault."""
    letters = zip(scripts.records.get(name, ""), scripts.releases, strict=False)
    return {release for letter, release in letters if letter == FindingLetter.BAD.value}


def _checks_of(entry: Deviation, given: Iterable[Sequence[StoredAnswer]]) -> set[tuple[str, object]]:
    """The checks of an operator version that ever had a recorded deviation."""
    return {(one.case, one.form) for answers in given for one in answers if one.deviation == entry.id}


def _may_have(answers: Sequence[StoredAnswer], known: set[tuple[str, object]]) -> bool:
    """Whether a release supports an operator version, and its answers do not speak against what a script shows."""
    ranks = [(one.judged.meaning.rank, (one.case, one.form) in known) for one in answers]
    judged = [(rank, is_known) for rank, is_known in ranks if rank in (Rank.DEVIATES, Rank.HOLDS)]
    own = [rank for rank, is_known in judged if is_known]
    return bool(judged) and (not own or Rank.DEVIATES in own)


def named_types(entry: Deviation, operator: Operator) -> Iterator[str]:
    """The element types that a record names, of the arguments that an operator version has."""
    inputs = [one for one in operator.inputs if one.name == operator.data[0] or one.kind is not ArgumentKind.DATA]
    for kind, dtype in _NAMED_TYPE.findall(entry.when):
        for parameter in inputs:
            if parameter.kind is not None and parameter.kind.value == kind and is_listed(operator, parameter, dtype):
                yield type_name(operator, parameter.name, dtype)


def _finding(engine: str, entry: Deviation, named: _Named) -> CompatFinding:
    of_valid = [verdict for verdict in entry.verdicts if verdict not in _OF_INVALID_CALLS]
    severity = (of_valid or entry.verdicts)[0].meaning.severity
    assert severity is not None, "a verdict that deviates has one"
    return CompatFinding(
        engine=engine,
        id=entry.id,
        what=entry.what.strip(),
        letter=LETTER_OF_SEVERITY[severity],
        operators=named.operators,
        types=sorted(named.types),
        forms=[form.value for form in entry.forms],
        clauses=list(entry.clauses),
        is_of_valid_calls=bool(of_valid),
        upstream=entry.upstream,
    )
