"""`coverage.yaml`: the parameter space of an operator, and its exclusions with reasons. Sole owner of the format."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from conformance.formats.coverage.exclusion_entry import ExclusionEntry, Labels, exclusions_of, labels_of
from conformance.formats.coverage.features import vocabulary_of
from conformance.formats.coverage.space import Space
from conformance.formats.file_schema import FileModel, SchemaError, validated
from conformance.formats.operator_file import VersionRange, applies_to, misplaced
from conformance.formats.yaml_document import Document, KeyPath
from conformance.language.operator import Operator
from conformance.values.errors import nearest


class ParameterSpaceEntry(FileModel):
    """A parameter with the values that the page allows."""

    name: str
    values: Labels = Field(description="labels, or a type constraint of operator.yaml")
    versions: VersionRange = ">=0"
    pairs_only: bool = Field(default=False, description="combined with only one other parameter at a time")


class CoverageFile(FileModel):
    """The parameter space of an operator that its cases must cover."""

    operator: str
    parameters: list[ParameterSpaceEntry] = Field(min_length=2)
    left_out: list[ExclusionEntry] = Field(default_factory=list)


def spaces_from_document(document: Document, operators: Sequence[Operator]) -> dict[str, Space]:
    """The space of each operator version that has parameters, by its id.

    Raises:
        ExceptionGroup: of `CaseFileError`, one for each problem.
    """
    file = validated(CoverageFile, document)
    found: list[SchemaError] = []
    made = {operator.id: _space(file, operator, found) for operator in operators}
    problems = [document.problem(misfit.keys, misfit.what, misfit.fix) for misfit in found]
    problems += misplaced(document, file.operator, operators[0].family)
    if problems:
        unique = list({str(problem): problem for problem in problems}.values())
        raise ExceptionGroup(f"{document.path} does not fit its operator", unique)
    return {operator: space for operator, space in made.items() if space.parameters}


def _space(file: CoverageFile, operator: Operator, problems: list[SchemaError]) -> Space:
    """The space of one operator version; adds the problems of the file."""
    parameters: dict[str, tuple[str, ...]] = {}
    vocabulary = vocabulary_of(operator)
    for index, entry in enumerate(file.parameters):
        keys: KeyPath = ("parameters", index)
        if not applies_to(entry.versions, operator.version):
            continue
        if entry.name not in vocabulary:
            fix = nearest(entry.name, vocabulary, otherwise=f"there are {', '.join(vocabulary)}")
            problems.append(SchemaError(keys, f"{entry.name!r} is not a parameter", fix))
        elif entry.name in parameters:
            what = f"{entry.name!r} is there twice for {operator.id}"
            problems.append(SchemaError(keys, what, "narrow the `versions` of one"))
        else:
            known = vocabulary[entry.name]
            parameters[entry.name] = labels_of(entry.values, known, operator, (*keys, "values"), problems)
    left_out = exclusions_of(file.left_out, parameters, operator, "left_out", problems)
    pairs_only = frozenset(entry.name for entry in file.parameters if entry.pairs_only)
    return Space(parameters, left_out, pairs_only)
