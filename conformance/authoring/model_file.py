"""Reads an ONNX model as one graph, and says what is known of the inputs of each node."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import onnx
from numpy.typing import NDArray

from conformance.spec.lowering.onnx_proto import ELEMENT_TYPES
from conformance.tensors.dtypes import DTYPES as TYPES
from conformance.tensors.errors import UsageError
from conformance.tensors.files import content_of, opened
from conformance.tensors.tensor import KnownShape, allows, numpy_dtype, type_name
from conformance.tensors.text import one_line

# Reads an ONNX model as one graph: its functions inlined, its external data checked, and its opset known.

MAX_MODEL_BYTES = (1 << 31) - 1
"""The format of ONNX's files holds no more."""
MAX_DATA_BYTES = 1 << 36
MAX_VALUES = 1 << 16
"""Inputs or outputs of a node: a case has no more."""
DTYPES = {number: name for name, number in ELEMENT_TYPES.items()}
"""The name of each element type by its number in ONNX."""
_NAME_A_MODEL = "name an ONNX model"
_NAME_A_VALID_MODEL = "name a valid ONNX model"


@contextmanager
def refusing(path: Path, what: str, fix: str = _NAME_A_VALID_MODEL) -> Iterator[None]:
    """Say what is wrong with a file where a library fails on it; the errors of these libraries have no common base."""
    try:
        yield
    except MemoryError:
        raise
    except Exception as error:  # noqa: BLE001
        raise UsageError(str(path), f"{what}: {one_line(str(error))}", fix=fix) from None


def read_model(path: Path) -> onnx.ModelProto:
    """The model in a file, with its functions inlined and its external data left where it is.

    Raises:
        UsageError: the installed `onnx` cannot read the file as a model.
    """
    content = content_of(path, str(path), MAX_MODEL_BYTES)
    model = onnx.ModelProto()
    with refusing(path, "cannot be read", _NAME_A_MODEL):
        model.ParseFromString(content)
    _refuse_other_texts(path, model)
    _refuse_large_nodes(path, model)
    _refuse_wrong_opsets(path, model)
    _refuse_recursion(path, model)
    _refuse_missing_data(path, model)
    model = _inlined(path, model)
    _clear_unknown_dims(path, model)
    return model


def _refuse_other_texts(path: Path, message: Any, place: str = "") -> None:
    """Refuse names that are not UTF-8, which the library gives as bytes."""
    for known, value in message.ListFields():
        for one in value if known.is_repeated else (value,):
            if known.type == known.TYPE_MESSAGE:
                _refuse_other_texts(path, one, f"{place}{known.name}.")
            elif known.type == known.TYPE_STRING and not isinstance(one, str):
                what = f"{place}{known.name} is {one_line(repr(one), 80)}, which is not UTF-8"
                raise UsageError(str(path), what, fix=_NAME_A_VALID_MODEL)


def _refuse_large_nodes(path: Path, model: onnx.ModelProto) -> None:
    for node in nodes_of([*model.graph.node, *(node for function in model.functions for node in function.node)]):
        if max(len(node.input), len(node.output)) > MAX_VALUES:
            values = f"{len(node.input):,} inputs and {len(node.output):,} outputs"
            what = f"the node {one_line(node.name or node.op_type, 80)} has {values}, and {MAX_VALUES:,} are read"
            raise UsageError(str(path), what, fix="name a smaller model")


def _refuse_wrong_opsets(path: Path, model: onnx.ModelProto) -> None:
    if not model.opset_import:
        raise UsageError(str(path), "is not an ONNX model: it names no opset", fix=_NAME_A_MODEL)
    newest = onnx.defs.onnx_opset_version()
    for opset in (*model.opset_import, *(item for function in model.functions for item in function.opset_import)):
        if opset.domain in ("", "ai.onnx") and not 1 <= opset.version <= newest:
            what = f"uses opset {opset.version} of ONNX, and the installed onnx {onnx.__version__} knows 1 to {newest}"
            raise UsageError(str(path), what, fix="update the package onnx, or convert the model")


def _refuse_recursion(path: Path, model: onnx.ModelProto) -> None:
    calls = {
        (function.domain, function.name): {(node.domain, node.op_type) for node in nodes_of(function.node)}
        for function in model.functions
    }
    try:
        TopologicalSorter(calls).prepare()
    except CycleError as error:
        named = one_line(".".join(filter(None, min(error.args[1]))), 80)
        raise UsageError(str(path), f"the function {named} calls itself", fix=_NAME_A_VALID_MODEL) from None


def nodes_of(nodes: Sequence[onnx.NodeProto]) -> Iterator[onnx.NodeProto]:
    """The nodes, each followed by those of its subgraphs."""
    return (node for _, node in places_of(nodes))


def places_of(nodes: Sequence[onnx.NodeProto], place: str = "") -> Iterator[tuple[str, onnx.NodeProto]]:
    """The nodes, each followed by those of its subgraphs, whether they run or not, with their places."""
    for number, node in enumerate(nodes):
        yield f"{place}/{number}", node
        for name, graph in subgraphs_of(node).items():
            yield from places_of(graph.node, f"{place}/{number}/{name}")


def subgraphs_of(node: onnx.NodeProto) -> dict[str, onnx.GraphProto]:
    """The body or the branches of a node by the names of its attributes."""
    return {attribute.name: attribute.g for attribute in node.attribute if attribute.HasField("g")}


def values_of(model: onnx.ModelProto) -> Iterator[onnx.ValueInfoProto]:
    """What a model says of the values of all its graphs."""
    graphs = [model.graph, *(graph for node in nodes_of(model.graph.node) for graph in subgraphs_of(node).values())]
    for graph in graphs:
        yield from (*graph.input, *graph.value_info, *graph.output)


def _clear_unknown_dims(path: Path, model: onnx.ModelProto) -> None:
    """Leave out lengths of -1, with which exporters say that a length is unknown, and refuse others below 0."""
    for item in values_of(model):
        for dim in item.type.tensor_type.shape.dim:
            if dim.dim_value == -1:
                dim.Clear()
            elif dim.dim_value < 0:
                what = f"the value {one_line(item.name, 80)} has a dim of length {dim.dim_value}"
                raise UsageError(str(path), what, fix=_NAME_A_VALID_MODEL)


def _refuse_missing_data(path: Path, model: onnx.ModelProto) -> None:
    """Refuse a model whose initializers do not have the bytes that their shapes need, in the model or next to it."""
    for tensor in _tensors_of(model):
        name = f"the initializer {one_line(tensor.name, 80)}"
        if any(dim < 0 for dim in tensor.dims):
            raise UsageError(str(path), f"{name} has a negative dim", fix=_NAME_A_VALID_MODEL)
        if tensor.data_location == onnx.TensorProto.EXTERNAL:
            _refuse_missing_file(path, tensor, name)
        elif tensor.HasField("raw_data") and tensor.data_type in DTYPES:
            needed, given = _bytes_needed(tensor), len(tensor.raw_data)
            if needed not in (None, given):
                what = f"{name} has {given:,} bytes, and its shape needs {needed:,}"
                raise UsageError(str(path), what, fix=_NAME_A_VALID_MODEL)


def _tensors_of(model: onnx.ModelProto) -> Iterator[onnx.TensorProto]:
    """The initializers of all graphs, and the tensors of all constants."""
    yield from model.graph.initializer
    for node in nodes_of([*model.graph.node, *(node for function in model.functions for node in function.node)]):
        yield from (attribute.t for attribute in node.attribute if attribute.HasField("t"))
        yield from (tensor for graph in subgraphs_of(node).values() for tensor in graph.initializer)


def _refuse_missing_file(path: Path, tensor: onnx.TensorProto, name: str) -> None:
    entries = {entry.key: entry.value for entry in tensor.external_data}
    location, folder = entries.get("location", ""), path.parent.resolve()
    beside = folder.parent if "\0" in location else (folder / location).resolve()
    if not location or not beside.is_relative_to(folder):
        raise UsageError(str(path), f"the file of {name} is not beside the model", fix=_NAME_A_VALID_MODEL)
    with opened(beside, f"{path}: {one_line(location, 80)}", MAX_DATA_BYTES) as stream:
        size = stream.seek(0, 2)
    start, given = (entries.get(key, "0") for key in ("offset", "length"))
    needed = _bytes_needed(tensor)
    is_number = start.isdecimal() and given.isdecimal()
    if not is_number or needed is None or (int(given) not in (0, needed)) or int(start) + needed > size:
        what = f"the file {one_line(location, 80)} does not hold {name}"
        raise UsageError(str(path), what, fix="name the model with all of its external data")


def _bytes_needed(tensor: onnx.TensorProto) -> int | None:
    """The bytes of a tensor; None if they do not follow from its shape."""
    dtype = DTYPES.get(tensor.data_type, "string")
    if dtype == "string":
        return None
    num_bits: int = math.prod(tensor.dims) * TYPES[dtype].bits
    return -(-num_bits // 8)


def _inlined(path: Path, model: onnx.ModelProto) -> onnx.ModelProto:
    if not model.functions:
        return model
    import onnx.inliner

    with refusing(path, "its functions cannot be inlined"):
        return onnx.inliner.inline_local_functions(model)


def elements_of(path: Path, tensor: onnx.TensorProto) -> NDArray[Any]:
    """The elements of an initializer or a constant.

    Raises:
        UsageError: they do not fit its shape.
    """
    with refusing(path, f"the initializer {one_line(tensor.name, 80)} cannot be read"):
        return np.asarray(onnx.numpy_helper.to_array(tensor, str(path.parent)))


def read_inputs(path: Path | None, model: onnx.ModelProto) -> Mapping[str, NDArray[Any]]:
    """The arrays of an npz file, with the types of the graph's inputs; none without a file.

    NumPy's files have no names for types such as bfloat16: the model names them.

    Raises:
        UsageError: it is not such a file, or its arrays are not the inputs of the model.
    """
    if path is None:
        return {}
    declared = {item.name: item.type.tensor_type for item in model.graph.input}
    given = {initializer.name for initializer in model.graph.initializer}
    arrays = _arrays(path)
    if unknown := sorted(set(arrays) - set(declared)):
        named = ", ".join(one_line(name, 40) for name in declared)
        raise UsageError(str(path), f"the model has no input {one_line(unknown[0], 80)}", fix=f"it has {named}")
    if missing := sorted(set(declared) - set(arrays) - given):
        raise UsageError(str(path), f"lacks the input {one_line(missing[0], 80)}", fix="name each input of the graph")
    return {name: _typed(path, name, array, declared[name]) for name, array in arrays.items()}


def _arrays(path: Path) -> dict[str, NDArray[Any]]:
    refused = refusing(path, "is not an npz file of arrays", "write one with numpy.savez")
    with opened(path, str(path), MAX_DATA_BYTES) as stream, refused, np.load(stream, allow_pickle=False) as arrays:
        return dict(arrays)


def _typed(path: Path, name: str, array: NDArray[Any], declared: onnx.TypeProto.Tensor) -> NDArray[Any]:
    dtype = DTYPES.get(declared.elem_type, "")
    if dtype and dtype != "string" and array.dtype.kind == "V" and array.dtype.itemsize == numpy_dtype(dtype).itemsize:
        array = array.view(numpy_dtype(dtype))
    shown = one_line(name, 80)
    if dtype and (array.dtype.kind not in "OSUT" if dtype == "string" else str(array.dtype) != dtype):
        raise UsageError(
            str(path), f"{shown} has the type {array.dtype}", fix=f"write it as {dtype}, as the model does"
        )
    dims = tuple(dim.dim_value if dim.HasField("dim_value") else None for dim in declared.shape.dim)
    if declared.HasField("shape") and not allows(dims, array.shape):
        wanted = ", ".join("any" if dim is None else str(dim) for dim in dims)
        raise UsageError(str(path), f"{shown} has the shape {list(array.shape)}", fix=f"the model takes [{wanted}]")
    return array.astype(object) if array.dtype.kind in "SUT" else array


# Walks through a model as it would run, and says for each node what is known of its inputs. A value is known by its
# elements where they are constant, follow from known ones, or are computed from given inputs; else by the type and
# the shape that ONNX's shape inference finds. Nodes that do not run are not visited.

MAX_FOLDED = 1 << 16
"""Without inputs, the most elements of a value that is computed: lengths and indices, and no weights."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownValue:
    """What is known of a value: its type, its shape, and its elements if they are known.

    `is_constant` is whether it does not depend on inputs of the model; `dims` is what the model knows of its shape.
    """

    dtype: str
    shape: tuple[int, ...]
    elements: NDArray[Any] | None = None
    is_constant: bool = False
    dims: KnownShape = None

    @property
    def size(self) -> int:
        """The number of elements."""
        return math.prod(self.shape)


Scope: TypeAlias = dict[str, KnownValue]


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """A node that runs, with what is known of each of its inputs; None for an unknown or an omitted one.

    `place` is the node's place in the model, equal for all visits of one node. `missed` has for each input the operator
    that was not computed, and so leaves it unknown also with inputs.
    """

    place: str
    node: onnx.NodeProto
    inputs: tuple[KnownValue | None, ...]
    missed: tuple[str, ...]


@dataclass(slots=True, kw_only=True)
class ModelWalk:
    """A way through a model.

    Args:
        path: its file; the external data is next to it.
        described: what shape inference finds of the values.
        dims: the dims that the model itself knows of them.
        computes_all: whether values of any size are computed, and not only small ones.
    """

    path: Path
    opsets: Sequence[onnx.OperatorSetIdProto]
    ir_version: int
    described: Mapping[str, KnownValue]
    dims: Mapping[str, KnownShape]
    computes_all: bool
    hidden_by: str = ""
    """An operator that is not computed, so that a branch or a body is not known to run."""
    _missed: dict[str, str] = field(default_factory=dict)
    """For values that are not computed, the first operator on the way to them that is not, although inputs are given or
    would be.
    """
    _evaluators: dict[str, Any] = field(default_factory=dict)

    def visits(self, graph: onnx.GraphProto, given: Mapping[str, NDArray[Any]]) -> Iterator[Visit]:
        """The nodes of the main graph that run, and those of its subgraphs, in order; a body's as often as it runs."""
        scope = {name: value for name, value in self.described.items() if name in {i.name for i in graph.input}}
        scope |= {name: replace(value, dims=self._dims_of(name, value)) for name, value in map(_named, given.items())}
        return self._graph(graph, scope, "")

    def _graph(self, graph: onnx.GraphProto, scope: Scope, place: str) -> Iterator[Visit]:
        """Visits the nodes of a graph, and adds their outputs to the scope."""
        inputs = {item.name for item in graph.input} & scope.keys()
        scope |= {tensor.name: self._constant(tensor) for tensor in graph.initializer if tensor.name not in inputs}
        otherwise = "an operator before it" if self.computes_all else ""
        for number, node in enumerate(graph.node):
            here = f"{place}/{number}"
            missed = tuple(self._missed.get(name) or otherwise for name in node.input)
            yield Visit(place=here, node=node, inputs=tuple(map(scope.get, node.input)), missed=missed)
            match node.op_type if node.domain in ("", "ai.onnx") else "":
                case "If":
                    yield from self._branch(node, scope, here)
                case "Loop":
                    yield from self._loop(node, scope, here)
                case _:
                    self._add_outputs(node, scope, here)

    def _constant(self, tensor: onnx.TensorProto) -> KnownValue:
        dtype, shape = DTYPES.get(tensor.data_type, ""), tuple(tensor.dims)
        is_needed = self.computes_all or math.prod(shape) <= MAX_FOLDED
        elements = elements_of(self.path, tensor) if is_needed else None
        return KnownValue(dtype=dtype, shape=shape, elements=elements, is_constant=True, dims=shape)

    def _branch(self, node: onnx.NodeProto, scope: Scope, place: str) -> Iterator[Visit]:
        """The branch that the condition takes; none if it is unknown."""
        condition = _elements(scope.get(node.input[0])) if node.input else None
        if condition is None or condition.size != 1:
            self._hide(node, scope)
            return
        branch = "then_branch" if condition.reshape(())[()] else "else_branch"
        graph, inner = subgraphs_of(node).get(branch, onnx.GraphProto()), dict(scope)
        yield from self._graph(graph, inner, f"{place}/{branch}")
        for name, source in zip(node.output, graph.output, strict=False):
            _put(scope, name, inner.get(source.name))

    def _loop(self, node: onnx.NodeProto, scope: Scope, place: str) -> Iterator[Visit]:
        """The body as often as it runs; never if the number of its runs, the condition or a state is unknown."""
        names = [*node.input, "", ""]
        trips, go_on = (_elements(scope.get(name)) for name in names[:2])
        carried = [scope.get(name) for name in node.input[2:]]
        body = subgraphs_of(node).get("body", onnx.GraphProto())
        if any((name and value is None) for name, value in zip(names, (trips, go_on), strict=False)) or None in carried:
            self._hide(node, scope)
            return
        most = math.inf if trips is None else int(trips.reshape(-1)[0])
        runs, scanned, goes_on = 0, list[list[KnownValue | None]](), go_on is None or bool(go_on.reshape(-1)[0])
        while goes_on and runs < most:
            inner, named = dict(scope), [item.name for item in body.input]
            values = [_value_of(np.array(runs)), _value_of(np.array(True)), *carried]
            inner |= {name: value for name, value in zip(named, values, strict=False) if value is not None}
            yield from self._graph(body, inner, f"{place}/body")
            results = [inner.get(item.name) for item in body.output]
            again = _elements(results[0]) if results else None
            if again is None:
                self._hide(node, scope)
                return
            carried, goes_on, runs = results[1 : 1 + len(carried)], bool(again.reshape(-1)[0]), runs + 1
            scanned.append(results[1 + len(carried) :])
        found = [*carried, *(_stacked(column) for column in zip(*scanned, strict=True))]
        for name, value in zip(node.output, found, strict=False):
            _put(scope, name, value)

    def _add_outputs(self, node: onnx.NodeProto, scope: Scope, place: str) -> None:
        """Compute the outputs of a node, or describe them where they cannot be computed."""
        inputs = [scope.get(name) for name in node.input if name]
        known = [value for value in inputs if value is not None and value.elements is not None]
        is_constant = all(value is not None and value.is_constant for value in inputs)
        self._describe(node, scope)
        found: Sequence[Any] = ()
        if node.op_type in ("Shape", "Size") and inputs and inputs[0] is not None and len(inputs) == 1:
            found = [_shape_of(node, inputs[0].shape) if node.op_type == "Shape" else np.array(inputs[0].size)]
            is_constant = inputs[0].dims == inputs[0].shape
        elif len(known) == len(inputs) and self._is_small(node, known):
            found = self._computed(node, {name: scope[name] for name in node.input if name}, place)
        for name, array in zip(filter(None, node.output), found, strict=False):
            if isinstance(array, np.ndarray | np.generic):
                value = replace(_value_of(np.asarray(array)), is_constant=is_constant)
                _put(scope, name, replace(value, dims=self._dims_of(name, value)))
                self._missed.pop(name, None)

    def _dims_of(self, name: str, value: KnownValue) -> KnownShape:
        """The dims of a computed value that the model knows; none of them if it says nothing, or something else."""
        dims: KnownShape = value.shape if value.is_constant else self.dims.get(name)
        return dims if dims is not None and allows(dims, value.shape) else (None,) * len(value.shape)

    def _is_small(self, node: onnx.NodeProto, inputs: Sequence[KnownValue]) -> bool:
        sizes = [value.size for value in (*inputs, *(self.described.get(name) for name in node.output)) if value]
        return self.computes_all or max(sizes, default=0) <= MAX_FOLDED

    def _describe(self, node: onnx.NodeProto, scope: Scope) -> None:
        """Add what shape inference says of the outputs, which are not computed yet."""
        missed = next(filter(None, map(self._missed.get, node.input)), "")
        if self.computes_all or not onnx.defs.has(node.op_type, "" if node.domain == "ai.onnx" else node.domain):
            missed = missed or node.op_type
        for name in node.output:
            _put(scope, name, self.described.get(name))
            self._missed[name] = missed

    def _hide(self, node: onnx.NodeProto, scope: Scope) -> None:
        """Describe the outputs of a node of whose graphs it is unknown which one runs, or how often."""
        self._describe(node, scope)
        self.hidden_by = next(filter(None, map(self._missed.get, node.output)), "")

    def _computed(self, node: onnx.NodeProto, inputs: Mapping[str, KnownValue], place: str) -> Sequence[Any]:
        """The outputs as ONNX's reference implementation computes them; nothing if it cannot."""
        try:
            if place not in self._evaluators:
                self._evaluators[place] = self._evaluator(node)
            evaluator = self._evaluators[place]
            if evaluator is None:
                return ()
            answer: Sequence[Any] = evaluator.run(None, {name: value.elements for name, value in inputs.items()})
        except MemoryError:
            raise
        except Exception:  # noqa: BLE001  (it raises what NumPy raises)
            self._evaluators.setdefault(place, None)
            return ()
        return answer

    def _evaluator(self, node: onnx.NodeProto) -> Any:
        from onnx.reference import ReferenceEvaluator

        empty = onnx.TypeProto()
        inputs = [onnx.helper.make_value_info(name, empty) for name in dict.fromkeys(filter(None, node.input))]
        outputs = [onnx.helper.make_value_info(name, empty) for name in node.output if name]
        graph = onnx.helper.make_graph([node], "node", inputs, outputs)
        model = onnx.helper.make_model(graph, opset_imports=self.opsets, ir_version=self.ir_version)
        return ReferenceEvaluator(model)


def _named(item: tuple[str, NDArray[Any]]) -> tuple[str, KnownValue]:
    return item[0], _value_of(item[1])


def _put(scope: Scope, name: str, value: KnownValue | None) -> None:
    """Bind a name, or forget it: a body may hide a value of the graph around it."""
    scope.pop(name, None)
    if name and value is not None:
        scope[name] = value


def _elements(value: KnownValue | None) -> NDArray[Any] | None:
    return None if value is None else value.elements


def _value_of(array: NDArray[Any]) -> KnownValue:
    dtype = "string" if array.dtype.kind in "OSUT" else type_name(array.dtype)
    return KnownValue(dtype=dtype, shape=array.shape, elements=array, dims=array.shape)


def _stacked(column: Sequence[KnownValue | None]) -> KnownValue | None:
    """A scan output; None if one of its slices is unknown."""
    arrays = [_elements(value) for value in column]
    known = [array for array in arrays if array is not None]
    return _value_of(np.stack(known)) if known and len(known) == len(arrays) else None


def _shape_of(node: onnx.NodeProto, shape: tuple[int, ...]) -> NDArray[Any]:
    """The output of a Shape."""
    bounds = {attribute.name: attribute.i for attribute in node.attribute}
    return np.array(shape[slice(bounds.get("start", 0), bounds.get("end"))], np.int64)


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
