from __future__ import annotations

from pathlib import Path

import pytest
from packaging.tags import Tag

from conformance.run.environments import lock_of
from conformance.suite.adapter_file import bundled_engine, bundled_packages, engine_names, read_engine, read_packages
from conformance.tensors.errors import OpconformError

LINUX = [Tag("cp311", "cp311", f"manylinux_2_{minor}_x86_64") for minor in range(39, 16, -1)]
LINUX += [Tag("cp311", "cp311", "manylinux2014_x86_64"), Tag("cp310", "abi3", "manylinux2014_x86_64")]
LINUX += [Tag("py3", "none", "any")]
LINE = "- {{version: {}, date: 2026-01-31, wheels: {{py3-none-any: {}}}}}\n"


def written(folder: Path, *lines: str) -> Path:
    path = folder / "engine.yaml"
    path.write_text("package: engine\nreleases:\n" + "".join(lines))
    return path


def test_releases_are_listed_from_the_oldest_on() -> None:
    assert {"onnx", "onnxruntime", "openvino"} <= set(engine_names())
    for name, oldest in (("onnx", "1.13.0"), ("onnxruntime", "1.15.0"), ("openvino", "2023.0.0")):
        engine = bundled_engine(name)
        assert engine is not None
        assert engine.releases[0].version == oldest
    assert bundled_engine("numpy") is None


@pytest.mark.parametrize("name", engine_names())
def test_every_release_can_be_locked_for_the_python_of_the_suite(name: str) -> None:
    engine = bundled_engine(name)
    assert engine is not None
    for release in engine.releases:
        assert lock_of(name, release, bundled_packages(), LINUX).wheels[0].version == release.version


def test_a_file_is_sorted_and_names_its_package(tmp_path: Path) -> None:
    older, newer = LINE.format("1.9.0", "a" * 64), LINE.format("1.10.0", "b" * 64)
    assert [release.version for release in read_engine(written(tmp_path, older, newer)).releases] == ["1.9.0", "1.10.0"]
    with pytest.raises(ExceptionGroup, match=r"engine\.yaml does not keep its format"):
        read_engine(written(tmp_path, newer, older))
    with pytest.raises(ExceptionGroup, match=r"other\.yaml does not keep its format"):
        read_engine(written(tmp_path, older).rename(tmp_path / "other.yaml"))


@pytest.mark.parametrize(
    ("line", "what"),
    [
        (LINE.format("1.9.0", "a" * 63), "does not fit here"),
        (LINE.format("latest", "a" * 64), "does not fit here"),
        ("- {version: 1.9.0, date: 2026-01-31, wheels: {}}\n", "0 entries are too few"),
        (
            LINE.format("1.9.0", "a" * 64).replace("wheels", "needs: {numpy: newer}, wheels"),
            "is not a range of versions",
        ),
    ],
)
def test_what_does_not_keep_the_format_is_named(line: str, what: str, tmp_path: Path) -> None:
    with pytest.raises(ExceptionGroup) as raised:
        read_engine(written(tmp_path, line))
    (problem,) = raised.value.exceptions
    assert isinstance(problem, OpconformError)
    assert problem.what.endswith(what) or what in problem.what


def test_packages_have_versions_and_wheels(tmp_path: Path) -> None:
    (tmp_path / "packages.yaml").write_text(
        f"packages:\n- {{name: numpy, version: 2.0.0, wheels: {{py3-none-any: {'a' * 64}}}}}\n"
    )
    (numpy,) = read_packages(tmp_path / "packages.yaml")
    assert (numpy.name, numpy.version) == ("numpy", "2.0.0")
