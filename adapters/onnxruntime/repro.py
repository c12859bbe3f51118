"""How a script runs a call on ONNX Runtime: it loads the model, and feeds arrays, or OrtValues for other types."""

from __future__ import annotations

from collections.abc import Mapping

from conformance.report.script import Recipe, Request, model_source
from conformance.tensors.dtypes import DTYPES

from .names import LEVELS, MISSING, RAW_TYPES, REJECTIONS, TOO_NEW

_CPU = "CPUExecutionProvider"

_PROVIDER_IS_THERE = """\
if "{provider}" not in ort.get_available_providers():
    raise OSError("this build of ONNX Runtime has no {provider}")
"""

_PROVIDER_ANSWERS = """\
if any(part.ep_name != "{provider}" for part in session.get_provider_graph_assignment_info()):
    raise OSError("{provider} leaves the operator to another provider")
"""

_NO_ANSWER = """\
type(error).__name__ not in {rejections} or any(
        words in str(error) for words in {missing}
    )"""

_RUN = """\
actual = [session.run(None, inputs) for inputs in RUNS]"""

_RUN_OF_VALUES = """\
names = [output.name for output in session.get_outputs()]
feeds = [{name: value_of(array) for name, array in inputs.items()} for inputs in RUNS]
runs = [session.run_with_ort_values(names, feed) for feed in feeds]
actual = [[array_of(value) for value in outputs] for outputs in runs]"""

_RAW_VALUES = """
def value_of(array):
    \"\"\"An OrtValue; with the number of its type in onnx.proto where NumPy lacks the type.\"\"\"
    if array.dtype != ml_dtypes.{dtype}:
        return ort.OrtValue.ortvalue_from_numpy(array)
{value}


def array_of(value):
    \"\"\"The bytes of an OrtValue, which has no array of this type.\"\"\"
    if value.data_type() != "{name}":
        return value.numpy()
    size = -(-int(np.prod(value.shape())) * {bits} // 8)
    data = ctypes.string_at(value.data_ptr(), size) if size else b""
{array}
"""


_WHOLE_BYTES = (
    "    return ort.OrtValue.ortvalue_from_numpy_with_onnx_type(array, {number})",
    "    return np.frombuffer(data, ml_dtypes.{dtype}).reshape(value.shape())",
)
_PACKED = (
    """\
    # Several elements to a byte, the first in the lowest bits.
    value = ort.OrtValue.ortvalue_from_shape_and_type(list(array.shape), {number})
    flat = array.reshape(-1).view(np.uint8) & {mask}
    rows = np.zeros((-(-array.size // {per_byte}), {per_byte}), np.uint8)
    rows.reshape(-1)[: flat.size] = flat
    raw = np.bitwise_or.reduce(rows << np.arange(0, 8, {bits}, dtype=np.uint8), axis=1, dtype=np.uint8).tobytes()
    ctypes.memmove(value.data_ptr(), raw, len(raw))
    return value""",
    """\
    rows = (np.frombuffer(data, np.uint8)[:, np.newaxis] >> np.arange(0, 8, {bits}, dtype=np.uint8)) & {mask}
    count = int(np.prod(value.shape()))
    return rows.reshape(-1)[:count].view(ml_dtypes.{dtype}).reshape(value.shape())""",
)


def recipe(request: Request, options: Mapping[str, str]) -> Recipe:
    """One model, one session, as many runs as the request has.

    Raises:
        NotExpressible: ONNX cannot express the call.
    """
    # In some forms the data is a constant; the outputs have its type all the same.
    passed = [item for item in request.call.inputs if item.constant is None]
    raw = sorted({item.dtype for item in (*passed, *request.call.inputs[:1])} & RAW_TYPES.keys())
    source = model_source(request.call)
    return Recipe(
        imports=(
            *(["import ctypes", ""] if raw else []),
            "import numpy as np",
            "import onnxruntime as ort",
            *source.imports,
        ),
        code=_raw_values(raw[0]) if raw else "",
        run=f"{_session(options, source.content).strip()}\n{_RUN_OF_VALUES if raw else _RUN}",
        model=source.code,
        rejections="Exception",
        no_answer=_NO_ANSWER.format(rejections=_quoted(REJECTIONS), missing=_quoted((*MISSING, *TOO_NEW))),
        files=source.files,
    )


def _session(options: Mapping[str, str], model: str) -> str:
    """The lines that make a session; only of another provider than the CPU's it is asked whether it answers itself."""
    provider, level = options["provider"], LEVELS[options["optimization"]]
    lines = [
        "options = ort.SessionOptions()",
        *[f"options.graph_optimization_level = ort.GraphOptimizationLevel.{level}"] * (level != "ORT_ENABLE_ALL"),
        f"options.intra_op_num_threads = {options['threads']}",
    ]
    if provider != _CPU:
        lines.insert(0, _PROVIDER_IS_THERE.format(provider=provider).strip())
        lines.append('options.add_session_config_entry("session.record_ep_graph_assignment_info", "1")')
    lines.append(f'session = ort.InferenceSession({model}, options, providers=["{provider}"], enable_fallback=0)')
    return "\n".join(lines if provider == _CPU else [*lines, _PROVIDER_ANSWERS.format(provider=provider)])


def _quoted(words: tuple[str, ...]) -> str:
    return repr(words).replace("'", '"')


def _raw_values(dtype: str) -> str:
    (number, name), bits = RAW_TYPES[dtype], DTYPES[dtype].bits
    facts = {"dtype": dtype, "number": number, "bits": bits, "per_byte": 8 // bits, "mask": (1 << bits) - 1}
    value, array = (part.format(**facts) for part in (_PACKED if bits < 8 else _WHOLE_BYTES))
    return _RAW_VALUES.format(dtype=dtype, name=name, bits=bits, value=value, array=array)
