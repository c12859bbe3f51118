"""The rank of the outputs, as the page gives it: a sum of ranks and sizes of the arguments, or the greatest of some.

A model declares the rank of each output, valid call or not, and never its dims.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from conformance.border.call import Attribute

_GREATEST = re.compile(r"max\((.*)\)")
_TERM = re.compile(r"\s*([+-]?)\s*(?:(rank|size|ones)\((\w+)\)|(\d+))")


@dataclass(frozen=True, slots=True, kw_only=True)
class RankTerm:
    """A term of a rank: `of` is `rank`, `size` (number of elements) or `ones` (dims of length 1) of an argument; the
    number alone, without an argument.
    """

    sign: int
    of: str = ""
    argument: str = ""
    number: int = 0


RankRule = tuple[tuple[RankTerm, ...], ...]
"""Sums; the greatest one is the rank."""


def rank_rule(text: str) -> RankRule:
    """A rule from its text, such as `rank(data) + rank(indices) - 1` or `max(rank(data), size(shape))`.

    Raises:
        ValueError: the text is not such a sum.
    """
    greatest = _GREATEST.fullmatch(text)
    return tuple(map(_sum, greatest[1].split(",") if greatest else [text]))


def _sum(text: str) -> tuple[RankTerm, ...]:
    terms, place = list[RankTerm](), 0
    while place < len(text):
        found = _TERM.match(text, place)
        if found is None or (terms and not found[1]):
            raise ValueError(f"{text!r} is not a sum of rank(NAME), size(NAME), ones(NAME) and numbers")
        sign = -1 if found[1] == "-" else 1
        terms.append(RankTerm(sign=sign, of=found[2] or "", argument=found[3] or "", number=int(found[4] or 0)))
        place = found.end()
    return tuple(terms)


def output_rank(
    rules: Sequence[RankRule], shapes: Mapping[str, tuple[int, ...]], attributes: Mapping[str, Attribute]
) -> int | None:
    """The rank by the first rule whose arguments are all given; None if there is none.

    `shapes` has the shape of each input; an attribute that is a list counts as an input of rank 1. The rank of an
    invalid call is what the rule gives, and at least 0.
    """
    lists = {name: (len(value),) if isinstance(value, Sequence) else () for name, value in attributes.items()}
    known = {**lists, **shapes}
    for rule in rules:
        if all(term.argument in known for terms in rule for term in terms if term.argument):
            return max(0, *(sum(term.sign * _measured(term, known) for term in terms) for terms in rule))
    return None


def _measured(term: RankTerm, shapes: Mapping[str, tuple[int, ...]]) -> int:
    match term.of:
        case "rank":
            return len(shapes[term.argument])
        case "size":
            return math.prod(shapes[term.argument])
        case "ones":
            return shapes[term.argument].count(1)
        case _:
            return term.number
