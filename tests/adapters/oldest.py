"""A Python with the oldest releases that the bundled adapters take, and a NumPy of that time."""

from __future__ import annotations

import subprocess
import sys
import venv
from pathlib import Path

import pytest
from gallery import MadeOnce

NUMPY = "1.26.4"
RELEASES = {"onnxruntime": "1.15.0", "openvino": "2023.0.0", "onnx": "1.13.0", "numpy": NUMPY, "ml_dtypes": "0.5.4"}
WHAT_THEY_NEED = ("flatbuffers", "openvino-telemetry", "packaging", "protobuf", "typing_extensions")

needs_wheels = pytest.mark.skipif(
    sys.version_info[:2] != (3, 11) or sys.platform != "linux", reason="these releases have wheels for Python 3.11"
)


def oldest_python(made_once: MadeOnce) -> Path:
    """The Python, made by one test process for all of them."""

    def fill(folder: Path) -> None:
        venv.create(folder, symlinks=True)
        pip = [sys.executable, "-m", "pip", "--python", str(folder / "bin" / "python"), "install", "--quiet"]
        releases = [f"{name}=={version}" for name, version in RELEASES.items()]
        subprocess.run([*pip, "--only-binary", ":all:", "--no-deps", *releases, *WHAT_THEY_NEED], check=True)

    return made_once("oldest-releases", fill) / "bin" / "python"
