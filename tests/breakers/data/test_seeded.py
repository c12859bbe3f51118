"""Some faults behind real frameworks, on cases whose records once excused them; the whole is `nox -s seeded`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from seeded_copies import write_copy
from seeded_counts import CRASHES_ASKED, Seeding, Tally, checks_concerned, tally_of
from seeded_faults import SeededFault, all_faults, fault_named

from conformance.judge.deviation import read_deviations
from conformance.log.record import CheckRecord
from conformance.protocol.form import Form
from conformance.run.selection import Selection
from conformance.spec.verdict import Verdict
from conformance.suite.adapter_file import bundled_adapters, target_from_text
from conformance.suite.suite import Suite, bundled_folder, load_suite

pytestmark = pytest.mark.slow

each_fault = pytest.mark.parametrize("fault", all_faults(), ids=lambda fault: fault.name)


def record(verdict: Verdict, judged: Verdict, *, outputs: str = "", cause: str = "", case: str = "a") -> CheckRecord:
    return CheckRecord(
        target="t", case=case, form=Form.CONSTANT, verdict=verdict, judged=judged, clauses=[],
        outcome="produced", dtype="int64", outputs=outputs, cause=cause,
    )  # fmt: skip


def counted(old: CheckRecord, new: CheckRecord) -> Tally:
    name = (old.case, old.form)
    return tally_of("a fault", {name: old}, {name: new})


PASSED = record(Verdict.PASS, Verdict.PASS, outputs="1")
KNOWN = record(Verdict.KNOWN, Verdict.WRONG_RESULT, outputs="2")


def test_failure_of_what_passed_is_worse_and_a_record_forgives_it() -> None:
    tally = counted(PASSED, KNOWN)
    assert (tally.conforming.worse, tally.conforming.forgiven) == (1, 1)
    assert tally.total.share == 1.0


def test_failure_that_no_record_covers_is_worse_and_not_forgiven() -> None:
    tally = counted(PASSED, record(Verdict.WRONG_RESULT, Verdict.WRONG_RESULT, outputs="3"))
    assert (tally.conforming.worse, tally.conforming.forgiven) == (1, 0)


def test_recorded_deviation_with_other_outputs_is_worse() -> None:
    assert counted(KNOWN, record(Verdict.KNOWN, Verdict.WRONG_RESULT, outputs="3")).recorded.forgiven == 1
    assert counted(KNOWN, KNOWN).total.worse == 0


def test_what_is_recorded_of_others_memory_is_never_another_deviation() -> None:
    old, new = replace(KNOWN, deviation="reads"), record(Verdict.KNOWN, Verdict.WRONG_RESULT, outputs="3")
    name = (old.case, old.form)
    tally = tally_of("a fault", {name: old}, {name: new}, {"reads"})
    assert (tally.total.worse, tally.num_unforeseeable) == (0, 1)


def test_recorded_refusal_with_another_message_is_the_same_refusal() -> None:
    one = record(Verdict.KNOWN, Verdict.REJECTED_VALID, cause="refused: one")
    assert counted(one, record(Verdict.KNOWN, Verdict.REJECTED_VALID, cause="refused: other")).total.worse == 0


def test_answer_that_is_right_again_is_not_worse() -> None:
    assert counted(KNOWN, PASSED).total.worse == 0


def test_crashes_run_in_a_spread_of_the_checks_alone() -> None:
    plain = [record(Verdict.PASS, Verdict.PASS, case=str(number)) for number in range(10 * CRASHES_ASKED)]
    assert len(checks_concerned(fault_named("crash-running"), plain)) == CRASHES_ASKED
    assert len(checks_concerned(fault_named("elements-moved"), plain)) == len(plain)
    assert checks_concerned(fault_named("strings-moved"), plain) == []


def test_every_fault_has_a_name_of_its_own_and_says_what_is_wrong() -> None:
    assert len({fault.name for fault in all_faults()}) == len(all_faults())
    assert all(fault.says for fault in all_faults())


def test_copy_keeps_what_is_recorded_of_its_adapter(tmp_path: Path) -> None:
    for adapter in bundled_adapters():
        if (adapter.folder / "deviations.yaml").is_file():
            copy = write_copy(adapter, "elements-moved", tmp_path)
            assert copy.manifest == adapter.manifest
            assert read_deviations(copy.folder) == read_deviations(adapter.folder)


@pytest.fixture(scope="module")
def suite() -> Suite:
    return load_suite(bundled_folder("cases"))


@pytest.fixture(scope="module")
def numpy_copies(suite: Suite, tmp_path_factory: pytest.TempPathFactory) -> Seeding:
    """Copies of the reference as a target, which has no records."""
    seeding = Seeding(suite, target_from_text("numpy"), tmp_path_factory.mktemp("numpy"))
    seeding.ask_plainly(Selection(cases=tuple(_FEW_OF_EACH_KIND)))
    return seeding


_FEW_OF_EACH_KIND = (
    "openvino.VariadicSplit-1/data-of-each-type",
    "openvino.VariadicSplit-1/lengths-of-each-type",
    "openvino.VariadicSplit-1/lengths[shape=vector,cut=rising]",
    "openvino.VariadicSplit-1/sum-differs[cut=one-short]",
)


@each_fault
def test_fault_makes_answers_worse(fault: SeededFault, numpy_copies: Seeding) -> None:
    tally = numpy_copies.tally(fault)
    assert tally.total.worse > 0
    assert tally.total.forgiven == 0


@pytest.mark.frameworks
@pytest.mark.parametrize(
    ("case", "fault"),
    [
        ("openvino.VariadicSplit-1/data-of-each-type[dtype=int64]", "64-bit-elements-moved"),
        ("onnx.Split-18/data-of-each-type[dtype=float64]", "last-element-zeroed"),
        ("onnx.Split-1/lengths-of-type-of-input[dtype=float16]", "outputs-exchanged"),
    ],
)
def test_records_of_openvino_do_not_excuse(case: str, fault: str, suite: Suite, tmp_path: Path) -> None:
    seeding = Seeding(suite, target_from_text("openvino"), tmp_path)
    seeding.ask_plainly(Selection(cases=(case,)))
    tally = seeding.tally(fault_named(fault))
    assert tally.total.worse > 0
    assert tally.total.forgiven == 0
