from __future__ import annotations

from pathlib import Path

import pytest

from conformance.certificate.rules import profile_from_file, profile_names, read_profile
from conformance.suite.suite import bundled_folder
from conformance.tensors.errors import SelectionError

PROFILES = bundled_folder("profiles")


def _problems(tmp_path: Path, old: str, new: str) -> list[str]:
    text = (PROFILES / "core.yaml").read_text()
    assert old in text
    (tmp_path / "core.yaml").write_text(text.replace(old, new))
    with pytest.raises(ExceptionGroup) as caught:
        profile_from_file(tmp_path / "core.yaml")
    return [str(problem) for problem in caught.value.exceptions]


def test_the_bundled_profiles_are_core_and_full() -> None:
    assert profile_names(PROFILES) == ["core", "full"]
    assert [read_profile(name, PROFILES).name for name in profile_names(PROFILES)] == ["core", "full"]


def test_a_profile_that_there_is_not_gets_the_nearest_name() -> None:
    with pytest.raises(SelectionError, match="did you mean 'core'"):
        read_profile("cor", PROFILES)


def test_a_failure_cannot_be_counted_as_passed(tmp_path: Path) -> None:
    (printed,) = _problems(tmp_path, "[wrong result, ", "[")
    assert "'wrong result' counts as nothing" in printed
    assert "name it once, as failed" in printed


def test_a_verdict_cannot_be_counted_twice(tmp_path: Path) -> None:
    (printed,) = _problems(tmp_path, "verdicts: [pass, fixed]", "verdicts: [pass, fixed, crashed]")
    assert "'crashed' counts as passed and failed" in printed


def test_what_was_not_run_cannot_be_counted(tmp_path: Path) -> None:
    (printed,) = _problems(tmp_path, "verdicts: [pass, fixed]", "verdicts: [pass, fixed, not run]")
    assert "leave it out: a run with one proves nothing" in printed


def test_a_choice_needs_a_reason(tmp_path: Path) -> None:
    (printed,) = _problems(tmp_path, "    types: Data is float32", "    # Data is float32")
    assert "the choice of types has no reason" in printed


def test_a_form_that_there_is_not_gets_the_nearest_name(tmp_path: Path) -> None:
    (printed,) = _problems(tmp_path, "forms: [constant,", "forms: [constnat,")
    assert printed.startswith("profiles/core.yaml:9: asks.forms.0: 'constnat'")
    assert "did you mean 'constant'?" in printed
