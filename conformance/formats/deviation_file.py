"""`deviations.yaml`: the recorded deviations of an adapter. Sole owner of the format."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from datetime import date
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field

from conformance.formats.file_schema import FileModel, known_word, validated, words
from conformance.formats.operator_file import VersionRange
from conformance.formats.suite import Suite
from conformance.formats.yaml_document import Document, Plain, read_document
from conformance.judging.deviation import Conditions, Deviation, DeviationKind, Happens, Memory
from conformance.judging.wrong_answer import WRONG_ANSWERS
from conformance.spec.form import Form
from conformance.spec.operator import is_named
from conformance.spec.outcome import Stage
from conformance.spec.verdict import Standing, Verdict
from conformance.values.errors import CaseFileError
from conformance.values.instruction_set import checked_range
from conformance.values.text import counted

DEVIATING = tuple(verdict for verdict in Verdict if verdict.meaning.standing is Standing.DEVIATING)


def _day(text: object) -> object:
    if not isinstance(text, str):
        return text
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ValueError(f"{text!r} is not a day; write one as 2026-11-21") from None


def _several(verdict: object) -> object:
    return [verdict] if isinstance(verdict, str) else verdict


_Deviating = Annotated[Verdict, words(DEVIATING)]
_WrongAnswers = Annotated[
    str, AfterValidator(lambda names: " + ".join(known_word(name, WRONG_ANSWERS) for name in names.split(" + ")))
]
Day = Annotated[date, BeforeValidator(_day), Field(description="a day, as 2026-11-21")]
Levels = Annotated[str, AfterValidator(checked_range), Field(description="instruction sets, as '<AVX512_CORE_FP16'")]


class ConditionsEntry(FileModel):
    """The conditions under which a deviation happens; a key that is left out sets none."""

    versions: VersionRange = Field(description="versions of the framework, as '>=2026.4'")
    options: dict[str, str] = Field(default_factory=dict, description="options of the target")
    instruction_set: Levels = Field(default="", alias="isa")
    device: str = Field(default="", description="a device by the target's own name, as CPU")
    system: str = Field(default="", description="the operating system, as Linux")


class DeviationEntry(FileModel):
    """One deviation of the framework, with its reason and its date."""

    id: str = Field(pattern=r"^[a-z0-9][a-z0-9-]{0,79}$")
    kind: Annotated[DeviationKind, words(DeviationKind)]
    conditions: ConditionsEntry = Field(alias="where")
    operators: list[str] = Field(min_length=1, description="operator versions; * and ? match")
    cases: list[str] = Field(min_length=1, description="case ids; * and ? match")
    exceptions: list[str] = Field(default_factory=list, alias="except", description="case ids that do not deviate")
    forms: list[Annotated[Form, words(Form)]] = Field(
        default_factory=list, description="forms that deviate; left out: all"
    )
    clauses: list[str] = Field(
        default_factory=list, description="clauses that invalid cases break or that valid cases test"
    )
    verdicts: Annotated[
        list[_Deviating], BeforeValidator(_several, json_schema_input_type=_Deviating | list[_Deviating])
    ] = Field(alias="verdict", min_length=1, description="verdict of the checks; several if it differs between checks")
    wrong_answers: list[_WrongAnswers] = Field(
        default_factory=list,
        alias="values",
        description="names of functions that turn the right outputs into the wrong ones",
    )
    deaths: list[str] = Field(default_factory=list, description="signals, as SIGSEGV, or exit statuses of a crash")
    stages: list[Annotated[str, words(stage.value for stage in Stage)]] = Field(
        default_factory=list, description="stages in which the crash happens"
    )
    messages: list[str] = Field(
        default_factory=list, description="messages of a rejection, as in a report; * and ? match"
    )
    memory: Annotated[Memory, words(Memory)] | None = Field(
        default=None, description="what the framework does to memory that is not its own"
    )
    happens: Annotated[Happens, words(Happens)] = Field(
        default=Happens.ALWAYS, description="`sometimes` needs `memory` and `depends_on`"
    )
    depends_on: str = Field(default="", description="what decides whether it happens, and which outputs come")
    what: str
    why: str
    upstream: str = ""
    since: Day
    review: Day
    reproducer: str


class DeviationFile(FileModel):
    """All recorded deviations of one framework."""

    deviations: list[DeviationEntry]


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
    return tuple(_deviation(entry) for entry in entries)


def deviations_to_plain(deviations: Sequence[Deviation]) -> dict[str, Plain]:
    """The content of a file with these deviations; empty fields are left out."""
    return {"deviations": [_given(_entry(deviation)) for deviation in deviations]}


def _entry(deviation: Deviation) -> DeviationEntry:
    given: dict[str, Any] = {
        name: list(value) if isinstance(value, tuple) else value for name, value in asdict(deviation).items()
    }
    conditions = ConditionsEntry.model_construct(None, **given.pop("conditions"))
    return DeviationEntry.model_construct(None, conditions=conditions, **given)


def _given(entry: DeviationEntry) -> dict[str, Plain]:
    dumped = entry.model_dump(mode="json", by_alias=True)
    dumped["where"] = {key: value for key, value in dumped["where"].items() if value}
    return {key: value for key, value in dumped.items() if value}


def _problems(document: Document, index: int, entry: DeviationEntry) -> Iterator[CaseFileError]:
    keys = ("deviations", index)
    given = entry.model_dump(by_alias=True)
    for verdict in entry.verdicts:
        for field in verdict.meaning.recorded_by:
            if not given[field] and not (field == "values" and entry.memory):
                what = f"an entry with the verdict {verdict.value!r} needs `{field}`"
                yield document.problem(keys, what, f"add `{field}: [...]`")
    if entry.happens is Happens.SOMETIMES and not (entry.memory and entry.depends_on):
        what = "`happens: sometimes` is only for memory faults: it needs `memory` and `depends_on`"
        fix = "add `memory` and `depends_on`, or name the checks that always deviate"
        yield document.problem((*keys, "happens"), what, fix)


def _missing_reproducer(document: Document, index: int, reproducer: str, folder: Path) -> Iterator[CaseFileError]:
    script = (folder / reproducer).resolve()
    if not (script.is_file() and script.is_relative_to(folder.resolve())):
        what = f"there is no file {reproducer!r} in {folder.name}/"
        yield document.problem(("deviations", index, "reproducer"), what, "add the script")


def _repeated_ids(document: Document, entries: Sequence[DeviationEntry]) -> Iterator[CaseFileError]:
    counts = Counter(entry.id for entry in entries)
    for index, entry in enumerate(entries):
        if counts[entry.id] > 1:
            what = f"{entry.id!r} is used {counts[entry.id]} times"
            yield document.problem(("deviations", index, "id"), what, "give each entry its own")


def _deviation(entry: DeviationEntry) -> Deviation:
    fields: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in entry}
    return Deviation(**{**fields, "conditions": Conditions(**dict(entry.conditions))})
