"""How OpenVINO keeps the types that NumPy and ml_dtypes have no name for."""

from __future__ import annotations

import importlib.util
import subprocess
import sys

import numpy as np
import openvino as ov
import pytest

from conformance.suite.suite import bundled_folder

pytestmark = [pytest.mark.slow, pytest.mark.frameworks]

_READS_ONE_BIT = """
import numpy, openvino as ov
from openvino import opset1
kind, count = ov.Type.{name}, {count}
for bit in {bits}:
    given, read = ov.Tensor(kind, ov.Shape([count])), ov.Tensor(ov.Type.u8, ov.Shape([count]))
    assert given.byte_size == 3
    given.data.view(numpy.uint8)[:] = [1 << bit % 8 if at == bit // 8 else 0 for at in range(3)]
    opset1.convert(opset1.parameter([count], kind), "u8").evaluate([read], [given])
    print(*read.data.tolist())
"""
_COMPILES = """
import openvino as ov
from openvino import opset1
data = opset1.parameter([8], ov.Type.{name})
split = opset1.split(data, opset1.constant(0), 2)
ov.Core().compile_model(ov.Model(list(split.outputs()), [data], ""), "CPU")
"""


def run(script: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=120)


@pytest.mark.parametrize(
    ("name", "count", "bits", "elements"),
    [
        ("u3", 8, (6, 7, 23), ["1 0 0 0 0 0 0 0", "2 0 0 0 0 0 0 0", "4 0 0 0 0 0 0 0"]),
        ("u3", 8, (14, 16), ["0 0 0 0 1 0 0 0", "0 0 0 0 0 0 0 4"]),
        ("u6", 4, (4, 7, 23, 0, 16), ["1 0 0 0", "8 0 0 0", "32 0 0 0", "0 1 0 0", "0 0 0 16"]),
    ],
)
def test_three_bytes_hold_eight_elements_of_u3_and_four_of_u6(
    name: str, count: int, bits: tuple[int, ...], elements: list[str]
) -> None:
    assert run(_READS_ONE_BIT.format(name=name, count=count, bits=bits)).stdout.splitlines() == elements


@pytest.mark.parametrize(("name", "bits"), [("u3", 3), ("u6", 6), ("u4", 4)])
@pytest.mark.parametrize("count", [0, 1, 7, 8, 9, 77])
def test_the_adapter_packs_as_openvino_reads(name: str, bits: int, count: int) -> None:
    spec = importlib.util.spec_from_file_location("layout", bundled_folder("adapters") / "openvino" / "layout.py")
    assert spec is not None
    assert spec.loader is not None
    layout = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(layout)
    elements = (np.arange(count) * 37 % (1 << bits)).astype(np.uint8)
    raw = layout.packed(elements, bits)
    given, read = ov.Tensor(raw, [count], getattr(ov.Type, name)), ov.Tensor(ov.Type.u8, [count])
    assert given.byte_size == raw.size
    data = ov.op.Parameter(given.element_type, ov.PartialShape([count]))
    ov.opset1.convert(data, "u8").evaluate([read], [given])
    assert read.data.tolist() == elements.tolist() == layout.unpacked(raw, bits, count).tolist()


@pytest.mark.parametrize("name", ["u3", "u6"])
def test_the_cpu_takes_no_input_of_u3_or_u6(name: str) -> None:
    printed = run(_COMPILES.format(name=name))
    assert f"Input image format {name} is not supported yet" in printed.stderr


def test_the_cpu_takes_an_input_of_nf4() -> None:
    assert run(_COMPILES.format(name="nf4")).returncode == 0
