"""A law as it is written, and what is wrong with one."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from conformance.language.law.expression import expression, names_in

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
