from __future__ import annotations

from pathlib import Path

import pytest

from conformance.adapter import Call, Rejected, model_source

CALL = Call(operator="onnx.Split-13", attributes={}, inputs=(), declared_outputs=1, model=b"model", model_data=b"data")


def test_model_with_external_data_is_a_file_beside_another_until_it_is_read() -> None:
    with model_source(CALL) as source:
        assert isinstance(source, Path)
        assert source.read_bytes() == b"model"
        assert (source.parent / "model.data").read_bytes() == b"data"
    assert not source.parent.exists()


def test_folder_that_is_another_each_time_is_left_out_of_a_message() -> None:
    with pytest.raises(Rejected, match=r"^no model in model\.onnx$"), model_source(CALL) as source:
        raise Rejected(f"no model in {source!s}")
