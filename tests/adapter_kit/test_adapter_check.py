"""`conformance adapter check` names the fault of each adapter that has one of its own, and passes sound ones."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from bundled import cases_of_operators
from gallery import write_liar

from conformance.adapter_kit.adapter_check import observed
from conformance.adapter_kit.advice import Finding, State, exit_code, findings
from conformance.spec.verdict import ExitCode
from conformance.suite.adapter_file import TargetRequest, read_adapter, target_from_text
from conformance.suite.suite import Suite, bundled_folder, load_suite

VERSION = "It names a version of the framework."
NAMES = "It declares only types, forms and operators that exist."
PROTOCOL = "It answers every request once, in order, with nothing between answers."
LIVES = "It survives every request."
ERRORS = "It raises no error of its own, and returns arrays."
REJECTIONS = "It rejects with the framework's message."
TAKES = "It rejects no valid call."
REFUSES = "It answers no call that must be rejected."
KEEPS_ITS_WORD = "It answers what it declares."
KINDS = "It takes calls of each operator in each form."
HIDES_NOTHING = "It declares what it answers."
PASSES_ON = "It passes the data of each type on unchanged, in and out."
TYPES = "It returns outputs in the type of the data."
EARLIER = "A later call does not change earlier outputs, and returns new ones."
INPUTS = "It leaves its inputs alone."
ENDS = "It ends when its input ends, and leaves no process behind."
QUIET = "It prints nothing."
RIGHT = "It answers valid calls as their page says."

FAMILIES = ("onnx.Split", "openvino.Concat")
"""With attributes and inputs, one data input and many, one output and many."""
BAIT = "openvino.VariadicSplit-1/bait"

# liar, the demand that it does not meet, the beginning of what was seen
FAULTS = [
    ("claims_other_forms", NAMES, "there is no form 'sideways'"),
    (
        "claims_bfloat16",
        KEEPS_ITS_WORD,
        "type bfloat16: openvino.VariadicSplit-1/brain (constant): unsupported, bfloat16 needs another machine",
    ),
    ("hides_float16", HIDES_NOTHING, "it answers openvino.VariadicSplit-1/half (constant)"),
    ("takes_no_onnx", HIDES_NOTHING, "it answers onnx.Split-18/uneven (constant)"),
    ("mutates_inputs", ERRORS, f"{BAIT} (constant): while running: ValueError: assignment destination is read-only"),
    ("raises_typeerror", ERRORS, f"{BAIT} (constant): while running: TypeError"),
    ("returns_lists", ERRORS, f"{BAIT} (constant): while running: TypeError: output 0 is 'list'"),
    ("returns_none", ERRORS, f"{BAIT} (constant): while running: TypeError: 'NoneType' object is not iterable"),
    ("returns_a_dictionary", ERRORS, f"{BAIT} (constant): while running: TypeError: output 0 is 'str'"),
    ("cannot_be_called_twice", ERRORS, f"{BAIT} (second-call): while running: RuntimeError: this graph was consumed"),
    ("returns_a_broken_tensor", ERRORS, f"{BAIT} (constant): the answer is not one: 2 bytes for a tensor uint16(6, 1)"),
    ("rejects_everything", TAKES, "all "),
    (
        "rejects_only_float16",
        TAKES,
        "every valid call of the type float16 is rejected, the first, openvino.VariadicSplit-1/half (constant)",
    ),
    ("says_nothing_but_no", REJECTIONS, f"{BAIT} (constant): is rejected without a message"),
    ("always_float32", TYPES, f"{BAIT} (constant): output 0 has the type float32, expected uint16"),
    ("overwrites_earlier_outputs", EARLIER, f"{BAIT} (second-call): call 2 of 3: the outputs hold what call 3 wrote"),
    ("caches_first_answer", EARLIER, f"{BAIT} (second-call): call 2 of 3: the answer equals that of call 1"),
    ("writes_to_its_input", INPUTS, f"{BAIT} (constant): the run wrote to its input data"),
    ("pokes_its_input", INPUTS, f"{BAIT} (constant): the run wrote to its input data"),
    ("segfaults", LIVES, f"{BAIT} (constant): SIGSEGV"),
    ("crashes_once", LIVES, f"{BAIT} (constant): exit status 1; alone in a fresh process: produced"),
    ("leaves_a_daemon", ENDS, "left behind: process "),
    ("hangs_at_the_end", ENDS, "it did not end when its input did, and was killed"),
    ("chatters_on_stdout", PROTOCOL, "chatters_on_stdout: the stream has b'[INFO] about to '"),
    ("answers_another_question", PROTOCOL, "answers_another_question: the adapter sent 'answer 99'"),
]

# why an adapter could not be checked
STARTS = [
    ("cannot_import", "cannot_import: it cannot start: ModuleNotFoundError: No module named"),
    ("has_no_adapter_class", "has_no_adapter_class: it cannot start: AttributeError"),
    ("dies_at_start", "dies_at_start: the worker could not start: exit status 7"),
    (
        "has_no_version",
        "has_no_version: its description has no 'version'",
    ),
    ("does_not_speak", "does_not_speak: the stream has b'usage: does_not_' where a frame must start"),
]


def checked(target_request: TargetRequest, suite: Suite) -> list[Finding]:
    return findings(observed(target_request, suite, limit_s=20.0), suite.operators)


@pytest.fixture
def check_liar(tmp_path: Path, liars_suite: Suite) -> Iterator[Callable[[str], list[Finding]]]:
    def check(name: str) -> list[Finding]:
        return checked(TargetRequest(adapter=read_adapter(write_liar(tmp_path, name)), options={}), liars_suite)

    yield check
    for path in tmp_path.glob("*/daemon-*"):
        os.kill(int(path.name.partition("-")[2]), signal.SIGKILL)


def finding_of(found: list[Finding], requirement: str) -> Finding:
    return next(finding for finding in found if finding.requirement == requirement)


@pytest.mark.slow
@pytest.mark.parametrize(("liar", "requirement", "seen"), FAULTS, ids=[name for name, *_ in FAULTS])
def test_a_fault_of_the_adapter_is_named(
    check_liar: Callable[[str], list[Finding]], liar: str, requirement: str, seen: str
) -> None:
    found = check_liar(liar)
    finding = finding_of(found, requirement)
    assert finding.state is State.PROBLEM
    assert finding.seen[0].startswith(seen), finding.seen
    assert finding.fix
    assert exit_code(found, has_started=True) is ExitCode.NOT_CONFORMING


@pytest.mark.slow
@pytest.mark.parametrize(
    ("liar", "requirement", "seen"),
    [
        (
            "accepts_everything",
            REFUSES,
            "openvino.VariadicSplit-1/too-much (constant): the call violates split_lengths.sum",
        ),
        ("prints_to_stdout", QUIET, "OPC1 from"),
        ("swaps_outputs", RIGHT, "are not right"),
    ],
)
def test_what_is_no_fault_of_the_adapter_is_only_noted(
    check_liar: Callable[[str], list[Finding]], liar: str, requirement: str, seen: str
) -> None:
    found = check_liar(liar)
    assert finding_of(found, requirement).state is State.NOTE
    assert seen in finding_of(found, requirement).seen[0]
    assert exit_code(found, has_started=True) is ExitCode.CONFORMING


@pytest.mark.slow
@pytest.mark.parametrize(("liar", "seen"), STARTS)
def test_an_adapter_that_does_not_start_is_not_checked(
    check_liar: Callable[[str], list[Finding]], liar: str, seen: str
) -> None:
    (finding,) = check_liar(liar)
    assert finding.seen[0].startswith(seen)
    assert exit_code([finding], has_started=False) is ExitCode.HARNESS


@pytest.mark.slow
@pytest.mark.parametrize(
    ("liar", "requirement", "seen"),
    [
        ("gives_zeros_everywhere", PASSES_ON, "float32: "),
        ("narrows_int64", PASSES_ON, "int64: "),
        ("narrows_float64", PASSES_ON, "float64: "),
        ("always_float32", TYPES, ""),
    ],
)
def test_a_broken_way_of_the_data_is_a_fault_of_the_adapter(
    tmp_path: Path, liar: str, requirement: str, seen: str
) -> None:
    names = ("onnx.Transpose", "openvino.Concat")
    suite = cases_of_operators(*names).of_operators(names)
    target_request = TargetRequest(adapter=read_adapter(write_liar(tmp_path, liar)), options={})
    finding = finding_of(checked(target_request, suite), requirement)
    assert finding.state is State.PROBLEM
    assert all(line.startswith(seen) for line in finding.seen), finding.seen


@pytest.mark.slow
def test_nans_made_quiet_are_noted_since_frameworks_do_so_too(tmp_path: Path) -> None:
    names = ("onnx.Transpose", "openvino.Concat")
    suite = cases_of_operators(*names).of_operators(names)
    target_request = TargetRequest(adapter=read_adapter(write_liar(tmp_path, "quiets_nan")), options={})
    finding = finding_of(checked(target_request, suite), PASSES_ON)
    assert finding.state is State.NOTE
    assert {seen.partition(":")[0] for seen in finding.seen} == {"float32"}
    assert all(seen.endswith("returns other data: NaN quieted") for seen in finding.seen)


@pytest.mark.slow
def test_what_is_answered_rightly_is_a_line_for_describe(check_liar: Callable[[str], list[Finding]]) -> None:
    finding = finding_of(check_liar("hides_float16"), HIDES_NOTHING)
    assert finding.fix.startswith("write in `describe`: dtypes=[")
    assert '"float16"]; or raise' in finding.fix


@pytest.mark.slow
def test_what_is_answered_wrongly_is_not_to_be_declared(tmp_path: Path, liars_suite: Suite) -> None:
    folder = write_liar(tmp_path, "honest", "hides-zeros")
    code = "from dataclasses import replace\nfrom .honest import Honest\n\n\nclass Adapter(Honest):\n"
    code += (
        "    def describe(self):\n        return replace(super().describe(), dtypes=['float32', 'int64', 'uint16'])\n"
    )
    code += "    def outputs(self, call, inputs):\n        factor = call.inputs[0].dtype != 'float16'\n"
    code += "        return [output * factor for output in super().outputs(call, inputs)]\n"
    (folder / "adapter.py").write_text(code)
    finding = finding_of(checked(TargetRequest(adapter=read_adapter(folder), options={}), liars_suite), HIDES_NOTHING)
    assert "it answers openvino.VariadicSplit-1/half (constant), wrongly" in finding.seen
    assert "float64" in finding.fix
    assert '"float16"' not in finding.fix


@pytest.mark.slow
def test_a_kind_of_calls_that_is_refused_is_noted(tmp_path: Path) -> None:
    names = ("onnx.Gather",)
    suite = cases_of_operators(*names).of_operators(names)
    folder = write_liar(tmp_path, "honest", "refuses-constants")
    code = "from conformance.adapter import NotExpressible\nfrom .honest import Honest\n\n\nclass Adapter(Honest):\n"
    code += "    def prepare(self, call):\n        if all(item.constant is not None for item in call.inputs[1:]):\n"
    code += "            raise NotExpressible('no constant indices')\n        return super().prepare(call)\n"
    (folder / "adapter.py").write_text(code)
    finding = finding_of(checked(TargetRequest(adapter=read_adapter(folder), options={}), suite), KINDS)
    assert finding.state is State.NOTE
    assert any("of onnx.Gather-13 in the form constant are refused, the first, " in seen for seen in finding.seen)


@pytest.mark.slow
def test_an_adapter_that_survives_no_call_is_left_early(check_liar: Callable[[str], list[Finding]]) -> None:
    found = check_liar("dies_at_each_case")
    assert finding_of(found, LIVES).seen[0].startswith("no call was survived, so 10 of ")


@pytest.mark.slow
def test_an_adapter_that_crashes_is_sent_the_other_checks_all_the_same(
    check_liar: Callable[[str], list[Finding]],
) -> None:
    found = check_liar("segfaults")
    assert [finding.requirement for finding in found if finding.state is State.PROBLEM] == [LIVES]


def test_a_version_that_nothing_can_be_compared_with_is_none(tmp_path: Path, liars_suite: Suite) -> None:
    folder = write_liar(tmp_path, "honest", "of-a-branch")
    code = "from dataclasses import replace\nfrom .honest import Honest\n\n\nclass Adapter(Honest):\n"
    code += "    def describe(self):\n        return replace(super().describe(), version='main')\n"
    (folder / "adapter.py").write_text(code)
    finding = finding_of(checked(TargetRequest(adapter=read_adapter(folder), options={}), liars_suite), VERSION)
    assert finding.seen == ("version 'main' cannot be compared",)


@pytest.mark.slow
@pytest.mark.frameworks
@pytest.mark.parametrize("target", ["onnxruntime", "openvino", "torch"])
def test_the_bundled_adapters_are_sound(target: str) -> None:
    assert unsound(target, cases_of_operators(*FAMILIES).of_operators(FAMILIES)) == set()


@pytest.mark.slow
def test_the_reference_is_sound_in_every_operator() -> None:
    assert unsound("numpy", load_suite(bundled_folder("cases"))) == set()


def unsound(target: str, suite: Suite) -> set[tuple[str, State]]:
    """What an adapter is not sound in, with the operators of a suite."""
    states = {(finding.requirement, finding.state) for finding in checked(target_from_text(target), suite)}
    # A note counts the framework's own faults; OpenVINO makes NaNs of float16 quiet, and has no dynamic ranks on a CPU.
    fine = {(RIGHT, State.NOTE), (PASSES_ON, State.NOTE), (KINDS, State.NOTE)} | {
        (name, State.OK) for name, _ in states
    }
    return states - fine
