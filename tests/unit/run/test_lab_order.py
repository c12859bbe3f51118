from __future__ import annotations

import pickle
import pickletools
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from bundled import cases_of_operators

from conformance import __version__
from conformance.log.record import TargetEntry
from conformance.protocol.form import Form
from conformance.run.execution import RunTarget
from conformance.run.lab_remote import CHUNK, ORDER, TARGET, LabOrder, describe, order_of, plain, run_chunk
from conformance.run.run_plan import RunRequest, run_plan_of
from conformance.run.selection import Selection, families_selected
from conformance.suite.adapter_file import target_from_text
from conformance.suite.suite import Suite, bundled_folder

SELECTION = Selection(operators=("onnx.Split-13",), clauses=("axis.range",), forms=(Form.CONSTANT,))


def suite() -> Suite:
    return cases_of_operators("onnx.Split")


def order(target: str = "numpy") -> LabOrder:
    request = RunRequest(
        suite=suite(),
        selection=SELECTION,
        targets=(target_from_text(target),),
        log=Path("run.jsonl"),
        timeout_s=7,
        jobs=1,
    )
    return order_of(request, request.targets[0], "a-run")


def test_an_order_names_the_target_as_every_machine_reads_it(tmp_path: Path) -> None:
    assert order("onnxruntime[optimization=disabled]").target == "onnxruntime[optimization=disabled]"
    folder = tmp_path / "own"
    shutil.copytree(bundled_folder("adapters") / "numpy", folder)
    assert order(str(folder)).target == str(folder.resolve())


def test_an_order_has_the_cases_by_their_digest_and_bundled_ones_without_a_folder() -> None:
    made = order()
    assert (made.digest, made.cases_folders, made.version, made.timeout_s) == (suite().digest, ("",), __version__, 7)


def test_an_order_comes_as_it_went_with_the_selection_of_the_run() -> None:
    made = order()
    assert ORDER.validate_python(plain(ORDER, made)) == made
    assert made.selection == SELECTION


def test_nothing_of_this_project_travels() -> None:
    plan = run_plan_of(families_selected(suite(), SELECTION), SELECTION, None)
    sent = plain(ORDER, order()), *(plain(CHUNK, chunk) for chunk in plan.chunks(size=3))
    opcodes = pickletools.genops(pickle.dumps(sent))
    named = {argument for opcode, argument, _ in opcodes if opcode.name in ("GLOBAL", "SHORT_BINUNICODE")}
    assert not {name for name in named if isinstance(name, str) and name.startswith("conformance")}


def test_a_chunk_comes_as_it_went() -> None:
    plan = run_plan_of(families_selected(suite(), SELECTION), SELECTION, None)
    chunks = [replace(chunk, places=list(chunk.places)) for chunk in plan.chunks(size=3)]
    assert [CHUNK.validate_python(plain(CHUNK, chunk)) for chunk in chunks] == chunks


def test_a_described_target_comes_as_it_went() -> None:
    target = RunTarget(entry=TargetEntry(name="toy@1", adapter="toy", version="1", devices=["CPU"]), recorded=[])
    assert TARGET.validate_json(TARGET.dump_json(target)) == target


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"version": "9.9", "field_of_another_version": 1}, f"opconform {__version__}, and this run has 9.9"),
        ({"digest": "0" * 64}, f"cases {cases_of_operators().digest}, and this run has {'0' * 64}"),
        ({"framework": "1.0"}, "and this run has 1.0"),
        ({"target": "no-such-adapter"}, "no-such-adapter"),
    ],
)
def test_a_machine_that_has_something_else_refuses_by_name(changes: dict[str, object], reason: str) -> None:
    sent = {**plain(ORDER, order()), **changes}
    plan = run_plan_of(families_selected(suite(), SELECTION), SELECTION, None)
    chunk = plain(CHUNK, next(plan.chunks(size=2)))
    for answer in (describe(sent), run_chunk(sent, chunk)):
        assert isinstance(answer, str)
        assert reason in answer


def test_a_machine_describes_the_target_and_runs_a_chunk() -> None:
    sent = plain(ORDER, order())
    described = describe(sent)
    assert isinstance(described, bytes)
    assert TARGET.validate_json(described).entry.adapter == "numpy"
    plan = run_plan_of(families_selected(suite(), SELECTION), SELECTION, None)
    lines = run_chunk(sent, plain(CHUNK, next(plan.chunks(size=2))))
    assert not isinstance(lines, str)
    assert [verdict for _, verdict in lines] == ["pass", "pass"]
