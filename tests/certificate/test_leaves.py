"""No value of a certificate can be changed unnoticed, but for what the issuer's machine alone can tell."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml
from forgery import Way, change, forging, leaves, log_lines
from hypothesis import given, settings
from hypothesis import strategies as st
from small_suite import Scene

from conformance.certificate.certificate_file import DEVIATIONS, ENVELOPE, ENVIRONMENT, STATEMENT, SUMMARY
from conformance.certificate.verify import verify

_PARTS = 4
_TOLD = {
    "header": {
        *("targets/*/environment", "targets/*/module", "targets/*/folder", "targets/*/python", "targets/*/numpy"),
        *("targets/*/adapter_digest", "targets/*/loaded_digest", "targets/*/deviations_digest"),
        *("targets/*/framework", "targets/*/options", "targets/*/devices/*", "targets/*/undeclared"),
        *("targets/*/has_scripts", "targets/*/details"),
        *("machine/system", "machine/processor", "machine/cores", "machine/python", "machine/numpy"),
        *("left_out", "timeout_s", "memory_limit_bytes", "strict_records", "cases_folders/*"),
    },
    "check": {"aliases_input", "prepare_ns", "run_ns/*", "cpu_ns", "peak_bytes"},
    "check rejected": {"aliases_input", "prepare_ns", "run_ns/*", "cpu_ns", "peak_bytes", "message"},
}
"""Values of the log that follow from nothing else in the certificate."""


def _another(value: object) -> object:
    match value:
        case bool():
            return not value
        case int() | float():
            return value + 1
        case str():
            return value + "x"
        case dict():
            return {"x": "x"}
        case list():
            return ["x"]
        case _:
            return "x"


def _shape(path: Way) -> str:
    return "/".join("*" if isinstance(key, int) else key for key in path)


def _distinct_leaves(lines: list[dict[str, Any]]) -> dict[tuple[str, str, str], tuple[int, Way]]:
    """One leaf of each kind of line, verdict and place."""
    found: dict[tuple[str, str, str], tuple[int, Way]] = {}
    for number, line in enumerate(lines):
        kind = "check rejected" if line.get("outcome") == "rejected" else line["type"]
        for path in leaves(line):
            found.setdefault((kind, line.get("verdict", ""), _shape(path)), (number, path))
    return found


@pytest.mark.slow
@pytest.mark.parametrize("part", range(_PARTS))
def test_no_value_of_the_log_can_be_changed_though_all_else_follows_from_it(
    part: int, scene: Scene, tmp_path: Path
) -> None:
    every = list(_distinct_leaves(log_lines(scene.certificate)).items())[part::_PARTS]
    assert len(every) > 40
    unnoticed, told = set(), set()
    for number, (kind, (line, path)) in enumerate(every):
        folder = Path(shutil.copytree(scene.certificate, tmp_path / str(number)))
        with forging(folder, scene.installation) as forger:
            change(forger.lines[line], path, _another)
        told |= {kind} if kind[2] in _TOLD.get(kind[0], ()) else set()
        unnoticed |= set() if verify(folder, scene.installation).broken else {kind}
    assert unnoticed == told


@pytest.mark.slow
def test_no_value_of_any_file_can_be_changed_alone(scene: Scene, tmp_path: Path) -> None:
    documents: dict[str, Any] = {
        **{
            name: yaml.safe_load((scene.certificate / name).read_bytes()) for name in (SUMMARY, DEVIATIONS, ENVIRONMENT)
        },
        **{name: json.loads((scene.certificate / name).read_bytes()) for name in (STATEMENT, ENVELOPE)},
    }
    every = [(name, path) for name, document in documents.items() for path in leaves(document)]
    folder = Path(shutil.copytree(scene.certificate, tmp_path / "certificate"))

    @settings(max_examples=20, deadline=None)
    @given(st.sampled_from(every))
    def is_noticed(leaf: tuple[str, Way]) -> None:
        name, path = leaf
        before = (folder / name).read_bytes()
        document = yaml.safe_load(before)
        change(document, path, _another)
        (folder / name).write_text(
            yaml.safe_dump(document, sort_keys=False) if name.endswith(".yaml") else json.dumps(document)
        )
        try:
            assert verify(folder, scene.installation).broken
        finally:
            (folder / name).write_bytes(before)

    is_noticed()
