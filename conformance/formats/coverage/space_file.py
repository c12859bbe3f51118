"""`coverage.yaml`: the parameter space of an operator, and its exclusions with reasons. Sole owner of the format."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pydantic import Field

from conformance.formats.coverage.features import vocabulary_of
from conformance.formats.coverage.space import Exclusion, Space
from conformance.formats.file_schema import FileModel, validated
from conformance.formats.operator_file import VersionRange, applies_to, misplaced
from conformance.formats.references import label_of
from conformance.formats.yaml_document import Document, KeyPath, Plain
from conformance.language.operator import Operator
from conformance.values.errors import CaseFileError, nearest

Labels = int | bool | str | list[int | bool | str]


class ParameterSpaceEntry(FileModel):
    """A parameter with the values that the page allows."""

    name: str
    values: Labels = Field(description="labels, or a type constraint of operator.yaml")
    versions: VersionRange = ">=0"
    pairs_only: bool = Field(default=False, description="combined with only one other parameter at a time")


class LeftOutEntry(FileModel):
    """Combinations that no case needs: those that have, for each parameter of `when`, one of its values."""

    when: dict[str, Labels] = Field(min_length=1)
    because: str = Field(min_length=1)
    versions: VersionRange = ">=0"


class CoverageFile(FileModel):
    """The parameter space of an operator that its cases must cover."""

    operator: str
    parameters: list[ParameterSpaceEntry] = Field(min_length=2)
    left_out: list[LeftOutEntry] = Field(default_factory=list)


def spaces_from_document(document: Document, operators: Sequence[Operator]) -> dict[str, Space]:
    """The space of each operator version that has parameters, by its id.

    Raises:
        ExceptionGroup: of `CaseFileError`, one for each problem.
    """
    file = validated(CoverageFile, document)
    readers = [_SpaceReader(document, file, operator) for operator in operators]
    made = {reader.operator.id: reader.space() for reader in readers}
    spaces = {operator: space for operator, space in made.items() if space.parameters}
    problems = [problem for reader in readers for problem in reader.problems]
    problems += misplaced(document, file.operator, operators[0].family)
    if problems:
        unique = list({str(problem): problem for problem in problems}.values())
        raise ExceptionGroup(f"{document.path} does not fit its operator", unique)
    return spaces


@dataclass(slots=True)
class _SpaceReader:
    """Builds the space of one operator version and collects the problems of the file."""

    document: Document
    file: CoverageFile
    operator: Operator
    problems: list[CaseFileError] = field(default_factory=list)

    def space(self) -> Space:
        parameters: dict[str, tuple[str, ...]] = {}
        vocabulary = vocabulary_of(self.operator)
        for index, entry in enumerate(self.file.parameters):
            keys: KeyPath = ("parameters", index)
            if not applies_to(entry.versions, self.operator.version):
                continue
            if entry.name not in vocabulary:
                fix = nearest(entry.name, vocabulary, otherwise=f"there are {', '.join(vocabulary)}")
                self._problem(keys, f"{entry.name!r} is not a parameter", fix)
            elif entry.name in parameters:
                what = f"{entry.name!r} is there twice for {self.operator.id}"
                self._problem(keys, what, "narrow the `versions` of one")
            else:
                parameters[entry.name] = self._labels((*keys, "values"), entry.values, vocabulary[entry.name])
        left_out = [
            Exclusion(self._when(index, entry, parameters), entry.because)
            for index, entry in enumerate(self.file.left_out)
            if applies_to(entry.versions, self.operator.version)
        ]
        pairs_only = frozenset(entry.name for entry in self.file.parameters if entry.pairs_only)
        return Space(parameters, tuple(left_out), pairs_only)

    def _when(
        self, index: int, entry: LeftOutEntry, parameters: Mapping[str, tuple[str, ...]]
    ) -> dict[str, frozenset[str]]:
        when = {}
        for name, labels in entry.when.items():
            keys = ("left_out", index, "when", name)
            if name in parameters:
                when[name] = frozenset(self._labels(keys, labels, parameters[name]))
            else:
                fix = nearest(name, parameters, otherwise="narrow `versions`")
                self._problem(keys, f"{name!r} is not a parameter of this version", fix)
        return when

    def _labels(self, keys: KeyPath, labels: Plain, known: Sequence[str]) -> tuple[str, ...]:
        if isinstance(labels, str) and labels in self.operator.constraints:
            return tuple(label for label in self.operator.constraints[labels] if label in known)
        named = tuple(label_of(label) for label in (labels if isinstance(labels, list) else [labels]))
        for label in named:
            if label not in known:
                fix = nearest(label, known, otherwise=f"there are {', '.join(known)}")
                self._problem(keys, f"{label!r} is not a value of this parameter", fix)
        return named

    def _problem(self, keys: KeyPath, what: str, fix: str) -> None:
        self.problems.append(CaseFileError(self.document.where(keys), what, fix=fix))
