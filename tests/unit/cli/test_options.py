from __future__ import annotations

import argparse

import pytest

from conformance.cli.options import selection_from, targets_named
from conformance.cli.parser import DEFAULT_TARGETS, add_selection
from conformance.protocol.form import Form
from conformance.run.selection import Selection
from conformance.spec.choices import CaseSet, Expects
from conformance.tensors.errors import UsageError


def selected(*written: str) -> Selection:
    parser = argparse.ArgumentParser()
    add_selection(parser)
    return selection_from(parser.parse_args(written))


def test_valid_calls_can_be_selected_alone() -> None:
    assert selected("--expects", "outputs").expects == (Expects.OUTPUTS,)


def test_a_profile_is_narrowed_by_operator_form_and_expectation() -> None:
    narrowed = selected("--profile", "full", "--operator", "onnx.Split", "--form", "dynamic", "--expects", "outputs")
    assert (narrowed.operators, narrowed.forms, narrowed.expects) == (
        ("onnx.Split",),
        (Form.DYNAMIC,),
        (Expects.OUTPUTS,),
    )
    assert narrowed.sets == (CaseSet.DEFAULT, CaseSet.FULL)


def test_what_a_profile_restricts_stays_restricted() -> None:
    assert selected("--profile", "core", "--operator", "onnx.Split").forms == (Form.CONSTANT, Form.SAME_CALL_TWICE)


def test_what_no_check_of_a_profile_is_cannot_be_chosen() -> None:
    with pytest.raises(UsageError) as caught:
        selected("--profile", "core", "--form", "dynamic")
    assert str(caught.value) == (
        "--form: the profile has no such check\n  fix:  write constant or same-call-twice, or leave --profile out"
    )


@pytest.mark.parametrize(
    ("written", "named"),
    [
        (["--case", "onnx.Split-13/*"], "--case"),
        (["--set", "full", "--clause", "axis.range"], "--clause or --set"),
    ],
)
def test_a_profile_names_the_options_that_it_cannot_be_combined_with(written: list[str], named: str) -> None:
    with pytest.raises(UsageError) as caught:
        selected("--profile", "core", *written)
    assert str(caught.value) == (
        f"--profile: cannot be combined with {named}\n  fix:  narrow it with --operator, --form or --expects alone"
    )


def test_adapters_without_records_are_asked_only_where_they_are_named() -> None:
    assert {target.adapter.name for target in targets_named(())} <= set(DEFAULT_TARGETS)
    assert [target.adapter.name for target in targets_named(["onnx-reference"])] == ["onnx-reference"]
