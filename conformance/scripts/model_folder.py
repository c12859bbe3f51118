"""A check as an ONNX model with inputs and expected outputs, for engines of which no adapter writes scripts.

The layout is that of ONNX's own tests of backends: https://onnx.ai/onnx/repo-docs/OnnxBackendTest.html.
"""

from __future__ import annotations

from collections.abc import Iterator

from conformance.lowering.onnx_model import tensor_proto
from conformance.scripts.demonstration import Demonstration
from conformance.scripts.onnx_source import onnx_files
from conformance.scripts.script import MARK, filled, template


def files_of_model(claim: Demonstration) -> dict[str, bytes]:
    """The model, the inputs and expected outputs of each of its calls, a script that loads them, and a README, by name.

    The outputs are those of the first interpretation that expects any.

    Raises:
        NotExpressible: ONNX cannot express the call.
    """
    files = onnx_files(claim.request.call)
    readme = template("README-model.md.j2").render(
        title=claim.title, about=filled(claim.about), has_data=len(files) > 1, mark=MARK
    )
    texts = {"load.py": template("load.py.j2").render(), "README.md": readme}
    return {**{name: text.encode() for name, text in texts.items()}, **files, **dict(_tensors(claim))}


def _tensors(claim: Demonstration) -> Iterator[tuple[str, bytes]]:
    expected = next((given.runs for given in claim.interpretations if given.runs is not None), None)
    for run, inputs in enumerate(claim.request.runs):
        folder = f"test_data_set_{run}"
        for place, (name, tensor) in enumerate(inputs.items()):
            yield f"{folder}/input_{place}.pb", tensor_proto(name, tensor)
        for place, tensor in enumerate(expected[run] if expected is not None else ()):
            yield f"{folder}/output_{place}.pb", tensor_proto(f"output_{place}", tensor)
