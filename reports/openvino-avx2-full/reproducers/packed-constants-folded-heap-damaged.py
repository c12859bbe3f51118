"""Folding a split of a constant of packed elements writes behind the memory of a part: the C library finds it.

Page VariadicSplit-1, "Outputs": each part is a slice of `data` along the axis; "Types": any supported type. Here the
only part is the whole constant.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: S603, T201  (a script that starts itself, and prints)

import os
import subprocess
import sys

import numpy as np
import openvino as ov

CHECKED = {"LD_PRELOAD": "libc_malloc_debug.so.0", "MALLOC_CHECK_": "3"}

if "MALLOC_CHECK_" not in os.environ:
    print("expected a process that ends with 0 while the GNU C library checks its heap", flush=True)
    ended = subprocess.run([sys.executable, "-I", __file__], env={**os.environ, **CHECKED}, check=False)
    print("actual   the process ended with", ended.returncode)
    sys.exit(ended.returncode != 0)

data = ov.op.Constant(ov.Tensor(np.full(3, 0x5A, np.uint8), [5], ov.Type.u4))
split = ov.opset1.variadic_split(data, np.int64(0), np.array([5]))
ov.Core().compile_model(ov.Model(split.outputs(), [], "split"), "CPU")
