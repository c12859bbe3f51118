"""The language of laws: a small part of Python's expressions, read with Python's parser and evaluated here."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from itertools import accumulate, zip_longest
from typing import TYPE_CHECKING, Any, TypeAlias

from conformance.spec.elements import row_major_strides
from conformance.tensors.text import one_line

if TYPE_CHECKING:
    from numpy.typing import NDArray


# What stands in a law (whole numbers, lists, arrays of places, tensors with numbered elements), and its functions.

LawValue: TypeAlias = Any
"""An int, a bool, a list of law values, an array of int64 or bool, `DataInput`, `OneOf` or `Numbers`."""

NOWHERE = -(1 << 62)
"""In place of the number of an element that no tensor has."""
ZERO = -1
"""In place of the number of an element: the zero of the type of the data, or the empty string. It stands last, behind
all elements.
"""


class LawError(ValueError):
    """A law that cannot be evaluated for a call, or that addresses no element."""


class LawWorkError(LawError):
    """A law that needs too many steps for a call, such as one with very large outputs."""


@contextmanager
def as_law_errors() -> Iterator[None]:
    """What an expression may raise, as a LawError."""
    try:
        yield
    except LawError:
        raise
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        raise LawError(str(error)) from error


@dataclass(frozen=True, slots=True)
class DataInput:
    """A data input. Its elements have the numbers from `start` on, in row-major order."""

    shape: tuple[int, ...]
    start: int

    def at(self, places: Sequence[LawValue]) -> LawValue:
        """The number of the element at a place; `NOWHERE` outside."""
        if len(places) != len(self.shape):
            raise LawError(f"{len(places)} indices for data with {len(self.shape)} dims")
        inside = within(places, self.shape)
        number = row_major(places, self.shape) + self.start
        return number if inside is True else chosen(inside, number, NOWHERE)

    def flat(self, number: LawValue) -> LawValue:
        """The number of the element with a row-major number of its own; `NOWHERE` outside."""
        return chosen(within([number], [math.prod(self.shape)]), number + self.start, NOWHERE)


@dataclass(frozen=True, slots=True)
class OneOf:
    """Another of several data inputs at each place: `of` has its position."""

    several: tuple[DataInput, ...]
    of: NDArray[Any]

    def at(self, places: Sequence[LawValue]) -> LawValue:
        """The number of the element at a place of the data input that `of` names there; `NOWHERE` outside."""
        import numpy as np

        if any(len(places) != len(one.shape) for one in self.several):
            raise LawError(
                f"{len(places)} indices for data with {' or '.join(str(len(o.shape)) for o in self.several)}"
            )
        shapes = np.array([one.shape for one in self.several], np.int64)
        strides = np.array([row_major_strides(one.shape) for one in self.several], np.int64)
        inside = within(places, [shapes[:, dim][self.of] for dim in range(len(places))])
        number = np.array([one.start for one in self.several], np.int64)[self.of]
        for dim, at in enumerate(places):
            number = number + at * strides[:, dim][self.of]
        return chosen(inside, number, NOWHERE)


@dataclass(frozen=True, slots=True)
class Numbers:
    """An input of whole numbers, of any rank."""

    values: NDArray[Any]

    @property
    def shape(self) -> tuple[int, ...]:
        """The dims."""
        return tuple(self.values.shape)

    def at(self, places: Sequence[LawValue]) -> LawValue:
        """The number at a place."""
        if len(places) != self.values.ndim:
            raise LawError(f"{len(places)} indices for numbers with {self.values.ndim} dims")
        try:
            return self.values[tuple(places)]
        except IndexError as error:
            raise LawError(str(error)) from None


def row_major(places: Sequence[LawValue], shape: Sequence[int]) -> LawValue:
    """The row-major number of a place."""
    return sum((at * by for at, by in zip(places, row_major_strides(shape), strict=True)), 0)


def within(places: Sequence[LawValue], shape: Sequence[LawValue]) -> LawValue:
    """Whether each index is at least 0 and below the length of its dim: True if all are, at every place."""
    import numpy as np

    inside: LawValue = True
    for at, length in zip(places, shape, strict=True):
        fits = (at >= 0) & (at < length)
        if not np.all(fits):  # else no array with an entry for each element of the output is needed
            inside = inside & fits
    return inside


def chosen(condition: LawValue, one: LawValue, other: LawValue) -> LawValue:
    """The one where the condition holds, and else the other."""
    if isinstance(condition, bool | int):
        return one if condition else other
    import numpy as np

    return np.where(condition, one, other)


MAX_LENGTH = 1 << 16
"""The longest list that a law makes: as many as a case has outputs."""
MAX_BITS = 1 << 12
"""Of a number: the product of the dims of any tensor has fewer."""


def bounded(value: LawValue) -> LawValue:
    """The value.

    Raises:
        LawError: it is a number with more than `MAX_BITS`.
    """
    if isinstance(value, int) and value.bit_length() > MAX_BITS:
        raise LawError("a number of the law is too large")
    return value


def _rank(tensor: DataInput | Numbers) -> int:
    return len(tensor.shape)


def _size(value: DataInput | Numbers | Sequence[LawValue]) -> int:
    return math.prod(value.shape) if isinstance(value, DataInput | Numbers) else len(value)


def _range(*bounds: int) -> list[int]:
    numbers = range(*bounds)
    if len(numbers) > MAX_LENGTH:
        raise LawError(f"a list of {len(numbers)} numbers; {MAX_LENGTH} are allowed")
    return list(numbers)


def _from_end(index: LawValue, length: LawValue) -> LawValue:
    return chosen(index < 0, index + length, index)


def _clip(value: LawValue, low: LawValue, high: LawValue) -> LawValue:
    value = chosen(value < low, low, value)
    return chosen(value > high, high, value)


def _index_of(value: int, items: Sequence[int]) -> int:
    return items.index(value)


def _part_of(index: LawValue, ends: Sequence[int]) -> LawValue:
    import numpy as np

    return np.searchsorted(ends, index, side="right")


def _product(items: Sequence[LawValue]) -> LawValue:
    product: LawValue = 1
    for item in items:
        product = bounded(product * item)
    return product


def _cumsum(items: Sequence[int]) -> list[int]:
    return [*accumulate(items, initial=0)][1:]  # 0 can be added to numbers alone: lists would become ever longer


def _row_for(place: Sequence[LawValue], shape: Sequence[int], indices: Numbers) -> LawValue:
    import numpy as np

    count = math.prod(indices.shape[:-1])
    named = [
        _from_end(column, length) for column, length in zip(np.moveaxis(indices.values, -1, 0), shape, strict=True)
    ]
    if not np.all(within(named, shape)):
        raise LawError("an index is beyond its dim")
    rows = np.full(math.prod(shape), -1)
    places = row_major([column.reshape(-1) for column in named], shape)
    rows[np.broadcast_to(places, (count,))] = np.arange(count)  # an index of no depth is one number, for all rows
    return rows[row_major(place, shape)]


def repeated(one: LawValue, other: LawValue) -> int:
    """The entries of `[0] * n`, before they are made."""
    items, times = (one, other) if isinstance(one, list) else (other, one)
    return len(items) * max(times, 0) if isinstance(items, list) and isinstance(times, int) else 0


FUNCTIONS: Mapping[str, Callable[..., LawValue]] = {
    "rank": _rank,
    "size": _size,
    "ones": lambda tensor: tensor.shape.count(1),
    "range": _range,
    "from_end": _from_end,
    "where": chosen,
    "clip": _clip,
    "min": min,
    "max": max,
    "sum": lambda items: sum(items, 0),
    "product": _product,
    "cumsum": _cumsum,
    "sorted": sorted,
    "row_major": row_major,
    "index_of": _index_of,
    "part_of": _part_of,
    "row_for": _row_for,
    "first_of": lambda element, other: chosen(element == NOWHERE, other, element),
}
"""`where(condition, one, other)` and `clip` go place by place; `from_end(i, n)` is i + n for a negative i.

`rank` is the number of dims of a tensor, and `ones` that of its dims of length 1. `size` is the number of its elements,
or of the entries of a list.
`row_major(o, shape)` is the row-major number of a place. `index_of(value, list)` is where a list has a value first.
`part_of(i, ends)` is the number of the part in which an index lies, where parts end at `ends`. `row_for(o,
shape, indices)` is the number of the last row of indices that names a place, or -1 if none does. `first_of(element,
other)` is the element, and where the data has no such element the other.
"""


# An expression has whole numbers, lists, `+ - * // %`, comparisons, `in`, `and`, `or`, `not`, `a if c else b`, indices
# and slices, `[e for x in list if c]`, `.shape` and `.flat[n]` of a tensor, `mode == "word"`, and `FUNCTIONS`. Nothing
# else can be written, so that the file of a stranger can be evaluated.

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
