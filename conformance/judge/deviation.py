"""Recorded deviations: they turn a deviating verdict into *known*, and a conforming one into *fixed* if an entry says
that the check deviates.

An entry excuses exactly what it describes. It names its conditions, operators, calls, forms and clauses, and what the
framework does instead.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from enum import Enum
from fnmatch import translate
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, cast

from packaging.specifiers import SpecifierSet
from packaging.version import InvalidVersion, Version
from pydantic import AfterValidator, BeforeValidator, Field

from conformance.judge.judge import INFERRED_SHAPE
from conformance.judge.wrong_answer import OTHER_SHAPE_INFERRED, WRONG_ANSWERS, has_wrong_answer, is_wrong_answer
from conformance.protocol.form import AtRunTime, Form, KnownShapes
from conformance.protocol.outcome import OUT_OF_MEMORY, Stage
from conformance.spec.case import Case, Rejection
from conformance.spec.check import Check
from conformance.spec.condition import checked_condition, holds
from conformance.spec.operator import is_named
from conformance.spec.verdict import Standing, Verdict
from conformance.suite.operator_file import VersionRange
from conformance.suite.suite import Suite
from conformance.suite.yaml_file import Document, FileModel, Plain, known_word, read_document, validated, words
from conformance.tensors.errors import CaseFileError
from conformance.tensors.machine import NAMES, InstructionSet, checked_range, is_in_range
from conformance.tensors.text import counted

_Name = TypeVar("_Name")


class Happens(Enum):
    """Whether all checks that an entry covers deviate, or only some."""

    ALWAYS = "always"
    SOMETIMES = "sometimes"


class DeviationKind(Enum):
    """How certain it is that the framework is wrong."""

    PLAIN = "plainly wrong"
    ARGUABLE = "arguable"
    """A documented limit, a missing kernel with another message, a call that is accepted though the page forbids it, or
    a cost.
    """


class Memory(Enum):
    """What a framework does to memory that it does not own."""

    READS = "reads"
    """The outputs depend on the contents of that memory."""
    DAMAGES = "damages"
    """It writes to the memory or frees it, so that the process can crash later or give other wrong answers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Circumstances:
    """Where a target ran; compared with the conditions of an entry."""

    version: str
    options: Mapping[str, str] = field(default_factory=dict)
    instruction_set: str = ""
    devices: tuple[str, ...] = ()
    system: str = ""


def _day(text: object) -> object:
    if not isinstance(text, str):
        return text
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ValueError(f"{text!r} is not a day; write one as 2026-11-21") from None


def _several(verdict: object) -> object:
    return [verdict] if isinstance(verdict, str) else verdict


def _once(names: tuple[_Name, ...]) -> tuple[_Name, ...]:
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        raise ValueError(f"has {str(getattr(repeated[0], 'value', repeated[0]))[:80]!r} twice")
    return names


_LIST = Field(strict=False, json_schema_extra={"uniqueItems": True})
"""A list of the file becomes a tuple."""
_ONCE = AfterValidator(_once)
_Names = Annotated[tuple[str, ...], _LIST, _ONCE]
_Deviating = Annotated[Verdict, words(item for item in Verdict if item.meaning.standing is Standing.DEVIATING)]
_WrongAnswers = Annotated[
    str, AfterValidator(lambda names: " + ".join(known_word(name, WRONG_ANSWERS) for name in names.split(" + ")))
]
FORM_GROUPS: Mapping[str, tuple[str, ...]] = {
    "known-dims": tuple(
        form.value
        for form in Form
        if (form.properties.at_run_time, form.properties.known) == (AtRunTime.DATA, KnownShapes.SHAPES)
    ),
    "unknown-dims": tuple(
        form.value
        for form in Form
        if form.properties.at_run_time is AtRunTime.DATA and form.properties.known is not KnownShapes.SHAPES
    ),
    "arguments-at-run-time": tuple(
        form.value for form in Form if form.properties.at_run_time in (AtRunTime.ALL, AtRunTime.LENGTHS, AtRunTime.AXIS)
    ),
}
"""Names for many forms: those that give the data alone at run time, whose dims the model knows or does not know, and
those that give more.
"""


def _without_groups(names: object) -> object:
    """The forms of a list of forms and groups."""
    if not isinstance(names, list):
        return names
    return [form for name in names for form in (FORM_GROUPS.get(name, (name,)) if isinstance(name, str) else (name,))]


NAMED_FORMS = [form for form in Form if form is not Form.AS_IN_THE_MODEL]
"""A model is like some of them: what it gives at run time, and what it knows of that, is what they say."""
_FormNames: Any = list[cast(Any, Literal)[(*FORM_GROUPS, *(form.value for form in NAMED_FORMS))]]  # type: ignore[misc]
_Forms = Annotated[
    tuple[Annotated[Form, words(NAMED_FORMS)], ...],
    BeforeValidator(_without_groups, json_schema_input_type=_FormNames),
    _LIST,
    _ONCE,
]
_Condition = Annotated[str, AfterValidator(checked_condition)]
_Day = Annotated[date, BeforeValidator(_day), Field(description="a day, as 2026-11-21")]
_Levels = Annotated[str, AfterValidator(checked_range), Field(description="instruction sets, as '<AVX512_CORE_FP16'")]


class Conditions(FileModel):
    """The conditions of a deviation; an empty field sets none."""

    versions: VersionRange = Field(description="versions of the framework, as '>=1.15,!=1.17.*,<1.33'")
    options: dict[str, str] = Field(default_factory=dict, description="options of the target")
    instruction_set: _Levels = Field(default="", alias="isa")
    """Never holds if the adapter does not know the level."""
    device: str = Field(default="", description="a device by the target's own name, as CPU")
    system: str = Field(default="", description="the operating system, as Linux")

    def hold(self, circumstances: Circumstances) -> bool:
        """Whether a target ran under these conditions."""
        return (
            _is_in_versions(circumstances.version, self.versions)
            and all(circumstances.options.get(name) == value for name, value in self.options.items())
            and (not self.instruction_set or _is_level_in(circumstances.instruction_set, self.instruction_set))
            and (not self.device or self.device in circumstances.devices)
            and (not self.system or self.system == circumstances.system)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Departure:
    """What a framework did with a check, as far as an entry can describe it.

    `message` is the framework's message of a rejection, `outputs` the digest of all outputs, `death` that of `Crashed`,
    and `stage` the stage in which the process died. `cause` is that of the judgement.
    """

    verdict: Verdict
    cause: str = ""
    message: str = ""
    outputs: str = ""
    death: str = ""
    stage: Stage | None = None


class Witness(FileModel):
    """A check of the suite that shows a deviation: its script is written from it."""

    case: str = Field(description="id of a case, as `conformance list` shows it")
    form: Annotated[Form, words(NAMED_FORMS)]


class Deviation(FileModel):
    """One entry of an adapter's `deviations.yaml`, with its reason and its date.

    It covers the checks that match its conditions, operators, calls, forms and clauses. Each of them must deviate with
    one of the verdicts, and exactly as described; what happens `sometimes` may also conform. Outputs may be arbitrary
    only if the framework touches `memory` that it does not own.
    """

    id: str = Field(pattern=r"^[a-z0-9][a-z0-9-]{0,79}$")
    kind: Annotated[DeviationKind, words(DeviationKind)]
    conditions: Conditions = Field(alias="where")
    operators: _Names = Field(min_length=1, description="operator versions; * and ? match")
    when: _Condition = Field(description="what is true of the calls that deviate, as 'axis < 0'")
    forms: _Forms = Field(default=(), description="forms that deviate, or groups of them; left out: all")
    clauses: _Names = Field(default=(), description="clauses that invalid cases break or that valid cases test")
    verdicts: Annotated[
        tuple[_Deviating, ...],
        _LIST,
        _ONCE,
        BeforeValidator(_several, json_schema_input_type=_Deviating | tuple[_Deviating, ...]),
    ] = Field(alias="verdict", min_length=1, description="verdict of the checks; several if it differs between checks")
    wrong_answers: Annotated[tuple[_WrongAnswers, ...], _LIST, _ONCE] = Field(
        default=(), alias="values", description="names of functions that turn the right outputs into the wrong ones"
    )
    deaths: _Names = Field(default=(), description="signals, as SIGSEGV, or exit statuses of a crash")
    stages: Annotated[tuple[Annotated[Stage, words(Stage)], ...], _LIST, _ONCE] = Field(
        default=(), description="stages in which the crash happens"
    )
    messages: _Names = Field(default=(), description="messages of a rejection, as in a report; * and ? match")
    memory: Annotated[Memory, words(Memory)] | None = Field(
        default=None, description="what the framework does to memory that is not its own"
    )
    happens: Annotated[Happens, words(Happens)] = Field(
        default=Happens.ALWAYS, description="`sometimes` needs `depends_on`"
    )
    depends_on: str = Field(default="", description="what decides whether it happens, and which outputs come")
    what: str
    why: str
    upstream: str = ""
    since: _Day
    review: _Day
    witness: Witness | None = Field(default=None, description="a check that shows it; or write a `reproducer`")
    reproducer: str = Field(default="", description="path of a script, where no case shows it")

    @property
    def damages_memory(self) -> bool:
        """Whether the deviation can crash the process later or change later outputs."""
        return self.memory is Memory.DAMAGES

    def covers(self, check: Check) -> bool:
        """Whether the entry says that this check deviates.

        Only a case that requires a rejection can be accepted and deviate. Only other cases, or the valid call before
        an invalid one, can be rejected and deviate, or give a wrong result. A costly rejection is one that at least one
        interpretation requires. A check whose outputs the fault does not change is not covered.
        """
        case = check.case
        return (
            _any_of(self.operators).fullmatch(case.operator.id) is not None
            and (not self.forms or not check.like_forms.isdisjoint(self.forms))
            and any(holds(self.when, facts) for facts in check.facts)
            and any(self._is_possible(verdict, check) for verdict in self.verdicts)
        )

    def records(self, departure: Departure, steps: Sequence[Case]) -> bool:
        """Whether the entry describes what happened to a check that it covers."""
        if departure.verdict not in self.verdicts:
            return self._has_no_bound(departure)
        match departure.verdict:
            case Verdict.WRONG_RESULT if self.wrong_answers:
                is_inferred = departure.cause == INFERRED_SHAPE
                names = [name for name in self.wrong_answers if (name == OTHER_SHAPE_INFERRED) == is_inferred]
                return is_wrong_answer(names, steps, departure.outputs)
            case Verdict.REJECTED_VALID:
                return _any_of(self.messages).fullmatch(departure.message) is not None
            case Verdict.CRASHED:
                return departure.death in self.deaths and departure.stage in self.stages
            case _:
                return True

    def _has_no_bound(self, departure: Departure) -> bool:
        """Whether a limit ended what the entry describes: costs without a bound end by the limit of memory or of time,
        and a call that is accepted may have outputs that no memory holds.
        """
        if departure.verdict is Verdict.TIMED_OUT:
            return Verdict.COSTLY_REJECTION in self.verdicts
        is_costly = departure.verdict is Verdict.COSTLY_REJECTION and departure.death == OUT_OF_MEMORY
        return is_costly and Verdict.ACCEPTED_INVALID in self.verdicts

    def says_deviates(self, check: Check) -> bool:
        """Whether a check that it covers always deviates; what a model knows may lie between two forms."""
        return self.happens is Happens.ALWAYS and (not self.forms or check.form in self.forms)

    def resembles(self, departure: Departure, check: Check) -> bool:
        """Whether the same happened to a check that the entry does not name, of one of its operators."""
        match departure.verdict:
            case Verdict.WRONG_RESULT:
                is_told = bool(self.wrong_answers)
            case Verdict.ACCEPTED_INVALID | Verdict.COSTLY_REJECTION:
                is_told = self._names_clause_of(check.case)
            case _:
                is_told = True
        is_of_operator = _any_of(self.operators).fullmatch(check.case.operator.id) is not None
        return is_told and is_of_operator and self.records(departure, check.steps)

    def _is_possible(self, verdict: Verdict, check: Check) -> bool:
        case = check.case
        requires_rejection = isinstance(case.expectation, Rejection)
        match verdict:
            case Verdict.ACCEPTED_INVALID:
                return requires_rejection and self._names_clause_of(case)
            case Verdict.COSTLY_REJECTION:
                return case.may_be_rejected and self._names_clause_of(case)
            case Verdict.WRONG_RESULT:
                return not requires_rejection and (
                    not self.wrong_answers or has_wrong_answer(self.wrong_answers, check.steps)
                )
            case Verdict.REJECTED_VALID:
                names_clause = not self.clauses or not case.clauses or self._names_clause_of(case)
                return check.form.has_other_calls if requires_rejection else names_clause
            case _:
                return True

    def _names_clause_of(self, case: Case) -> bool:
        """Whether the entry names the clause that an invalid case breaks, or one that a valid case tests."""
        of_case = (case.expectation.clause,) if isinstance(case.expectation, Rejection) else case.clauses
        return not set(self.clauses).isdisjoint(of_case)


def matches(case_id: str, pattern: str) -> bool:
    """Whether an id matches a pattern with `*` and `?`; brackets are literal, as in ids."""
    return _any_of((pattern,)).fullmatch(case_id) is not None


@cache
def _any_of(patterns: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(translate(pattern.replace("[", "[[]")) for pattern in patterns))


def standing(deviations: Iterable[Deviation], check: Check, departure: Departure) -> tuple[Verdict, Deviation | None]:
    """The verdict of a check after recorded deviations, and the entry that covers it.

    Of several covering entries, one that always happens precedes others, and the first that describes the outcome
    counts, or else the first. An outcome as described is *known*; a pass where an entry always deviates is *fixed*; any
    other verdict stays.
    """
    covering = [entry for entry in deviations if entry.covers(check)]
    covering.sort(key=lambda entry: entry.happens is not Happens.ALWAYS)
    recording = next((entry for entry in covering if entry.records(departure, check.steps)), None)
    if recording is not None:
        return Verdict.KNOWN, recording
    first = next(iter(covering), None)
    is_fixed = departure.verdict is Verdict.PASS and first is not None and first.says_deviates(check)
    return Verdict.FIXED if is_fixed else departure.verdict, first


def resembling(deviations: Iterable[Deviation], check: Check, departure: Departure) -> str:
    """The id of the first entry that describes what happened to a check which no entry covers; empty if none does.

    It excuses nothing: it hints at a known deviation with the same symptom.
    """
    if departure.verdict.meaning.standing is not Standing.DEVIATING:
        return ""
    return next((entry.id for entry in deviations if entry.resembles(departure, check)), "")


def _is_in_versions(version: str, versions: str) -> bool:
    try:
        return SpecifierSet(versions).contains(Version(version), prereleases=True)
    except InvalidVersion:
        return False


def _is_level_in(level: str, bounds: str) -> bool:
    """Whether a level lies within bounds; an unknown one, from a forged log, never does."""
    return level in NAMES and is_in_range(InstructionSet(level), bounds)


# `deviations.yaml`: the recorded deviations of an adapter. Sole owner of the format.


class DeviationFile(FileModel):
    """All recorded deviations of one framework."""

    deviations: list[Deviation]


def deviations_of(folder: Path, suite: Suite) -> tuple[Deviation, ...]:
    """The deviations of an adapter's folder for operators of the suite.

    Raises:
        ExceptionGroup: of `CaseFileError`, one for each problem.
    """
    names = [operator.id for operator in suite.operators]
    return tuple(entry for entry in read_deviations(folder) if any(is_named(name, entry.operators) for name in names))


def read_deviations(folder: Path) -> tuple[Deviation, ...]:
    """The deviations of an adapter's folder; none if it has no `deviations.yaml`.

    Raises:
        ExceptionGroup: of `CaseFileError`, one for each problem.
    """
    path = folder / "deviations.yaml"
    if not path.exists():
        return ()
    document = read_document(path, str(path))
    deviations = deviations_from_document(document)
    problems = [
        problem
        for index, deviation in enumerate(deviations)
        if deviation.reproducer
        for problem in _missing_reproducer(document, index, deviation.reproducer, folder)
    ]
    if problems:
        raise ExceptionGroup(f"{path} has {counted(len(problems), 'problem')}", problems)
    return deviations


def deviations_from_document(document: Document) -> tuple[Deviation, ...]:
    """The deviations of a file, without checking that their reproducers exist.

    Raises:
        ExceptionGroup: of `CaseFileError`, one for each problem.
    """
    entries = validated(DeviationFile, document).deviations
    problems = [problem for index, entry in enumerate(entries) for problem in _problems(document, index, entry)]
    problems += _repeated_ids(document, entries)
    if problems:
        raise ExceptionGroup(f"{document.path} has {counted(len(problems), 'problem')}", problems)
    return tuple(entries)


def deviations_to_plain(deviations: Sequence[Deviation]) -> dict[str, Plain]:
    """The content of a file with these deviations; empty fields are left out."""
    return {"deviations": [_given(deviation) for deviation in deviations]}


def _given(entry: Deviation) -> dict[str, Plain]:
    dumped = entry.model_dump(mode="json", by_alias=True)
    dumped["where"] = {key: value for key, value in dumped["where"].items() if value}
    return {key: value for key, value in dumped.items() if value}


def _problems(document: Document, index: int, entry: Deviation) -> Iterator[CaseFileError]:
    keys = ("deviations", index)
    given = entry.model_dump(by_alias=True)
    for verdict in entry.verdicts:
        for needed in verdict.meaning.recorded_by:
            if not given[needed] and not (needed == "values" and entry.memory):
                what = f"an entry with the verdict {verdict.value!r} needs `{needed}`"
                yield document.problem(keys, what, f"add `{needed}: [...]`")
    if (entry.witness is None) is not bool(entry.reproducer):
        fix = "add `witness: {case: ..., form: ...}`, or a `reproducer`, but not both"
        yield document.problem(keys, "an entry needs what shows it", fix)
    if entry.happens is Happens.SOMETIMES and not entry.depends_on:
        fix = "say there what decides, or narrow `when` to the calls that always deviate"
        yield document.problem((*keys, "happens"), "`happens: sometimes` needs `depends_on`", fix)


def _missing_reproducer(document: Document, index: int, reproducer: str, folder: Path) -> Iterator[CaseFileError]:
    script = (folder / reproducer).resolve()
    if not (script.is_file() and script.is_relative_to(folder.resolve())):
        what = f"there is no file {reproducer!r} in {folder.name}/"
        yield document.problem(("deviations", index, "reproducer"), what, "add the script")


def _repeated_ids(document: Document, entries: Sequence[Deviation]) -> Iterator[CaseFileError]:
    counts = Counter(entry.id for entry in entries)
    for index, entry in enumerate(entries):
        if counts[entry.id] > 1:
            what = f"{entry.id!r} is used {counts[entry.id]} times"
            yield document.problem(("deviations", index, "id"), what, "give each entry its own")
