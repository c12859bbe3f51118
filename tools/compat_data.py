"""Makes the published data of all releases from a history: `python tools/compat_data.py HISTORY`.

HISTORY is the store of `conformance history`. The same history, cases and adapters give the same bytes. What is
published of an engine that the history has no answers of stays. The version of the data is that of the newest entry of
its changelog; data that says something else than before needs a new entry.
"""

from __future__ import annotations

import argparse
import lzma
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

from findings import FindingLetter, FoundInReleases, found_by_adapter
from packaging.requirements import Requirement
from packaging.version import Version

from conformance.compat.data import (
    FORMAT,
    LETTERS,
    CompatClause,
    CompatConditions,
    CompatData,
    CompatDeviation,
    CompatEngine,
    CompatExample,
    CompatFeature,
    CompatFinding,
    CompatFramework,
    CompatFrameworks,
    CompatOperator,
    CompatRelease,
    Results,
    gathered,
    load,
    spread,
    text_of,
)
from conformance.compat.statements import changes
from conformance.judge.deviation import Circumstances, Deviation, read_deviations
from conformance.log.bisect import evidence_of
from conformance.log.history import (
    LETTER_OF_SEVERITY,
    HistoryStore,
    StoredAnswer,
    StoredRelease,
    letter_of,
    opened_store,
    summed,
)
from conformance.spec.case import Case, Rejection, Value
from conformance.spec.operator import ArgumentKind, Operator, Parameter, Role, is_named
from conformance.spec.verdict import Rank, Severity, Verdict
from conformance.suite.adapter_file import FrameworkRelease, bundled_adapters, bundled_engine, engine_names
from conformance.suite.case_file import CaseFamily
from conformance.suite.suite import Suite, bundled_folder, load_suite

# What the published data says of one operator version.

AnswersOf = Mapping[str, Mapping[str, Sequence[StoredAnswer]]]
"""The answers to an operator version, by engine and release."""
_Part = tuple[str, ...]
"""A part of an operator version: "types", "refused", "forms" or "clauses" and names; empty for all of it."""
_Counts = Mapping[_Part, Mapping[str, Mapping[str, Counter[str]]]]
"""How many checks of a part have each letter, by engine and release."""


@dataclass(frozen=True, slots=True)
class CaseFacts:
    """The clauses of a case, and the names of the element types of its inputs: all of a valid call, and those that the
    page does not list of an invalid one. A call that may be rejected by one reading of the page has none.
    """

    clauses: Sequence[str] = ()
    types: Collection[str] = ()
    refused: Collection[str] = ()


def case_facts(families: Iterable[CaseFamily], asked: Collection[str]) -> dict[str, CaseFacts]:
    """The facts of the cases of these families that were asked; those that no family has are not known."""
    return {
        case: facts_of(make())
        for family in families
        for case, (_, make) in zip(family.ids(), family.makers(), strict=True)
        if case in asked
    }


def facts_of(case: Case) -> CaseFacts:
    """The facts of a case."""
    operator = case.operator
    named = {
        type_name(operator, parameter.name, argument.value.dtype): is_listed(operator, parameter, argument.value.dtype)
        for argument in case.arguments
        for parameter in operator.parameters_named(argument.name)
        if isinstance(argument.value, Value) and argument.role is parameter.role is Role.INPUT
    }
    if not case.may_be_rejected:
        return CaseFacts(case.clauses, tuple(named))
    is_clear = isinstance(case.expectation, Rejection)
    return CaseFacts(case.clauses, refused=[name for name, listed in named.items() if is_clear and not listed])


def is_listed(operator: Operator, parameter: Parameter, dtype: str) -> bool:
    """Whether the page of an operator version lists an element type for an input."""
    return dtype in operator.constraints[parameter.constraint or ""]


def type_name(operator: Operator, argument: str, dtype: str) -> str:
    """The name of an element type of an argument, as the published data has it."""
    return dtype if argument == operator.data[0] else f"{argument}={dtype}"


def operator_of(
    operator: Operator,
    suite: str,
    answers: AnswersOf,
    engines: Mapping[str, CompatEngine],
    families: Sequence[CaseFamily],
) -> CompatOperator:
    """The entry of an operator version; `suite` is the state of its files that the answers are to, and `families` are
    its cases.
    """
    asked = {one.case for by_version in answers.values() for given in by_version.values() for one in given}
    counts = _counts(answers, families, case_facts(families, asked))

    def results(*part: str) -> Results:
        return {
            engine: gathered({version: str(summed(found)) for version, found in own.items()}, engines[engine].releases)
            for engine, own in counts.get(part, {}).items()
        }

    evidence = {
        engine: gathered({version: evidence_of(given) for version, given in own.items()}, engines[engine].releases)
        for engine, own in answers.items()
    }
    forms = {form: CompatFeature(results("forms", form)) for form in _names(counts, "forms")}
    types = {
        dtype: CompatFeature(
            results("types", dtype),
            {form: CompatFeature(results("types", dtype, form)) for form in _names(counts, "types", dtype)},
        )
        for dtype in _names(counts, "types")
    }
    clauses = {
        clause.id: CompatClause(clause.says, clause.section, results("clauses", clause.id))
        for clause in operator.clauses.values()
    }
    inputs = sorted(operator.inputs, key=lambda parameter: parameter.name != operator.data[0])
    return CompatOperator(
        spec_url=spec_url(operator),
        suite=suite,
        listed={one.name: list(operator.constraints[one.constraint or ""]) for one in inputs},
        evidence=evidence,
        results=results(),
        types=types,
        refused={dtype: results("refused", dtype) for dtype in _names(counts, "refused")},
        forms=forms,
        clauses=clauses,
    )


def in_order(operators: Iterable[Operator]) -> list[Operator]:
    """The operator versions as the published data has them: by operator, the oldest version first."""
    return sorted(operators, key=lambda operator: (operator.family, operator.version))


def spec_url(operator: Operator) -> str:
    """The page of an operator version: one of its own, or its part of the page of all versions."""
    first, own = operator.sources[0].url, f"-{operator.version}"
    of_version = (source.url for source in operator.sources if source.title.endswith(own))
    return next(of_version, f"{first}#{operator.name.lower()}{own}")


def _names(counts: _Counts, *above: str) -> list[str]:
    """The names of the parts below one."""
    return sorted({part[-1] for part in counts if part[:-1] == above})


def _counts(answers: AnswersOf, families: Iterable[CaseFamily], known: Mapping[str, CaseFacts]) -> _Counts:
    clauses = {family.id: CaseFacts(tuple(family.entry.clauses)) for family in families}
    found: defaultdict[_Part, defaultdict[str, defaultdict[str, Counter[str]]]]
    found = defaultdict(lambda: defaultdict(lambda: defaultdict(Counter)))
    for engine, by_version in answers.items():
        for version, given in by_version.items():
            for answer in given:
                letter = letter_of(answer.judged)
                facts = known.get(answer.case) or clauses.get(answer.case.partition("[")[0], CaseFacts())
                for part in _parts(answer.form.value, facts):
                    found[part][engine][version][letter] += 1
    return found


def _parts(form: str, facts: CaseFacts) -> Iterator[_Part]:
    """The parts of an operator version that an answer belongs to."""
    yield from ((), ("forms", form))
    for dtype in facts.types:
        yield from (("types", dtype), ("types", dtype, form))
    yield from (("refused", dtype) for dtype in facts.refused)
    yield from (("clauses", clause) for clause in facts.clauses)


# The causes of deviations over all releases, as the published data has them.

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


@cache
def _recorded_of(adapter: str) -> dict[str, Deviation]:
    """The recorded deviations of a bundled adapter by id; none of another one."""
    folders = (one.folder for one in bundled_adapters() if one.name == adapter)
    return {entry.id: entry for folder in folders for entry in read_deviations(folder)}


class DeviationsFound:
    """Collects the causes in the answers to one operator version after the other."""

    def __init__(self, adapters: Mapping[str, str]) -> None:
        """`adapters` has the adapter of each engine."""
        self._recorded = {engine: _recorded_of(adapter) for engine, adapter in adapters.items()}
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


# The recorded deviations of frameworks with the releases in which their scripts show them, as the published data has
# them.

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
        self._engines = engines
        self._scripts = {name: found_by_adapter().get(engine.adapter) for name, engine in engines.items()}
        self._entries = {
            name: list(_recorded_of(engine.adapter).values())
            for name, engine in engines.items()
            if self._scripts[name] is not None
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


# The facts of each release of a package, as the published data has them in `engines.json`.


def package_of(adapter: str) -> str:
    """The package whose releases a bundled adapter asks: of those that it needs, the one with a list of releases.

    Raises:
        ValueError: it has none.
    """
    needs = (
        Requirement(text).name for one in bundled_adapters() if one.name == adapter for text in one.manifest.requires
    )
    for name in needs:
        if name in engine_names():
            return name
    raise ValueError(f"the framework of the adapter {adapter} has no list of releases in engines/")


def frameworks_of(packages: Iterable[str]) -> CompatFrameworks:
    """The listed releases of these packages."""
    engines = {package: bundled_engine(package) for package in sorted(packages)}
    return CompatFrameworks(
        format=FORMAT,
        engines={
            package: CompatFramework({release.version: _release(release) for release in engine.releases})
            for package, engine in engines.items()
            if engine is not None
        },
    )


def _release(release: FrameworkRelease) -> CompatRelease:
    return CompatRelease(
        date=release.date,
        python=pythons_of(release.wheels),
        wheels=dict(release.wheels),
        needs=dict(release.needs),
        opset=release.opset,
        ir=release.ir,
    )


def pythons_of(tags: Iterable[str]) -> list[str]:
    """The Pythons of wheels with these tags, as "3.11"; "3.12+" for those that also work with every later one."""
    found = {}
    for interpreter, abi, _ in (tag.split("-") for tag in tags):
        digits = interpreter.rpartition("cp")[2]
        version = f"3.{digits[1:]}" if digits.startswith("3") else "3"
        found[f"{version}{'+' * (abi == 'abi3')}"] = Version(version)
    return sorted(found, key=lambda name: (found[name], name))


# What is published of engines that a history has no answers of: it stays, if their cases are the same.

_NOTHING = CompatFeature()


def with_kept(data: CompatData, published: CompatData, suite: Suite) -> CompatData:
    """The data with the published engines that it lacks.

    Raises:
        ValueError: an engine would be kept that answered to other cases.
    """
    kept = [engine for engine in published.engines if engine not in data.engines]
    now = {operator.id: suite.digests[operator.family] for operator in in_order(suite.operators)}
    now |= {name: operator.suite for name, operator in data.operators.items()}
    for name, operator in published.operators.items():
        stale = [engine for engine in kept if engine in operator.results]
        if stale and now.get(name) != operator.suite:
            raise ValueError(f"{' and '.join(stale)} answered to other cases of {name}, and must be measured again")
    join, old, new = _Join(kept), published.operators, data.operators
    joined = {name: join.operator(old.get(name), new.get(name)) for name in now if name in old or name in new}
    causes = [cause for cause in published.deviations if cause.engine in kept]
    findings = [finding for finding in published.findings if finding.engine in kept]
    return replace(
        data,
        engines=dict(sorted({**{engine: published.engines[engine] for engine in kept}, **data.engines}.items())),
        operators={name: operator for name, operator in joined.items() if operator.results},
        deviations=sorted([*causes, *data.deviations], key=lambda cause: cause.engine),
        findings=sorted([*findings, *data.findings], key=lambda finding: finding.engine),
    )


@dataclass(frozen=True)
class _Join:
    """Joins what is published of the engines that are `kept` with new data of others."""

    kept: Collection[str]

    def operator(self, old: CompatOperator | None, new: CompatOperator | None) -> CompatOperator:
        base = new or old
        assert base is not None
        nothing = CompatOperator(base.spec_url, base.suite)
        old, new = old or nothing, new or nothing
        return replace(
            base,
            evidence=self.results(old.evidence, new.evidence),
            results=self.results(old.results, new.results),
            types=self.features(old.types, new.types),
            refused={
                name: joined
                for name in sorted({*old.refused, *new.refused})
                if (joined := self.results(old.refused.get(name, {}), new.refused.get(name, {})))
            },
            forms=self.features(old.forms, new.forms),
            clauses={
                name: replace(clause, results=self.results(_results(old, name), _results(new, name)))
                for name, clause in base.clauses.items()
            },
        )

    def features(self, old: Mapping[str, CompatFeature], new: Mapping[str, CompatFeature]) -> dict[str, CompatFeature]:
        pairs = {name: (old.get(name, _NOTHING), new.get(name, _NOTHING)) for name in sorted({*old, *new})}
        found = {
            name: CompatFeature(self.results(one.results, other.results), self.features(one.forms, other.forms))
            for name, (one, other) in pairs.items()
        }
        return {name: feature for name, feature in found.items() if feature.results}

    def results(self, old: Results, new: Results) -> Results:
        return dict(sorted({**{engine: found for engine, found in old.items() if engine in self.kept}, **new}.items()))


def _results(operator: CompatOperator, clause: str) -> Results:
    return operator.clauses[clause].results if clause in operator.clauses else {}


FOLDER = Path(__file__).parents[1] / "compat"
LICENSE = "CC0-1.0"
_DATA = "data.json.xz"
_SHOWN = 20
_VERSION = re.compile(r"^## ([0-9]+(?:\.[0-9]+)+)", re.MULTILINE)

Releases = Mapping[str, Sequence[StoredRelease]]
"""The releases of each engine, the oldest first."""


def data_of(
    store: HistoryStore,
    suite: Suite,
    version: str,
    profiles: Mapping[str, str],
    say: Callable[[str], None] = print,
) -> CompatData:
    """The published data of a history; `say` gets a line for the answers of an operator version that are left out.

    `profiles` names the profile whose checks an engine was asked, if not those of the default set.

    Raises:
        ValueError: a release has answers under two conditions, so that it has no cell.
    """
    releases = releases_in(store)
    engines = {engine: _engine(of_engine, profiles.get(engine, "")) for engine, of_engine in releases.items()}
    findings = FindingsFound(engines)
    deviations = DeviationsFound({name: engine.adapter for name, engine in engines.items()})
    operators: dict[str, CompatOperator] = {}
    for operator in in_order(suite.operators):
        answers, suite_digest = _answers(store, releases, operator, say)
        if answers:
            families = [family for family in suite.families if family.operator.id == operator.id]
            operators[operator.id] = operator_of(operator, suite_digest, answers, engines, families)
            deviations.add(operator.id, answers)
            findings.add(operator, answers)
    return CompatData(
        format=FORMAT,
        version=version,
        license=LICENSE,
        letters=dict(LETTERS),
        engines=engines,
        operators=operators,
        deviations=deviations.found(engines),
        findings=findings.found(),
    )


def releases_in(store: HistoryStore) -> dict[str, list[StoredRelease]]:
    """The releases of each engine, the oldest first.

    Raises:
        ValueError: one has answers under two conditions.
    """
    found: dict[str, dict[str, StoredRelease]] = {}
    for release in store.releases:
        of_engine = found.setdefault(release.target, {})
        if (other := of_engine.setdefault(release.version, release)) is not release:
            sets = " and ".join(f"{one.system} {one.instruction_set}".rstrip() for one in (other, release))
            raise ValueError(f"{release.target} {release.version} has answers of {sets}; publish one history for each")
    return {engine: sorted(of.values(), key=lambda release: release.order) for engine, of in sorted(found.items())}


def version_in(changelog: str) -> str:
    """The newest version that a changelog names.

    Raises:
        ValueError: there is none.
    """
    found = _VERSION.search(changelog)
    if found is None:
        raise ValueError("the changelog names no version; write a heading such as ## 1.0.0")
    return found[1]


def _engine(releases: Sequence[StoredRelease], profile: str) -> CompatEngine:
    first, versions = releases[0], [release.version for release in releases]
    conditions: dict[str, CompatConditions | None] = {
        release.version: CompatConditions(release.system, release.instruction_set) for release in releases
    }
    return CompatEngine(
        adapter=first.adapter,
        package=package_of(first.adapter),
        options=first.options,
        profile=profile,
        releases=versions,
        conditions=gathered(conditions, versions),
    )


def _answers(
    store: HistoryStore, releases: Releases, operator: Operator, say: Callable[[str], None]
) -> tuple[AnswersOf, str]:
    """The answers to an operator version by engine and release, and the state of the operator's files that they are to:
    the one to which most releases answered. An engine that can never be asked has none.
    """
    found = {
        (engine, release.version): list(store.answers(release, operator.id))
        for engine, of_engine in releases.items()
        for release in of_engine
    }
    suites = Counter(suite for answers in found.values() for suite in sorted({answer.suite for answer in answers}))
    if not suites:
        return {}, ""
    chosen = max(sorted(suites), key=lambda suite: suites[suite])
    answers: dict[str, dict[str, list[StoredAnswer]]] = {}
    for (engine, version), given in found.items():
        if kept := [answer for answer in given if answer.suite == chosen]:
            answers.setdefault(engine, {})[version] = kept
        if left_out := len(given) - len(kept):
            say(f"{operator.id}: {engine} {version}: {left_out} answers to other cases are left out")
    return {engine: given for engine, given in answers.items() if _can_be_asked(given.values())}, chosen


def _can_be_asked(answers: Iterable[Sequence[StoredAnswer]]) -> bool:
    return any(letter_of(answer.judged) != "x" for given in answers for answer in given)


def checked(data: CompatData, published: CompatData) -> CompatData:
    """The data, if it has a version of its own or says the same as the published one.

    Raises:
        ValueError: the published data of this version says something else.
    """
    found = list(changes(published, data)) if published.version == data.version else []
    if found:
        lines = "\n".join(found[:_SHOWN])
        raise ValueError(f"version {data.version} is published, and says something else; add an entry:\n{lines}")
    return data


def _files(history: Path, folder: Path, profiles: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    version = version_in((folder / "CHANGELOG.md").read_text("utf-8"))
    suite = load_suite(bundled_folder("cases"))
    with opened_store(history) as store:
        data = data_of(store, suite, version, profiles)
    if (folder / _DATA).is_file():
        published = load(folder / _DATA)
        data = checked(with_kept(data, published, suite), published)
    yield _DATA, text_of(data)
    yield "engines.json", text_of(frameworks_of({engine.package for engine in data.engines.values()}))


def main(arguments: Sequence[str]) -> None:
    """Run the command with these arguments."""
    parser = argparse.ArgumentParser(prog="compat_data", description="Make the published data from a history.")
    parser.add_argument("history", type=Path, help="the store of `conformance history`")
    parser.add_argument("--output", type=Path, default=FOLDER, help="the folder that gets the files (default: compat)")
    about = "the profile whose checks an engine was asked, as openvino=core (default: the default set)"
    parser.add_argument("--profile", metavar="ENGINE=PROFILE", action="append", default=[], help=about)
    options = parser.parse_args(arguments)
    profiles = dict(item.rpartition("=")[::2] for item in options.profile)
    try:
        files = list(_files(options.history, options.output, profiles))
    except ValueError as error:
        parser.exit(1, f"{error}\n")
    for name, text in files:
        content = text.encode()
        written = lzma.compress(content, preset=9 | lzma.PRESET_EXTREME) if name == _DATA else content
        (options.output / name).write_bytes(written)
        print(f"{options.output / name}: {len(written):,} bytes, unpacked {len(content):,}")


if __name__ == "__main__":
    main(sys.argv[1:])
