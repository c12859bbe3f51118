from __future__ import annotations

import json
import lzma
from dataclasses import replace
from pathlib import Path

import pytest
from compat_states import DEVIATION, FINDING, FRAMEWORKS, SPLIT, split, state

from conformance.compat.data import (
    CompatCell,
    CompatError,
    CompatFeature,
    gathered,
    load,
    load_frameworks,
    ranges,
    spread,
    text_of,
)


def test_a_value_holds_until_the_next_release_that_is_named() -> None:
    releases = ["1.0", "1.1", "1.2", "1.3"]
    values = {"1.0": None, "1.1": "y", "1.2": "y", "1.3": None}
    series = {"1.1": "y", "1.3": None}
    assert gathered(values, releases) == series
    assert spread(series, releases) == values


def test_consecutive_releases_with_one_value_are_one_range() -> None:
    assert ranges({"1.0": "y", "1.1": "w", "1.2": "w", "1.3": "y"}) == [
        ("y", ["1.0"]),
        ("w", ["1.1", "1.2"]),
        ("y", ["1.3"]),
    ]


def test_a_cell_is_its_text() -> None:
    cell = CompatCell.of("w 3/100/120")
    assert cell == CompatCell(letter="w", deviating=3, judged=100, asked=120)
    assert str(cell) == "w 3/100/120"


@pytest.mark.parametrize("text", ["", "w", "w 3/100", "w 3/100/120/4", "W 3/100/120", "w -3/1/1"])
def test_what_is_no_cell_is_named(text: str) -> None:
    with pytest.raises(CompatError, match="is not a cell such as 'w 3/100/120'"):
        CompatCell.of(text)


@pytest.mark.parametrize("name", ["data.json", "data.json.xz"])
def test_data_survives_being_written_and_read(tmp_path: Path, name: str) -> None:
    text = text_of(state(findings=[FINDING])).encode()
    (tmp_path / name).write_bytes(lzma.compress(text) if name.endswith(".xz") else text)
    assert load(tmp_path / name) == state(findings=[FINDING])


def test_the_facts_of_releases_survive_being_written_and_read(tmp_path: Path) -> None:
    (tmp_path / "engines.json").write_text(text_of(FRAMEWORKS))
    assert load_frameworks(tmp_path / "engines.json") == FRAMEWORKS


def test_what_is_empty_is_not_written() -> None:
    text = text_of(state())
    assert '"options"' not in text
    assert '"upstream"' not in text
    assert '"recorded": false' in text
    assert DEVIATION.upstream == ""


def _with(**said: object) -> str:
    lists: dict[str, list[object]] = {"deviations": [], "findings": []}
    empty = {"format": 2, "version": "", "license": "", "letters": {}, "engines": {}, "operators": {}, **lists}
    return json.dumps(empty | said)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (None, "No such file"),
        ("{", "is not JSON"),
        ("[]", "is not of format 2, which this reader reads"),
        ('{"format": 1}', "is not of format 2, which this reader reads"),
        ('{"format": 2}', "is not of this format: the file has no 'deviations'"),
        ('{"format": 2, "engines": [], "operators": {}, "deviations": []}', "is not of this format"),
        ('{"format": 2, "engines": {}, "operators": {}, "deviations": []}', "the file has no 'letters'"),
        (_with(more=1), "the file has an unknown 'more'"),
        (_with(letters=[1]), "the file: letters is list, not dict"),
        (
            _with(operators={"onnx.Split-13": {"spec_url": "", "suite": "", "results": [1]}}),
            "Split-13: results is list",
        ),
        (_with(operators={"a": {"spec_url": "", "suite": "", "results": {"b": {"1.0": 1}}}}), "b: 1.0 is int, not str"),
        (_with(engines={"a": {"adapter": "", "package": "", "releases": "", "conditions": {}}}), "releases is str"),
        (_with(version=None), "version is NoneType, not str"),
        ("[" * 200_000, "is nested too deeply"),
        ('{"format": ' + "1" * 10_000 + "}", "is not JSON"),
        ("\0", "is not JSON"),
        ("1", "is not of format 2"),
        ("", "is not JSON"),
    ],
)
def test_a_file_that_is_not_of_the_format_is_named(tmp_path: Path, content: str | None, says: str) -> None:
    path = tmp_path / "data.json"
    if content is not None:
        path.write_text(content)
    with pytest.raises(CompatError, match=says) as error:
        load(path)
    assert str(path) in str(error.value)


def test_a_file_that_is_no_xz_is_named(tmp_path: Path) -> None:
    (tmp_path / "data.json.xz").write_text("{}")
    with pytest.raises(CompatError, match="is not JSON"):
        load(tmp_path / "data.json.xz")


def test_each_part_has_cells_of_its_own() -> None:
    data = state()
    whole, of_type = data.cells(SPLIT, "toy"), data.cells(SPLIT, "toy", dtype="int8")
    assert [str(cell) for cell in whole.values()] == ["y 0/2/3", "y 0/2/3", "w 1/2/3", "y 0/2/3"]
    assert str(of_type["1.2"]) == "w 1/1/1"
    assert str(data.cells(SPLIT, "toy", dtype="int8", form="constant")["1.3"]) == "y 0/1/1"
    assert str(data.cells(SPLIT, "toy", form="runtime")["1.2"]) == "y 0/1/2"
    assert str(data.cells(SPLIT, "toy", clause="axis.range")["1.2"]) == "w 1/1/1"
    assert set(data.cells(SPLIT, "toy", clause="axis.default").values()) == {None}


def test_each_release_has_evidence() -> None:
    assert state().evidence(SPLIT, "toy")["1.1"] == "01" * 32


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ({"operator": "onnx.Split-14"}, "there is no operator version 'onnx.Split-14'; there are onnx.Split-13"),
        ({"engine": "other"}, "there is no engine 'other'; there are toy"),
        ({"dtype": "int9"}, "there is no element type of onnx.Split-13 'int9'; there are float32, int8, int16, split"),
        ({"form": "x"}, "there is no form of onnx.Split-13 'x'; there are constant, runtime"),
        ({"dtype": "int8", "form": "x"}, "there is no form of onnx.Split-13 'x'; there are constant, runtime"),
        ({"dtype": "int4"}, "there is no element type of onnx.Split-13 'int4'"),
        ({"clause": "x"}, "there is no clause of onnx.Split-13 'x'"),
        ({"clause": "axis.range", "dtype": "int8"}, "a clause has no results by element type or form"),
    ],
)
def test_what_is_not_known_is_named_with_what_is(asked: dict[str, str], says: str) -> None:
    with pytest.raises(CompatError) as error:
        state().cells(**{"operator": SPLIT, "engine": "toy", **asked})
    assert str(error.value).startswith(says)


def test_a_listed_type_that_no_check_has_was_not_asked() -> None:
    assert set(state().cells(SPLIT, "toy", dtype="int16").values()) == {None}
    assert set(state().cells(SPLIT, "toy", dtype="split=int64").values()) == {None}
    assert set(state().cells(SPLIT, "toy", dtype="int8", form="runtime").values()) == {None}


def test_the_type_of_the_main_data_may_have_its_name() -> None:
    assert state().cells(SPLIT, "toy", dtype="input=int8") == state().cells(SPLIT, "toy", dtype="int8")


def test_a_type_that_is_not_listed_has_no_cells_but_refusals() -> None:
    assert [str(cell) for cell in state().refusals(SPLIT, "toy", "int4").values()] == ["x 0/0/1", *["y 0/1/1"] * 3]
    assert set(state().refusals(SPLIT, "toy", "int2").values()) == {None}


@pytest.mark.parametrize(
    ("part", "cells"),
    [
        ({}, "y 0/2/3, r 0/2/3+1, w 1/2/3+1, y 0/2/3"),
        ({"dtype": "int8"}, "y 0/1/1, r 0/1/1+1, w 1/1/1+1, y 0/1/1"),
        ({"dtype": "int8", "form": "constant"}, "y 0/1/1, r 0/1/1+1, w 1/1/1+1, y 0/1/1"),
        ({"dtype": "int8", "form": "runtime"}, "None, None, None, None"),
        ({"dtype": "split=int64"}, "None, r 0/0/0+1, r 0/0/0+1, None"),
        ({"dtype": "float32"}, "y 0/1/2, y 0/1/2, y 0/1/2, y 0/1/2"),
        ({"form": "constant"}, "y 0/1/1, r 0/1/1+1, w 1/1/1+1, y 0/1/1"),
        ({"form": "runtime"}, "y 0/1/2, y 0/1/2, y 0/1/2, y 0/1/2"),
        ({"clause": "axis.range"}, "y 0/1/1, y 0/1/1, w 1/1/1, y 0/1/1"),
    ],
)
def test_a_finding_is_in_the_cells_that_it_names_where_its_script_shows_it(part: dict[str, str], cells: str) -> None:
    found = state(findings=[FINDING]).cells(SPLIT, "toy", **part)
    assert ", ".join(map(str, found.values())) == cells


def test_a_finding_of_invalid_calls_is_in_no_element_type() -> None:
    data = state(findings=[replace(FINDING, is_of_valid_calls=False, clauses=["axis.range"])])
    assert str(data.cells(SPLIT, "toy", dtype="int8")["1.1"]) == "y 0/1/1"
    assert str(data.cells(SPLIT, "toy", clause="axis.range")["1.1"]) == "r 0/1/1+1"


def test_a_release_that_lacks_what_was_asked_has_no_finding() -> None:
    lacking = split(types={"int8": CompatFeature({"toy": {"1.0": "n 0/0/1"}})})
    data = state(operators={SPLIT: lacking}, findings=[FINDING])
    assert {str(cell) for cell in data.cells(SPLIT, "toy", dtype="int8").values()} == {"n 0/0/1"}
