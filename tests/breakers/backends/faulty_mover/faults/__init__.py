"""All faults, by theme: those of every operator that moves data, then those of one family, where a name is unique."""

from __future__ import annotations

from fault import Theme

from . import circumstances, concat, element_types, elements, gather, reshape, shapes, slices, squeeze, transpose

THEMES: tuple[Theme, ...] = tuple(
    module.THEME
    for module in (elements, shapes, element_types, circumstances, transpose, concat, slices, gather, reshape, squeeze)
)
