"""`deviations.yaml`: the recorded deviations of an adapter. Sole owner of the format."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from conformance.formats.file_schema import FileModel, validated
from conformance.formats.suite import Suite
from conformance.formats.yaml_document import Document, Plain, read_document
from conformance.judging.deviation import Deviation, Happens
from conformance.language.operator import is_named
from conformance.values.errors import CaseFileError
from conformance.values.text import counted


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
        for field in verdict.meaning.recorded_by:
            if not given[field] and not (field == "values" and entry.memory):
                what = f"an entry with the verdict {verdict.value!r} needs `{field}`"
                yield document.problem(keys, what, f"add `{field}: [...]`")
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
