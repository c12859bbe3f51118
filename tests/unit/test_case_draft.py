from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from conformance.formats.file_schema import MisfitError
from conformance.formats.suite import Suite, bundled_folder, load_suite
from conformance.selection.case_draft import Draft, write_case
from conformance.values.errors import UsageError

SPLIT = Path("onnx") / "Split"


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    (tmp_path / SPLIT).mkdir(parents=True)
    shutil.copy(bundled_folder("cases") / SPLIT / "operator.yaml", tmp_path / SPLIT)
    shutil.copy(bundled_folder("cases") / SPLIT / "uneven.yaml", tmp_path / SPLIT)
    return load_suite(tmp_path)


@pytest.fixture
def draft(suite: Suite) -> Draft:
    operator = suite.operators[-1]
    return Draft(
        operator=operator, clauses=("split.lengths",), dtype="float32", shape=(6,), axis=0, lengths=(2, 4), id="mine"
    )


def test_reference_proposes_the_outputs(draft: Draft) -> None:
    assert draft.proposed_outputs() == ("0:2", "2:6")
    assert replace(draft, lengths=None, count=4).proposed_outputs() == ("0:2", "2:4", "4:6", "6:6")


@pytest.mark.parametrize(
    ("changes", "what", "fix"),
    [
        (
            {"lengths": (2, 3)},
            "the reference rejects the call by split.sum: the lengths add up to 5, axis 0 has 6",
            "correct the call, or expect a rejection by split.sum",
        ),
        (
            {"shape": (1 << 40,)},
            "the shape (1099511627776,) describes 4,096.0 GiB of float32",
            "a tensor of a case may hold 1 GiB",
        ),
    ],
)
def test_reference_proposes_no_outputs_for_an_invalid_call(
    changes: dict[str, object], what: str, fix: str, draft: Draft
) -> None:
    with pytest.raises(MisfitError) as caught:
        replace(draft, **changes).proposed_outputs()  # type: ignore[arg-type]
    assert (caught.value.what, caught.value.fix) == (what, fix)


def test_draft_is_as_sound_as_check_finds_it(draft: Draft) -> None:
    replace(draft, outputs=("0:2", "2:6")).require_sound()
    with pytest.raises(MisfitError) as caught:
        replace(draft, outputs=("0:3", "3:6")).require_sound()
    assert caught.value.what == "output 0 is written with the shape [3], but the reference computes [2]"


def test_count_without_an_argument_for_it_is_the_declared_number_of_outputs(draft: Draft, suite: Suite) -> None:
    by_count = replace(draft, lengths=None, count=3)
    assert by_count.text().splitlines()[-2:] == ["    num_outputs: 3", "  outputs: []"]
    assert replace(by_count, count=None).text().splitlines()[-2] == "  declared_outputs: 2"
    earlier = replace(by_count, operator=suite.operators[0])
    assert earlier.text().splitlines()[-3:] == ["    axis: 0", "  declared_outputs: 3", "  outputs: []"]


def test_first_case_makes_a_file_and_the_next_goes_behind_it(draft: Draft, suite: Suite) -> None:
    sound = replace(draft, outputs=("0:2", "2:6"), versions="==18")
    path = write_case(sound, suite, "mine.yaml", "Lengths: two of them.")
    first = path.read_text()
    assert first.startswith('operator: onnx.Split\nabout: "Lengths: two of them."\ncases:\n  - id: mine\n')
    path.write_text(first.rstrip())
    write_case(replace(sound, id="other"), load_suite(suite.root), "mine.yaml", "")
    assert path.read_text() == f"{first}\n{first[first.index('  - id') :].replace('mine', 'other')}"
    assert len(load_suite(suite.root).of_files([path]).families) == 2


def test_id_that_exists_is_refused(draft: Draft, suite: Suite) -> None:
    with pytest.raises(UsageError) as caught:
        write_case(replace(draft, id="uneven"), suite, "mine.yaml", "")
    assert str(caught.value).startswith("onnx.Split-18/uneven: exists already, and stays as it is\n")
    assert not (suite.root / SPLIT / "mine.yaml").exists()


def test_case_that_is_not_sound_is_not_written(draft: Draft, suite: Suite) -> None:
    with pytest.raises(ExceptionGroup, match=r"^nothing is written to .*/onnx/Split/mine\.yaml"):
        write_case(replace(draft, outputs=("0:3", "3:6"), versions="==18"), suite, "mine.yaml", "")
    assert not (suite.root / SPLIT / "mine.yaml").exists()


@pytest.mark.parametrize("end", ["columns: {}\n", "about: What comes last.\n", "  broken: [\n"])
def test_file_that_does_not_end_with_its_cases_is_not_touched(end: str, draft: Draft, suite: Suite) -> None:
    path = suite.root / SPLIT / "uneven.yaml"
    text = path.read_text().replace("about:", "# about:") + end
    path.write_text(text)
    with pytest.raises(UsageError, match="does not end with its list of cases"):
        write_case(replace(draft, outputs=("0:2", "2:6"), versions="==18"), suite, "uneven.yaml", "")
    assert path.read_text() == text
