"""How a script asks ONNX Runtime: it loads the model, and feeds arrays, or OrtValues for types that NumPy lacks."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping

from conformance.repro.recipe import Question, Recipe, onnx_model

from .names import LEVELS, MISSING, PACKED_TYPES, RAW_TYPES, REFUSALS

_SESSION = """
options = ort.SessionOptions()
options.graph_optimization_level = ort.GraphOptimizationLevel.{level}
options.intra_op_num_threads = 1
options.inter_op_num_threads = 1
session = ort.InferenceSession(str(HERE / "model.onnx"), options, providers=["CPUExecutionProvider"], enable_fallback=0)
"""

_SESSION_OF_PROVIDER = """
if "{provider}" not in ort.get_available_providers():
    raise ValueError("this build of ONNX Runtime has no {provider}")
options = ort.SessionOptions()
options.graph_optimization_level = ort.GraphOptimizationLevel.{level}
options.intra_op_num_threads = 1
options.inter_op_num_threads = 1
options.add_session_config_entry("session.record_ep_graph_assignment_info", "1")
session = ort.InferenceSession(str(HERE / "model.onnx"), options, providers=["{provider}"], enable_fallback=0)
if any(part.ep_name != "{provider}" for part in session.get_provider_graph_assignment_info()):
    raise ValueError("{provider} leaves the operator to another provider")
"""

_REFUSALS = """

REFUSALS = (
{refusals}
)


def cannot_answer(error):
    \"\"\"Whether ONNX Runtime says that it has no implementation.\"\"\"
    return isinstance(error, errors.NotImplemented) or any(words in str(error) for words in {missing})
"""

_ARRAYS = """
def ask():
    \"\"\"The outputs of each run.\"\"\"
{session}
    return [session.run(None, inputs) for inputs in RUNS]
"""

_NO_ARRAYS = """
def ask():
    \"\"\"Only whether there is a session: nothing can be fed.\"\"\"
{session}
    raise TypeError(f"the Python interface passes no tensors of {packed} to {{session}}")
"""

_RAW_VALUES = """
def value_of(array):
    \"\"\"An OrtValue; with the number of its type in onnx.proto where NumPy lacks the type.\"\"\"
    if array.dtype == ml_dtypes.{dtype}:
        return ort.OrtValue.ortvalue_from_numpy_with_onnx_type(array, {number})
    return ort.OrtValue.ortvalue_from_numpy(array)


def array_of(value):
    \"\"\"The bytes of an OrtValue, which has no array of this type.\"\"\"
    if value.data_type() != "{name}":
        return value.numpy()
    size = value.tensor_size_in_bytes()
    data = ctypes.string_at(value.data_ptr(), size) if size else b""
    return np.frombuffer(data, ml_dtypes.{dtype}).reshape(value.shape())


def ask():
    \"\"\"The outputs of each run.\"\"\"
{session}
    names = [output.name for output in session.get_outputs()]
    feeds = [{{name: value_of(array) for name, array in inputs.items()}} for inputs in RUNS]
    runs = [session.run_with_ort_values(names, feed) for feed in feeds]
    return [[array_of(value) for value in outputs] for outputs in runs]
"""


def recipe(question: Question, options: Mapping[str, str]) -> Recipe:
    """One model, one session, as many runs as the question has.

    Raises:
        NotExpressible: ONNX has no place for it.
    """
    dtypes = {item.dtype for item in question.call.inputs}
    written = _SESSION if options["provider"] == "CPUExecutionProvider" else _SESSION_OF_PROVIDER
    lines = written.format(level=LEVELS[options["optimization"]], provider=options["provider"])
    session = textwrap.indent(lines.strip(), "    ")
    raw = sorted(dtypes & RAW_TYPES.keys())
    code = _ARRAYS.format(session=session)
    if raw:
        number, name = RAW_TYPES[raw[0]]
        code = _RAW_VALUES.format(session=session, dtype=raw[0], number=number, name=name)
    packed = ", ".join(sorted(dtypes & PACKED_TYPES))
    if packed:
        code = _NO_ARRAYS.format(session=session, packed=packed)
    refusals = "\n".join(f"    errors.{status}," for status in (*REFUSALS, "NotImplemented"))
    return Recipe(
        imports=(
            *(["import ctypes"] if raw else []),
            "import onnxruntime as ort",
            "from onnxruntime.capi import onnxruntime_pybind11_state as errors",
        ),
        code=code + _REFUSALS.format(refusals=refusals, missing=repr(MISSING).replace("'", '"')),
        files={"model.onnx": onnx_model(question.call)},
    )
