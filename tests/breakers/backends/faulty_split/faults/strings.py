"""Texts."""

from __future__ import annotations

import unicodedata

import numpy as np
from fault import Theme

THEME = Theme("strings")


def each(part, change):
    """The part with each text changed, if it holds texts."""
    if part.dtype != object:
        return part
    changed = np.empty(part.size, dtype=object)
    changed[:] = [change(text) for text in part.reshape(-1).tolist()]
    return changed.reshape(part.shape)


@THEME.fault("store")
def text_ends_at_nul(split, correct, part):
    """A text ends at its first NUL, as in C."""
    return each(part, lambda text: text.partition("\0")[0])


@THEME.fault("store")
def text_loses_trailing_nul(split, correct, part):
    """NULs at the end are cut off, as in NumPy's byte strings."""
    return each(part, lambda text: text.rstrip("\0"))


@THEME.fault("store")
def text_is_cut_at_15_bytes(split, correct, part):
    """Only texts that fit a short-string buffer survive."""
    return each(part, lambda text: text.encode()[:15].decode("utf-8", "ignore"))


@THEME.fault("store")
def text_is_cut_at_64_characters(split, correct, part):
    """A text has 64 characters at most."""
    return each(part, lambda text: text[:64])


@THEME.fault("store")
def text_is_cut_at_255_bytes(split, correct, part):
    """The length of a text is kept in a byte."""
    return each(part, lambda text: text.encode()[:255].decode("utf-8", "ignore"))


@THEME.fault("store")
def text_loses_what_is_not_ascii(split, correct, part):
    """Letters outside ASCII become question marks."""
    return each(part, lambda text: text.encode("ascii", "replace").decode())


@THEME.fault("store")
def text_loses_what_is_beyond_16_bits(split, correct, part):
    """Characters beyond 16 bits, as emoji, become question marks."""
    return each(part, lambda text: "".join(c if ord(c) < 1 << 16 else "?" for c in text))


@THEME.fault("store")
def text_is_encoded_twice(split, correct, part):
    """UTF-8 is taken for Latin-1."""
    return each(part, lambda text: text.encode().decode("latin-1"))


@THEME.fault("store")
def text_is_as_many_bytes_as_characters(split, correct, part):
    """A text is cut to as many bytes as it has characters."""
    return each(part, lambda text: text.encode()[: len(text)].decode("utf-8", "replace"))


@THEME.fault("store")
def empty_text_becomes_null(split, correct, part):
    """An empty text is written as null."""
    return each(part, lambda text: text or "null")


@THEME.fault("store")
def text_loses_spaces_around_it(split, correct, part):
    """Spaces at both ends are stripped."""
    return each(part, str.strip)


@THEME.fault("store")
def text_is_normalised(split, correct, part):
    """Characters in several code points are composed."""
    return each(part, lambda text: unicodedata.normalize("NFC", text))


@THEME.fault("store")
def text_loses_carriage_returns(split, correct, part):
    """Line ends are rewritten."""
    return each(part, lambda text: text.replace("\r\n", "\n"))


@THEME.fault("store")
def texts_after_an_empty_one_are_shifted(split, correct, part):
    """Offsets stop at an empty text, so that later ones repeat what came before it."""
    if part.dtype != object or "" not in part.reshape(-1).tolist():
        return part
    flat = part.reshape(-1).copy()
    at = flat.tolist().index("")
    flat[at + 1 :] = flat[at : flat.size - 1].copy()
    return flat.reshape(part.shape)


@THEME.fault("part")
def texts_are_cut_along_the_first_axis_only(split, correct, data, axis, start, stop):
    """Texts are copied in one run from the first row, whatever the axis."""
    part = correct(data, axis, start, stop)
    if data.dtype != object or axis == 0:
        return part
    return data.reshape(-1)[start * split.inner :][: part.size].reshape(part.shape)


@THEME.fault("store")
def repeated_texts_are_interned(split, correct, part):
    """Texts that agree in their first four characters become one."""
    seen: dict[str, str] = {}
    return each(part, lambda text: seen.setdefault(text[:4], text))
