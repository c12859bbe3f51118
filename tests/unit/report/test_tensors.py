"""Elements, grids and calls as text."""

from __future__ import annotations

import base64
import math
import shlex

import numpy as np
import pytest
from report_records import call, difference, difference_of_arrays, entry, entry_of_bits, record, target

from conformance.log.record import CallEntry, InputEntry, TensorEntry
from conformance.protocol.form import Form
from conformance.report.tensors import (
    REPRO,
    RERUN,
    TensorGrids,
    argument_texts,
    call_line,
    comparison_of,
    elements,
    filled,
    input_of_moved,
    nested_text,
    target_options,
)
from conformance.spec.verdict import Verdict
from conformance.tensors.dtypes import DTYPES, Category
from conformance.tensors.tensor import numpy_dtype


def test_floats_are_written_by_their_shortest_text() -> None:
    assert [e.text for e in elements(entry([0.1, 1e20, 3.4028235e38, 1.5]))] == ["0.1", "1e+20", "3.4028235e+38", "1.5"]


def test_look_alikes_are_distinguished() -> None:
    found = elements(entry_of_bits([0x7FC00000, 0x7FC00001, 0x7F800001, 0xFFC00000, 0x80000000], "float32", "uint32"))
    assert [e.text for e in found] == ["NaN", "NaN", "sNaN", "-NaN", "-0.0"]
    assert [e.bits for e in found] == ["0x7fc00000", "0x7fc00001", "0x7f800001", "0xffc00000", "0x80000000"]
    assert all(e.is_special for e in found)


def test_sub_byte_integers_ignore_unused_bits() -> None:
    data = base64.b64encode(bytes([0xF7, 0xF8, 0x0F])).decode()
    found = elements(TensorEntry(dtype="int4", shape=[3], count=3, data=data))
    assert [(e.text, e.bits) for e in found] == [("7", "0x7"), ("-8", "0x8"), ("-1", "0xf")]


def test_raw_bits_are_shown_as_bits() -> None:
    data = base64.b64encode(bytes([0xC1, 0x3F])).decode()
    found = elements(TensorEntry(dtype="uint6", shape=[2], count=2, data=data))
    assert [(e.text, e.bits) for e in found] == [("0x01", "0x01"), ("0x3f", "0x3f")]


def test_complex_numbers_show_both_parts() -> None:
    (found,) = elements(entry([complex(-0.0, -1.5)], "complex64"))
    assert (found.text, found.bits) == ("-0.0-1.5j", "0x80000000 0xbfc00000")


def test_strings_are_quoted_and_their_hidden_characters_written_out() -> None:
    found = elements(entry(["a", 'q"\n', "x\u202ey", ""], "object"))
    assert [e.text for e in found] == ['"a"', r'"q\"\n"', r'"x\u202ey"', '""']


def test_a_bool_that_is_neither_0_nor_1_shows_its_bits() -> None:
    data = base64.b64encode(bytes([0, 1, 2])).decode()
    found = elements(TensorEntry(dtype="bool", shape=[3], count=3, data=data))
    assert [e.text for e in found] == ["false", "true", "bool(0x02)"]


@pytest.mark.parametrize("name", [name for name, dtype in DTYPES.items() if dtype.category is Category.FLOAT])
def test_the_text_of_a_float_gives_its_bits_back(name: str) -> None:
    dtype = DTYPES[name]
    step = max(1, (1 << dtype.bits) // 4096 | 1)
    patterns = range(0, 1 << dtype.bits, step)
    data = b"".join(pattern.to_bytes(dtype.itemsize, "little") for pattern in patterns)
    found = elements(TensorEntry(dtype=name, shape=[], count=len(patterns), data=base64.b64encode(data).decode()))
    values = np.frombuffer(data, numpy_dtype(name))
    for element, value in zip(found, values, strict=True):
        with np.errstate(all="ignore"):
            plain = float(value)
            if math.isnan(plain):
                assert element.text.endswith("NaN")
            elif name == "float8_e8m0fnu":
                assert float(element.text) == plain
            else:
                assert np.array(float(element.text)).astype(numpy_dtype(name)).tobytes() == value.tobytes()


@pytest.mark.parametrize(
    "broken",
    [
        TensorEntry(dtype="float33", shape=[1], count=1, data="AAAA"),
        TensorEntry(dtype="int32", shape=[2], count=2, data="AAAA"),
        TensorEntry(dtype="int8", shape=[1], count=1, data="%%"),
        TensorEntry(dtype="string", shape=[1], count=1, data="/////w=="),
    ],
)
def test_what_cannot_be_read_is_an_error_and_no_value(broken: TensorEntry) -> None:
    with pytest.raises(ValueError, match=r"."):
        elements(broken)


def _marked(layout: TensorGrids) -> list[tuple[str, str, str, str]]:
    return [
        (grid.title, label, column, cell.element.text)
        for grid in layout.grids
        for label, cells in grid.rows
        for column, cell in zip(grid.columns, cells, strict=True)
        if cell is not None and cell.other is not None
    ]


def test_the_element_that_differs_is_marked_on_both_sides() -> None:
    found = comparison_of(difference_of_arrays(np.array([[1, 2], [3, 4]]), np.array([[1, 2], [9, 4]])))
    assert _marked(found.expected) == [("", "1", "0", "3")]
    assert _marked(found.actual) == [("", "1", "0", "9")]
    assert [(item.index, item.expected.text, item.actual.text) for item in found.listed] == [("[1, 0]", "3", "9")]


def test_bits_are_shown_where_values_look_alike() -> None:
    want, have = (entry_of_bits([bits], "float32", "uint32") for bits in (0x7FC00001, 0x7FC00000))
    shown = comparison_of(difference(want, have)).actual
    cell = shown.grids[0].rows[0][1][0]
    assert cell is not None
    assert cell.is_ambiguous
    assert cell.element.bits == "0x7fc00000"


def test_a_long_vector_is_wrapped_around_its_first_difference() -> None:
    want = np.arange(5000)
    have = want.copy()
    have[4001] = -1
    found = comparison_of(difference_of_arrays(want, have))
    assert _marked(found.actual) == [("", "4000", "+1", "-1")]
    assert found.actual.note == "96 of 5,000 elements are shown"


def test_higher_ranks_are_shown_slice_by_slice() -> None:
    want = np.zeros((2, 3, 2, 2), np.int8)
    have = want.copy()
    have[1, 2, 0, 1] = 7
    found = comparison_of(difference_of_arrays(want, have))
    assert _marked(found.actual) == [("[1, 2, :, :]", "0", "1", "7")]
    assert len(found.actual.grids) == 6


def test_a_scalar_is_one_cell() -> None:
    found = comparison_of(difference_of_arrays(np.array(1), np.array(2)))
    assert _marked(found.actual) == [("", "0", "0", "2")]


def test_nothing_is_marked_where_shapes_differ() -> None:
    found = comparison_of(difference(entry([[1, 2]]), entry([[1], [3]]), mismatch="shape"))
    assert _marked(found.expected) == _marked(found.actual) == []


def test_an_empty_output_says_so() -> None:
    found = comparison_of(difference(entry(np.zeros((2, 0))), entry([[1], [2]]), mismatch="shape"))
    assert found.expected.note == "it has no elements"


def test_an_unreadable_output_says_so() -> None:
    broken = TensorEntry(dtype="int32", shape=[2], count=2, data="AAAA")
    found = comparison_of(difference(broken, broken))
    assert found.actual.note == "the log holds none of its elements in a form that can be read"


def test_values_are_nested_by_their_shape() -> None:
    assert nested_text(entry([[1, 2], [3, 4]], "int64"), 8) == "[[1, 2], [3, 4]]"
    assert nested_text(entry(7, "int64"), 8) == "7"
    assert nested_text(entry(np.arange(100), "int64"), 3) == "0, 1, 2, … (100 elements in all)"
    assert nested_text(TensorEntry(dtype="int8", shape=[10**12, 0]), 3) == "no elements"


def test_the_input_stands_beside_elements_that_moved() -> None:
    moved = difference_of_arrays(np.array([1, 2]), np.array([2, 1]))
    wrong = record(Verdict.WRONG_RESULT, call=call(entry([[1, 2]], "int64")), differences=[moved])
    shown = input_of_moved(wrong, moved)
    assert [cell.element.text for _, cells in shown.grids[0].rows for cell in cells if cell] == ["1", "2"]


def test_no_input_stands_beside_elements_that_changed() -> None:
    changed = difference_of_arrays(np.array([1, 2]), np.array([1, 9]))
    assert input_of_moved(record(Verdict.WRONG_RESULT, call=call(entry([[1, 2]], "int64"))), changed) == TensorGrids()


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
    shown = filled(RERUN, CHECK, "--target 'toy@1[a=b]'")
    assert shown == ("conformance run --target 'toy@1[a=b]' --case 'onnx.Split-13/it'\"'\"'s[n=1]' --form runtime")


def test_the_command_for_a_script_names_case_target_and_form() -> None:
    shown = filled(REPRO, CHECK, "--target 'toy@1[a=b]'")
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
