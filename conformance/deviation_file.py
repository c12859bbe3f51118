"""`deviations.yaml`: the sole owner of the format in which an adapter's deviations are recorded."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, Field

from conformance.deviation import Deviation
from conformance.errors import CaseFileError, nearest
from conformance.file_schema import FileModel, validated
from conformance.form import Form
from conformance.operator_file import VersionRange
from conformance.verdict import Verdict
from conformance.yaml_document import read_document

DEVIATING = (
    Verdict.WRONG_RESULT,
    Verdict.REJECTED_VALID,
    Verdict.ACCEPTED_INVALID,
    Verdict.CRASHED,
    Verdict.TIMED_OUT,
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
    verdict: str
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
    file = validated(DeviationFile, document)
    verdicts, forms = {verdict.value: verdict for verdict in DEVIATING}, {form.value: form for form in Form}
    problems, first_by_id = [], dict[str, int]()
    for index, entry in enumerate(file.deviations):
        keys = ("deviations", index)
        wrong_words = [(("verdict",), entry.verdict, verdicts)] if entry.verdict not in verdicts else []
        wrong_words += [(("forms",), form, forms) for form in entry.forms if form not in forms]  # type: ignore[misc]
        for key, word, known in wrong_words:
            fix = nearest(word, known, otherwise=f"write one of {', '.join(known)}")
            problems.append(
                CaseFileError(document.where((*keys, *key)), f"{word!r} is not one of the allowed words", fix=fix)
            )
        if first_by_id.setdefault(entry.id, index) != index:
            problems.append(
                CaseFileError(document.where((*keys, "id")), f"{entry.id!r} is used twice", fix="rename one")
            )
        if not (folder / entry.reproducer).is_file():
            what = f"there is no file {entry.reproducer!r} in {folder.name}/"
            problems.append(CaseFileError(document.where((*keys, "reproducer")), what, fix="add the script"))
    if problems:
        raise ExceptionGroup(f"{path} has {len(problems)} problem(s)", problems)
    return tuple(_deviation(entry) for entry in file.deviations)


def _deviation(entry: DeviationEntry) -> Deviation:
    return Deviation(
        id=entry.id,
        cases=tuple(entry.cases),
        forms=tuple(Form(form) for form in entry.forms),
        versions=entry.versions,
        options=entry.options,
        verdict=Verdict(entry.verdict),
        what=entry.what,
        why=entry.why,
        upstream=entry.upstream,
        since=date.fromisoformat(entry.since),
        review=date.fromisoformat(entry.review),
        reproducer=entry.reproducer,
    )
