"""The words that a mode cannot be: those of other versions and of other operators, and its own ones misspelled.

Nothing here knows an operator: the words that mean the same kind of thing stand together.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from conformance.language.operator import Operator, Parameter

_FAMILIES: tuple[frozenset[str], ...] = (
    frozenset({"constant", "edge", "reflect", "symmetric", "wrap"}),
    frozenset({"add", "max", "mean", "min", "mul", "none", "prod", "sub", "sum"}),
    frozenset({"bidirectional", "explicit", "numpy", "pdpd"}),
)
"""Words of both dialects in all versions, by what they choose."""
_MISSPELLED: Mapping[str, Callable[[str], str]] = {
    "an unknown word": lambda word: f"{word}s",
    "in capitals": str.upper,
    "capitalised": str.capitalize,
    "cut short": lambda word: word[:-1],
    "with a space": lambda word: f"{word} ",
    "an empty word": lambda _: "",
}


def other_words(operator: Operator, parameter: Parameter) -> dict[str, Callable[[str], str]]:
    """By the name of a class, what is written in the place of a word."""
    kin = {word for family in _FAMILIES if family & {*parameter.one_of} for word in family}
    kin |= {word for other in operator.elsewhere if other.name == parameter.name for word in other.one_of}
    others = sorted(kin - {*parameter.one_of})
    return {**_MISSPELLED, **{f"the word {word}": lambda _, word=word: word for word in others}}  # type: ignore[misc]
