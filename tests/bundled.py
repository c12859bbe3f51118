"""The bundled operators, and cases of few of them, read once in each process of the tests."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from conformance.spec.operator import Operator
from conformance.suite.suite import Suite, bundled_folder, load_suite


@cache
def cases_of_operators(*names: str) -> Suite:
    """The bundled suite with the cases of these operators alone, such as onnx.Split."""
    return load_suite(bundled_folder("cases"), names)


@cache
def bundled_operators() -> Mapping[str, Operator]:
    """All bundled operators, by id, such as onnx.Split-13."""
    return {operator.id: operator for operator in cases_of_operators().operators}
