"""How a script runs a call on OpenVINO: its own operators by `openvino.opset1` or IR, ONNX's as an ONNX model."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from xml.etree import ElementTree as ET

import numpy as np

from conformance.protocol.call import Call, Input
from conformance.protocol.form import Graph, Layout
from conformance.report.script import ModelSource, NotExpressible, Recipe, Request, model_source
from conformance.report.sources import dtype_expression
from conformance.tensors.dtypes import DTYPES
from conformance.tensors.tensor import unpack_strings

from .ir import ir_from_call
from .layout import GUARD_BYTE, GUARD_BYTES, TYPE_NAMES, is_grouped, is_packed, require_counted_lengths, type_name
from .opset_names import opset_of
from .rejections import NOT_IMPLEMENTED, OF_THE_BINDING

_SIGNATURES = {
    "VariadicSplit": (("data", "axis", "split_lengths"), ()),
    "Split": (("data", "axis"), ("num_splits",)),
}
"""Inputs and attributes of the functions of `openvino.opset1`, all of which a call must give."""

_WIDTH = 106

_RUN = """\
core = ov.Core()
compiled = core.compile_model({model}, "{device}", {settings})
request = compiled.create_infer_request()
actual = []
for inputs in RUNS:
{fed}
    request.start_async()  # `infer` keeps errors of kernels to itself with one thread
    request.wait()
    actual.append([{array} for tensor in request.output_tensors])"""

_FEED_ARRAYS = """\
    for name, array in inputs.items():
        request.set_tensor(name, ov.Tensor(array))"""

_FEED_TENSORS = """\
    ports = request.model_inputs
    fed = [tensor_of(inputs[port.get_any_name()], port.get_element_type()) for port in ports]  # kept alive
    for port, tensor in zip(ports, fed):
        request.set_tensor(port, tensor)"""

_NO_ANSWER = """\
re.search(
{patterns},
        str(error),
    )"""

_TENSOR = """
def tensor_of(array, element_type):
{branches}    return ov.Tensor(np.ascontiguousarray(array).reshape(-1).view(np.uint8), list(array.shape), element_type)
"""

_STRING_TENSOR = """\
    if element_type == ov.Type.string:
        items = [item.encode() for item in array.reshape(-1)]
        tensor = ov.Tensor(items) if items else ov.Tensor(element_type, list(array.shape))
        tensor.shape = list(array.shape)
        return tensor
"""

_TENSOR_IN_PIECES = """\
    if not array.flags.c_contiguous:
        if array.flags.f_contiguous or array.size == array.shape[-1]:
            return ov.Tensor(array)  # the binding makes a copy
        # The first half of each row of a longer tensor, which has memory of its own: a view keeps no array.
        whole = tensor_of(np.concatenate([array, array[..., ::-1]], axis=-1), element_type)
        longer = whole if element_type == ov.Type.string else ov.Tensor(element_type, whole.shape)
        if longer is not whole:
            longer.data[...] = whole.data
        return ov.Tensor(longer, [0] * array.ndim, list(array.shape))
"""

_PACKED_TENSOR = """\
    if element_type.bitwidth < 8:
        return ov.Tensor(packed(array, element_type.bitwidth), list(array.shape), element_type)
"""

_PACKED = '''
def shifts(bits):
    """How far the elements of one byte stand from its lowest bit; u1 has the first in the highest."""
    steps = np.arange(0, 8, bits, dtype=np.uint8)
    return steps[::-1] if bits == 1 else steps


def packed(array, bits):
    """Several elements to a byte."""
    flat = array.reshape(-1).view(np.uint8) & ((1 << bits) - 1)
{grouped}    rows = np.zeros((-(-flat.size * bits // 8), 8 // bits), np.uint8)
    rows.reshape(-1)[: flat.size] = flat
    return np.bitwise_or.reduce(rows << shifts(bits), axis=1, dtype=np.uint8)
'''

_GROUPED = """\
    if bits in (3, 6):  # 24 // bits elements to three bytes: their low bits in two of them, the others in the third
        groups = np.pad(flat, (0, -flat.size % (24 // bits))).reshape(-1, 24 // bits)
        singly = np.unpackbits(groups[..., np.newaxis], axis=-1)[..., 8 - bits :]
        low, high = singly[..., bits // 3 :].reshape(-1, 16), singly[..., : bits // 3].reshape(-1, 8)
        return np.packbits(np.hstack([low, high]))
"""

_ARRAY = """
def array_of(tensor):
{lines}
"""

_CONSTANT = """
def constant(name, element_type):
{branches}    return ov.op.Constant(tensor_of(CONSTANTS[name], element_type), False)
"""

_GUARDED_CONSTANT = """\
    if element_type.bitwidth < 8:
        # OpenVINO reads a byte for each element; without these it would find other ones each time, or none.
        size, elements = CONSTANTS[name].size, packed(CONSTANTS[name], element_type.bitwidth)
        kept = np.concatenate([elements, np.full(max(size, {guard_bytes}), {guard_byte}, np.uint8)])[: elements.size]
        KEPT.append(ov.Tensor(kept, list(CONSTANTS[name].shape), element_type))
        return ov.op.Constant(KEPT[-1], True)
"""


def recipe(request: Request, options: Mapping[str, str]) -> Recipe:
    """The model built by the target's route, compiled for its device.

    Raises:
        NotExpressible: OpenVINO or its Python binding cannot express the request.
    """
    _refuse_nul_at_the_end(request)
    _refuse_pieces_without_tensor(request)
    call = request.call
    require_counted_lengths(call)
    is_own, is_ir = call.dialect == "openvino", options["route"] == "ir"
    source, built = ModelSource(), ""
    constants: tuple[str, ...] = ()
    if is_own and not is_ir:
        constants = tuple(item.name for item in call.inputs if item.constant is not None)
        model, built = "model()", _opset_model(call)
    elif is_own:
        text, weights = ir_from_call(call)
        source = ModelSource(files={"model.xml": _indented(text), "model.bin": weights})
        model = 'core.read_model(HERE / "model.xml", HERE / "model.bin")'
    else:
        source = model_source(call)
        model = f"core.read_model({source.content})"
    is_simple = request.layout is Layout.CONTIGUOUS and all(_is_of_numpy(item.dtype) for item in call.inputs)
    run = _RUN.format(
        model=model,
        device=options["device"],
        settings=_settings(options),
        fed=_FEED_ARRAYS if is_simple else _FEED_TENSORS,
        array="tensor.data.copy()" if is_simple else "array_of(tensor)",
    )
    conversions = [] if is_simple else [*_conversions(request)]
    return Recipe(
        imports=(*_imports(built, options["isa"]), *source.imports),
        model=source.code,
        code="\n\n".join(part.strip("\n") + "\n" for part in (*conversions, built) if part),
        run=run,
        rejections="(RuntimeError, ValueError, IndexError)",
        no_answer=_NO_ANSWER.format(patterns=_patterns()),
        constants=constants,
        files=source.files,
    )


def _is_of_numpy(dtype: str) -> bool:
    """Whether OpenVINO's binding takes and gives arrays of the type as they are."""
    return hasattr(np, dtype) and dtype in TYPE_NAMES and dtype != "string"


def _imports(model: str, isa: str) -> tuple[str, ...]:
    limit = [f'os.environ["ONEDNN_MAX_CPU_ISA"] = "{isa}"'] * bool(isa)
    environment = ['os.environ["CI"] = "true"  # no telemetry', *limit]
    lines = ["import os", "import re", "", *environment, "", "import numpy as np", "import openvino as ov"]
    if "opset1." in model:
        lines.append("from openvino import opset1")
    if "NodeFactory(" in model:
        lines.append("from openvino.utils.node_factory import NodeFactory")
    return tuple(lines)


def _opset_model(call: Call) -> str:
    """The function that builds the model of one operator and the nodes beside it."""
    name, _, version = call.operator.partition(".")[2].rpartition("-")
    names = [item.name for item in call.inputs]
    lines = [line for item in call.inputs for line in _node_lines(item)]
    arguments = list(names)
    if call.graph is Graph.AFTER_RELU:
        lines.append(f"relu = opset1.relu({names[0]})")
        arguments[0] = "relu"
    if version == "1" and _SIGNATURES.get(name) == (tuple(names), tuple(call.attributes)):
        function = re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()
        values = [repr(value) for value in call.attributes.values()]
        lines.append(f"node = opset1.{function}({', '.join([*arguments, *values])})")
    else:
        listed = f"[{', '.join(arguments)}], {dict(call.attributes)!r}"
        lines.append(f'node = NodeFactory("{opset_of(call.operator)}").create("{name}", {listed})')
    if call.graph is Graph.BEFORE_CONCAT:
        lines.append(f"node = opset1.concat(node.outputs(), {call.concat_axis})")
    parameters = [item.name for item in call.inputs if item.constant is None]
    results = "node.outputs()" if call.declared_outputs else "node.outputs() or [node]"
    if call.graph is Graph.UNUSED_OUTPUTS:
        results += "[::2]"
    lines.append(f'return ov.Model({results}, [{", ".join(parameters)}], "case")')
    body = "".join(f"    {line}\n" for line in lines)
    packed = any(item.constant is not None and is_packed(item.dtype) for item in call.inputs)
    guard = _GUARDED_CONSTANT.format(guard_bytes=GUARD_BYTES, guard_byte=f"0x{GUARD_BYTE[0]:02x}") if packed else ""
    is_made = any(item.constant is not None and not _is_of_numpy(item.dtype) for item in call.inputs)
    constant = _CONSTANT.format(branches=guard).lstrip("\n") if is_made else ""
    kept = "KEPT = []  # a constant over shared memory does not keep it\n\n\n" if packed else ""
    return f"{kept}{constant}{chr(10) * 2 if constant else ''}def model():\n{body}"


def _node_lines(item: Input) -> list[str]:
    element = f"ov.Type.{type_name(item.dtype)}"
    if item.constant is not None and _is_of_numpy(item.dtype):
        return [f'{item.name} = ov.op.Constant(CONSTANTS["{item.name}"])']
    if item.constant is not None:
        return [f'{item.name} = constant("{item.name}", {element})']
    dims = item.dims
    known = None if dims is None else [-1 if dim is None else dim for dim in dims]
    shape = "ov.PartialShape.dynamic()" if known is None else f"ov.PartialShape({known})"
    return [
        f"{item.name} = ov.op.Parameter({element}, {shape})",
        f'{item.name}.output(0).get_tensor().set_names({{"{item.name}"}})',
    ]


def _conversions(request: Request) -> Iterator[str]:
    """Functions that convert between arrays and tensors, with only the branches that the types of this check need."""
    inputs = request.call.inputs
    has_strings = any(item.dtype == "string" for item in inputs)
    has_packed = any(is_packed(item.dtype) for item in inputs)
    if has_packed:
        has_groups = any(is_grouped(DTYPES[item.dtype].bits) for item in inputs)
        yield _PACKED.format(grouped=_GROUPED * has_groups)
    branches = (
        _TENSOR_IN_PIECES * (request.layout is not Layout.CONTIGUOUS),
        _STRING_TENSOR * has_strings,
        _PACKED_TENSOR * has_packed,
    )
    yield _TENSOR.format(branches="".join(branches))
    yield _ARRAY.format(
        lines="\n".join(f"    {line}" for line in _array_lines(inputs[0].dtype if inputs else "float32"))
    )


def _array_lines(dtype: str) -> list[str]:
    """Lines that read an output of the data's type; an output of another type keeps the type of the binding."""
    if dtype == "string":
        return [
            "# The binding divides by zero when it is asked for no strings, and shows freed memory if all are empty.",
            "has_characters = tensor.size and any(tensor.str_data.flat)",
            'items = tensor.bytes_data.reshape(-1).tolist() if has_characters else [b""] * tensor.size',
            'texts = [item.decode("utf-8", "backslashreplace") for item in items]',
            "return np.array(texts, object).reshape(tensor.shape)",
        ]
    if hasattr(np, dtype) or dtype not in TYPE_NAMES:
        return ["return tensor.data.copy()"]
    bits, named = DTYPES[dtype].bits, dtype_expression(dtype)
    if is_grouped(bits):
        count, high, low = 24 // bits, bits // 3, bits - bits // 3
        return [
            "groups = np.unpackbits(tensor.data.reshape(-1).view(np.uint8)).reshape(-1, 24)",
            f"singly = np.zeros((len(groups), {count}, 8), np.uint8)",
            f"singly[..., {8 - bits}:{8 - low}] = groups[:, 16:].reshape(-1, {count}, {high})",
            f"singly[..., {8 - low}:] = groups[:, :16].reshape(-1, {count}, {low})",
            f"return np.packbits(singly)[: tensor.size].view({named}).reshape(tensor.shape)",
        ]
    if bits < 8:
        return [
            f"if tensor.element_type != ov.Type.{type_name(dtype)}:",
            "    return tensor.data.copy()",
            f"elements = (tensor.data.reshape(-1).view(np.uint8)[:, np.newaxis] >> shifts({bits})) & {(1 << bits) - 1}",
            f"return elements.reshape(-1)[: tensor.size].view({named}).reshape(tensor.shape)",
        ]
    return [
        f"if tensor.element_type != ov.Type.{type_name(dtype)}:",
        "    return tensor.data.copy()",
        f"return tensor.data.copy().view({named})  # the binding has another name for the type",
    ]


def _patterns() -> str:
    """The pattern for what is not implemented, and the binding's own refusal, as Python over several lines."""
    alternatives = [*re.split(r"\|(?![^(]*\))", NOT_IMPLEMENTED.pattern), OF_THE_BINDING]
    lines = [""]
    for alternative in alternatives:
        if len(lines[-1]) + len(alternative) > _WIDTH:
            lines.append("")
        lines[-1] += f"|{alternative}" if alternative is not alternatives[0] else alternative
    return "\n".join(f'        r"{line}"' for line in lines)


def _settings(options: Mapping[str, str]) -> str:
    precision = '"INFERENCE_PRECISION_HINT": "f32"'
    if options["device"] != "CPU":
        return f"{{{precision}}}"
    return f'{{{precision}, "INFERENCE_NUM_THREADS": {options["threads"]}}}'


def _refuse_nul_at_the_end(request: Request) -> None:
    constants = [item.constant for item in request.call.inputs if item.constant is not None]
    tensors = [*constants, *(tensor for run in request.runs for tensor in run.values())]
    if any(item.endswith(b"\0") for tensor in tensors if tensor.dtype == "string" for item in unpack_strings(tensor)):
        raise NotExpressible("OpenVINO's Python binding drops the NULs at the end of a string")


def _refuse_pieces_without_tensor(request: Request) -> None:
    """Refuse the same layouts as the adapter does when it runs."""
    passed = [item for item in request.call.inputs if item.constant is None]
    shape = request.runs[0][passed[0].name].shape if passed else ()
    if request.layout in (Layout.CONTIGUOUS, Layout.OFFSET) or not shape:  # one element has no strides
        return
    data = passed[0]
    has_view = request.layout is Layout.STRIDED and math.prod(shape) > shape[-1]
    if is_packed(data.dtype) or not (has_view or hasattr(np, data.dtype)):
        raise NotExpressible(f"neither OpenVINO nor its Python binding has a tensor of {data.dtype} that lies so")


def _indented(text: str) -> bytes:
    root = ET.fromstring(text)  # noqa: S314  (our own text)
    ET.indent(root)
    return ET.tostring(root)
