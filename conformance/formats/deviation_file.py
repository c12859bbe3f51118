"""`deviations.yaml`: the recorded deviations of an adapter. Sole owner of the format."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from conformance.formats.file_schema import FileModel, validated
from conformance.formats.operator_file import VersionRange
from conformance.formats.yaml_document import Document, Plain, read_document
from conformance.judging.deviation import Conditions, Deviation, DeviationKind, Happens, Memory
from conformance.judging.wrong_answer import WRONG_ANSWERS
from conformance.spec.form import Form
from conformance.spec.outcome import Stage
from conformance.spec.verdict import Standing, Verdict
from conformance.values.errors import CaseFileError, nearest
from conformance.values.instruction_set import checked_range

DEVIATING = tuple(verdict for verdict in Verdict if verdict.meaning.standing is Standing.DEVIATING)


def _day(text: str) -> str:
    try:
        date.fromisoformat(text)
    except ValueError:
        raise ValueError(f"{text!r} is not a day; write one as 2026-11-21") from None
    return text


Day = Annotated[str, AfterValidator(_day), Field(description="a day, as 2026-11-21")]


Levels = Annotated[str, AfterValidator(checked_range), Field(description="instruction sets, as '<AVX512_CORE_FP16'")]


class ConditionsEntry(FileModel):
    """The conditions under which a deviation happens; a key that is left out sets none."""

    versions: VersionRange = Field(description="versions of the framework, as '>=2026.4'")
    options: dict[str, str] = Field(default_factory=dict, description="options of the target")
    isa: Levels | None = None
    device: str = Field(default="", description="a device by the target's own name, as CPU")
    system: str = Field(default="", description="the operating system, as Linux")


class DeviationEntry(FileModel):
    """One deviation of the framework, with its reason and its date."""

    id: str = Field(pattern=r"^[a-z0-9][a-z0-9-]{0,79}$")
    kind: Literal["plainly wrong", "arguable"]
    where: ConditionsEntry
    operators: list[str] = Field(min_length=1, description="operator versions; * and ? match")
    cases: list[str] = Field(min_length=1, description="case ids; * and ? match")
    exceptions: list[str] = Field(default_factory=list, alias="except", description="case ids that do not deviate")
    forms: list[str] = Field(default_factory=list, description="forms that deviate; left out: all")
    clauses: list[str] = Field(
        default_factory=list, description="clauses that invalid cases break or that valid cases test"
    )
    verdict: str | Annotated[list[str], Field(min_length=1)] = Field(
        description="verdict of the checks; several if it differs between checks"
    )
    values: list[str] = Field(
        default_factory=list, description="names of functions that turn the right outputs into the wrong ones"
    )
    deaths: list[str] = Field(default_factory=list, description="signals, as SIGSEGV, or exit statuses of a crash")
    stages: list[str] = Field(default_factory=list, description="stages in which the crash happens")
    messages: list[str] = Field(
        default_factory=list, description="messages of a rejection, as in a report; * and ? match"
    )
    memory: Literal["reads", "damages"] | None = Field(
        default=None, description="what the framework does to memory that is not its own"
    )
    happens: Literal["always", "sometimes"] = Field(
        default="always", description="`sometimes` needs `memory` and `depends_on`"
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
        raise ExceptionGroup(f"{path} has {len(problems)} problem(s)", problems)
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
        raise ExceptionGroup(f"{document.path} has {len(problems)} problem(s)", problems)
    return tuple(_deviation(entry) for entry in entries)


def deviations_to_plain(deviations: Sequence[Deviation]) -> dict[str, Plain]:
    """The content of a file with these deviations; empty fields are left out."""
    return {"deviations": [_plain(entry) for entry in deviations]}


def _plain(entry: Deviation) -> dict[str, Plain]:
    conditions = entry.conditions
    where: dict[str, Plain] = {
        "versions": conditions.versions,
        "options": dict(conditions.options),
        "isa": conditions.instruction_set,
        "device": conditions.device,
        "system": conditions.system,
    }
    said: dict[str, Plain] = {
        "id": entry.id,
        "kind": entry.kind.value,
        "where": {key: value for key, value in where.items() if value},
        "operators": list(entry.operators),
        "cases": list(entry.cases),
        "except": list(entry.exceptions),
        "forms": [form.value for form in entry.forms],
        "clauses": list(entry.clauses),
        "verdict": [verdict.value for verdict in entry.verdicts],
        "values": list(entry.wrong_answers),
        "deaths": list(entry.deaths),
        "stages": list(entry.stages),
        "messages": list(entry.messages),
        "memory": entry.memory.value if entry.memory is not None else "",
        "happens": entry.happens.value,
        "depends_on": entry.depends_on,
        "what": entry.what,
        "why": entry.why,
        "upstream": entry.upstream,
        "since": entry.since.isoformat(),
        "review": entry.review.isoformat(),
        "reproducer": entry.reproducer,
    }
    return {key: value for key, value in said.items() if value}


def _problems(document: Document, index: int, entry: DeviationEntry) -> Iterator[CaseFileError]:
    keys = ("deviations", index)
    words = [("verdict", word, [verdict.value for verdict in DEVIATING]) for word in _verdicts(entry)]
    words += [("forms", word, [form.value for form in Form]) for word in entry.forms]
    words += [("values", word, list(WRONG_ANSWERS)) for name in entry.values for word in name.split(" + ")]
    words += [("stages", word, [stage.value for stage in Stage]) for word in entry.stages]
    for key, word, known in words:
        if word not in known:
            fix = nearest(word, known, otherwise=f"write one of {', '.join(known)}")
            yield CaseFileError(document.where((*keys, key)), f"{word!r} is not one of the allowed words", fix=fix)
    for verdict in DEVIATING:
        for field in verdict.meaning.recorded_by:
            is_due = verdict.value in _verdicts(entry) and not (field == "values" and entry.memory)
            if is_due and not getattr(entry, field):
                what = f"an entry with the verdict {verdict.value!r} needs `{field}`"
                yield CaseFileError(document.where(keys), what, fix=f"add `{field}: [...]`")
    if entry.happens == "sometimes" and not (entry.memory and entry.depends_on):
        what = "`happens: sometimes` is only for memory faults: it needs `memory` and `depends_on`"
        fix = "add `memory` and `depends_on`, or name the checks that always deviate"
        yield CaseFileError(document.where((*keys, "happens")), what, fix=fix)


def _missing_reproducer(document: Document, index: int, reproducer: str, folder: Path) -> Iterator[CaseFileError]:
    script = (folder / reproducer).resolve()
    if not (script.is_file() and script.is_relative_to(folder.resolve())):
        what = f"there is no file {reproducer!r} in {folder.name}/"
        yield CaseFileError(document.where(("deviations", index, "reproducer")), what, fix="add the script")


def _repeated_ids(document: Document, entries: Sequence[DeviationEntry]) -> Iterator[CaseFileError]:
    counts = Counter(entry.id for entry in entries)
    for index, entry in enumerate(entries):
        if counts[entry.id] > 1:
            where = document.where(("deviations", index, "id"))
            yield CaseFileError(where, f"{entry.id!r} is used {counts[entry.id]} times", fix="give each entry its own")


def _verdicts(entry: DeviationEntry) -> list[str]:
    return [entry.verdict] if isinstance(entry.verdict, str) else entry.verdict


def _deviation(entry: DeviationEntry) -> Deviation:
    return Deviation(
        id=entry.id,
        kind=DeviationKind(entry.kind),
        conditions=Conditions(
            versions=entry.where.versions,
            options=entry.where.options,
            instruction_set=entry.where.isa or "",
            device=entry.where.device,
            system=entry.where.system,
        ),
        operators=tuple(entry.operators),
        cases=tuple(entry.cases),
        exceptions=tuple(entry.exceptions),
        forms=tuple(Form(form) for form in entry.forms),
        clauses=tuple(entry.clauses),
        verdicts=tuple(Verdict(verdict) for verdict in _verdicts(entry)),
        wrong_answers=tuple(entry.values),
        deaths=tuple(entry.deaths),
        stages=tuple(entry.stages),
        messages=tuple(entry.messages),
        memory=Memory(entry.memory) if entry.memory else None,
        happens=Happens(entry.happens),
        depends_on=entry.depends_on,
        what=entry.what,
        why=entry.why,
        upstream=entry.upstream,
        since=date.fromisoformat(entry.since),
        review=date.fromisoformat(entry.review),
        reproducer=entry.reproducer,
    )
