"""Faults of the engine itself, each put into a run of the tests that have to notice it.

This is a plugin of pytest, too: `pytest -p engine_faults` with the name of a fault in `OPCONFORM_ENGINE_FAULT` puts it
into the engine before any test is imported.
"""

from __future__ import annotations

import functools
import importlib
import os
import re
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from traceback import extract_tb
from typing import Any

import numpy as np

from conformance.judge.deviation import Deviation
from conformance.judge.judge import Judgement
from conformance.log.summary import Counts
from conformance.protocol.form import Form
from conformance.protocol.outcome import (
    AdapterFailed,
    Crashed,
    Produced,
    RejectedOutcome,
    TimedOut,
    Unstable,
    UnsupportedOutcome,
)
from conformance.spec.case import Disputed
from conformance.spec.verdict import ExitCode, Standing, Verdict
from conformance.tensors.tensor import Tensor, array_from_tensor

_BROKEN = 70
"""The exit code of a test run whose fault does not fit the engine any more."""
_NAME = "OPCONFORM_ENGINE_FAULT"
HERE = Path(__file__).parent
TESTS = HERE.parents[1]


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineFault:
    """A fault that replaces `place`, a function or method of the engine: a module of it and a name there.

    `function` is called with the correct one and its arguments.
    """

    place: str
    function: Callable[..., Any]

    @property
    def name(self) -> str:
        return self.function.__name__

    @property
    def says(self) -> str:
        """What is wrong, in one line."""
        return (self.function.__doc__ or "").strip()


_FAULTS: list[EngineFault] = []


def _fault(place: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def enter(function: Callable[..., Any]) -> Callable[..., Any]:
        _FAULTS.append(EngineFault(place=place, function=function))
        return function

    return enter


# What is compared.


@_fault("judge.judge:_mismatch")
def type_is_not_compared(correct, acceptance, expected, actual):
    """An output of another type passes where its bytes are right."""
    both = expected is not None and actual is not None
    return correct(acceptance, expected, replace(actual, dtype=expected.dtype) if both else actual)


@_fault("judge.judge:_mismatch")
def shape_is_not_compared(correct, acceptance, expected, actual):
    """An output of another shape passes where its bytes are right."""
    both = expected is not None and actual is not None
    return correct(acceptance, expected, replace(actual, shape=expected.shape) if both else actual)


@_fault("tensors.tensor:has_same_bits")
def numbers_are_compared_instead_of_bits(correct, one, other):
    """0.0 equals -0.0, and NaN not itself."""
    return np.array_equal(array_from_tensor(one), array_from_tensor(other))


@_fault("tensors.tensor:has_same_bits")
def numbers_need_only_be_close(correct, one, other):
    """Floating-point elements are compared with a tolerance."""
    if not one.dtype.startswith("float"):
        return correct(one, other)
    return np.allclose(array_from_tensor(one), array_from_tensor(other), rtol=1e-3, equal_nan=True)


@_fault("tensors.tensor:has_same_bits")
def only_the_first_mebibyte_is_compared(correct, one, other):
    """What lies behind the first block of a large output is not looked at."""
    return bytes(one.data)[: 1 << 20] == bytes(other.data)[: 1 << 20] or correct(one, other)


@_fault("tensors.tensor:mask_unused_bits")
def unused_bits_count(correct, tensor):
    """Whatever is in the unused bits of packed types makes a difference."""
    return tensor.data


@_fault("tensors.tensor:mask_unused_bits")
def a_meaningful_bit_is_masked(correct, tensor):
    """Of packed types the highest bit is taken for an unused one."""
    kept = (1 << max(tensor.element_type.bits - 1, 1)) - 1
    is_packed = tensor.element_type.bits < 8 and tensor.element_type.itemsize
    return bytes(item & kept for item in bytes(correct(tensor))) if is_packed else correct(tensor)


@_fault("judge.judge:differences_of")
def only_the_first_output_is_compared(correct, acceptance, expected, actual, run):
    """All outputs but the first may be anything."""
    return correct(acceptance, expected[:1], actual[:1], run)


@_fault("judge.judge:differences_of")
def number_of_outputs_is_not_compared(correct, acceptance, expected, actual, run):
    """Missing and surplus outputs pass."""
    count = min(len(expected), len(actual))
    return correct(acceptance, expected[:count], actual[:count], run)


@_fault("judge.judge:differences_of")
def expected_is_what_came(correct, acceptance, expected, actual, run):
    """The outputs are compared with themselves."""
    return correct(acceptance, actual, actual, run)


@_fault("spec.case:expected_outputs")
def expected_is_cut_along_the_first_axis(correct, expectation, call):
    """What is expected is cut along the first dimension."""
    call = call if call.split_dim is None else call.with_value(call.operator.split_axis, 0)
    return correct(expectation, call)


# What an outcome means.


@_fault("judge.judge:judge")
def crash_is_unsupported(correct, *about):
    """A process that died counts as one that says it has no implementation."""
    *calls, outcome = about
    return correct(*calls, UnsupportedOutcome(message=outcome.death) if isinstance(outcome, Crashed) else outcome)


@_fault("judge.judge:judge")
def time_out_passes(correct, *about):
    """No answer in time counts as a right one."""
    return Judgement(verdict=Verdict.PASS) if isinstance(about[-1], TimedOut) else correct(*about)


@_fault("judge.judge:judge")
def instability_is_not_told(correct, *about):
    """A death that did not happen again counts as a pass."""
    return Judgement(verdict=Verdict.PASS) if isinstance(about[-1], Unstable) else correct(*about)


@_fault("judge.judge:judge")
def failure_of_the_adapter_is_unsupported(correct, *about):
    """An error of the adapter counts as one of a framework without an implementation."""
    *calls, outcome = about
    return correct(*calls, UnsupportedOutcome(message="failed") if isinstance(outcome, AdapterFailed) else outcome)


@_fault("judge.judge:judge")
def any_refusal_passes(correct, *about):
    """Whoever refuses a valid call passes."""
    return Judgement(verdict=Verdict.PASS) if isinstance(about[-1], RejectedOutcome) else correct(*about)


@_fault("judge.judge:judge")
def answer_to_an_invalid_call_passes(correct, *about):
    """Whoever answers what must be refused passes."""
    judgement = correct(*about)
    return Judgement(verdict=Verdict.PASS) if judgement.verdict is Verdict.ACCEPTED_INVALID else judgement


@_fault("judge.judge:_costly")
def refusal_may_cost_anything(correct, *about):
    """Whoever takes gigabytes to refuse an invalid call passes."""


@_fault("judge.judge:judge")
def disputed_case_is_always_followed(correct, calls, *about):
    """Any answer to a disputed case follows its first reading."""
    expectation = calls[-1].expectation
    if isinstance(expectation, Disputed) and isinstance(about[-1], Produced):
        return Judgement(verdict=Verdict.FOLLOWS, interpretation=expectation.interpretations[0].name)
    return correct(calls, *about)


@_fault("judge.judge:_compare")
def only_the_last_call_is_judged(correct, *about):
    """Of two calls of a model the first may give anything."""
    *others, calls, runs = about
    return correct(*others, calls[-1:], runs[-1:])


@_fault("judge.judge:_compare")
def only_the_first_call_is_judged(correct, *about):
    """Of two calls of a model the second may give anything."""
    *others, calls, runs = about
    return correct(*others, calls[:1], runs[:1])


@_fault("judge.judge:_with_changed_inputs")
def write_to_an_input_is_not_told(correct, judgement, changed):
    """A framework that changes its inputs passes."""
    return judgement


# What is excused.


@_fault("judge.deviation:Deviation.covers")
def deviation_covers_everything(correct, entry, *about):
    """A recorded deviation excuses every case."""
    return True


@_fault("judge.deviation:Deviation.records")
def deviation_excuses_any_verdict(correct, entry: Deviation, departure, *about):
    """A recorded deviation excuses whatever goes wrong."""
    return departure.verdict is not Verdict.PASS


@_fault("judge.deviation:is_wrong_answer")
def deviation_excuses_any_wrong_values(correct, *about):
    """A recorded deviation excuses other wrong values than those that it describes."""
    return True


@_fault("judge.deviation:standing")
def fixed_deviation_is_silent(correct, *about):
    """A recorded deviation that no longer happens is not told."""
    verdict, entry = correct(*about)
    return Verdict.PASS if verdict is Verdict.FIXED else verdict, entry


# What is asked.


@_fault("run.selection:checks_of")
def last_check_is_not_asked(correct, *about):
    """The plan ends one check early."""
    return iter(list(correct(*about))[:-1])


@_fault("spec.check:forms_of")
def second_call_is_not_asked(correct, case, chosen=()):
    """No case is asked in the form of two calls."""
    return tuple(form for form in correct(case, chosen) if form is not Form.SECOND_CALL)


@_fault("spec.check:steps_of")
def second_call_repeats_the_first(correct, case, form):
    """All calls of a check have the data of the last."""
    calls = correct(case, form)
    return (calls[-1],) * len(calls)


@_fault("spec.check:request_of")
def dims_are_always_known(correct, case, form, steps):
    """A model that must not know the shape gets it."""
    known = {Form.DYNAMIC: Form.CONSTANT, Form.RUNTIME_DYNAMIC: Form.RUNTIME}
    return correct(case, known.get(form, form), steps)


@_fault("spec.check:request_of")
def arguments_are_always_constants(correct, case, form, steps):
    """Lengths and axis that must come with the run are constants of the model."""
    constant = {Form.RUNTIME: Form.CONSTANT, Form.RUNTIME_DYNAMIC: Form.DYNAMIC}
    return correct(case, constant.get(form, form), steps)


@_fault("spec.references.split:_openvino_variadic_split_1")
def reference_refuses_nothing(correct, arguments, declared):
    """The second oracle takes any VariadicSplit."""
    try:
        return correct(arguments, declared)
    except Exception:  # noqa: BLE001  (the fault is to swallow it)
        return ()


# What is written down.


@_fault("log.log_file:RunLogWriter.check")
def records_of_crashes_are_lost(correct, log, record):
    """A record that says crashed, or wrong, is not written."""
    return None if record.verdict.meaning.standing is Standing.DEVIATING else correct(log, record)


@_fault("log.log_file:read_lines")
def last_line_is_lost(correct, path):
    """The last line of a log is not read."""
    return iter(list(correct(path))[:-1])


@_fault("log.log_file:RunLogWriter.footer")
def footer_counts_nothing(correct, log, reason, ended=""):
    """The closing line says that there are no records."""
    log.counts = {}
    return correct(log, reason, ended)


@_fault("log.log_file:RunLogWriter.footer")
def interrupted_run_is_complete(correct, log, reason, ended=""):
    """The closing line of a run that was broken off says that it is complete."""
    return correct(log, "", ended)


@_fault("log.build_record:record_of")
def record_names_another_form(correct, check, *about):
    """Every record says that the arguments were constants."""
    return replace(correct(check, *about), form=Form.CONSTANT)


@_fault("log.build_record:not_run_record")
def not_run_is_a_pass(correct, *about):
    """A check that was never asked is recorded as passed."""
    return replace(correct(*about), verdict=Verdict.PASS)


@_fault("tensors.tensor:outputs_digest")
def digest_does_not_look_at_the_shape(correct, runs):
    """Outputs that differ in their shape have one digest."""
    return correct([[Tensor(item.dtype, (item.size,), item.data) for item in run] for run in runs])


@_fault("run.execution:TargetChunks.finish")
def lines_are_written_as_they_come(correct, chunks, number, lines):
    """Several processes mix up the order of the log."""
    for line, verdict in lines:
        chunks._log.check_line(line, chunks.target.entry.name, verdict)
        chunks.target.done += 1


@_fault("run.execution:TargetChunks.finish")
def a_chunk_that_comes_twice_is_written_twice(correct, chunks, number, lines):
    """A stalled machine that answers after all adds its lines again."""
    if number < chunks.target.done:
        for line, verdict in lines:
            chunks._log.check_line(line, chunks.target.entry.name, verdict)
    correct(chunks, number, lines)


@_fault("run.execution:TargetChunks.give_up")
def a_target_that_is_given_up_has_no_records(correct, chunks, reason):
    """The checks of a target that could not start are missing from the log."""
    chunks._waiting.clear()


@_fault("run.session:Session._outcome")
def crash_is_believed_at_once(correct, session, item):
    """A crash is recorded without asking again alone, and those after it are not asked again."""
    first = session._receive(item)
    return getattr(first, "outcome", first)


@_fault("run.target_runner:Confirmation.confirmed")
def difference_is_believed_at_once(correct, confirmation, check, record, before):
    """What a process that others had used shows is never asked again in a fresh one."""
    return record


@_fault("protocol.serve:CostMeter._has_reset_peak")
def memory_of_earlier_calls_counts(correct, meter):
    """The most memory that the process ever had is taken for that of the last call."""
    return True


@_fault("run.process:TimeLimit._sample")
def starved_worker_hangs(correct, limit):
    """A worker that gets no CPU time on a busy machine is taken for one that hangs."""


@_fault("run.process:TimeLimit.is_over_at")
def pause_counts_against_the_worker(correct, limit, now_s):
    """The time in which the engine was stopped is counted."""
    limit._ticked_s += max(0.0, now_s - limit._last_s - 0.25)
    return correct(limit, now_s)


@_fault("protocol.messages:stage_from_frame")
def stage_is_no_message(correct, frame, number):
    """A worker that tells its stage is taken for one that answers out of turn."""


@_fault("run.arena:Arena._changed")
def writes_to_inputs_are_not_looked_for(correct, arena, part):
    """The inputs that the engine put into shared memory are not read again."""
    return []


# What is made of it.


@_fault("log.summary:exit_code")
def exit_code_is_always_0(correct, summary):
    """The command always says that all is well."""
    return ExitCode.CONFORMING


@_fault("log.summary:harness_reasons")
def truncated_log_is_complete(correct, summary):
    """A run without its closing line is taken for a whole one."""
    return ()


@_fault("log.summary:Counts.where")
def unsupported_counts_as_conforming(correct, counts, column):
    """Checks without an implementation count for the framework."""
    return _with(correct(counts, column), counts, Verdict.UNSUPPORTED if column is Standing.CONFORMING else None)


@_fault("log.summary:Counts.where")
def known_counts_as_conforming(correct, counts, column):
    """Excused deviations count for the framework."""
    return _with(correct(counts, column), counts, Verdict.KNOWN if column is Standing.CONFORMING else None)


def _with(found, counts, verdict) -> Counts:
    return Counts({**found.of, **({verdict: counts.of[verdict]} if counts.of.get(verdict) else {})})


@_fault("log.summary:result_of")
def missing_records_are_not_noticed(correct, summary, target):
    """A target of which checks are missing is judged by those that are there."""
    header = replace(summary.header, planned=0)
    return correct(replace(summary, header=header), target)


NOTICED_BY: Mapping[str, str] = {
    "type_is_not_compared": "test_each_output_that_is_not_as_demanded_is_a_difference",
    "shape_is_not_compared": "test_a_difference_that_a_fresh_process_does_not_show_is_unstable_with_both",
    "numbers_are_compared_instead_of_bits": "test_negative_zero_differs_from_positive_zero",
    "numbers_need_only_be_close": "test_negative_zero_differs_from_positive_zero",
    "only_the_first_mebibyte_is_compared": "test_difference_beyond_the_first_mebibyte_is_found",
    "unused_bits_count": "test_digest_of_outputs_looks_at_type_shape_and_meaningful_bits",
    "a_meaningful_bit_is_masked": "test_mask_clears_the_high_bits_of_narrow_types_alone",
    "only_the_first_output_is_compared": "test_answer_that_follows_no_reading_is_wrong",
    "number_of_outputs_is_not_compared": "test_answer_where_all_readings_demand_a_refusal_is_wrong",
    "expected_is_what_came": "test_difference_holds_what_was_demanded_and_what_came",
    "expected_is_cut_along_the_first_axis": "test_a_type_that_one_operator_returns_unchanged_has_a_sound_way",
    "crash_is_unsupported": "test_what_is_no_answer_is_judged_alike_whatever_was_demanded",
    "time_out_passes": "test_a_death_is_the_neighbours_where_it_dies_alike",
    "instability_is_not_told": "test_what_is_no_answer_is_judged_alike_whatever_was_demanded",
    "failure_of_the_adapter_is_unsupported": "test_what_is_no_answer_is_judged_alike_whatever_was_demanded",
    "any_refusal_passes": "test_refusal_comes_too_late_after_an_answer_to_the_same_invalid_call",
    "answer_to_an_invalid_call_passes": "test_refusal_comes_too_late_after_an_answer_to_the_same_invalid_call",
    "refusal_may_cost_anything": "test_refusal_that_one_reading_demands_may_not_take_gigabytes_either",
    "disputed_case_is_always_followed": "test_answer_that_follows_no_reading_is_wrong",
    "only_the_last_call_is_judged": "test_difference_of_the_second_call_names_it",
    "only_the_first_call_is_judged": "test_difference_of_the_second_call_names_it",
    "write_to_an_input_is_not_told": "test_write_to_an_input_makes_right_outputs_a_wrong_result",
    "deviation_covers_everything": "test_acceptance_is_of_the_clause_that_is_named",
    "deviation_excuses_any_verdict": "test_wrong_values_are_excused_bit_for_bit",
    "deviation_excuses_any_wrong_values": "test_wrong_values_are_excused_bit_for_bit",
    "fixed_deviation_is_silent": "test_recorded_deviation_that_does_not_happen_is_fixed",
    "last_check_is_not_asked": "test_chosen_forms_run_where_a_case_has_them",
    "second_call_is_not_asked": "test_valid_case_has_the_usual_forms_in_which_ranks_are_known",
    "second_call_repeats_the_first": "test_run_with_another_shape_comes_between_those_of_the_case",
    "dims_are_always_known": "test_form_decides_what_the_model_knows",
    "arguments_are_always_constants": "test_form_decides_what_the_model_knows",
    "reference_refuses_nothing": "test_arguments_in_32_bits_that_the_reference_refuses_change_nothing",
    "records_of_crashes_are_lost": "test_a_target_at_another_version_is_the_same",
    "last_line_is_lost": "test_the_log_is_that_of_a_local_run",
    "footer_counts_nothing": "test_the_log_is_that_of_a_local_run",
    "interrupted_run_is_complete": "test_footer_is_the_last_line_or_none",
    "record_names_another_form": "test_a_record_names_case_form_and_target",
    "not_run_is_a_pass": "test_check_that_was_not_run_is_recorded_with_the_reason",
    "digest_does_not_look_at_the_shape": "test_digest_of_outputs_looks_at_type_shape_and_meaningful_bits",
    "lines_are_written_as_they_come": "test_lines_are_written_in_the_order_of_their_checks",
    "a_chunk_that_comes_twice_is_written_twice": "test_a_chunk_that_comes_twice_is_written_once",
    "a_target_that_is_given_up_has_no_records": "test_what_is_given_up_waits_for_the_chunks_that_still_run",
    "crash_is_believed_at_once": "test_a_death_costs_its_own_case_only",
    "difference_is_believed_at_once": "test_a_costly_refusal_that_becomes_a_death_is_unstable",
    "memory_of_earlier_calls_counts": "test_memory_of_calls_before_does_not_count_and_hides_nothing",
    "starved_worker_hangs": "test_who_gets_a_fifth_of_a_core_gets_five_times_the_limit",
    "pause_counts_against_the_worker": "test_the_limit_stands_still_while_the_engine_does",
    "stage_is_no_message": "test_a_stage_survives_the_trip",
    "writes_to_inputs_are_not_looked_for": "test_a_file_serves_where_the_system_has_none_in_memory",
    "exit_code_is_always_0": "test_a_failure_of_the_harness_goes_before_a_difference",
    "truncated_log_is_complete": "test_a_closing_line_that_counts_otherwise_is_no_pass",
    "unsupported_counts_as_conforming": "test_compared_are_conforming_deviating_and_known_checks_only",
    "known_counts_as_conforming": "test_compared_are_conforming_deviating_and_known_checks_only",
    "missing_records_are_not_noticed": "test_planned_checks_without_a_record_are_no_pass",
}
"""A fast test that notices each fault; its name is in one module of tests alone."""


def all_engine_faults() -> tuple[EngineFault, ...]:
    """Every fault of the engine, in the order of this file."""
    return tuple(_FAULTS)


def pytest_load_initial_conftests() -> None:
    """Put the fault that the environment names into the engine, before a test or a fixture is imported."""
    for fault in _FAULTS:
        if fault.name == os.environ.get(_NAME):
            _put(fault)


def place_of(fault: EngineFault) -> tuple[Any, str]:
    """The module or class that holds what a fault replaces, and its name there.

    Raises:
        AttributeError: there is no such thing.
        ImportError: there is no such module.
    """
    module_name, _, path = fault.place.partition(":")
    owner: Any = importlib.import_module(f"conformance.{module_name}")
    *parents, name = path.split(".")
    for parent in parents:
        owner = getattr(owner, parent)
    getattr(owner, name)
    return owner, name


def _put(fault: EngineFault) -> None:
    owner, name = place_of(fault)
    correct = getattr(owner, name)

    @functools.wraps(correct)
    def faulty(*arguments: Any, **options: Any) -> Any:
        try:
            return fault.function(correct, *arguments, **options)
        except (AttributeError, NameError, TypeError) as error:
            if extract_tb(error.__traceback__)[-1].filename == __file__:  # the fault is wrong, and not the engine
                os._exit(_BROKEN)
            raise

    setattr(owner, name, faulty)
    for module in [value for key, value in sys.modules.items() if key.startswith("conformance.")]:
        for other, value in list(vars(module).items()):
            if value is correct:
                setattr(module, other, faulty)
            elif isinstance(value, dict):
                value.update({key: faulty for key, entry in value.items() if entry is correct})


def node_of(test: str) -> str:
    """The node of pytest of a test, below the folder of all tests.

    Raises:
        ValueError: there is no such test, or several.
    """
    paths = [path for path in TESTS.rglob("test_*.py") if f"def {test}(" in path.read_text(encoding="utf-8")]
    if len(paths) != 1:
        raise ValueError(f"{len(paths)} modules have the test {test}")
    return f"{paths[0].relative_to(TESTS)}::{test}"


def failures(fault: EngineFault | None, tests: Sequence[str], *options: str) -> list[str]:
    """Those of these tests, as nodes of pytest, that fail where the engine has a fault, or none.

    Raises:
        RuntimeError: they could not run, or the fault does not fit the engine any more.
    """
    path = os.pathsep.join(filter(None, [str(HERE), os.environ.get("PYTHONPATH")]))
    command = [sys.executable, "-m", "pytest", "-p", "engine_faults", "-p", "no:cacheprovider", "-q", "--tb=no"]
    run = subprocess.run(
        [*command, *options, *tests],
        cwd=TESTS,
        env={**os.environ, _NAME: "" if fault is None else fault.name, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    if run.returncode not in (0, 1):
        name = "no fault" if fault is None else fault.name
        raise RuntimeError(f"{name}: pytest ended with {run.returncode}\n{run.stdout}{run.stderr}")
    return re.findall(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", run.stdout, re.MULTILINE)
