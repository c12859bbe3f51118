"""Small ONNX models as text, one for each way in which cases from a model once accused somebody, or left a call out."""

from __future__ import annotations

from pathlib import Path

import onnx
import onnx.parser

CLEAR = {
    "transpose-12": "<ir_version: 4, opset_import: ['': 12]> g (float[2,5] x) => (float[] y) "
    "{ y = Transpose <perm: ints = [1, 0]> (x) }",
    "reshape-4": "<ir_version: 4, opset_import: ['': 4]> g (float[4,3] x) => (float[] y) "
    "{ y = Reshape <shape: ints = [2, 6]> (x) }",
    "squeeze-batch": "<ir_version: 8, opset_import: ['': 18]> g (float[batch,4,h,w] x) => (float[] y) "
    "<int64[1] first = {0}> { y = Squeeze (x, first) }",
    "split-half": "<ir_version: 8, opset_import: ['': 13]> g (float[batch,n] x) => (float[] y, float[] z) "
    "{ y, z = Split <axis: int = 1> (x) }",
    "function": "<ir_version: 10, opset_import: ['': 18, 'own': 1]> g (float[2,5] x) => (float[] y) "
    "{ y = own.Twice (x) } <domain: 'own', opset_import: ['': 18]> Twice (a) => (b) "
    "{ t = Transpose <perm: ints = [1, 0]> (a) b = Concat <axis: int = 0> (t, t) }",
    "static": "<ir_version: 8, opset_import: ['': 18]> g (int64[1,2,3] x) => (int64[] y) <int64[1] last = {2}> "
    "{ r = ReduceMax <keepdims: int = 0> (x, last) s = Shape (x) two = Gather <axis: int = 0> (s, last) "
    "t = Concat <axis: int = 0> (two, last) u = Expand (last, t) y = Transpose <perm: ints = [1, 0]> (r) }",
    "embedding": "<ir_version: 8, opset_import: ['': 18]> g (int64[n] ids) => (float[] y) "
    "<float[3,2] table = {0, 1, 2, 3, 4, 5}> { y = Gather <axis: int = 0> (table, ids) }",
    "constants-alone": "<ir_version: 8, opset_import: ['': 18]> g (float[1] x) => (float[] y) "
    "<float[2,3] weight = {0, 1, 2, 3, 4, 5}> { y = Transpose <perm: ints = [1, 0]> (weight) }",
}
"""Calls of which the page is clear."""
OPEN = {
    "squeeze-no-axes": "<ir_version: 8, opset_import: ['': 13]> g (float[1,4,1] x) => (float[] y) <int64[0] none = {}> "
    "{ y = Squeeze (x, none) }",
    "split-9-into-4": "<ir_version: 8, opset_import: ['': 18]> g (float[9] x) => (float[] a, float[] b, float[] c, "
    "float[] d) { a, b, c, d = Split <num_outputs: int = 4> (x) }",
    "slice-back-before-begin": "<ir_version: 8, opset_import: ['': 13]> g (float[5] x) => (float[] y) "
    "<int64[1] from = {-8}, int64[1] to = {-11}, int64[1] of = {0}, int64[1] by = {-1}> "
    "{ y = Slice (x, from, to, of, by) }",
    "concat-from-end-4": "<ir_version: 8, opset_import: ['': 9]> g (float[2,3] x) => (float[] y) "
    "{ y = Concat <axis: int = -1> (x, x) }",
    "gather-from-end-1": "<ir_version: 8, opset_import: ['': 9]> g (float[4,2] x) => (float[] y) "
    "<int64[1] last = {-1}> { y = Gather <axis: int = 0> (x, last) }",
    "unsqueeze-scalar-axis": "<ir_version: 8, opset_import: ['': 13]> g (float[2,5] x) => (float[] y) "
    "<int64 at = {-1}> { y = Unsqueeze (x, at) }",
}
"""Calls that their pages leave open, as bundled cases say."""
LOOP = (
    "<ir_version: 10, opset_import: ['': 18]> g (float[rows,3] x, int64 times) => (float[] y) "
    "<int64[1] zero = {0}, int64[1] first = {0}, int64[1] end = {0}> { none = Slice (x, first, end, zero) "
    "y = Loop (times, '', none) <body: graph = b (int64 i, bool go, float[] kept) => (bool on, float[] more) "
    "{ row = Gather <axis: int = 0> (x, i) line = Unsqueeze (row, zero) more = Concat <axis: int = 0> (kept, line) "
    "on = Identity (go) }> }"
)
"""A body that runs as often as an input says."""
BRANCHES = (
    "<ir_version: 10, opset_import: ['': 18]> g (float[2,4] x, bool c) => (float[] y) <int64[1] zero = {0}> "
    "{ y = If (c) <then_branch: graph = t () => (float[] a) { a = Squeeze (x, zero) }, "
    "else_branch: graph = e () => (float[] b) { b = Transpose <perm: ints = [1, 0]> (x) }> }"
)
"""Of the two branches, the first would violate its page."""
OTHERS = (
    "<ir_version: 10, opset_import: ['': 18, 'vendor': 1]> g (float[2,3] x) => (float[] y) "
    "{ a = vendor.Mystery (x) b = Relu (x) c = Relu (b) d = Transpose <perm: ints = [1, 0]> (a) "
    "y = Transpose <perm: ints = [1, 0]> (c) }"
)
"""Operators that the suite does not have."""


def saved(path: Path, text: str) -> Path:
    """A file with the model of a text, in which single quotes stand for double ones."""
    onnx.save(onnx.parser.parse_model(text.replace("'", '"')), path)
    return path
