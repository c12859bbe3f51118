"""Passes models through ONNX's checker: reads pickled models with their external data, and writes one line for each.

The checker can abort its process, so this is a process of its own.
"""

from __future__ import annotations

import pickle
import sys
import tempfile
from pathlib import Path

import onnx


def problem_of(model: bytes, data: bytes | None) -> str:
    """The last line of what the checker says; empty if the model is valid."""
    try:
        if data is None:
            onnx.checker.check_model(model, full_check=True)
            return ""
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "model.data").write_bytes(data)
            (folder / "model.onnx").write_bytes(model)
            onnx.checker.check_model(folder / "model.onnx", full_check=True)
    except (onnx.checker.ValidationError, onnx.shape_inference.InferenceError) as error:
        return str(error).strip().splitlines()[-1]
    return ""


for number, (model, data) in enumerate(pickle.load(sys.stdin.buffer)):
    sys.stdout.write(f"{number} {problem_of(model, data)}\n")
    sys.stdout.flush()
