from __future__ import annotations

import pytest

from conformance.tensors.errors import (
    CaseFileError,
    HarnessError,
    OpconformError,
    ProtocolError,
    RunLogError,
    SelectionError,
    UsageError,
    nearest,
)


def test_text_has_place_fault_rule_and_remedy() -> None:
    error = OpconformError("cases.yaml:3", "lengths add up to 7, not 8", rule="ONNX Split-13", fix="correct them")
    assert str(error) == "cases.yaml:3: lengths add up to 7, not 8\n  rule: ONNX Split-13\n  fix:  correct them"


def test_text_leaves_out_what_is_not_known() -> None:
    assert str(OpconformError("log", "ends early")) == "log: ends early"
    assert str(OpconformError("log", "ends early", fix="resume it")) == "log: ends early\n  fix:  resume it"


@pytest.mark.parametrize("kind", [CaseFileError, SelectionError, RunLogError])
def test_what_the_user_can_mend_is_a_usage_error(kind: type[OpconformError]) -> None:
    assert issubclass(kind, UsageError)
    assert not issubclass(kind, HarnessError)


def test_broken_protocol_is_an_error_of_the_harness() -> None:
    assert issubclass(ProtocolError, HarnessError)
    assert not issubclass(ProtocolError, UsageError)


@pytest.mark.parametrize(
    ("name", "remedy"),
    [("flaot32", "did you mean 'float32'?"), ("floot16", "did you mean 'float16'?"), ("string", "write a dtype")],
)
def test_nearest_names_a_close_name_or_says_otherwise(name: str, remedy: str) -> None:
    assert nearest(name, ["float16", "float32"], otherwise="write a dtype") == remedy
