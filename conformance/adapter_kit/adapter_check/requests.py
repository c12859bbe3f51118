"""Selects the checks that test an adapter: small calls of the suite that cover its types and forms."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from math import prod

from conformance.border.description import Description
from conformance.border.form import Form
from conformance.formats.suite import Suite
from conformance.language.case import (
    Case,
    Elements,
    ExpectedOutputs,
    Lawful,
    MovedData,
    Parts,
    Rejection,
    Value,
    expected_outputs,
)
from conformance.language.check import Check
from conformance.language.choices import CaseSet
from conformance.language.form_steps import forms_of
from conformance.language.operator import Operator, is_named
from conformance.planning.selection import sets_included
from conformance.values.fill import Fill

_FORMS_FOR_EACH_TYPE = (Form.CONSTANT, Form.SAME_CALL_TWICE, Form.SECOND_CALL)
_SETS = sets_included(CaseSet.FULL)
_IDENTITIES_FOR_EACH_TYPE = 2
"""With one operator alone, its fault could not be told from one of the way of the data."""
_SOME_ELEMENTS = 6
_LEAST_NORMAL, _FIRST_NAN = 6, 14
"""Of the special values: six from the first on have the least and the greatest numbers, from the second on quiet and
signalling NaNs. Of integers, both have large ones.
"""
_FEW_ELEMENTS = 64
_FEW_PRODUCTS = 32


def declared_checks(suite: Suite, description: Description) -> list[Check]:
    """Checks of every operator that the adapter declares: first one of each operator, then all others.

    The newest version of an operator runs with each type and in all forms, older ones with each type in one form. The
    first operator with a type runs it in several forms, the others in one. Forms that the adapter does not declare are
    left out: an adapter that does not know one may silently ignore what it adds.
    """
    first: list[Check] = []
    rest: list[Check] = []
    forms = [form for form in Form if form.value in description.forms]
    types_in_forms: set[str] = set()
    identities: Counter[str] = Counter()
    for operator, is_newest in _operators_about(suite.operators, description):
        if is_named(operator.id, description.operators):
            valid, refused = _samples(suite, operator, description.dtypes or ())
            if is_newest:
                checks = list(_in_forms(valid, refused, forms, types_in_forms))
                checks += _identity_checks(suite, operator, description, identities)
            else:
                checks = list(_in_forms(valid, (), forms[:1], set()))
            first += checks[:1]
            rest += checks[1:]
    return first + rest


def is_identity(case: Case) -> bool:
    """Whether the page requires the data itself as the only output."""
    if not isinstance(case.expectation, MovedData) or len(case.data_inputs) != 1 or case.data is None:
        return False
    return expected_outputs(case.expectation, case) == (case.data.tensor(),)


def returns_special_data(case: Case) -> bool:
    """Whether it is an identity with the special values that these checks have."""
    data = case.data
    return (
        data is not None
        and data.fill is Fill.SPECIAL
        and data.start in (_LEAST_NORMAL, _FIRST_NAN)
        and is_identity(case)
    )


def _identity_checks(
    suite: Suite, operator: Operator, description: Description, counts: Counter[str]
) -> Iterator[Check]:
    """Calls of the operator that return their data, for each type that few operators had; the data has special values.

    `counts` has how many operators had each type.
    """
    of_types = description.dtypes or operator.data_dtypes
    wanted = [name for name in operator.data_dtypes if name in of_types and counts[name] < _IDENTITIES_FOR_EACH_TYPE]
    case = _first_identity(suite, operator) if wanted else None
    if case is None or case.data is None:
        return
    declared = (form for form in _FORMS_FOR_EACH_TYPE if form.value in description.forms)
    forms = list(islice(_fitting(case, declared), 1))
    for name in wanted:
        counts[name] += 1
        for start, what in ((_LEAST_NORMAL, name), (_FIRST_NAN, f"{name} with NaNs")):
            data = replace(case.data, dtype=name, fill=Fill.SPECIAL, start=start)
            of_type = replace(case.with_data(data), id=f"{case.id} of {what}")
            yield from (Check(of_type, form) for form in forms)


def _first_identity(suite: Suite, operator: Operator) -> Case | None:
    """A call of some elements that returns its data."""
    return next((case for case in _cases(suite, operator, ()) if _has_some_elements(case) and is_identity(case)), None)


def _has_some_elements(case: Case) -> bool:
    return case.data is not None and case.data.data is None and _SOME_ELEMENTS <= prod(case.data.shape) <= _FEW_ELEMENTS


def undeclared_checks(suite: Suite, description: Description) -> list[Check]:
    """A valid check of each undeclared type of a declared operator; one of an operator without a declared version."""
    found: list[Case] = []
    declared = description.dtypes or ()
    for operator, _ in _operators_about(suite.operators, description):
        if not is_named(operator.id, description.operators):
            found += _samples(suite, operator, declared)[0][:1]
        elif others := [name for name in operator.data_dtypes if declared and name not in declared]:
            found += _samples(suite, operator, others)[0]
    return [Check(case, Form.CONSTANT) for case in found]


def _operators_about(operators: Sequence[Operator], description: Description) -> Iterator[tuple[Operator, bool]]:
    """The declared versions of each operator, each with whether it is the newest; without any, the newest one."""
    by_name: dict[tuple[str, str], list[Operator]] = {}
    for operator in sorted(operators, key=lambda item: item.version):
        by_name.setdefault((operator.dialect, operator.name), []).append(operator)
    for versions in by_name.values():
        chosen = [item for item in versions if is_named(item.id, description.operators)] or versions[-1:]
        yield from ((item, item is chosen[-1]) for item in chosen)


def _in_forms(
    valid: Sequence[Case], refused: Sequence[Case], forms: Sequence[Form], types_in_forms: set[str]
) -> Iterator[Check]:
    """Each valid case in one form, or in those of _FORMS_FOR_EACH_TYPE if its type is not in `types_in_forms` yet; each
    other form once; each invalid case in one form.
    """
    usual = [form for form in forms if form in _FORMS_FOR_EACH_TYPE]
    for case in valid:
        dtype = "" if case.data is None else case.data.dtype
        most = 1 if dtype in types_in_forms else len(usual)
        yield from (Check(case, form) for form in islice(_fitting(case, usual), most))
        types_in_forms.add(dtype)
    for form in forms:
        if form not in _FORMS_FOR_EACH_TYPE:
            yield from islice((Check(case, form) for case in valid if any(_fitting(case, [form]))), 1)
    for case in refused:
        yield from (Check(case, form) for form in islice(_fitting(case, forms), 1))


def _fitting(case: Case, forms: Iterable[Form]) -> Iterator[Form]:
    """The forms that fit the case, even if its file names other forms; other ways to write a model only if it does.

    They come one at a time, because for some the outputs of other calls must be computed.
    """
    for form in forms:
        if not form.is_of_onnx or form in case.forms:
            yield from forms_of(replace(case, forms=(form,)))


def _samples(suite: Suite, operator: Operator, types: Collection[str]) -> tuple[list[Case], list[Case]]:
    """Of these types of data, or of all if there are none: the valid case of each with the most `_points`, and the
    first small invalid case of each clause. An invalid case may have no data.
    """
    best: dict[str, tuple[int, Case]] = {}
    refused: dict[str, Case] = {}
    for case in _cases(suite, operator, types):
        data = case.data
        if isinstance(case.expectation, Rejection) and (data is None or prod(data.shape) <= _FEW_ELEMENTS):
            refused.setdefault(case.expectation.clause, case)
        if isinstance(case.expectation, ExpectedOutputs) and data is not None:
            points = _points(case, data.shape) + _has_usual_integers(case)
            if points > best.get(data.dtype, (-1,))[0]:
                best[data.dtype] = points, case
    return [case for _, case in best.values()], list(refused.values())


def _cases(suite: Suite, operator: Operator, types: Collection[str]) -> Iterator[Case]:
    """The first products of each family, which include each type; families with a covering array come last."""
    families = [family for family in suite.families if family.operator.id == operator.id and family.set in _SETS]
    for family in sorted(families, key=lambda family: family.entry.has_table):
        cases = (case for case in family.cases(types) if not types or case.data is None or case.data.dtype in types)
        yield from islice(cases, _FEW_PRODUCTS)


def _has_usual_integers(case: Case) -> bool:
    """Whether axis and lengths are int64, which every adapter accepts."""
    values = [argument.value for argument in case.arguments if isinstance(argument.value, Value)]
    return all(value.dtype == "int64" for value in values if value is not case.data)


def _points(case: Case, shape: tuple[int, ...]) -> int:
    """Counts what holds: few elements, several dims, several outputs, none of them empty, unequal lengths."""
    is_small, is_table = 1 < prod(shape) <= _FEW_ELEMENTS, len(shape) > 1
    match case.expectation:
        case Parts(bounds=bounds):
            lengths = [stop - start for start, stop in bounds]
            return sum((is_small, is_table, len(lengths) > 1, all(lengths), len(set(lengths)) > 1))
        case Elements() | Lawful():
            return is_small + is_table
        case _:
            return 0
