"""Checks cases of well-formed files: unknown clauses and arguments, impossible outputs, forms that do not fit.

This needs no reference implementation, so every case is checked when made. `selection.lint` also computes outputs.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from conformance.formats.case_product import WrittenCase
from conformance.formats.yaml_document import KeyPath
from conformance.spec.case import Case, Disputed, Literals, Parts, Rejection, Value
from conformance.spec.form_steps import forms_of
from conformance.values.errors import CaseFileError, nearest


def problems_of(written: WrittenCase, case: Case) -> Iterator[CaseFileError]:
    """All problems of one product of a written case that show without computing its outputs."""
    yield from mislabelled(written, case)
    yield from meaningless(written, case)


def mislabelled(written: WrittenCase, case: Case) -> Iterator[CaseFileError]:
    """Clauses that the operator version does not have."""
    named: list[tuple[KeyPath, str]] = [(("clauses", index), clause) for index, clause in enumerate(case.clauses)]
    match case.expectation:
        case Rejection(clause=clause):
            named.append((("rejected",), clause))
        case Disputed(interpretations=interpretations):
            named += [
                (("disputed", interpretation.name, "rejected"), interpretation.expectation.clause)
                for interpretation in interpretations
                if isinstance(interpretation.expectation, Rejection)
            ]
        case Parts() | Literals():
            pass
    for keys, clause in named:
        if clause not in written.operator.clauses:
            fix = nearest(clause, written.operator.clauses, otherwise="add it to operator.yaml, or narrow `versions`")
            yield written.problem(keys, f"{written.operator.id} has no clause {clause!r}", fix)


def meaningless(written: WrittenCase, case: Case) -> Iterator[CaseFileError]:
    """Arguments of another version in a case that must be accepted, impossible outputs, forms that do not fit."""
    found = [*_foreign_arguments(written, case), *_bad_bounds(written, case), *_other_number(written, case)]
    yield from found or _without_effect(written, case)


def _without_effect(written: WrittenCase, case: Case) -> Iterator[CaseFileError]:
    """A case that would silently never run because none of its forms fits it."""
    if case.forms and not forms_of(case):
        what = f"{case.id} cannot run in the form {' or '.join(form.value for form in case.forms)}"
        yield written.problem(("forms",), what, "name another; in a matrix with `cover`, add an entry of `except`")


def _foreign_arguments(written: WrittenCase, case: Case) -> Iterator[CaseFileError]:
    if case.may_be_refused:
        return
    for argument in case.arguments:
        roles = [parameter.role for parameter in case.operator.parameters_named(argument.name)]
        if argument.role not in roles:
            keys = ("arguments", argument.name)
            known = {parameter.name for parameter in case.operator.parameters}
            what = f"{case.operator.id} takes no {argument.role.value} {argument.name!r}"
            fix = f"it is an {roles[0].value} there; narrow `versions`" if roles else ""
            yield written.problem(keys, what, fix or nearest(argument.name, known, otherwise="narrow `versions`"))


def _bad_bounds(written: WrittenCase, case: Case) -> Iterator[CaseFileError]:
    expectations = [expected for expected in case.expectations if isinstance(expected, Parts)]
    if not expectations:
        return
    axis, data = case.axis_from_front, case.data
    keys = ("disputed",) if isinstance(case.expectation, Disputed) else ("outputs",)
    if axis is None or data is None:
        what = "outputs are parts of the data, but the axis names no dimension of it"
        yield written.problem(keys, what, "write them as literal values, or correct the axis")
        return
    end = max((stop for expected in expectations for _, stop in expected.bounds), default=0)
    if end > data.shape[axis]:
        what = f"a part ends at {end}, but axis {axis} of the data has length {data.shape[axis]}"
        yield written.problem(keys, what, "keep within the data")


def _other_number(written: WrittenCase, case: Case) -> Iterator[CaseFileError]:
    """If a case gives lengths and is not disputed, it needs one output for each length."""
    lengths = case.value(case.operator.lengths) if case.operator.lengths is not None else None
    match case.expectation:
        case Parts(bounds=outputs) | Literals(outputs=outputs):
            pass
        case _:
            return
    match lengths:
        case Value(shape=shape):
            count = math.prod(shape)
        case tuple():
            count = len(lengths)
        case _:
            return
    if count != len(outputs):
        what = f"the case has {len(outputs)} output(s), but `{case.operator.lengths}` has {count} length(s)"
        yield written.problem(("outputs",), what, "write an output for each length")
