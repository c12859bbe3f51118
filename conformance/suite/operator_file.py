"""`operator.yaml`: the signature and clauses of an operator. Sole owner of the format."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Annotated, Literal

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from pydantic import AfterValidator, BeforeValidator, Field

from conformance.protocol.form import Form
from conformance.spec.condition import checked_condition
from conformance.spec.expression import Law, expression, law_problems, names_in
from conformance.spec.operator import (
    ArgumentKind,
    Clause,
    OpenCalls,
    Operator,
    OutputRule,
    Parameter,
    Role,
    Source,
)
from conformance.suite.yaml_file import Document, FileModel, KeyPath, validated, words
from conformance.tensors.dtypes import DTYPES, dtype_meant
from conformance.tensors.errors import CaseFileError, nearest


def _version_range(text: object) -> object:
    try:
        if isinstance(text, str):
            SpecifierSet(text)
            return text
    except InvalidSpecifier:
        pass
    if text is None:
        return text  # the field's own message fits
    bare = str(text)
    example = f'"=={bare}" or ">={bare}"' if bare.isdecimal() else '">=2" or ">=2,<13"'
    raise ValueError(f"{text!r} is not a version range; write one such as {example}")


VersionRange = Annotated[str, BeforeValidator(_version_range), Field(description="operator versions, as '>=2,<13'")]


class SourceEntry(FileModel):
    """The page that specifies the operator."""

    title: str
    url: str = ""


class AxisEntry(FileModel):
    """The argument that names the dimension along which the data is cut into parts."""

    argument: str
    default: int | None = Field(default=None, description="the page's default for an argument that is left out")
    default_versions: VersionRange = ">=0"
    negative: VersionRange | None = Field(default=None, description="versions that allow a negative axis")


def _expression(text: str) -> str:
    expression(text)
    return text


class OutputsEntry(FileModel):
    """The type and rank of the outputs, and the arguments that determine the number of parts."""

    type: str | None = Field(
        default=None, description="an element type, or the argument whose type they have; left out: the data"
    )
    rank: list[Annotated[str, AfterValidator(_expression)]] = Field(
        default=[],
        description="expressions of the law language, as max(rank(NAME), size(NAME)) or rank(NAME) - ones(NAME):"
        " the first whose arguments are given holds; left out: the rank of data that is cut",
    )
    lengths: str | None = None
    count: str | None = None


class ParameterEntry(FileModel):
    """Whether an argument is an input or an attribute in some versions, and its types."""

    versions: VersionRange = ">=0"
    role: Literal["input", "attribute"] = Field(alias="as")
    kind: Annotated[ArgumentKind, words(ArgumentKind)] | None = Field(
        default=None, description="what it means; a law needs it"
    )
    types: str | None = Field(default=None, description="name of the type constraint of an input")
    default_dtype: str = Field(default="int64", description="type of a bare number or list in a case")
    variadic: bool = Field(default=False, description="whether it takes any number of inputs, which a case lists")
    one_of: list[str] = Field(default=[], description="the words that a mode can be")
    shape: str | None = Field(
        default=None, description="the shape of data beside the main one, in the language of laws: data.shape[1:]"
    )


class ConstraintEntry(FileModel):
    """The element types that some versions allow."""

    versions: VersionRange = ">=0"
    dtypes: list[str]


class LawEntry(FileModel):
    """Which element of the data stands at each place `o` of output number `j`, in the language of laws."""

    let: dict[Annotated[str, Field(pattern="^[a-z]+$")], str] = Field(default={}, description="names for expressions")
    count: str = Field(default="1", description="the number of outputs")
    shape: str = Field(description="the shape of an output, as data.shape")
    at: str = Field(description="the element of the data at the place o, as data[o]")


class OpenEntry(FileModel):
    """Calls that the page leaves open, so that only a case written for them may judge a backend by them."""

    versions: VersionRange = ">=0"
    when: Annotated[str, AfterValidator(checked_condition)] = Field(
        description="a condition on the kinds of arguments, as in recorded deviations: 'size(axes) == 0'"
    )
    forms: list[Annotated[Form, words(Form)]] = Field(default=[], description="left out: in all forms")
    says: str = Field(description="what the page does not say, in our own words")
    clauses: list[str] = Field(
        default=[], description="a call that breaks another clause is wrong in any reading; left out: no call is"
    )


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
    versions: list[Annotated[int, Field(ge=1)]] = Field(
        min_length=1, description="all versions up to the newest of them: each holds until the next"
    )
    data: str | list[str] = Field(description="the arguments whose elements the outputs hold, the main one first")
    axis: AxisEntry | None = None
    outputs: OutputsEntry = OutputsEntry()
    arguments: dict[str, list[ParameterEntry]]
    types: dict[str, list[ConstraintEntry]]
    law: LawEntry | None = None
    open: list[OpenEntry] = Field(default=[], description="calls that the page leaves open")
    clauses: dict[str, ClauseEntry]

    @property
    def data_names(self) -> tuple[str, ...]:
        """The arguments whose elements the outputs hold."""
        return (self.data,) if isinstance(self.data, str) else tuple(self.data)


def operators_from_document(document: Document) -> tuple[Operator, ...]:
    """The operator in each of its versions, oldest first.

    Raises:
        ExceptionGroup: of `CaseFileError`, one for each problem.
    """
    file = validated(OperatorFile, document)
    problems = [*_unknown_dtypes(document, file), *_undefined_names(document, file), *_unlawful(document, file)]
    problems += [] if problems else _untyped_data(document, file)
    if len(set(file.versions)) < len(file.versions):
        problems.append(document.problem(("versions",), "names a version twice", "remove one of the two"))
    if problems:
        raise ExceptionGroup(f"{document.path} contradicts itself", problems)
    return tuple(_operator(file, version) for version in sorted(file.versions))


def misplaced(document: Document, operator: str, folder: str) -> list[CaseFileError]:
    """A problem if the `operator` of a file is not the one whose folder the file is in."""
    if operator == folder:
        return []
    what = f"the file is in the folder of {folder}, but its `operator` is {operator!r}"
    return [document.problem(("operator",), what, f"write `operator: {folder}`")]


@cache
def applies_to(versions: str, version: int) -> bool:
    """Whether a range such as `>=2,<13` includes an operator version."""
    return SpecifierSet(versions).contains(str(version))


def _operator(file: OperatorFile, version: int) -> Operator:
    dialect, _, name = file.operator.partition(".")
    entries = [(name, entry) for name, entries in file.arguments.items() for entry in entries]
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
    axis, later = file.axis, [other for other in file.versions if other > version]
    return Operator(
        dialect=dialect,
        name=name,
        version=version,
        parameters=tuple(_parameter(*one) for one in entries if applies_to(one[1].versions, version)),
        constraints=constraints,
        clauses=clauses,
        data=file.data_names,
        outputs=_output_rule(file),
        last_opset=min(later) - 1 if later else None,
        split_axis=None if axis is None else axis.argument,
        default_axis=axis.default if axis is not None and applies_to(axis.default_versions, version) else None,
        takes_negative_axis=axis is not None and axis.negative is not None and applies_to(axis.negative, version),
        lengths=file.outputs.lengths,
        num_outputs=file.outputs.count,
        law=_law(file),
        open=tuple(
            OpenCalls(when=entry.when, says=entry.says, forms=tuple(entry.forms), clauses=tuple(entry.clauses))
            for entry in file.open
            if applies_to(entry.versions, version)
        ),
        elsewhere=tuple(_parameter(*one) for one in entries if not applies_to(one[1].versions, version)),
        sources=tuple(Source(entry.title, entry.url) for entry in file.sources),
    )


def _parameter(name: str, entry: ParameterEntry) -> Parameter:
    return Parameter(
        name=name,
        role=Role(entry.role),
        kind=entry.kind,
        constraint=entry.types,
        default_dtype=entry.default_dtype,
        is_variadic=entry.variadic,
        one_of=tuple(entry.one_of),
        shape=entry.shape,
    )


def _law(file: OperatorFile) -> Law | None:
    law = file.law
    if law is None:
        return None
    return Law(let=tuple(law.let.items()), count=law.count, shape=law.shape, at=law.at)


def _output_rule(file: OperatorFile) -> OutputRule:
    outputs, main = file.outputs, file.data_names[0]
    texts = outputs.rank or ([f"rank({main})"] if file.axis is not None else [])
    ranks = tuple(texts)
    if outputs.type in DTYPES:
        return OutputRule(dtype=outputs.type or "", ranks=ranks)
    return OutputRule(type_of=outputs.type or main, ranks=ranks)


def _unknown_dtypes(document: Document, file: OperatorFile) -> Iterator[CaseFileError]:
    named: list[tuple[KeyPath, str]] = [
        (("types", name, number, "dtypes", index), dtype)
        for name, constraints in file.types.items()
        for number, constraint in enumerate(constraints)
        for index, dtype in enumerate(constraint.dtypes)
    ]
    named += [(("arguments", *keys, "default_dtype"), entry.default_dtype) for keys, entry in _entries(file)]
    for keys, dtype in named:
        if dtype not in DTYPES:
            yield document.problem(keys, f"{dtype!r} is not an element type", dtype_meant(dtype))


def _undefined_names(document: Document, file: OperatorFile) -> Iterator[CaseFileError]:
    """Type constraints and arguments that the file names and does not define."""
    constraints: dict[KeyPath, str | None] = {
        ("arguments", *keys, "types"): entry.types for keys, entry in _entries(file)
    }
    arguments: dict[KeyPath, str | None] = {
        **{("data",) if isinstance(file.data, str) else ("data", i): name for i, name in enumerate(file.data_names)},
        ("axis", "argument"): None if file.axis is None else file.axis.argument,
        ("outputs", "type"): None if file.outputs.type in DTYPES else file.outputs.type,
        **{
            ("outputs", "rank", number, place): name
            for number, text in enumerate(file.outputs.rank)
            for place, name in enumerate(sorted(names_in(text)))
        },
        ("outputs", "lengths"): file.outputs.lengths,
        ("outputs", "count"): file.outputs.count,
    }
    for kind, named, place, known in (
        ("the type constraint ", constraints, "types", file.types.keys()),
        ("", arguments, "arguments", file.arguments.keys()),
    ):
        for keys, name in named.items():
            if name is not None and name not in known:
                fix = nearest(name, known, otherwise="define it there")
                yield document.problem(keys, f"{kind}{name!r} is not defined under `{place}`", fix)


def _unlawful(document: Document, file: OperatorFile) -> Iterator[CaseFileError]:
    """What is wrong with the law, and with shapes of arguments."""
    law, names = file.law, file.arguments.keys()
    outputs = {} if law is None else {"count": law.count, "shape": law.shape, "at": law.at}
    problems: list[tuple[KeyPath, str]] = []
    problems += [(("law", *keys), what) for keys, what in law_problems({} if law is None else law.let, outputs, names)]
    for keys, entry in _entries(file):
        shapes = {} if entry.shape is None else {"shape": entry.shape}
        problems += [(("arguments", *keys, *key), what) for key, what in law_problems({}, shapes, names)]
    for place, what in problems:
        yield document.problem(place, what, "write an expression of the law language, as data.shape[1:]")


def _entries(file: OperatorFile) -> Iterator[tuple[KeyPath, ParameterEntry]]:
    """Each entry under `arguments`, with its keys there."""
    for name, entries in file.arguments.items():
        yield from (((name, number), entry) for number, entry in enumerate(entries))


def _untyped_data(document: Document, file: OperatorFile) -> Iterator[CaseFileError]:
    """The data needs a type constraint in each version, because `all` in a matrix means its types."""
    data = file.data_names[0]
    constrained = [
        (entry, constraint)
        for entry in file.arguments[data]
        if entry.role == "input"
        for constraint in file.types.get(entry.types or "", [])
    ]
    for version in file.versions:
        if not any(applies_to(a.versions, version) and applies_to(b.versions, version) for a, b in constrained):
            fix = "write [{as: input, types: T}], and T under `types`"
            yield document.problem(("arguments", data), f"version {version} gives {data!r} no types", fix)
