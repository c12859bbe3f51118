"""Selects the checks that test an adapter: small calls of the suite that cover its types and forms."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from math import prod

from conformance.adapter import Description
from conformance.formats.suite import Suite
from conformance.selection.selection import sets_included
from conformance.spec.case import Case, Elements, ExpectedOutputs, Parts, Rejection, Value
from conformance.spec.check import Check
from conformance.spec.choices import CaseSet
from conformance.spec.form import Form
from conformance.spec.form_steps import forms_of
from conformance.spec.operator import Operator, is_named

_FORMS_FOR_EACH_TYPE = (Form.CONSTANT, Form.SAME_CALL_TWICE, Form.SECOND_CALL)
_SETS = sets_included(CaseSet.FULL)
_FEW_ELEMENTS = 64
_FEW_PRODUCTS = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestedChecks:
    """Checks that the adapter's description allows, and valid calls that it rules out."""

    declared: tuple[Check, ...]
    undeclared: tuple[Check, ...]


def requests_of(suite: Suite, description: Description) -> RequestedChecks:
    """Checks of every operator that the adapter declares, and of operators of which it declares no version.

    The newest version of an operator runs in all forms, older ones in the first form alone. Forms that the adapter
    does not declare are left out: an adapter that does not know one may silently ignore what it adds.
    """
    declared: list[Check] = []
    undeclared: list[Check] = []
    declared_forms = [form for form in Form if form.value in description.forms]
    for operator, is_newest in _operators_about(suite.operators, description):
        forms = declared_forms if is_newest else declared_forms[:1]
        valid, refused = _samples(suite, operator)
        known = {name: case for name, case in valid.items() if _has_type(description, name)}
        if is_named(operator.id, description.operators):
            refused = [case for case in refused if case.data is None or _has_type(description, case.data.dtype)]
            declared += _in_forms(list(known.values()), refused, forms)
            undeclared += (Check(case, Form.CONSTANT) for name, case in valid.items() if name not in known)
        else:
            undeclared += (Check(case, Form.CONSTANT) for case in list(known.values())[:1])
    return RequestedChecks(declared=tuple(declared), undeclared=tuple(undeclared))


def _operators_about(operators: Sequence[Operator], description: Description) -> Iterator[tuple[Operator, bool]]:
    """The declared versions of each operator, each with whether it is the newest; without any, the newest one."""
    by_name: dict[tuple[str, str], list[Operator]] = {}
    for operator in sorted(operators, key=lambda item: item.version):
        by_name.setdefault((operator.dialect, operator.name), []).append(operator)
    for versions in by_name.values():
        chosen = [item for item in versions if is_named(item.id, description.operators)] or versions[-1:]
        yield from ((item, item is chosen[-1]) for item in chosen)


def _in_forms(valid: Sequence[Case], refused: Sequence[Case], forms: Sequence[Form]) -> Iterator[Check]:
    """Each valid case in the forms of _FORMS_FOR_EACH_TYPE, each other form once, each invalid case in one form."""
    for case in valid:
        yield from (Check(case, form) for form in _fitting(case, forms) if form in _FORMS_FOR_EACH_TYPE)
    for form in forms:
        if form not in _FORMS_FOR_EACH_TYPE:
            yield from [Check(case, form) for case in valid if _fitting(case, [form])][:1]
    for case in refused:
        yield from (Check(case, form) for form in _fitting(case, forms)[:1])


def _fitting(case: Case, forms: Sequence[Form]) -> list[Form]:
    """The forms that fit the case, even if its file names other forms."""
    return [form for form in forms_of(replace(case, forms=tuple(Form))) if form in forms]


def _has_type(description: Description, dtype: str) -> bool:
    return description.dtypes is None or dtype in description.dtypes


def _samples(suite: Suite, operator: Operator) -> tuple[dict[str, Case], list[Case]]:
    """The valid case of each type with the most `_points`, and the first small invalid case of each clause."""
    best: dict[str, tuple[int, Case]] = {}
    refused: dict[str, Case] = {}
    for case in _cases(suite, operator):
        data = case.data
        if isinstance(case.expectation, Rejection) and (data is None or prod(data.shape) <= _FEW_ELEMENTS):
            refused.setdefault(case.expectation.clause, case)
        if isinstance(case.expectation, ExpectedOutputs) and data is not None:
            points = _points(case, data.shape) + _has_usual_integers(case)
            if points > best.get(data.dtype, (-1,))[0]:
                best[data.dtype] = points, case
    return {name: case for name, (_, case) in best.items()}, list(refused.values())


def _cases(suite: Suite, operator: Operator) -> Iterator[Case]:
    """The first products of each family, which include each type; families with a covering array come last."""
    families = [family for family in suite.families if family.operator.id == operator.id and family.set in _SETS]
    for family in sorted(families, key=lambda family: family.entry.cover is not None):
        yield from islice(family.cases(), _FEW_PRODUCTS)


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
        case Elements():
            return is_small + is_table
        case _:
            return 0
