"""Writes tensors as Python: small ones as bit-exact expressions, large ones as files of raw bytes."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Sequence
from itertools import groupby

from conformance.report.tensors import nested
from conformance.values.dtypes import DTYPES, Kind
from conformance.values.tensor import Tensor, array_from_tensor, has_same_bits, mask_unused_bits, numpy_dtype

MAX_ELEMENTS = 64
"""Tensors with more elements go into files, except strings."""
_LINE = 88


class DataFiles:
    """Expressions for tensors, and the files next to the script that the expressions read."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}

    def tensor(self, name: str, tensor: Tensor) -> str:
        """An expression for one tensor; `name` names the file, if it needs one."""
        if tensor.size <= MAX_ELEMENTS or tensor.dtype == "string":
            return expression(tensor)
        return f"{self._read(name, [tensor])}[0]"

    def tensors(self, name: str, tensors: Sequence[Tensor]) -> str:
        """An expression for a list of tensors."""
        is_small = sum(tensor.size for tensor in tensors) <= MAX_ELEMENTS and len(tensors) <= MAX_ELEMENTS
        if is_small or len({tensor.dtype for tensor in tensors} - {"string"}) != 1:
            return f"[{', '.join(self.tensor(f'{name}_{number}', item) for number, item in enumerate(tensors))}]"
        return self._read(name, tensors)

    def _read(self, name: str, tensors: Sequence[Tensor]) -> str:
        file = f"{name}.bin"
        self.files[file] = b"".join(mask_unused_bits(tensor) for tensor in tensors)
        bounds = [(shape, len(list(same))) for shape, same in groupby(tensor.shape for tensor in tensors)]
        shapes = " + ".join(f"[{shape}]" + (f" * {count}" if count > 1 else "") for shape, count in bounds)
        return f'read("{file}", {dtype_expression(tensors[0].dtype)}, {shapes})'


def dtype_expression(dtype: str) -> str:
    """The NumPy type as an expression, from ml_dtypes if NumPy lacks it; raw bits are a record of one byte."""
    import numpy as np

    if dtype == "string":
        return "object"
    if dtype == "bool":
        return "np.bool_"
    if DTYPES[dtype].kind is Kind.RAW:
        return f'np.dtype([("{dtype}", np.uint8)])'
    return f"np.{dtype}" if hasattr(np, dtype) else f"ml_dtypes.{dtype}"


def expression(tensor: Tensor) -> str:
    """A NumPy expression for a tensor: from its values if they restore the same bits, else from its bits."""
    dtype = dtype_expression(tensor.dtype)
    if not tensor.size:
        return f"np.empty({tensor.shape}, {dtype})"
    texts = _value_texts(tensor)
    if texts is not None:
        return _array(texts, tensor.shape, dtype)
    width = min(tensor.kind.itemsize, 8)
    data = mask_unused_bits(tensor)
    patterns = [int.from_bytes(data[at : at + width], "little") for at in range(0, len(data), width)]
    flat = _array([f"0x{pattern:0{2 * width}x}" for pattern in patterns], (len(patterns),), f"np.uint{8 * width}")
    viewed = f"{flat}.view({dtype})"
    return viewed if tensor.shape == (tensor.size,) else f"{viewed}.reshape({tensor.shape})"


def _value_texts(tensor: Tensor) -> list[str] | None:
    """The elements as Python literals; None if that would lose a bit."""
    import numpy as np

    if tensor.kind.kind is Kind.RAW:
        return None
    array = array_from_tensor(tensor).reshape(-1)
    if tensor.dtype == "string":
        return [ascii(item) for item in array.tolist()]
    if tensor.dtype == "bool" and set(tensor.data) - {0, 1}:
        return None
    if tensor.kind.kind in (Kind.FLOAT, Kind.SIGNED, Kind.UNSIGNED) and not hasattr(np, tensor.dtype):
        with np.errstate(all="ignore"):
            array = array.astype(np.float64 if tensor.kind.kind is Kind.FLOAT else np.int64)
    texts = [repr(item) for item in array.tolist()]
    try:
        values = [ast.literal_eval(text) for text in texts]
    except ValueError:
        return None  # no literal for a NaN or an infinity
    with np.errstate(all="ignore"):
        back = np.array(values, numpy_dtype(tensor.dtype))
    return texts if has_same_bits(Tensor(tensor.dtype, tensor.shape, back.tobytes()), tensor) else None


def _array(texts: Sequence[str], shape: Sequence[int], dtype: str) -> str:
    """`np.array([[1, 2], [3, 4]], np.int64)`; if too long, a flat array over several lines with `.reshape`."""
    brackets = nested(texts, shape)
    if len(brackets) <= _LINE:
        return f"np.array({brackets}, {dtype})"
    lines = ",\n".join(texts) if dtype == "object" else textwrap.fill(", ".join(texts), _LINE)
    flat = f"np.array([\n{textwrap.indent(lines, '    ')},\n], {dtype})"
    return flat if len(shape) == 1 else f"{flat}.reshape({tuple(shape)})"
