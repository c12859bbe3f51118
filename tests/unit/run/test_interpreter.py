"""What an adapter needs, in the engine's own Python; `edge/test_interpreters.py` has those of other ones."""

from __future__ import annotations

import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

from conformance.protocol.start import NEEDS
from conformance.run.handshake import installed_versions, missing_needs
from conformance.suite.adapter_file import Adapter, AdapterFile

PROJECT = Path(__file__).parents[3] / "packaging" / "opconform-worker" / "pyproject.toml"


def adapter_of(folder: Path, **fields: object) -> Adapter:
    return Adapter(folder=folder, manifest=AdapterFile.model_validate({"name": "toy", "summary": "a toy", **fields}))


def test_requirement_is_installed_missing_or_too_old(tmp_path: Path) -> None:
    adapter = adapter_of(tmp_path, requires=["numpy>=2", "no-such-thing", "numpy>=99"])
    assert installed_versions(adapter) == {"numpy>=2": version("numpy"), "no-such-thing": "", "numpy>=99": ""}


def test_an_adapter_names_what_keeps_it_from_being_a_target(tmp_path: Path) -> None:
    build = {"by": "make", "makes": "serve"}
    adapter = adapter_of(tmp_path, requires=["no-such-thing"], build=build, options={"a": {}})
    assert missing_needs(adapter) == ["no-such-thing", f"`make` in {tmp_path}", "the option 'a'"]


def test_an_adapter_that_is_built_needs_no_building(tmp_path: Path) -> None:
    (tmp_path / "serve").touch()
    assert missing_needs(adapter_of(tmp_path, build={"by": "make", "makes": "serve"})) == []


@pytest.mark.skipif(not PROJECT.is_file(), reason="the tests of an installed package are not beside its project")
def test_the_package_of_the_worker_requires_what_the_worker_needs() -> None:
    needs = map(Requirement, tomllib.loads(PROJECT.read_text())["project"]["dependencies"])
    assert {need.name: str(need.specifier) for need in needs} == {
        name: f">={Version('.'.join(map(str, least)))}" for name, least in NEEDS.items()
    }
