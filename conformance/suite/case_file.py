"""Reads case files and the covering tables next to them.

A file is validated once as a whole. Each of its cases becomes a family, which makes its products one at a time, so that
memory does not grow with the matrix.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from conformance.protocol.form import Form
from conformance.spec.case import Case, Rejection
from conformance.spec.choices import CaseSet
from conformance.spec.making.call import LEFT_OUT as _LEFT_OUT
from conformance.spec.making.call import choices_of
from conformance.spec.operator import Operator
from conformance.suite.case_entry import (
    WRONG,
    CaseEntry,
    CaseFile,
    Column,
    FullSetVersions,
    Product,
    WrittenTensor,
    columns_of,
    combinations,
    product_of,
)
from conformance.suite.case_product import ProductReader
from conformance.suite.coverage_tables import Row, Space, exclusions_of, rows_of_table, table_path
from conformance.suite.literals import names_in, resolved
from conformance.suite.operator_file import applies_to, misplaced
from conformance.suite.yaml_file import Document, KeyPath, Plain, SchemaError, validated
from conformance.tensors.errors import CaseFileError

# Cases whose calls are made: each row of their table chooses a class of each argument, a form and a seed.
#
# A row of wrong calls also says which argument of the valid call is wrong and how, and which clause it breaks.

FORM, SEED = "form", "seed"
"""The columns other than those of the arguments."""
ARGUMENT, CLASS, CLAUSE = "wrong", "class", "clause"
"""The further columns of wrong calls."""
_VALUES = "values"
"""The one choice that no wrong call depends on."""
LEFT_OUT = _LEFT_OUT.replace(" ", "-")
SEEDS = 64
"""A call with some choices may need more than one try until it is one that its page allows."""


ChoicesByWord = Mapping[str, Mapping[str, str]]
"""For each name of a feature, its choices by words that can stand in an id."""


def choices_by_word(operator: Operator) -> ChoicesByWord:
    """The choices for each argument of an operator version."""
    return {name: {_word(choice): choice for choice in known} for name, known in choices_of(operator).items()}


def made_columns(operator: Operator) -> dict[str, dict[str, Plain]]:
    """The columns of a table of calls of an operator version: the choices for each argument, then form and seed."""
    is_onnx = operator.dialect == "onnx"
    forms = [form.value for form in Form if form is not Form.AS_IN_THE_MODEL and (is_onnx or not form.is_of_onnx)]
    chosen = {_word(name): list(known) for name, known in choices_by_word(operator).items()}
    columns = {**chosen, FORM: forms, SEED: [str(seed) for seed in range(SEEDS)]}
    return {name: {word: word for word in known} for name, known in columns.items()}


def wrong_columns(operator: Operator) -> dict[str, dict[str, Plain]]:
    """The columns of a table of wrong calls of an operator version."""
    from conformance.spec.making.wrong import wrong_classes_of  # needs NumPy, and a list of ids does not

    known = wrong_classes_of(operator)
    classes = {_word(name): _word(name) for names in known.values() for name in names}
    of_valid = {name: words for name, words in made_columns(operator).items() if name != _VALUES}
    clauses = {clause: clause for clause in operator.clauses}
    return {ARGUMENT: {name: name for name in known}, CLASS: {**classes}, **of_valid, CLAUSE: {**clauses}}


def wrong_words(operator: Operator) -> dict[str, dict[str, str]]:
    """The wrong classes for each argument of an operator version, by words that can stand in an id."""
    from conformance.spec.making.wrong import wrong_classes_of

    return {name: {_word(one): one for one in classes} for name, classes in wrong_classes_of(operator).items()}


def wrong_label(row: Mapping[str, object]) -> str:
    """What an id has of a row of wrong calls."""
    return f"{row[ARGUMENT]}={row[CLASS]},{FORM}={row[FORM]},{SEED}={row[SEED]}"


def features_of(known: ChoicesByWord, row: Mapping[str, str]) -> dict[str, str]:
    """The features of the call that a row of words makes."""
    return {name: by_word[row.get(_word(name), next(iter(by_word)))] for name, by_word in known.items()}


def made_case_maker(written: CaseFamily) -> Callable[[Product], Case]:
    """A function that makes the case of a row. It raises `CaseFileError` if the choices do not fit together."""
    from conformance.spec.making.clear_case import made_case  # needs NumPy, and a list of ids does not

    known = choices_by_word(written.operator)

    def make(product: Product) -> Case:
        row = {name: str(word) for name, word in product.bindings.items()}
        case = made_case(written.operator, features_of(known, row), int(row[SEED]))
        clauses = tuple(written.entry.clauses)
        if case is not None and written.entry.made == WRONG:  # `check` compares the row's clause with the reference
            clauses, wrong = (row[CLAUSE],), wrong_case_of(case, row)
            case = wrong and replace(wrong, expectation=Rejection(row[CLAUSE]))
        if case is None:
            what = f"no call of {written.operator.id} has the choices {product.label}"
            raise written.problem(("made",), what, "run `conformance cover` on the case file")
        return replace(
            case,
            id=written.id_of(product),
            clauses=clauses,
            forms=(Form(row[FORM]),),
            where=written.where,
            number=product.number,
        )

    return make


def wrong_case_of(valid: Case, row: Mapping[str, str]) -> Case | None:
    """A valid call made wrong as a row says, with the clause that it breaks; None if no call is clearly wrong so."""
    from conformance.spec.making.wrong import wrong_case

    name = wrong_words(valid.operator).get(row[ARGUMENT], {}).get(row[CLASS])
    return None if name is None else wrong_case(valid, row[ARGUMENT], name)


def _word(text: str) -> str:
    return text.replace(" ", "-")


WrittenPlace = tuple[str, KeyPath]
"""The path of a file and the keys of a case in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseFamily:
    """One case of a file for one operator version: all products of its matrix, made one at a time.

    `memory` is the size, as `6 GiB`, that the largest case needs.
    """

    operator: Operator
    document: Document
    entry: CaseEntry
    keys: KeyPath
    memory: str | None
    set: CaseSet
    folder: Path | None
    default: str | None = None
    """The part of this case in the default set, as `chosen_of` reads it; None means all."""

    @property
    def id(self) -> str:
        """The id without the matrix product, as `onnx.Split-13/unequal-lengths`."""
        return f"{self.operator.id}/{self.entry.id}"

    def id_of(self, product: Product) -> str:
        """The id of the case that a product makes."""
        return f"{self.id}[{product.label}]" if product.label else self.id

    @property
    def where(self) -> str:
        """File and line of the case."""
        return self.document.where(self.keys).partition(": ")[0]

    def problem(self, keys: KeyPath, what: str, fix: str) -> CaseFileError:
        """An error at a place of this case."""
        return self.document.problem((*self.keys, *keys), what, fix)

    def at(self, misfit: SchemaError, *keys: str) -> CaseFileError:
        """The same error at its place of this case, under these keys."""
        return self.problem((*keys, *misfit.keys), misfit.what, misfit.fix)

    def cases(self, dtypes: Collection[str] = ()) -> Iterator[Case]:
        """Every product of the matrix, in the order of the file; `sound_case` finds out whether it has a meaning.

        With `dtypes`, skips products whose data is written with another type.

        Raises:
            CaseFileError: a product cannot be made of the matrix.
        """
        return (make() for _, make in self.makers(dtypes))

    def makers(self, dtypes: Collection[str] = ()) -> Iterator[tuple[int, Callable[[], Case]]]:
        """The number of each product of `cases`, with a function that makes its case, so that a reader can skip it.

        Raises:
            CaseFileError: the matrix has no products; a function raises it if its product is not a case.
        """
        products = self._products()
        if dtypes:
            products = (product for product in products if self._may_have_type(product, dtypes))
        make = made_case_maker(self) if self.entry.made else self._case_maker()
        return ((product.number, partial(make, product)) for product in products)

    def _case_maker(self) -> Callable[[Product], Case]:
        reader, where = ProductReader(self.operator, self.entry, self.memory), self.where

        def make(product: Product) -> Case:
            try:
                return reader.case(product.bindings, self.id_of(product), where, product.number)
            except SchemaError as error:
                raise self.at(error) from None

        return make

    @property
    def has_wrong_calls(self) -> bool:
        """Whether the products are calls that the page forbids, each by a clause of its own."""
        return self.entry.made == WRONG

    def clauses(self) -> Collection[str]:
        """The clauses that the case tests, or its products if each names one."""
        if not self.has_wrong_calls:
            return self.entry.clauses
        return dict.fromkeys(str(product.bindings[CLAUSE]) for product in self._products())

    def first_products(self) -> frozenset[int]:
        """The number of the first product in each form, and that breaks each clause, if the products choose these."""
        if not self.entry.made:
            return frozenset()
        first: dict[object, int] = {}
        for product in self._products():
            for name in (FORM, CLAUSE):
                first.setdefault((name, product.bindings.get(name)), product.number)
        return frozenset(first.values())

    def ids(self) -> Iterator[str]:
        """The id of each case, without making the cases."""
        return map(self.id_of, self._products())

    def columns(self) -> dict[str, Column]:
        """The choices of the matrix for this operator version.

        Raises:
            CaseFileError: a name or a choice has no meaning.
        """
        try:
            if self.has_wrong_calls:
                return {**wrong_columns(self.operator)}
            return {**made_columns(self.operator)} if self.entry.made else columns_of(self.entry.matrix, self.operator)
        except SchemaError as error:
            raise self.at(error, "matrix") from None

    def unused_columns(self) -> Iterator[CaseFileError]:
        """The columns of the matrix that no value of the case uses: they make the same case again under other ids."""
        values = self.entry.model_dump(exclude={"matrix", "exceptions"})
        for name in self.entry.matrix:
            others = [choices for other, choices in self.entry.matrix.items() if other != name]
            if name not in {*names_in(values), *names_in(others)}:
                what = f"no value of the case uses the column {name!r}, so its choices make the same case again"
                fix = f"write `${name}` in the place of a value, or remove the column"
                yield self.problem(("matrix", name), what, fix)

    def _may_have_type(self, product: Product, dtypes: Collection[str]) -> bool:
        if self.entry.made:
            return product.bindings["dtype"] in dtypes
        data = self.entry.arguments.get(self.operator.data[0])
        if not isinstance(data, WrittenTensor):
            return True
        try:
            return resolved(data.dtype, product.bindings) in dtypes
        except SchemaError:
            return True  # making the case reports the problem

    def _products(self) -> Iterator[Product]:
        columns = self.columns()
        if self.entry.has_table:
            for number, labels in enumerate(rows_of_table(self.table, columns)):
                product = product_of(columns, labels, number)
                yield replace(product, label=wrong_label(product.bindings)) if self.has_wrong_calls else product
            return
        try:
            yield from combinations(columns)
        except SchemaError as error:
            raise self.at(error, "matrix") from None

    @property
    def table(self) -> Path:
        """The table of made calls of this operator version."""
        return table_path(self.file, self.entry.id, self.operator.version)

    @property
    def place(self) -> WrittenPlace:
        """Where the case is written; equal for all its versions."""
        return self.document.path, self.keys

    @property
    def file(self) -> Path:
        """The case file itself."""
        return (self.folder or Path()) / self.document.path.rpartition("/")[2]

    def choices_of(self, row: Row) -> Row:
        """What a row of the table chooses of the parameters of `space`."""
        return {row[ARGUMENT]: row[CLASS]} if self.has_wrong_calls else row

    def space(self) -> Space:
        """The combinations that a case with a table must have, and its exclusions: of the class of each argument that
        can be wrong, for wrong calls.

        Raises:
            CaseFileError: an entry of `except` names an unknown column or choice, or none.
        """
        known = wrong_words(self.operator) if self.has_wrong_calls else self.columns()
        columns = {name: tuple(column) for name, column in known.items()}
        problems: list[SchemaError] = []
        exclusions = exclusions_of(self.entry.exceptions, columns, self.operator, problems)
        for problem in problems:
            raise self.at(problem)
        return Space(columns, exclusions)


def _set_of(entry: CaseEntry, file: CaseFile, operator: Operator) -> CaseSet:
    if isinstance(entry.set, FullSetVersions):
        return CaseSet.FULL if applies_to(entry.set.full, operator.version) else file.set
    return CaseSet(entry.set) if entry.set else file.set


def families_from_document(
    document: Document, operators: Sequence[Operator], folder: Path | None = None
) -> tuple[CaseFamily, ...]:
    """One family for each case of a file and each operator version that it applies to.

    `operators` are the versions of the operator that `folder` belongs to; the covering tables lie in that folder.

    Raises:
        ExceptionGroup: of `CaseFileError`, one for each problem.
    """
    if document.path.rpartition("/")[2] == "coverage.yaml":
        fix = "remove it; a case with `made: true` and `cover: 2` combines the classes of all arguments in its place"
        raise ExceptionGroup(document.path, [document.problem((), "a parameter space is no longer read", fix)])
    file = validated(CaseFile, document)
    name = operators[0].family
    problems = misplaced(document, file.operator, name)
    families = []
    for index, entry in enumerate(file.cases):
        matching = [operator for operator in operators if applies_to(entry.versions, operator.version)]
        if not matching:
            known = ", ".join(str(operator.version) for operator in operators)
            what = f"{entry.versions!r} matches no version of {name}"
            problems.append(document.problem(("cases", index, "versions"), what, f"there are {known}"))
        families += [
            CaseFamily(
                operator=operator,
                document=document,
                entry=entry,
                keys=("cases", index),
                set=_set_of(entry, file, operator),
                memory=file.memory,
                folder=folder,
            )
            for operator in matching
        ]
    if problems:
        raise ExceptionGroup(f"{document.path} does not fit its operator", problems)
    return tuple(families)
