"""Shows a tensor or a call as text or as a grid of cells; it reads only records."""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from conformance.log.record import (
    CallEntry,
    CheckRecord,
    DifferenceEntry,
    InputEntry,
    TargetEntry,
    TensorEntry,
    recorded_elements,
)
from conformance.log.summary import Summary
from conformance.tensors.dtypes import DTYPES, Category, ElementType, FloatLayout, Specials
from conformance.tensors.tensor import element_count, unpack_strings
from conformance.tensors.text import counted, index_of, index_text, one_line, visible

# Writes recorded elements for readers: the shortest text that restores the same bits, and the bits.
#
# It decodes every type of `dtypes` by its layout, so the text is exact and independent of NumPy and ml_dtypes.

_STRING_CHARACTERS = 80
_DOUBLE_MANTISSA_BITS = 52
_EXACT_BITS = 8
_OWN_BIAS = {"float8_e4m3b11fnuz": 11}


@dataclass(frozen=True, slots=True)
class Element:
    """One element: its value as text, its bits in hexadecimal, and whether other bits may have the same text."""

    text: str
    bits: str
    is_special: bool = False


def elements(entry: TensorEntry) -> tuple[Element, ...]:
    """The recorded elements in order.

    Raises:
        ValueError: the type does not exist, or the data does not match count and type.
    """
    if entry.dtype not in DTYPES or entry.count < 0:
        raise ValueError(f"there is no type {entry.dtype!r} with {entry.count} elements")
    tensor = recorded_elements(entry)
    if tensor.element_type.itemsize == 0:
        return tuple(_string(item) for item in unpack_strings(tensor))
    data, width = bytes(tensor.data), tensor.element_type.itemsize
    if len(data) != entry.count * width:
        raise ValueError(f"{len(data)} bytes are not {entry.count} elements of {entry.dtype}")
    mask = (1 << tensor.element_type.bits) - 1
    return tuple(
        _element(entry.dtype, int.from_bytes(data[at : at + width], "little") & mask)
        for at in range(0, len(data), width)
    )


@lru_cache(maxsize=8192)
def _element(name: str, pattern: int) -> Element:
    dtype = DTYPES[name]
    bits = f"0x{pattern:0{(dtype.bits + 3) // 4}x}"
    match dtype.category:
        case Category.BOOL:
            known = {0: "false", 1: "true"}
            return Element(known.get(pattern, f"bool({bits})"), bits, is_special=pattern > 1)
        case Category.FLOAT:
            return Element(float_text(dtype, pattern), bits, is_special=_is_special(dtype, pattern))
        case Category.COMPLEX:
            return _complex(dtype, pattern)
        case Category.RAW:
            return Element(bits, bits)
        case _:
            sign = 1 << (dtype.bits - 1) if dtype.category is Category.SIGNED else 0
            return Element(str((pattern ^ sign) - sign), bits)


def _complex(dtype: ElementType, pattern: int) -> Element:
    width = dtype.bits // 2
    parts = pattern & ((1 << width) - 1), pattern >> width
    real, imaginary = (float_text(dtype, part) for part in parts)
    joint = "" if imaginary.startswith("-") else "+"
    return Element(
        f"{real}{joint}{imaginary}j",
        " ".join(f"0x{part:0{width // 4}x}" for part in parts),
        is_special=any(_is_special(dtype, part) for part in parts),
    )


def _string(item: bytes) -> Element:
    shown = item[:_STRING_CHARACTERS]
    text = shown.decode("utf-8", "backslashreplace").replace("\\", "\\\\").replace('"', '\\"')
    text = visible(text.replace("\n", "\\n").replace("\t", "\\t"))
    more = "…" if len(item) > len(shown) else ""
    return Element(f'"{text}{more}"', (shown.hex(" ") or "no bytes") + more, is_special=text.encode() != item)


def float_text(dtype: ElementType, pattern: int) -> str:
    """The shortest decimal that identifies the number in its format; a signalling NaN becomes `sNaN`.

    Numbers of types of up to 8 bits are written in full: they are so far apart that the shortest decimal would mislead.
    `pattern` holds the bits of a floating-point type, or of one part of a complex one.
    """
    layout = _layout(dtype)
    sign = "-" if layout.sign_bits and pattern >> (layout.exponent_bits + layout.mantissa_bits) else ""
    magnitude = pattern & _all_but_sign(layout)
    if layout.is_nan(pattern):
        can_signal = layout.specials is Specials.IEEE and layout.mantissa_bits > 1
        is_quiet = not can_signal or pattern >> (layout.mantissa_bits - 1) & 1
        name = "NaN" if is_quiet else "sNaN"
        return name if layout.specials is Specials.ONE_NAN else sign + name
    if layout.specials is Specials.IEEE and magnitude == ((1 << layout.exponent_bits) - 1) << layout.mantissa_bits:
        return f"{sign}inf"
    return sign + _shortest(dtype, magnitude)


def _shortest(dtype: ElementType, magnitude: int) -> str:
    value = _value(dtype, magnitude)
    is_double = _layout(dtype).mantissa_bits == _DOUBLE_MANTISSA_BITS
    if value == 0 or is_double or dtype.bits <= _EXACT_BITS:
        return repr(value)
    low = (value + _value(dtype, magnitude - 1)) / 2 if magnitude else value / 2
    high = (value + _value(dtype, magnitude + 1)) / 2
    for digits in range(1, 17):
        candidate = float(f"{value:.{digits}g}")
        if low < candidate < high:
            return repr(candidate)
    return repr(value)


def _value(dtype: ElementType, magnitude: int) -> float:
    """The number given by exponent and mantissa, even if the format defines the pattern as a NaN."""
    layout = _layout(dtype)
    exponent, mantissa = divmod(magnitude, 1 << layout.mantissa_bits)
    lowest = 1 - _bias(dtype) - layout.mantissa_bits
    if exponent == 0 and layout.mantissa_bits:
        return math.ldexp(mantissa, lowest)
    return math.ldexp((1 << layout.mantissa_bits) + mantissa, exponent - 1 + lowest)


def _bias(dtype: ElementType) -> int:
    if dtype.name in _OWN_BIAS:
        return _OWN_BIAS[dtype.name]
    layout = _layout(dtype)
    return (1 << (layout.exponent_bits - 1)) - (layout.specials is not Specials.ONE_NAN)


def _is_special(dtype: ElementType, pattern: int) -> bool:
    """Whether it is a NaN, a zero or a subnormal number: their texts may be the same although the bits differ."""
    layout = _layout(dtype)
    return layout.is_nan(pattern) or pattern & _all_but_sign(layout) < 1 << layout.mantissa_bits


def _layout(dtype: ElementType) -> FloatLayout:
    assert dtype.layout is not None
    return dtype.layout


def _all_but_sign(layout: FloatLayout) -> int:
    return (1 << (layout.exponent_bits + layout.mantissa_bits)) - 1


# Lays out a recorded tensor as readable tables around the elements that differ.
#
# It only decides which rows, columns and slices are shown and which elements are marked; writers turn that into
# markup.

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
    """An element that differs: its index, the expected and the actual element."""

    index: str
    expected: Element
    actual: Element


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
        return GridPair(_grid_layout(expected, want, {}), _grid_layout(actual, have, {}), ())
    differing = [number for number in sorted(want.keys() & have.keys()) if want[number] != have[number]]
    return GridPair(
        expected=_grid_layout(expected, want, {number: have[number] for number in differing}),
        actual=_grid_layout(actual, have, {number: want[number] for number in differing}),
        listed=tuple(ListedElement(index_text(n, expected.shape), want[n], have[n]) for n in differing[:_MAX_LISTED]),
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
    return _grid_layout(data, given, {}) if is_moved else TensorGrids()


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


def _grid_layout(entry: TensorEntry | None, found: dict[int, Element], others: dict[int, Element]) -> TensorGrids:
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


# Writes a recorded call as readable text in the spec's terms, and the commands that reproduce it, which `filled` fills.

RERUN = "conformance run {options} --case {case} --form {form}"
RERUN_FAILED = "conformance run --rerun failed {options}"
REPRO = "conformance repro {case} {options} --form {form}"
RECORDED = "conformance repro --recorded {deviation} {options}"
_INLINE_ELEMENTS = 8
_LISTED_ELEMENTS = 64
_ATTRIBUTE_CHARACTERS = 300
_PATH_CHARACTERS = 4000


ArgumentText = tuple[str, str, str, str, tuple[str, ...]]
"""A name, how it reaches the framework, type, dims that the model knows, and the value in each call."""


def call_line(record: CheckRecord) -> str:
    """The call on one line: `onnx.Split-13(input: float32[2, 6], split: int64[2] = [2, 4], axis=1) -> 2 outputs`."""
    return visible(record.operator, 200) if record.call is None else call_text(record.operator, record.call)


def call_text(operator: str, call: CallEntry) -> str:
    """A call of an operator version on one line."""
    arguments = [_inline(item) for item in call.inputs]
    arguments += [f"{visible(name, 100)}={_attribute(value)}" for name, value in call.attributes.items()]
    outputs = counted(call.declared_outputs, "output")
    return f"{visible(operator, 200)}({', '.join(arguments)}) -> {outputs}"


def argument_texts(call: CallEntry) -> Iterator[ArgumentText]:
    """The arguments in the spec's order, inputs first."""
    for item in call.inputs:
        values = tuple(_value_text(value, item.dims) for value in item.values)
        yield item.name, "constant" if item.constant else "at run time", item.dtype, dims_text(item.dims), values
    for name, value in call.attributes.items():
        yield name, "attribute", "", "", (_attribute(value),)


def dims_text(dims: list[int | None] | list[int] | None) -> str:
    """The shape as `[2, ?]`, with `?` for a dim that the model does not know; `[...]` if the rank is unknown."""
    if dims is None:
        return "[...]"
    return f"[{', '.join('?' if dim is None else str(dim) for dim in dims[:64])}]"


def target_options(target: TargetEntry, cases_folders: Sequence[str] = ()) -> str:
    """The options that name a target and the cases in any folder, quoted for a POSIX shell.

    The target is named by its name, or by the path of its adapter; `cases_folders` are those of a log's header.
    """
    options = "".join(target.name.partition("[")[1:])
    named = [("--target", f"{target.folder}{options}" if target.folder else target.name)]
    named += zip(("--cases-folder", *["--cases"] * len(cases_folders)), cases_folders, strict=False)
    return " ".join(f"{option} {_quoted(one_line(value, _PATH_CHARACTERS))}" for option, value in named if value)


def options_by_target(summary: Summary) -> dict[str, str]:
    """The options of each target of a run, by its name."""
    return {target.name: target_options(target, summary.header.cases_folders) for target in summary.targets}


def commands_of(target: TargetEntry) -> dict[str, str]:
    """The commands that a page offers for each check of a target, by title, to be filled."""
    offered = {"Run it again": RERUN}
    return {**offered, "Write a script for the bug report": REPRO} if target.has_scripts else offered


def filled(command: str, record: CheckRecord, options: str) -> str:
    """The command for a check; `options` as `target_options` gives them, as in all commands here."""
    return visible(command.format(options=options, case=_quoted(record.case), form=record.form.value))


def recorded_command(deviation: str, options: str) -> str:
    """The command that writes the script of a recorded deviation."""
    return visible(RECORDED.format(deviation=shlex.quote(deviation), options=options))


def _quoted(text: str) -> str:
    return shlex.quote(text) if shlex.quote(text) != text else f"'{text}'"


def _inline(item: InputEntry) -> str:
    kind = f"{visible(item.name, 100)}: {visible(item.dtype, 40)}{dims_text(item.dims)}"
    value = item.values[-1] if item.values else None
    if value is not None and math.prod(value.shape) <= _INLINE_ELEMENTS and len(value.shape) < 2:
        kind += f" = {nested_text(value, _INLINE_ELEMENTS)}"
    return kind if item.constant else f"{kind} at run time"


def _value_text(entry: TensorEntry, dims: list[int | None] | None) -> str:
    """The elements, with their shape unless the model knows it."""
    elements = nested_text(entry, _LISTED_ELEMENTS)
    return elements if entry.shape == dims else f"shape {dims_text(entry.shape)}: {elements}"


def _attribute(value: object) -> str:
    return visible(repr(value) if isinstance(value, str) else str(value), _ATTRIBUTE_CHARACTERS)
