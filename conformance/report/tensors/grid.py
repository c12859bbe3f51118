"""Lays out a recorded tensor as readable tables around the elements that differ.

It only decides which rows, columns and slices are shown and which elements are marked; writers turn that into markup.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from conformance.log.record import CheckRecord, DifferenceEntry, TensorEntry
from conformance.report.tensors.elements import Element, elements, ulp_distance
from conformance.values.tensor import element_count
from conformance.values.text import index_of, index_text

_MAX_ROWS = 12
_MAX_COLUMNS = 12
_WRAPPED_COLUMNS = 8
_MAX_SLICES = 16
_MAX_LISTED = 8


@dataclass(frozen=True, slots=True)
class GridCell:
    """One element of a grid and, if they differ, that of the other side."""

    element: Element
    other: Element | None

    @property
    def is_ambiguous(self) -> bool:
        """Whether only the bits show how the element differs from the other side."""
        if self.other is None:
            return False
        return self.element.text == self.other.text or self.element.is_special or self.other.is_special


@dataclass(frozen=True, slots=True)
class Grid:
    """A 2-D part of a tensor with the indices of its rows and columns; `title` holds the indices of the other dims."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[GridCell | None, ...]], ...]


@dataclass(frozen=True, slots=True)
class TensorGrids:
    """A tensor as grids; `note` says how much is shown, or why nothing is. Without both there is no tensor."""

    grids: tuple[Grid, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class ListedElement:
    """An element that differs: its index, the expected and the actual element, and how far floats are apart."""

    index: str
    expected: Element
    actual: Element
    ulp: int | None


@dataclass(frozen=True, slots=True)
class GridPair:
    """The layout of an output that is not as expected; `listed` are the first elements that differ."""

    expected: TensorGrids
    actual: TensorGrids
    listed: tuple[ListedElement, ...]


def comparison_of(difference: DifferenceEntry) -> GridPair:
    """Both sides of a difference; differing elements are marked if type and shape agree."""
    expected, actual = difference.expected, difference.actual
    want, have = _decoded(expected), _decoded(actual)
    if expected is None or actual is None or (expected.dtype, expected.shape) != (actual.dtype, actual.shape):
        return GridPair(_layout(expected, want, {}), _layout(actual, have, {}), ())
    differing = [number for number in sorted(want.keys() & have.keys()) if want[number] != have[number]]
    return GridPair(
        expected=_layout(expected, want, {number: have[number] for number in differing}),
        actual=_layout(actual, have, {number: want[number] for number in differing}),
        listed=tuple(
            ListedElement(
                index_text(n, expected.shape), want[n], have[n], ulp_distance(expected.dtype, want[n], have[n])
            )
            for n in differing[:_MAX_LISTED]
        ),
    )


def input_of_moved(record: CheckRecord, difference: DifferenceEntry) -> TensorGrids:
    """The first input as grids if each element that differs stands in it: then elements moved, and none changed.

    Empty otherwise.
    """
    values = record.call.inputs[0].values if record.call is not None and record.call.inputs else []
    expected, actual = difference.expected, difference.actual
    if not values or expected is None or actual is None:
        return TensorGrids()
    data = values[min(difference.run, len(values) - 1)]
    given, have, want = _decoded(data), _decoded(actual), _decoded(expected)
    moved = {element.bits for number, element in have.items() if element != want.get(number)}
    is_moved = data.dtype == actual.dtype and moved and moved <= {element.bits for element in given.values()}
    return _layout(data, given, {}) if is_moved else TensorGrids()


def nested_text(entry: TensorEntry, limit: int) -> str:
    """The values in nested brackets, as `[[1.0, 2.0], [3.0, 4.0]]`; cut off after `limit` elements."""
    try:
        texts = [element.text for element in elements(entry)[:limit]]
    except ValueError as error:
        return f"unreadable: {error}"
    size = element_count(entry.shape)
    if not size:
        return "no elements"
    if entry.start or len(texts) < size:
        stretch = ", ".join(texts)
        return f"{stretch}, … ({size:,} elements in all)" if not entry.start else f"…, {stretch}, … ({size:,} in all)"
    return nested(texts, entry.shape)


def nested(texts: Sequence[str], shape: Sequence[int]) -> str:
    """The elements of a tensor of this shape in nested brackets."""
    if not shape:
        return texts[0]
    step = math.prod(shape[1:])
    parts = [nested(texts[row * step : (row + 1) * step], shape[1:]) for row in range(shape[0])]
    return f"[{', '.join(parts)}]"


def _decoded(entry: TensorEntry | None) -> dict[int, Element]:
    if entry is None:
        return {}
    try:
        return dict(enumerate(elements(entry), entry.start))
    except ValueError:
        return {}


def _layout(entry: TensorEntry | None, found: dict[int, Element], others: dict[int, Element]) -> TensorGrids:
    """The grids of a tensor; `others` are the elements of the other side, where they differ."""
    if entry is None:
        return TensorGrids()
    size = element_count(entry.shape)
    if not size:
        return TensorGrids(note="it has no elements")
    if not found:
        return TensorGrids(note="the log holds none of its elements in a form that can be read")
    rows, columns = _rows_and_columns(entry.shape)
    area = rows * columns
    slices = list(dict.fromkeys(number // area for number in (*others, *found)))[:_MAX_SLICES]
    grids = tuple(_grid(entry, number, found, others) for number in sorted(slices))
    shown = sum(cell is not None for grid in grids for _, cells in grid.rows for cell in cells)
    return TensorGrids(grids, "" if shown == size else f"{shown:,} of {size:,} elements are shown")


def _grid(entry: TensorEntry, number: int, found: dict[int, Element], others: dict[int, Element]) -> Grid:
    """The part of one slice around its first element that differs."""
    size, (rows, columns) = math.prod(entry.shape), _rows_and_columns(entry.shape)
    first = number * rows * columns
    inside = range(first, first + rows * columns)
    focus = next((n for n in others if n in inside), next(n for n in found if n in inside)) - first
    row_window = _window(focus // columns, rows, _MAX_ROWS)
    column_window = _window(focus % columns, columns, _MAX_COLUMNS)
    is_wrapped = len(entry.shape) == 1
    lines = []
    for row in row_window:
        numbers = [first + row * columns + column for column in column_window]
        cells = tuple(GridCell(found[n], others.get(n)) if n in found and n < size else None for n in numbers)
        if any(cells):
            lines.append((str(row * columns if is_wrapped else row), cells))
    prefix = index_of(number, entry.shape[:-2])
    title = f"[{', '.join(map(str, prefix))}, :, :]" if prefix else ""
    used = [place for place in range(len(column_window)) if any(cells[place] for _, cells in lines)]
    labels = tuple(f"+{column_window[p]}" if is_wrapped and rows > 1 else str(column_window[p]) for p in used)
    return Grid(title, labels, tuple((label, tuple(cells[place] for place in used)) for label, cells in lines))


def _rows_and_columns(shape: Sequence[int]) -> tuple[int, int]:
    """The size of each slice; a long vector is wrapped, and a scalar is one cell."""
    if not shape:
        return 1, 1
    if len(shape) == 1:
        columns = shape[0] if shape[0] <= _MAX_COLUMNS else _WRAPPED_COLUMNS
        return -(-shape[0] // columns), columns
    return shape[-2], shape[-1]


def _window(focus: int, length: int, width: int) -> range:
    start = max(0, min(focus - width // 4, length - width))
    return range(start, min(length, start + width))
