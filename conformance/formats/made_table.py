"""Cases whose calls are made: each row of their table chooses a class of each argument, a form and a seed.

A row of wrong calls also says which argument of the valid call is wrong and how, and which clause it breaks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from conformance.border.form import Form
from conformance.formats.case_entry import WRONG
from conformance.formats.case_product import WrittenCase
from conformance.formats.matrix import Product
from conformance.formats.yaml_document import Plain
from conformance.language.case import Case, Rejection
from conformance.language.making.call import choices_of
from conformance.language.making.classes import LEFT_OUT as _LEFT_OUT
from conformance.language.operator import Operator

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
    from conformance.language.making.wrong import wrong_classes_of  # needs NumPy, and a list of ids does not

    known = wrong_classes_of(operator)
    classes = {_word(name): _word(name) for names in known.values() for name in names}
    of_valid = {name: words for name, words in made_columns(operator).items() if name != _VALUES}
    clauses = {clause: clause for clause in operator.clauses}
    return {ARGUMENT: {name: name for name in known}, CLASS: {**classes}, **of_valid, CLAUSE: {**clauses}}


def wrong_words(operator: Operator) -> dict[str, dict[str, str]]:
    """The wrong classes for each argument of an operator version, by words that can stand in an id."""
    from conformance.language.making.wrong import wrong_classes_of

    return {name: {_word(one): one for one in classes} for name, classes in wrong_classes_of(operator).items()}


def wrong_label(row: Mapping[str, object]) -> str:
    """What an id has of a row of wrong calls."""
    return f"{row[ARGUMENT]}={row[CLASS]},{FORM}={row[FORM]},{SEED}={row[SEED]}"


def features_of(known: ChoicesByWord, row: Mapping[str, str]) -> dict[str, str]:
    """The features of the call that a row of words makes."""
    return {name: by_word[row.get(_word(name), next(iter(by_word)))] for name, by_word in known.items()}


def made_case_maker(written: WrittenCase) -> Callable[[Product], Case]:
    """A function that makes the case of a row. It raises `CaseFileError` if the choices do not fit together."""
    from conformance.language.making.clear_case import made_case  # needs NumPy, and a list of ids does not

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
    from conformance.language.making.wrong import wrong_case

    name = wrong_words(valid.operator).get(row[ARGUMENT], {}).get(row[CLASS])
    return None if name is None else wrong_case(valid, row[ARGUMENT], name)


def _word(text: str) -> str:
    return text.replace(" ", "-")
