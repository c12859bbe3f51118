from __future__ import annotations

import shlex

import numpy as np
import pytest
from report_records import call, entry, record, target

from conformance.log.record import CallEntry, InputEntry
from conformance.protocol.form import Form
from conformance.report.tensors import argument_texts, call_line, repro_command, rerun_command, target_options
from conformance.spec.verdict import Verdict

CHECK = record(target="toy@1[a=b]", case="onnx.Split-13/it's[n=1]", form=Form.RUNTIME)


def test_a_call_reads_as_a_person_would_write_it() -> None:
    shown = call_line(record(Verdict.WRONG_RESULT, call=call(entry(np.zeros((2, 6))))))
    assert shown == ("onnx.Split-13(input: float32[2, 6] at run time, split: int64[2] = [2, 4], axis=1) -> 2 outputs")


def test_an_unknown_dim_is_a_question_mark_and_the_value_has_the_shape() -> None:
    values = [entry([[1, 2]], "int8"), entry([[3], [4]], "int8")]
    data = InputEntry(name="input", dtype="int8", dims=[None, None], constant=False, values=values)
    (shown,) = argument_texts(CallEntry(inputs=[data], declared_outputs=1))
    shapes = ("shape [1, 2]: [[1, 2]]", "shape [2, 1]: [[3], [4]]")
    assert shown == ("input", "at run time", "int8", "[?, ?]", shapes)


def test_the_command_of_a_rerun_is_quoted_for_a_shell() -> None:
    shown = rerun_command(CHECK, "--target 'toy@1[a=b]'")
    assert shown == ("conformance run --target 'toy@1[a=b]' --case 'onnx.Split-13/it'\"'\"'s[n=1]' --form runtime")


def test_the_command_for_a_script_names_case_target_and_form() -> None:
    shown = repro_command(CHECK, "--target 'toy@1[a=b]'")
    assert shown == """conformance repro 'onnx.Split-13/it'"'"'s[n=1]' --target 'toy@1[a=b]' --form runtime"""


@pytest.mark.parametrize(
    ("name", "folder", "argument"),
    [
        ("toy@1.0[a=b]", "", "toy@1.0[a=b]"),
        ("toy@1.0", "/home/me/toy", "/home/me/toy"),
        ("toy@1.0[a=b]", "/home/me/toy", "/home/me/toy[a=b]"),
    ],
)
def test_a_target_given_as_a_path_is_named_by_it(name: str, folder: str, argument: str) -> None:
    assert target_options(target(name, folder=folder)) == f"--target '{argument}'"


@pytest.mark.parametrize(
    ("folders", "options"),
    [
        ([], ""),
        (["/my cases"], " --cases-folder '/my cases'"),
        (["/mine", "/its"], " --cases-folder '/mine' --cases '/its'"),
        (["", "/mine", "/its"], " --cases '/mine' --cases '/its'"),
    ],
)
def test_a_command_names_the_folders_of_the_cases(folders: list[str], options: str) -> None:
    assert target_options(target("toy@1.0"), folders) == f"--target 'toy@1.0'{options}"


def test_a_folder_that_is_cut_leaves_no_quote_open() -> None:
    shown = target_options(target("toy@1.0", folder="/" + "a" * 9_000))
    assert len(shown) < 5_000
    assert shlex.split(shown)[0] == "--target"
