"""Every model of a valid call is one that ONNX's checker takes, in all operator versions and forms."""

from __future__ import annotations

import pickle
import re
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from conformance.protocol.form import Form
from conformance.run.selection import Selection, checks_of, families_selected
from conformance.spec.case import Disputed
from conformance.spec.lowering.onnx_model import Lowered, lower
from conformance.suite.suite import bundled_folder, load_suite

pytestmark = pytest.mark.slow

Models = dict[tuple[bytes, bytes | None], str]

FOLDER = Path(__file__).parent
FAULTS = {
    "beyond_31_bits": r".*/(dim-beyond-(31-bits|its-type)-without-elements|lengths-beyond-their-type)\[.*",
    "int32_axes": r"onnx.Pad-[0-9]+/(made\[.*Tind=int32|axes\[integer=int32).*",
    "external_lengths": r"onnx.(Expand|Pad|Split|Reshape|Slice|Squeeze|Unsqueeze)-[0-9]+/.* \(external-data\)",
    "unsorted_axes": r"onnx.Squeeze-1/(several\[data=[dun]|many-dims\[data=[st]|fewer|made\[.*axes=[ur].*).*",
}
"""Models that the checker refuses by a fault of its own, by the script in `checker_faults` that shows it without us."""


def models() -> Models:
    """The name of a check for each model of a valid call.

    A form that breaks the specification on purpose has none, nor has a call of which the page leaves the rank open.
    """
    suite, selection = load_suite(bundled_folder("cases")), Selection()
    found: Models = {}
    for check in checks_of(families_selected(suite, selection), selection):
        is_valid = not (check.case.may_be_rejected or check.form.has_unknown_ranks)
        call = check.request.call
        has_open_rank = isinstance(check.case.expectation, Disputed) and call.output_rank is None
        if is_valid and not has_open_rank and check.form is not Form.SHAPELESS_OUTPUTS:
            lowered = lower(call)
            if isinstance(lowered, Lowered):
                found.setdefault((lowered.model, lowered.model_data), f"{check.case.id} ({check.form.value})")
    return found


def problems(found: Models) -> Iterator[tuple[str, str]]:
    """The models that the checker refuses or on which it aborts, with what it says."""
    left = list(found.items())
    while left:
        given = pickle.dumps([model for model, _ in left])
        done = subprocess.run(
            [sys.executable, FOLDER / "check_models.py"], input=given, capture_output=True, check=False
        )
        lines = done.stdout.decode().splitlines()
        said = [line.partition(" ")[2] for line in lines]
        yield from ((name, problem) for (_, name), problem in zip(left, said, strict=False) if problem)
        if len(said) < len(left):
            yield left[len(said)][1], f"the checker ended with {done.returncode}"
        left = left[len(said) + 1 :]


def test_every_model_of_a_valid_call_passes_the_checker_of_onnx() -> None:
    found = list(models().items())
    assert len(found) > 5_000
    with ThreadPoolExecutor(2) as both:
        halves = both.map(lambda start: list(problems(dict(found[start::2]))), range(2))
        refused = [item for half in halves for item in half]
    unexplained = [
        f"{name}: {said}" for name, said in refused if not any(re.fullmatch(p, name) for p in FAULTS.values())
    ]
    assert unexplained == []
    explained = {fault for name, _ in refused for fault, pattern in FAULTS.items() if re.fullmatch(pattern, name)}
    assert explained == set(FAULTS)


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_of_the_checker_shows_without_this_project(fault: str) -> None:
    done = subprocess.run([sys.executable, FOLDER / "checker_faults" / f"{fault}.py"], check=False)
    assert done.returncode == 1
