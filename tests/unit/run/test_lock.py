from __future__ import annotations

from dataclasses import replace

import pytest
from packaging.tags import Tag

from conformance.run.environments import Lock, Wheel, lock_of
from conformance.suite.adapter_file import FrameworkRelease, PackageEntry
from conformance.tensors.errors import UsageError

NEW, OLD, PLAIN, FAR = (letter * 64 for letter in "abcd")
TAGS = [
    Tag("cp311", "cp311", "manylinux_2_28_x86_64"),
    Tag("cp311", "cp311", "manylinux_2_17_x86_64"),
    Tag("cp310", "abi3", "manylinux_2_17_x86_64"),
    Tag("py3", "none", "any"),
]
WHEELS = {"cp311-cp311-manylinux_2_17_x86_64.manylinux2014_x86_64": OLD, "cp311-cp311-manylinux_2_28_x86_64": NEW}
PINNED = [
    PackageEntry(name="numpy", version="1.26.4", wheels={"cp311-cp311-manylinux_2_17_x86_64": OLD}),
    PackageEntry(name="numpy", version="2.10.0", wheels={"cp311-cp311-manylinux_2_28_x86_64": NEW}),
    PackageEntry(name="numpy", version="2.9.0", wheels={"cp311-cp311-manylinux_2_28_x86_64": PLAIN}),
    PackageEntry(name="numpy", version="2.11.0", wheels={"cp314-cp314-manylinux_2_28_x86_64": FAR}),
    PackageEntry(name="ml_dtypes", version="0.5.4", wheels={"cp310-abi3-manylinux_2_17_x86_64": OLD}),
    PackageEntry(name="protobuf", version="5.0", wheels={"py3-none-any": PLAIN}),
]


def release(**fields: object) -> FrameworkRelease:
    return FrameworkRelease.model_validate({"version": "1.2.0", "date": "2026-01-31", "wheels": WHEELS, **fields})


def test_the_best_wheel_and_the_newest_fitting_packages_are_locked() -> None:
    lock = lock_of("engine", release(), PINNED, TAGS)
    assert lock.requirements.splitlines() == [
        f"engine==1.2.0 --hash=sha256:{NEW}",
        f"ml_dtypes==0.5.4 --hash=sha256:{OLD}",
        f"numpy==2.10.0 --hash=sha256:{NEW}",
    ]


def test_a_release_narrows_what_it_is_installed_with_and_names_what_its_import_needs() -> None:
    lock = lock_of("engine", release(needs={"numpy": "<2", "protobuf": ""}), PINNED, TAGS)
    assert [(wheel.package, wheel.version) for wheel in lock.wheels[1:]] == [
        ("ml_dtypes", "0.5.4"),
        ("numpy", "1.26.4"),
        ("protobuf", "5.0"),
    ]


def test_a_worker_needs_its_numpy_whatever_a_release_says() -> None:
    with pytest.raises(
        UsageError, match=r"it needs numpy<1\.26,>=1\.26, and no such wheel is listed for cp311 on manylinux"
    ):
        lock_of("engine", release(needs={"numpy": "<1.26"}), PINNED, TAGS)


def test_a_python_without_a_wheel_is_told_for_which_there_are_some() -> None:
    tags = [Tag("cp315", "cp315", "win_amd64")]
    with pytest.raises(UsageError, match=r"no wheel of it is listed for cp315 on win_amd64\n.*it has wheels for cp311"):
        lock_of("engine", release(), PINNED, tags)


def test_another_wheel_makes_another_environment() -> None:
    lock = Lock("cp311", (Wheel("engine", "1.2.0", NEW), Wheel("numpy", "2.0.0", OLD)))
    other = replace(lock, wheels=(lock.wheels[0], Wheel("numpy", "2.0.1", OLD)))
    assert lock.name.startswith("engine-1.2.0-cp311-")
    assert lock.name != other.name
