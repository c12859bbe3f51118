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
def text_loses_what_is_beyond_16_bits(part):
    """Characters beyond 16 bits, as emoji, become question marks."""
    return each(part, lambda text: "".join(c if ord(c) < 1 << 16 else "?" for c in text))


@THEME.fault("store")
def text_is_as_many_bytes_as_characters(part):
    """A text is cut to as many bytes as it has characters."""
    return each(part, lambda text: text.encode()[: len(text)].decode("utf-8", "replace"))


@THEME.fault("store")
def texts_after_an_empty_one_are_shifted(part):
    """Offsets stop at an empty text, so that later ones repeat what came before it."""
    if part.dtype != object or "" not in part.reshape(-1).tolist():
        return part
    flat = part.reshape(-1).copy()
    at = flat.tolist().index("")
    flat[at + 1 :] = flat[at : flat.size - 1].copy()
    return flat.reshape(part.shape)


@THEME.fault("part")
def texts_are_cut_along_the_first_axis_only(split, right, data, axis, start):
    """Texts are copied in one run from the first row, whatever the axis."""
    if data.dtype != object or axis == 0:
        return right
    return data.reshape(-1)[start * split.inner :][: right.size].reshape(right.shape)


@THEME.fault("store")
def repeated_texts_are_interned(part):
    """Texts that agree in their first four characters become one."""
    seen: dict[str, str] = {}
    return each(part, lambda text: seen.setdefault(text[:4], text))


THEME.step("store")(
    text_ends_at_nul=lambda part: each(part, lambda text: text.partition("\x00")[0]),
    text_loses_trailing_nul=lambda part: each(part, lambda text: text.rstrip("\x00")),
    text_is_cut_at_15_bytes=lambda part: each(part, lambda text: text.encode()[:15].decode("utf-8", "ignore")),
    text_is_cut_at_64_characters=lambda part: each(part, lambda text: text[:64]),
    text_is_cut_at_255_bytes=lambda part: each(part, lambda text: text.encode()[:255].decode("utf-8", "ignore")),
    text_loses_what_is_not_ascii=lambda part: each(part, lambda text: text.encode("ascii", "replace").decode()),
    text_is_encoded_twice=lambda part: each(part, lambda text: text.encode().decode("latin-1")),
    empty_text_becomes_null=lambda part: each(part, lambda text: text or "null"),
    text_loses_spaces_around_it=lambda part: each(part, str.strip),
    text_is_normalised=lambda part: each(part, lambda text: unicodedata.normalize("NFC", text)),
    text_loses_carriage_returns=lambda part: each(part, lambda text: text.replace("\r\n", "\n")),
)
