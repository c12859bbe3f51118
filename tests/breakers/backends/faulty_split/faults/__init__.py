"""All faults, by theme. A name is unique across them."""

from __future__ import annotations

from fault import Theme

from . import (
    accepted,
    arguments,
    axes,
    circumstances,
    combined,
    complex_numbers,
    costs,
    deaths,
    empties,
    forms,
    graphs,
    many_parts,
    outputs,
    packed,
    precision,
    raw_bits,
    refused,
    remainder,
    sizes,
    special_values,
    state,
    strings,
    uneven,
    versions,
)

THEMES: tuple[Theme, ...] = tuple(
    module.THEME
    for module in (
        *(axes, remainder, arguments, empties, many_parts, precision, special_values, packed, raw_bits, strings),
        *(
            complex_numbers,
            uneven,
            versions,
            accepted,
            refused,
            costs,
            state,
            graphs,
            forms,
            sizes,
            deaths,
            outputs,
            combined,
            circumstances,
        ),
    )
)
