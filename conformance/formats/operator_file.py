"""`operator.yaml`: the signature and clauses of an operator. Sole owner of the format."""

from __future__ import annotations

from functools import cache
from typing import Annotated, Literal

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from pydantic import AfterValidator, Field

from conformance.formats.file_schema import FileModel, validated
from conformance.formats.yaml_document import Document, KeyPath
from conformance.spec.operator import Clause, Operator, Parameter, Role, Source
from conformance.values.dtypes import DTYPES
from conformance.values.errors import CaseFileError, nearest


def _version_range(text: str) -> str:
    try:
        SpecifierSet(text)
    except InvalidSpecifier:
        raise ValueError(f"{text!r} is not a version range; write one such as '>=2' or '>=2,<13'") from None
    return text


VersionRange = Annotated[str, AfterValidator(_version_range), Field(description="operator versions, as '>=2,<13'")]


class SourceEntry(FileModel):
    """The page that specifies the operator."""

    title: str
    url: str = ""


class AxisEntry(FileModel):
    """The argument that names the dimension along which the data is cut."""

    argument: str
    default: int | None = Field(default=None, description="the page's default for an argument that is left out")
    default_versions: VersionRange = ">=0"
    negative: VersionRange | None = Field(default=None, description="versions that allow a negative axis")


class OutputsEntry(FileModel):
    """The arguments that determine the number of outputs."""

    lengths: str | None = None
    count: str | None = None


class ParameterEntry(FileModel):
    """Whether an argument is an input or an attribute in some versions, and its types."""

    versions: VersionRange = ">=0"
    role: Literal["input", "attribute"] = Field(alias="as")
    types: str | None = Field(default=None, description="name of the type constraint of an input")
    default_dtype: str = Field(default="int64", description="type of a bare number or list in a case")


class ConstraintEntry(FileModel):
    """The element types that some versions allow."""

    versions: VersionRange = ">=0"
    dtypes: list[str]


class ClauseEntry(FileModel):
    """One testable statement of the page, in our own words."""

    versions: VersionRange = ">=0"
    kind: Literal["must", "range", "default", "type", "shape", "result", "example"]
    section: str = Field(description="heading of the page that the statement is under")
    says: str


class OperatorFile(FileModel):
    """An operator of a dialect, in all its versions."""

    operator: str = Field(pattern=r"^[a-z]+\.[A-Za-z0-9]+$")
    about: str
    sources: list[SourceEntry]
    versions: list[Annotated[int, Field(ge=1)]] = Field(min_length=1)
    data: str
    axis: AxisEntry
    outputs: OutputsEntry
    arguments: dict[str, list[ParameterEntry]]
    types: dict[str, list[ConstraintEntry]]
    clauses: dict[str, ClauseEntry]


def operators_from_document(document: Document) -> tuple[Operator, ...]:
    """The operator in each of its versions, oldest first.

    Raises:
        ExceptionGroup: of `CaseFileError`, one for each problem.
    """
    file = validated(OperatorFile, document)
    problems = [
        *_unknown_dtypes(document, file),
        *_unknown_constraints(document, file),
        *_unknown_arguments(document, file),
    ]
    problems += [] if problems else _untyped_data(document, file)
    if len(set(file.versions)) < len(file.versions):
        problems.append(
            CaseFileError(document.where(("versions",)), "names a version twice", fix="remove one of the two")
        )
    if problems:
        raise ExceptionGroup(f"{document.path} contradicts itself", problems)
    return tuple(_operator(file, version) for version in sorted(file.versions))


@cache
def applies_to(versions: str, version: int) -> bool:
    """Whether a range such as `>=2,<13` includes an operator version."""
    return SpecifierSet(versions).contains(str(version))


def _operator(file: OperatorFile, version: int) -> Operator:
    dialect, _, name = file.operator.partition(".")
    parameters = [
        Parameter(name=name, role=Role(entry.role), constraint=entry.types, default_dtype=entry.default_dtype)
        for name, entries in file.arguments.items()
        for entry in entries
        if applies_to(entry.versions, version)
    ]
    constraints = {
        name: tuple(entry.dtypes)
        for name, entries in file.types.items()
        for entry in entries
        if applies_to(entry.versions, version)
    }
    clauses = {
        id_: Clause(
            id=id_,
            versions=tuple(v for v in file.versions if applies_to(entry.versions, v)),
            kind=entry.kind,
            section=entry.section,
            says=entry.says,
        )
        for id_, entry in file.clauses.items()
        if applies_to(entry.versions, version)
    }
    axis = file.axis
    return Operator(
        dialect=dialect,
        name=name,
        version=version,
        parameters=tuple(parameters),
        constraints=constraints,
        clauses=clauses,
        data=file.data,
        axis=axis.argument,
        default_axis=axis.default if applies_to(axis.default_versions, version) else None,
        takes_negative_axis=axis.negative is not None and applies_to(axis.negative, version),
        lengths=file.outputs.lengths,
        num_outputs=file.outputs.count,
        sources=tuple(Source(entry.title, entry.url) for entry in file.sources),
    )


def _unknown_dtypes(document: Document, file: OperatorFile) -> list[CaseFileError]:
    named: list[tuple[KeyPath, str]] = [
        (("types", name, number, "dtypes", index), dtype)
        for name, constraints in file.types.items()
        for number, constraint in enumerate(constraints)
        for index, dtype in enumerate(constraint.dtypes)
    ]
    named += [
        (("arguments", name, number, "default_dtype"), parameter.default_dtype)
        for name, parameters in file.arguments.items()
        for number, parameter in enumerate(parameters)
    ]
    return [
        CaseFileError(
            document.where(keys),
            f"{dtype!r} is not an element type",
            fix=nearest(dtype, DTYPES, otherwise="use a NumPy or ml_dtypes name"),
        )
        for keys, dtype in named
        if dtype not in DTYPES
    ]


def _unknown_arguments(document: Document, file: OperatorFile) -> list[CaseFileError]:
    named = {
        ("data",): file.data,
        ("axis", "argument"): file.axis.argument,
        ("outputs", "lengths"): file.outputs.lengths,
        ("outputs", "count"): file.outputs.count,
    }
    return [
        CaseFileError(
            document.where(keys),
            f"{name!r} is not defined under `arguments`",
            fix=nearest(name, file.arguments, otherwise="define it there"),
        )
        for keys, name in named.items()
        if name is not None and name not in file.arguments
    ]


def _untyped_data(document: Document, file: OperatorFile) -> list[CaseFileError]:
    """The data needs a type constraint in each version, because `all` in a matrix means its types."""
    constrained = [
        (entry, constraint)
        for entry in file.arguments.get(file.data, [])
        if entry.role == "input"
        for constraint in file.types.get(entry.types or "", [])
    ]
    return [
        CaseFileError(
            document.where(("arguments", file.data)),
            f"version {version} gives {file.data!r} no types",
            fix="write [{as: input, types: T}], and T under `types`",
        )
        for version in file.versions
        if file.data in file.arguments
        and not any(applies_to(a.versions, version) and applies_to(b.versions, version) for a, b in constrained)
    ]


def _unknown_constraints(document: Document, file: OperatorFile) -> list[CaseFileError]:
    return [
        CaseFileError(
            document.where(("arguments", name, number, "types")),
            f"the type constraint {entry.types!r} is not defined under `types`",
            fix=nearest(entry.types, file.types, otherwise="define it there"),
        )
        for name, entries in file.arguments.items()
        for number, entry in enumerate(entries)
        if entry.types is not None and entry.types not in file.types
    ]
