"""The language of laws: a small part of Python's expressions, read with Python's parser and evaluated here.

There are whole numbers, lists, `+ - * // %`, comparisons, `in`, `and`, `or`, `not`, `a if c else b`, indices and
slices, `[e for x in list if c]`, `.shape` and `.flat[n]` of a tensor, `mode == "word"`, and the functions of
`functions`. Nothing else can be written, so that the file of a stranger can be evaluated.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from itertools import zip_longest
from typing import TypeAlias

from conformance.spec.law.values import (
    FUNCTIONS,
    DataInput,
    LawError,
    LawValue,
    LawWorkError,
    Numbers,
    OneOf,
    bounded,
    repeated,
)
from conformance.tensors.text import one_line

MAX_TEXT = 1000
MAX_SHOWN = 80
MAX_WORK = 1 << 31
"""The elements of all arrays of one evaluation; other work counts as so many of them."""
_ENTRY = 1 << 10
"""An entry of a list that is made."""
_READ = 1 << 6
"""An entry of a list that is read."""
_NODE = 1 << 7
"""A part of the expression in a comprehension, for each of its entries."""
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
_MADE: Mapping[Callable[..., LawValue], Callable[..., int]] = {
    operator.mul: lambda one, other: _ENTRY * repeated(one, other),
    FUNCTIONS["row_for"]: lambda _, shape, indices: FUNCTIONS["product"](shape) + indices.values.size,
}
"""What operations make that are much larger than what they read, to be counted before."""


class LawNames(dict[str, LawValue]):
    """The names of an evaluation. Those of arguments that a call leaves out are missing."""

    work = 0
    most = MAX_WORK
    left = MAX_WORK << 30
    """The most of all evaluations with these names."""

    def count(self, work: int) -> None:
        """Count what is computed.

        Raises:
            LawWorkError: it is more than `most`.
        """
        self.work += work
        if self.work > self.most:
            self.work = self.most
            raise LawWorkError("the law needs too many steps")

    def count_read(self, values: Iterable[LawValue]) -> None:
        """Count what an operation reads: all entries of lists, and the places of arrays that are broadcast together.

        Raises:
            LawWorkError: as for `count`.
        """
        shapes = list[tuple[int, ...]]()
        self._read(values, shapes)
        places = zip_longest(*map(reversed, shapes), fillvalue=1)
        self.count(math.prod(map(max, places)) if shapes else 0)

    def _read(self, values: Iterable[LawValue], shapes: list[tuple[int, ...]]) -> None:
        for value in values:
            if isinstance(value, list):
                self.count(_READ * len(value))
                self._read(value, shapes)
            elif not isinstance(value, int | DataInput | OneOf | Numbers) and (shape := getattr(value, "shape", None)):
                shapes.append(shape)


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
            return _counted(operator.neg, operand)
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
            return _counted(_BINARY[type(op)], left, right)
        case ast.Compare(left=left, ops=[comparison], comparators=[right]) if type(comparison) in _COMPARISONS:
            return _counted(_COMPARISONS[type(comparison)], left, right)
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
            return _counted(lambda data, number: data.flat(number), owner, index)
        case ast.Subscript(value=owner, slice=ast.Slice(lower=lower, upper=upper, step=None)):
            return _counted(lambda whole, start, stop: whole[start:stop], owner, lower, upper)
        case ast.Subscript(value=owner, slice=index):
            return _counted(_at, owner, index)
        case _:
            return None


def _listing(node: ast.expr) -> Evaluate | None:
    """Lists, and the functions."""
    match node:
        case ast.List(elts=entries):
            parts = [*map(_compiled, entries)]
            return lambda names: [part(names) for part in parts]
        case ast.ListComp(elt=entry, generators=[ast.comprehension(target=ast.Name(id=name), iter=items, ifs=ifs)]):
            return _comprehension(entry, name, _compiled(items), ifs)
        case ast.Call(func=ast.Name(id="given"), args=[ast.Name(id=name)], keywords=[]):
            return lambda names: name in names
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]) if name in FUNCTIONS:
            return _counted(FUNCTIONS[name], *arguments)
        case _:
            return None


def _named(names: LawNames, name: str) -> LawValue:
    try:
        value = names[name]
    except KeyError:
        raise LawError(f"{name} is not given") from None
    if isinstance(value, str):
        raise LawError(f"{name} is a word, which a law only compares with another")
    return value


def _is_entry(whole: LawValue, place: LawValue) -> bool:
    """Whether an index reads one entry of a list, and not all of it."""
    return isinstance(whole, list) and isinstance(place, int)


def _counted(made_of: Callable[..., LawValue], *nodes: ast.expr | None) -> Evaluate:
    """What makes a value of others, and counts what it reads and makes; None is read as None."""
    parts = [(lambda _: None) if node is None else _compiled(node) for node in nodes]

    def evaluate(names: LawNames) -> LawValue:
        values = [part(names) for part in parts]
        names.count_read(values[1:] if made_of is _at and _is_entry(*values) else values)
        if made_of in _MADE:
            names.count(_MADE[made_of](*values))
        made = bounded(made_of(*values))
        if isinstance(made, list):
            names.count(len(made) * _ENTRY)
        return made

    return evaluate


def _comprehension(entry: ast.expr, name: str, items: Evaluate, ifs: list[ast.expr]) -> Evaluate:
    made_of, conditions = _compiled(entry), [*map(_compiled, ifs)]
    work = _ENTRY + _NODE * sum(len([*ast.walk(node)]) for node in (entry, *ifs))

    def evaluate(names: LawNames) -> LawValue:
        listed, inner, made = items(names), LawNames(names), []
        names.count(len(listed) * work)
        inner.work, inner.most = names.work, names.most
        try:
            for item in listed:
                inner[name] = item
                if all(condition(inner) for condition in conditions):
                    made.append(made_of(inner))
        finally:
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


# A law as it is written, and what is wrong with one.

_PLACE = frozenset({"o", "j"})
_GIVEN = frozenset({"declared", "version", "zero"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Law:
    """Expressions of the law language. `let` names parts of them, in order; `count` is the number of outputs.

    `shape` and `at` hold for each output: `j` is its number, and `o` the place in it. `at` is an element of the data,
    such as `data[o]`, or `zero`. `declared` is the number of outputs that the node declares.
    """

    let: tuple[tuple[str, str], ...]
    count: str
    shape: str
    at: str

    of_call: tuple[tuple[str, str], ...] = field(init=False)
    """The entries of `let` that are the same for all places of all outputs."""
    of_place: tuple[tuple[str, str], ...] = field(init=False)
    """Those that depend on the place, or on the number of the output."""

    @property
    def lines(self) -> tuple[str, ...]:
        """What each name stands for, and then the number, the shape and the elements of the outputs."""
        named = (f"{name} = {text}" for name, text in self.let)
        count = () if self.count == "1" else (f"outputs: {self.count}",)
        return (*named, *count, f"shape: {self.shape}", f"element at o: {self.at}")

    def __post_init__(self) -> None:
        depending = set(_PLACE)
        for name, text in self.let:
            if depending & names_in(text):
                depending.add(name)
        object.__setattr__(self, "of_call", tuple(entry for entry in self.let if entry[0] not in depending))
        object.__setattr__(self, "of_place", tuple(entry for entry in self.let if entry[0] in depending))


def law_problems(
    let: Mapping[str, str], outputs: Mapping[str, str], arguments: Collection[str]
) -> Iterator[tuple[tuple[str, ...], str]]:
    """The keys of a law under which stands something else than an expression, or an unknown name, and what is wrong.

    A name is known if it is an argument, or an earlier entry of `let`. `outputs` are the expressions other than `let`,
    by key. Make a `Law` only of what has no problem.
    """
    known = _GIVEN | _PLACE | frozenset(arguments)
    entries: list[tuple[tuple[str, ...], str, str]] = [(("let", name), name, text) for name, text in let.items()]
    entries += [((key,), "", text) for key, text in outputs.items()]
    for keys, name, text in entries:
        try:
            expression(text)
        except ValueError as error:
            yield keys, str(error)
        else:
            unknown = sorted(names_in(text) - known)
            if unknown:
                yield keys, f"{unknown[0]!r} is neither an argument nor a name of `let` before"
        known |= {name}
