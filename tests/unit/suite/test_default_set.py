from __future__ import annotations

from pathlib import Path

import pytest
from bundled import cases_of_operators

from conformance.run.selection import Selection, checks_of, families_selected
from conformance.spec.choices import CaseSet
from conformance.suite.suite import (
    FILE,
    DefaultChecks,
    bundled_folder,
    chosen_of,
    default_set_text,
    digests_of,
    read_default_set,
)
from conformance.tensors.errors import CaseFileError


def test_what_is_written_is_read(tmp_path: Path) -> None:
    chosen = {0: 1, 3: 0b1010, 12: 1}
    checks = DefaultChecks(digest="digest", full={11: 70, 13: 400}, families=[("onnx.Split-13/made", chosen)])
    text = default_set_text({"onnx.Split": checks})
    assert text == "onnx.Split\tdigest\t11:70 13:400\nonnx.Split-13/made\t0 3:a 12\n"
    (tmp_path / FILE).write_text(text)
    found = read_default_set(tmp_path, {"onnx.Split": "digest"})
    assert chosen_of(found.chosen["onnx.Split-13/made"]) == chosen
    assert found.full == {"onnx.Split-11": 70, "onnx.Split-13": 400}


def test_nothing_is_known_of_an_operator_that_was_edited(tmp_path: Path) -> None:
    lines = ("onnx.Split\told\t13:4", "onnx.Split-13/made\t0", "onnx.Slice\tsame\t13:5", "onnx.Slice-13/made\t1")
    (tmp_path / FILE).write_text("\n".join(lines))
    found = read_default_set(tmp_path, {"onnx.Split": "new", "onnx.Slice": "same"})
    assert (found.chosen, found.full) == ({"onnx.Slice-13/made": "1"}, {"onnx.Slice-13": 5})


def test_a_line_without_a_tab_is_named(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text("onnx.Split digest\n")
    with pytest.raises(CaseFileError, match=f"{FILE}:1"):
        read_default_set(tmp_path, {})


def test_the_bundled_one_is_of_the_bundled_cases() -> None:
    root = bundled_folder("cases")
    _, digests = digests_of(root)
    lines = [line.split("\t") for line in (root / FILE).read_text().splitlines()]
    assert {name: digest for name, digest, *_ in lines if "/" not in name} == digests


def test_a_plain_selection_runs_what_is_chosen_and_a_named_case_runs_whole() -> None:
    suite = cases_of_operators("onnx.Concat")
    plain = Selection(operators=("onnx.Concat-13",))
    named = Selection(operators=("onnx.Concat-13",), cases=("*",))
    full = Selection(operators=("onnx.Concat-13",), sets=(CaseSet.DEFAULT, CaseSet.FULL))
    counts = [len(list(checks_of(families_selected(suite, one), one))) for one in (plain, named, full)]
    assert 100 < counts[0] < counts[1] < counts[2]
    assert counts[2] == suite.full_checks["onnx.Concat-13"]
