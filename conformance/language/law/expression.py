"""The language of laws: a small part of Python's expressions, read with Python's parser and evaluated here.

There are whole numbers, lists, `+ - * // %`, comparisons, `in`, `and`, `or`, `not`, `a if c else b`, indices and
slices, `[e for x in list if c]`, `.shape` and `.flat[n]` of a tensor, `mode == "word"`, and the functions of
`functions`. Nothing else can be written, so that the file of a stranger can be evaluated.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from functools import cache
from typing import TypeAlias

from conformance.language.law.functions import FUNCTIONS
from conformance.language.law.values import DataInput, LawError, LawValue, LawWorkError, Numbers, OneOf
from conformance.values.text import one_line

MAX_TEXT = 1000
MAX_SHOWN = 80
MAX_WORK = 1 << 31
"""The elements of all arrays of one evaluation; an entry of a list counts as `_ENTRY` of them."""
_ENTRY = 1 << 10
_MAX_NUMBER = 1 << 80
_TYPE = "_type"
"""The end of names of element types, which are words."""
_BINARY: Mapping[type[ast.operator], Callable[[LawValue, LawValue], LawValue]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
_COMPARISONS: Mapping[type[ast.cmpop], Callable[[LawValue, LawValue], LawValue]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.In: lambda item, items: item in items,
    ast.NotIn: lambda item, items: item not in items,
}


class LawNames(dict[str, LawValue]):
    """The names of an evaluation. Those of arguments that a call leaves out are missing."""

    work = 0

    def count(self, work: int) -> None:
        """Count what is computed.

        Raises:
            LawWorkError: it is more than `MAX_WORK`.
        """
        self.work += work
        if self.work > MAX_WORK:
            raise LawWorkError("the law needs too many steps")


Evaluate: TypeAlias = Callable[[LawNames], LawValue]


@cache
def expression(text: str) -> Evaluate:
    """What evaluates an expression of the law language.

    Raises:
        ValueError: the text is not an expression, or uses what the language does not have.
    """
    if len(text) > MAX_TEXT:
        raise ValueError(f"the expression has {len(text)} characters; {MAX_TEXT} are allowed")
    try:
        return _compiled(_tree(text))
    except (SyntaxError, RecursionError, MemoryError) as error:
        why = getattr(error, "msg", "it is nested too deeply")
        raise ValueError(f"{one_line(text, MAX_SHOWN)!r} is not an expression: {why}") from None


@cache
def names_in(text: str) -> frozenset[str]:
    """The names that an expression takes from outside: arguments and names of `let`, without functions."""
    named = [node for node in ast.walk(_tree(text)) if isinstance(node, ast.Name)]
    bound = {node.id for node in named if isinstance(node.ctx, ast.Store)}
    return frozenset(node.id for node in named) - bound - FUNCTIONS.keys() - {"given"}


@cache
def _tree(text: str) -> ast.expr:
    return ast.parse(text.strip(), mode="eval").body


def _compiled(node: ast.expr) -> Evaluate:
    made = _operation(node) or _access(node) or _listing(node)
    if made is None:
        raise ValueError(f"{one_line(ast.unparse(node), MAX_SHOWN)!r} is not of the language of laws")
    return made


def _operation(node: ast.expr) -> Evaluate | None:
    """Numbers, and what is computed of them."""
    match node:
        case ast.Constant(value=bool() | int() as value):
            return lambda _: value
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            negated = _compiled(operand)
            return lambda names: -negated(names)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            denied = _compiled(operand)
            return lambda names: not denied(names)
        case ast.Compare(left=ast.Name(id=name), ops=[ast.Eq()], comparators=[ast.Constant(value=str() as word)]):
            return lambda names: names.get(name) == word
        case ast.Compare(left=ast.Name(id=first), ops=[ast.Eq()], comparators=[ast.Name(id=second)]) if _are_types(
            first, second
        ):
            return lambda names: names.get(first) == names.get(second)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
            return _binary(_BINARY[type(op)], _compiled(left), _compiled(right))
        case ast.Compare(left=left, ops=[comparison], comparators=[right]) if type(comparison) in _COMPARISONS:
            return _binary(_COMPARISONS[type(comparison)], _compiled(left), _compiled(right))
        case ast.BoolOp(op=connective, values=values):
            test, conditions = (all if isinstance(connective, ast.And) else any), [*map(_compiled, values)]
            return lambda names: test(condition(names) for condition in conditions)
        case ast.IfExp(test=condition, body=body, orelse=orelse):
            holds, one, other = _compiled(condition), _compiled(body), _compiled(orelse)
            return lambda names: one(names) if holds(names) else other(names)
        case _:
            return None


def _are_types(*names: str) -> bool:
    return all(name.endswith(_TYPE) for name in names)


def _access(node: ast.expr) -> Evaluate | None:
    """Names, and what tensors and lists have."""
    match node:
        case ast.Name(id=name):
            return lambda names: _named(names, name)
        case ast.Attribute(value=owner, attr="shape"):
            tensor = _compiled(owner)
            return lambda names: list(_tensor(tensor(names)).shape)
        case ast.Subscript(value=ast.Attribute(value=owner, attr="flat"), slice=index):
            data, number = _compiled(owner), _compiled(index)
            return lambda names: data(names).flat(number(names))
        case ast.Subscript(value=owner, slice=ast.Slice(lower=lower, upper=upper, step=None)):
            whole, start, stop = _compiled(owner), _optional(lower), _optional(upper)
            return lambda names: whole(names)[start(names) : stop(names)]
        case ast.Subscript(value=owner, slice=index):
            whole, place = _compiled(owner), _compiled(index)
            return lambda names: _at(whole(names), place(names))
        case _:
            return None


def _listing(node: ast.expr) -> Evaluate | None:
    """Lists, and the functions."""
    match node:
        case ast.List(elts=entries):
            parts = [*map(_compiled, entries)]
            return lambda names: [part(names) for part in parts]
        case ast.ListComp(elt=entry, generators=[ast.comprehension(target=ast.Name(id=name), iter=items, ifs=ifs)]):
            return _comprehension(_compiled(entry), name, _compiled(items), [*map(_compiled, ifs)])
        case ast.Call(func=ast.Name(id="given"), args=[ast.Name(id=name)], keywords=[]):
            return lambda names: name in names
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]) if name in FUNCTIONS:
            function, made = FUNCTIONS[name], [*map(_compiled, arguments)]
            return lambda names: function(*(one(names) for one in made))
        case _:
            return None


def _optional(node: ast.expr | None) -> Evaluate:
    return (lambda _: None) if node is None else _compiled(node)


def _named(names: LawNames, name: str) -> LawValue:
    try:
        value = names[name]
    except KeyError:
        raise LawError(f"{name} is not given") from None
    if isinstance(value, str):
        raise LawError(f"{name} is a word, which a law only compares with another")
    return value


def _binary(made_of: Callable[[LawValue, LawValue], LawValue], left: Evaluate, right: Evaluate) -> Evaluate:
    def evaluate(names: LawNames) -> LawValue:
        one, other = left(names), right(names)
        if made_of is operator.mul and isinstance(one, list) and isinstance(other, int):
            names.count(len(one) * other * _ENTRY)
        made = made_of(one, other)
        if isinstance(made, int):
            if not -_MAX_NUMBER < made < _MAX_NUMBER:
                raise LawError("a number of the law is too large")
        else:
            names.count(len(made) * _ENTRY if isinstance(made, list) else made.size)
        return made

    return evaluate


def _comprehension(entry: Evaluate, name: str, items: Evaluate, conditions: list[Evaluate]) -> Evaluate:
    def evaluate(names: LawNames) -> LawValue:
        listed, inner, made = items(names), LawNames(names), []
        names.count(len(listed) * _ENTRY)
        inner.work = names.work
        for item in listed:
            inner[name] = item
            if all(condition(inner) for condition in conditions):
                made.append(entry(inner))
        names.work = inner.work
        return made

    return evaluate


def _tensor(value: LawValue) -> DataInput | Numbers:
    if not isinstance(value, DataInput | Numbers):
        raise LawError(f"{value!r} is not a tensor, so it has no shape")
    return value


def _at(whole: LawValue, place: LawValue) -> LawValue:
    """The entry of a list, or the element of a tensor at a place."""
    if isinstance(whole, DataInput | OneOf | Numbers):
        return whole.at(place)
    if isinstance(place, int):
        return whole[place]
    if whole and isinstance(whole[0], DataInput):
        return OneOf(tuple(whole), place)
    import numpy as np

    return np.array(whole, np.int64)[place]
