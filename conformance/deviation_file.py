"""`deviations.yaml`: the sole owner of the format in which an adapter's deviations are recorded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from conformance.deviation import Deviation, Happens
from conformance.errors import CaseFileError, nearest
from conformance.file_schema import FileModel, validated
from conformance.form import Form
from conformance.operator_file import VersionRange
from conformance.verdict import Verdict
from conformance.yaml_document import Document, Plain, read_document

DEVIATING = (
    Verdict.WRONG_RESULT,
    Verdict.REJECTED_VALID,
    Verdict.ACCEPTED_INVALID,
    Verdict.CRASHED,
    Verdict.TIMED_OUT,
    Verdict.UNSTABLE,
)


def _day(text: str) -> str:
    try:
        date.fromisoformat(text)
    except ValueError:
        raise ValueError(f"{text!r} is not a day; write one as 2026-11-21") from None
    return text


Day = Annotated[str, AfterValidator(_day), Field(description="a day, as 2026-11-21")]


class DeviationEntry(FileModel):
    """One departure of the framework, with its reason and its date."""

    id: str = Field(pattern=r"^[a-z0-9][a-z0-9-]{0,79}$")
    cases: list[str] = Field(min_length=1, description="case ids; * and ? match")
    forms: list[str] = Field(default_factory=list, description="left out: all forms")
    versions: VersionRange = Field(description="versions of the framework, as '>=2026.4'")
    options: dict[str, str] = Field(default_factory=dict, description="options of the target; left out: any")
    verdict: str | Annotated[list[str], Field(min_length=1)] = Field(
        description="what happens; several where it differs from run to run"
    )
    causes: list[str] = Field(default_factory=list, description="causes as a report tells them, with * and ?")
    happens: Literal["always", "sometimes"] = Field(
        default="always", description="sometimes: on part of the checks only, as no pattern can tell"
    )
    what: str
    why: str
    upstream: str = ""
    since: Day
    review: Day
    reproducer: str


class DeviationFile(FileModel):
    """All known departures of one framework."""

    deviations: list[DeviationEntry]


def read_deviations(folder: Path) -> tuple[Deviation, ...]:
    """The deviations of an adapter's folder; none where it has no `deviations.yaml`.

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
    """The deviations of a file, wherever its reproducers may be.

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
    """What a file says that holds these deviations."""
    return {
        "deviations": [
            {
                "id": entry.id,
                "cases": list(entry.cases),
                "forms": [form.value for form in entry.forms],
                "versions": entry.versions,
                "options": dict(entry.options),
                "verdict": [verdict.value for verdict in entry.verdicts],
                "causes": list(entry.causes),
                "happens": entry.happens.value,
                "what": entry.what,
                "why": entry.why,
                "upstream": entry.upstream,
                "since": entry.since.isoformat(),
                "review": entry.review.isoformat(),
                "reproducer": entry.reproducer,
            }
            for entry in deviations
        ]
    }


def _problems(document: Document, index: int, entry: DeviationEntry) -> Iterator[CaseFileError]:
    keys = ("deviations", index)
    words = [("verdict", word, [verdict.value for verdict in DEVIATING]) for word in _verdicts(entry)]
    words += [("forms", word, [form.value for form in Form]) for word in entry.forms]
    for key, word, known in words:
        if word not in known:
            fix = nearest(word, known, otherwise=f"write one of {', '.join(known)}")
            yield CaseFileError(document.where((*keys, key)), f"{word!r} is not one of the allowed words", fix=fix)


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
        cases=tuple(entry.cases),
        forms=tuple(Form(form) for form in entry.forms),
        versions=entry.versions,
        options=entry.options,
        verdicts=tuple(Verdict(verdict) for verdict in _verdicts(entry)),
        what=entry.what,
        why=entry.why,
        upstream=entry.upstream,
        since=date.fromisoformat(entry.since),
        review=date.fromisoformat(entry.review),
        reproducer=entry.reproducer,
        causes=tuple(entry.causes),
        happens=Happens(entry.happens),
    )
