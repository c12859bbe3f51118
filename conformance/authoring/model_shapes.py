"""What ONNX's shape inference finds of the values of a model, and lengths for its symbolic dims.

The model does not say these lengths. Each is chosen from a few, so that as few calls of the model as possible violate
their pages.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import onnx

from conformance.authoring.model_file import DTYPES, refusing, values_of
from conformance.authoring.model_values import KnownValue
from conformance.values.tensor import KnownShape, allows

_FIRST_LENGTHS = (2, 3, 5, 7, 11, 13)
"""The lengths of symbolic dims, in the order in which the model names them; later ones get the last."""
_FURTHER_LENGTHS = (1, 2, 4, 6, 8, 12, 16, 24, 32, 64, 128, 224, 256)
_MOST_TRIALS = 60

Lengths = Mapping[str, int]
"""The lengths of symbolic dims, by name."""


def with_named_dims(model: onnx.ModelProto) -> onnx.ModelProto:
    """The model with a name for each unnamed dim of an input, and without the shapes that it says of other values."""
    named = onnx.ModelProto()
    named.CopyFrom(model)
    for item in named.graph.input:
        for place, dim in enumerate(item.type.tensor_type.shape.dim):
            if not dim.HasField("dim_value") and not dim.dim_param:
                dim.dim_param = f"{item.name} {place}"
    del named.graph.value_info[:]
    return named


def symbolic_dims(model: onnx.ModelProto) -> list[str]:
    """The names of the dims of inputs without a length, in order."""
    shapes = [item.type.tensor_type.shape.dim for item in model.graph.input]
    return list(dict.fromkeys(dim.dim_param for dims in shapes for dim in dims if dim.dim_param))


def inferred(path: Path, model: onnx.ModelProto, lengths: Lengths) -> onnx.ModelProto:
    """The model with the types and shapes of its values, where these dims have these lengths.

    Raises:
        UsageError: shape inference refuses the model.
    """
    fixed = onnx.ModelProto()
    fixed.CopyFrom(model)
    for item in (*fixed.graph.input, *fixed.graph.output):
        for dim in item.type.tensor_type.shape.dim:
            if dim.dim_param in lengths:
                dim.dim_value = lengths[dim.dim_param]
    with refusing(path, "its types and shapes cannot be inferred"):
        return onnx.shape_inference.infer_shapes(fixed, data_prop=True)


def described(said: onnx.ModelProto, model: onnx.ModelProto, known: Mapping[str, KnownShape]) -> dict[str, KnownValue]:
    """The values of which types and shapes are inferred, or else said; `known` has the dims that the model knows."""
    found = {}
    for item in (*values_of(said), *values_of(model)):
        dtype, dims = DTYPES.get(item.type.tensor_type.elem_type), _dims(item)
        if dtype is not None and dims is not None and None not in dims:
            shape = tuple(dim for dim in dims if dim is not None)
            of_model = known.get(item.name)
            found[item.name] = KnownValue(
                dtype=dtype, shape=shape, dims=of_model if allows(of_model, shape) else (None,) * len(shape)
            )
    return found


def known_dims(said: onnx.ModelProto, model: onnx.ModelProto) -> dict[str, KnownShape]:
    """The dims of each value that are inferred, or else said, without lengths for symbolic ones."""
    found = {item.name: _dims(item) for item in values_of(said)}
    for item in values_of(model):
        dims, other = _dims(item), found.get(item.name)
        if dims is not None and other is not None and len(dims) == len(other):
            dims = tuple(one if one is not None else two for one, two in zip(dims, other, strict=True))
        found[item.name] = other if dims is None else dims
    return found


def _dims(item: onnx.ValueInfoProto) -> KnownShape:
    tensor = item.type.tensor_type
    if not tensor.HasField("shape"):
        return None
    return tuple(dim.dim_value if dim.HasField("dim_value") else None for dim in tensor.shape.dim)


def fitting_lengths(names: Sequence[str], count_broken: Callable[[Lengths], int]) -> Lengths:
    """Lengths for symbolic dims, so that as few nodes as possible break their pages.

    Args:
        names: the dims, in order.
        count_broken: how many nodes break their pages with these lengths.
    """
    last = len(_FIRST_LENGTHS) - 1
    best = {name: _FIRST_LENGTHS[min(place, last)] for place, name in enumerate(names)}
    broken, trials = count_broken(best), 0
    for name in names:
        for length in _FURTHER_LENGTHS:
            if not broken or trials >= _MOST_TRIALS:
                return best
            trial = {**best, name: length}
            found, trials = count_broken(trial), trials + 1
            if found < broken:
                best, broken = trial, found
    return best
