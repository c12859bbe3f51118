"""The arguments of a call as Python values, for builders of several operators."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from conformance.adapter import Call, Input, NotExpressible
from conformance.tensors.dtypes import DTYPES, Category
from conformance.tensors.tensor import unpack_integers

FLOATS = frozenset({"float16", "float32", "float64"})
ALL_BUT_BFLOAT16 = FLOATS | {
    "bool", "complex64", "complex128", "string",
    "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
}  # fmt: skip
"""The types of most ONNX operators before version 13."""
ALL = ALL_BUT_BFLOAT16 | {"bfloat16"}
"""The types of most ONNX operators from version 13 on."""
FLOAT8 = frozenset({"float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz"})
ALL_OF_21 = ALL | FLOAT8 | {"int4", "uint4"}
"""The types of most ONNX operators from version 21 on, and so on for later versions."""
ALL_OF_23 = ALL_OF_21 | {"float4_e2m1fn"}
ALL_OF_24 = ALL_OF_23 | {"float8_e8m0fnu"}
ALL_OF_25 = ALL_OF_24 | {"int2", "uint2"}


def refuse_surplus(call: Call, function: str, *, inputs: Collection[str], attributes: Collection[str]) -> None:
    """Raise `NotExpressible` for inputs and attributes that the operator does not have."""
    surplus = [item.name for item in call.inputs if item.name not in inputs]
    surplus += [name for name in call.attributes if name not in attributes]
    if surplus:
        raise NotExpressible(f"torch.{function} has no place for {', '.join(surplus)}")


def refuse_other_types(call: Call, tensors: Collection[Input], types: Collection[str]) -> None:
    """Raise `NotExpressible` for types that the operator's version does not list, and PyTorch may have."""
    for item in tensors:
        if item.dtype not in types:
            raise NotExpressible(
                f"PyTorch has no list of types for {call.operator}, which has no {item.dtype} in its own"
            )


def refuse_other_integers(call: Call, function: str, given: Input) -> None:
    """Raise `NotExpressible` for integers of another type than an ONNX operator takes: Python has one."""
    is_integer = DTYPES[given.dtype].category in (Category.SIGNED, Category.UNSIGNED)
    if call.dialect == "onnx" and is_integer and given.dtype != "int64":
        raise NotExpressible(f"torch.{function} takes Python numbers, which have no type {given.dtype}")


def attribute(call: Call, name: str) -> object:
    """The attribute as a Python value, a list if it has several; None if it is left out."""
    value = call.attributes.get(name)
    return list(value) if isinstance(value, tuple) else value


def counts_from_end(axis: object, tensor: Input) -> bool:
    """Whether PyTorch takes the axis for one from the end, which any below 0 may be if the rank is unknown."""
    if type(axis) is not int or axis >= 0:
        return False
    return tensor.dims is None or axis >= -max(len(tensor.dims), 1)


def python_value(given: Input) -> object:
    """The value of a constant as Python numbers and texts, in nested lists, one level per dim.

    Raises:
        ValueError: the input is not a constant.
    """
    kind = DTYPES[given.dtype].category
    if given.constant is not None and kind in (Category.SIGNED, Category.UNSIGNED):
        numbers = np.empty(given.constant.size, dtype=object)
        numbers[:] = unpack_integers(given.constant)
        return numbers.reshape(given.constant.shape).tolist()
    array = given.array
    return array.astype(np.float64).tolist() if kind is Category.FLOAT else array.tolist()


def refuse_truth_values(given: Input) -> None:
    """Raise `NotExpressible` for numbers that Python reads, not PyTorch, which would refuse truth values."""
    if DTYPES[given.dtype].category is Category.BOOL:
        raise NotExpressible(f"Python takes truth values for whole numbers, and {given.name} has them")


def constant_list(given: Input | None) -> list[object] | None:
    """The numbers of a constant for brackets; None if the input is left out.

    Raises:
        NotExpressible: they come at run time, are one number, or are truth values.
    """
    if given is None:
        return None
    refuse_truth_values(given)
    if given.constant is None:
        raise NotExpressible(f"a range in brackets has no place for {given.name} as a tensor of several numbers")
    return list_or_none(given.name, python_value(given))


def list_or_none(name: str, value: object) -> list[object] | None:
    """The value for brackets, which have a place for each of several numbers.

    Raises:
        NotExpressible: it is one number.
    """
    if value is not None and not isinstance(value, list):
        raise NotExpressible(f"brackets have no place for {name} as one number without an axis")
    return value
