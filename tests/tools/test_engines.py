"""The command that lists releases: which wheels it takes, and the lines that it writes."""

from __future__ import annotations

from pathlib import Path

import pytest

import engines
from conformance.suite.adapter_file import FrameworkRelease, read_engine

pytestmark = pytest.mark.slow

WHEELS = {"cp311-cp311-manylinux_2_28_x86_64": "a" * 64}


@pytest.mark.parametrize(
    ("tags", "is_usable"),
    [
        ("cp311-cp311-manylinux_2_17_x86_64.manylinux2014_x86_64", True),
        ("cp314-cp314-macosx_11_0_arm64", True),
        ("cp310-abi3-win_amd64", True),
        ("py2.py3-none-any", True),
        ("cp310-cp310-manylinux2014_x86_64", False),
        ("cp313-cp313t-manylinux_2_28_x86_64", False),
        ("cp311-cp311-win32", False),
        ("cp311-cp311-musllinux_1_2_x86_64", False),
        ("pp311-pypy311_pp73-manylinux2014_x86_64", False),
        ("cp312-abi3-pyemscripten_2026_0_wasm32", False),
    ],
)
def test_wheels_for_pythons_and_systems_of_the_suite_are_listed(tags: str, *, is_usable: bool) -> None:
    assert engines._is_usable(tags) is is_usable
    assert engines._tags({"filename": f"engine-1.2.0-77-{tags}.whl"}) == tags


def test_a_release_is_one_line_that_is_read_again(tmp_path: Path) -> None:
    release = FrameworkRelease(
        version="1.2.0", date="2026-01-31", opset=25, needs={"numpy": "<2,>=1.26", "protobuf": ""}, wheels=WHEELS
    )
    engines._write(tmp_path / "engine.yaml", "package: engine\nreleases:", [release])
    assert read_engine(tmp_path / "engine.yaml").releases == [release]
    assert (
        (tmp_path / "engine.yaml").read_text().splitlines()[3].startswith("- {version: 1.2.0, date: 2026-01-31, opset")
    )


def test_a_version_of_two_numbers_stays_a_text() -> None:
    assert engines.flow({"version": "5.0", "opset": 25, "date": "2026-01-31"}) == (
        '{version: "5.0", opset: 25, date: 2026-01-31}'
    )
