"""Deviations that take too long to compare with a record are refused."""

from __future__ import annotations

import pytest
from recorded import entry

from conformance.certificate.rules import BrokenRuleError, check_limits


def test_wildcards_in_operators_are_limited() -> None:
    allowed, surplus = (entry(operators=["onnx.Split-18", f"x{'*?' * count}"]) for count in (200, 201))
    check_limits([allowed], ["onnx.Split-18"], "deviations.yaml")
    with pytest.raises(BrokenRuleError, match="has 402 wildcards in operators, more than 400"):
        check_limits([surplus], ["onnx.Split-18"], "deviations.yaml")
