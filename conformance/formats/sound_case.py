"""Checks cases of well-formed files: unknown clauses and arguments, impossible outputs, forms that do not fit.

This needs no reference implementation. `selection.lint` runs these checks, and also computes outputs.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from conformance.border.call import Attribute
from conformance.formats.case_product import WrittenCase
from conformance.formats.file_schema import kind_of, rewritten, shown
from conformance.formats.yaml_document import KeyPath
from conformance.language.case import (
    Case,
    Disputed,
    Elements,
    Lawful,
    Literals,
    Parts,
    Rejection,
    Value,
    expected_outputs,
)
from conformance.language.form_steps import forms_of
from conformance.values.errors import CaseFileError, nearest
from conformance.values.text import counted


def unknown_names(written: WrittenCase) -> Iterator[CaseFileError]:
    """Clauses and arguments that the operator version does not have, in a case of which no product could be made."""
    entry, operator = written.entry, written.operator
    yield from _unknown_clauses(written, ((("clauses", index), clause) for index, clause in enumerate(entry.clauses)))
    for name in () if entry.rejected else entry.arguments:
        if not operator.parameters_named(name):
            known = [parameter.name for parameter in operator.parameters]
            fix = nearest(name, known, otherwise=f"it takes {', '.join(dict.fromkeys(known))}")
            yield written.problem(("arguments", name), f"{operator.id} takes no argument {name!r}", fix)


def clause_errors(written: WrittenCase, case: Case) -> Iterator[CaseFileError]:
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
        case Parts() | Elements() | Lawful() | Literals():
            pass
    yield from _unknown_clauses(written, named)


def _unknown_clauses(written: WrittenCase, named: Iterable[tuple[KeyPath, str]]) -> Iterator[CaseFileError]:
    for keys, clause in named:
        if clause not in written.operator.clauses:
            fix = nearest(clause, written.operator.clauses, otherwise="add it to operator.yaml, or narrow `versions`")
            yield written.problem(keys, f"{written.operator.id} has no clause {clause!r}", fix)


def argument_errors(written: WrittenCase, case: Case) -> Iterator[CaseFileError]:
    """Arguments of another version in a case that must be accepted, impossible outputs, forms that do not fit."""
    found = [*_foreign_arguments(written, case), *_other_kinds(written, case)]
    found = found or [
        *_bad_bounds(written, case),
        *_absent_elements(written, case),
        *_other_number(written, case),
    ]
    yield from found or _without_effect(written, case)


def _without_effect(written: WrittenCase, case: Case) -> Iterator[CaseFileError]:
    """A case that would silently never run because none of its forms fits it."""
    if case.forms and not forms_of(case):
        what = f"the case cannot run in the form {' or '.join(form.value for form in case.forms)}"
        yield written.problem(("forms",), what, "name another; in a matrix with `cover`, add an entry of `except`")


def _foreign_arguments(written: WrittenCase, case: Case) -> Iterator[CaseFileError]:
    if case.may_be_rejected:
        return
    for argument in case.arguments:
        roles = [parameter.role for parameter in case.operator.parameters_named(argument.name)]
        if argument.role not in roles:
            keys = ("arguments", argument.name)
            known = [parameter.name for parameter in case.operator.parameters]
            what = f"{case.operator.id} takes no {argument.role.value if roles else 'argument'} {argument.name!r}"
            fix = f"it is an {roles[0].value} there; narrow `versions`" if roles else ""
            other = f"it takes {', '.join(dict.fromkeys(known))}; write one of these, or narrow `versions`"
            yield written.problem(keys, what, fix or nearest(argument.name, known, otherwise=other))


def _other_kinds(written: WrittenCase, case: Case) -> Iterator[CaseFileError]:
    """Attributes of a case that must be accepted whose value is a text where the page wants a number, or the like."""
    if case.may_be_rejected:
        return
    for argument in case.arguments:
        value, keys = argument.value, ("arguments", argument.name)
        if isinstance(value, Value):
            continue
        is_list = argument.name == case.operator.lengths
        if is_list and isinstance(value, tuple):
            wrong = [(index, item) for index, item in enumerate(value) if not isinstance(item, int)]
            for index, item in wrong[:1]:
                yield _other_kind(written, item, "int64 needs a whole number", (*keys, index))
        elif is_list:
            yield _other_kind(written, value, f"`{argument.name}` takes a list", keys)
        elif argument.name in (case.operator.split_axis, case.operator.num_outputs) and not isinstance(value, int):
            yield _other_kind(written, value, "int64 needs a whole number", keys)


def _other_kind(written: WrittenCase, value: Attribute, needed: str, keys: KeyPath) -> CaseFileError:
    """An attribute of a wrong kind, with the message that an input of a wrong type gets."""
    plain = list(value) if isinstance(value, tuple) else value
    wanted = f"a {needed.rpartition(' a ')[2]}"
    return written.problem(keys, f"{shown(plain)} is {kind_of(plain)}, and {needed}", rewritten(plain, [wanted]))


def _bad_bounds(written: WrittenCase, case: Case) -> Iterator[CaseFileError]:
    expectations = [expected for expected in case.expectations if isinstance(expected, Parts)]
    if not expectations:
        return
    axis, data = case.split_dim, case.data
    keys = ("disputed",) if isinstance(case.expectation, Disputed) else ("outputs",)
    if axis is None or data is None:
        what = "outputs are parts of the data along the axis, but the case has no axis or no data"
        if data is not None and case.split_axis is not None:
            rank = len(data.shape)
            what = f"outputs are parts of the data, but axis {case.split_axis} addresses no dimension of rank {rank}"
        yield written.problem(keys, what, "correct the axis, or write the outputs as literal values")
        return
    end = max((stop for expected in expectations for _, stop in expected.bounds), default=0)
    if end > data.shape[axis]:
        what = f"a part ends at {end}, but axis {axis} of the data has length {data.shape[axis]}"
        yield written.problem(keys, what, f"end the last part at {data.shape[axis]} or before")


def _absent_elements(written: WrittenCase, case: Case) -> Iterator[CaseFileError]:
    """Outputs of elements that the data does not have."""
    keys = ("disputed",) if isinstance(case.expectation, Disputed) else ("outputs",)
    for expected in case.expectations:
        if isinstance(expected, Elements | Lawful):
            try:
                expected_outputs(expected, case)
            except (ValueError, IndexError) as error:
                yield written.problem(keys, str(error), "correct the numbers, or the arguments")


def _other_number(written: WrittenCase, case: Case) -> Iterator[CaseFileError]:
    """If a case gives lengths and is not disputed, it needs one output for each length."""
    lengths = case.value(case.operator.lengths)
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
        has, given = counted(len(outputs), "output"), counted(count, "length")
        what = f"the case has {has}, but `{case.operator.lengths}` has {given}"
        yield written.problem(("outputs",), what, "write one output for each length")
