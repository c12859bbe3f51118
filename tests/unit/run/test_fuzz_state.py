"""What a command found survives in its folder."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from bundled import bundled_operators

from conformance.protocol.form import Form
from conformance.run.fuzz import FindCause, FuzzSource, FuzzState, save_state, state_in
from conformance.run.fuzz_calls import made_check
from conformance.spec.verdict import Verdict
from conformance.tensors.errors import UsageError

TRANSPOSE = bundled_operators()["onnx.Transpose-13"]
SOURCE = FuzzSource(seed="1", operators=(), target="toy@1")


def saved(folder: Path) -> FuzzState:
    features = {"dtype": "float32", "rank": "2", "dims": "unequal", "values": "distinct", "perm": "reversed"}
    made = made_check(TRANSPOSE, features, 3, Form.DYNAMIC)
    assert made is not None
    state = FuzzState(source=SOURCE, done=7, unjudged="why")
    state.verdicts[Verdict.CRASHED] += 1
    state.add(FindCause(operator="onnx.Transpose", verdict=Verdict.CRASHED, text="SIGSEGV"), made, "as said")
    save_state(state, folder)
    return state


def test_a_state_survives(tmp_path: Path) -> None:
    state = saved(tmp_path)
    again = state_in(tmp_path, SOURCE, [TRANSPOSE])
    assert (again.source, again.done, again.unjudged, again.verdicts) == (SOURCE, 7, "why", state.verdicts)
    assert again.groups == state.groups
    assert state_in(tmp_path, replace(SOURCE, seed=""), [TRANSPOSE]).source == SOURCE


def test_an_empty_folder_has_a_new_state(tmp_path: Path) -> None:
    assert state_in(tmp_path, SOURCE, [TRANSPOSE]).done == 0
    assert state_in(tmp_path, replace(SOURCE, seed=""), [TRANSPOSE]).source.seed


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (FuzzSource(seed="2", operators=(), target="toy@1"), "another seed: '1', not '2'"),
        (FuzzSource(seed="1", operators=("onnx.Split",), target="toy@1"), "another operator: all, not onnx.Split"),
        (FuzzSource(seed="1", operators=(), target="toy@2"), "another target: 'toy@1', not 'toy@2'"),
        (FuzzSource(seed="1", operators=(), target="toy@1", version="9"), "another version: "),
    ],
)
def test_the_state_of_another_source_is_refused(other: FuzzSource, message: str, tmp_path: Path) -> None:
    saved(tmp_path)
    with pytest.raises(UsageError) as caught:
        state_in(tmp_path, other, [TRANSPOSE])
    assert f"holds finds of {message}" in caught.value.what


def test_what_is_no_state_is_refused(tmp_path: Path) -> None:
    (tmp_path / "fuzz.json").write_text('{"seed": 1}')
    with pytest.raises(UsageError, match="is not a state of `conformance fuzz`"):
        state_in(tmp_path, SOURCE, [TRANSPOSE])


def test_a_find_of_an_operator_that_is_gone_is_refused(tmp_path: Path) -> None:
    saved(tmp_path)
    with pytest.raises(UsageError, match=r"a find cannot be made again: .onnx\.Transpose-13."):
        state_in(tmp_path, SOURCE, [])
