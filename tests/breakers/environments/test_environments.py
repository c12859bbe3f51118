"""What an environment sets, and what counts as a difference; the whole is `nox -s environments`."""

from __future__ import annotations

import json
import platform
from pathlib import Path

import pytest
from asked import Asked, ask, differences, is_of_verdicts
from environments import PERTURBATION, PLAIN, Environment, NotAsked, environments_of, levels_here
from gallery import put_liar, write_liar

from conformance.suite.adapter_file import AdapterFile, OptionEntry, TargetRequest, read_adapter
from conformance.tensors.machine import InstructionSet

pytestmark = pytest.mark.slow

WITH_SWITCHES = AdapterFile(
    name="a", summary="", options={"isa": OptionEntry(default="AVX2"), "threads": OptionEntry(default="1")}
)
OLD_MACHINE = (InstructionSet.SSE41, InstructionSet.AVX, InstructionSet.AVX2)
ONE_CASE = ["--case", "openvino.VariadicSplit-1/data-of-each-type[dtype=uint16]"]


def test_every_level_runs_or_is_named_as_missing() -> None:
    found = {item.name: item for item in environments_of(WITH_SWITCHES, OLD_MACHINE)}
    assert [name for name in found if name.startswith("isa-")] == [f"isa-{level.value}" for level in InstructionSet]
    assert found["isa-AVX2"] == Environment(name="isa-AVX2", options={"isa": "AVX2"})
    assert found["isa-AVX512_CORE"] == NotAsked(name="isa-AVX512_CORE", reason="the machine has no such level")


def test_adapter_without_a_switch_is_said_to_have_none() -> None:
    found = {item.name: item for item in environments_of(AdapterFile(name="a", summary=""), OLD_MACHINE)}
    asked = [name for name, item in found.items() if isinstance(item, Environment)]
    assert asked == ["one-core", "perturbed-memory", "checked-heap"]
    assert found["isa-AVX2"] == NotAsked(name="isa-AVX2", reason="the adapter has no such choice of its option isa")


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the levels are those of x86-64")
def test_this_machine_has_the_oldest_level() -> None:
    assert levels_here()[0] is InstructionSet.SSE41


_TELLS = """
import os
from conformance.adapter import Description
from .honest import Honest

class Adapter(Honest):
    def describe(self):
        told = {"cores": str(len(os.sched_getaffinity(0))), "byte": os.environ.get("MALLOC_PERTURB_", "")}
        return Description(framework="told", version="1", operators=["*"], details=told)
"""


@pytest.fixture
def target(tmp_path: Path) -> TargetRequest:
    """An adapter that tells where it runs."""
    folder = write_liar(tmp_path, "swaps_outputs")
    (folder / "adapter.py").write_text(_TELLS)
    return TargetRequest(adapter=read_adapter(folder), options={})


def details_in(asked: Asked) -> dict[str, str]:
    with asked.log.open() as lines:
        details: dict[str, str] = json.loads(lines.readline())["targets"][0]["details"]
    return details


def test_environment_reaches_the_worker(target: TargetRequest, tmp_path: Path) -> None:
    variables = {"MALLOC_PERTURB_": PERTURBATION}
    environment = Environment(name="both", variables=variables, num_cores=1)
    asked = ask(target, environment, tmp_path / "both", ONE_CASE)
    assert details_in(asked) == {"cores": "1", "byte": PERTURBATION}


def test_wrong_outputs_differ_from_right_ones(target: TargetRequest, tmp_path: Path) -> None:
    plain = ask(target, PLAIN, tmp_path / "plain", ONE_CASE)
    put_liar("swaps_outputs", target.adapter.folder)
    other = ask(target, PLAIN, tmp_path / "other", ONE_CASE)
    groups = differences(plain.log, other.log)
    assert (plain.exit_code, other.exit_code) == (0, 1)
    assert sum(group.count for group in groups) > 0
    assert all(map(is_of_verdicts, groups))
    assert differences(plain.log, plain.log) == ()
