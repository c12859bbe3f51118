"""Ways to tamper with the first and the last line of a log: who ran what, where and when."""

from __future__ import annotations

from copy import deepcopy

from forgery import Forger
from pydantic import TypeAdapter
from tampering import of_forger

from conformance.certificate.rules import Rule
from conformance.protocol.outcome import Effort
from conformance.run.dispatch import EFFORTS, TimingMode
from conformance.spec.verdict import Verdict


def _renamed(forger: Forger, name: str, **target: object) -> None:
    forger.target.update(target, name=name)
    for line in (*forger.records, *forger.header["deviations"]):
        line["target"] = name


# When


@of_forger(Rule.HEADER)
def says_a_word_behind_the_day(forger: Forger) -> None:
    forger.header["started"] = forger.header["started"][:10] + ", conformant"


@of_forger(Rule.HEADER)
def names_a_week_for_a_time(forger: Forger) -> None:
    forger.header["started"] = "2026-W01-1"


@of_forger(Rule.HEADER)
def started_at_no_time(forger: Forger) -> None:
    forger.header["started"] = ""


@of_forger(Rule.HEADER)
def started_by_another_clock(forger: Forger) -> None:
    forger.header["started"] = forger.header["started"].replace("+00:00", "+14:00")


@of_forger(Rule.HEADER, Rule.DEVIATIONS)
def starts_at_the_end_of_time(forger: Forger) -> None:
    forger.header["started"] = forger.lines[-1]["ended"] = "9999-12-31T23:59:59+00:00"


@of_forger(Rule.HEADER)
def starts_in_three_months(forger: Forger) -> None:
    (entry,) = forger.entries
    forger.header["started"] = forger.lines[-1]["ended"] = f"{entry['review']}T00:00:00+00:00"


@of_forger(Rule.DEVIATIONS)
def started_before_the_deviation_was_known(forger: Forger) -> None:
    forger.header["started"] = "2020-01-01T00:00:00+00:00"
    forger.entries[0]["review"] = "2020-06-01"


@of_forger(Rule.COMPLETE)
def ended_before_it_started(forger: Forger) -> None:
    forger.lines[-1]["ended"] = "2020-01-01T00:00:00+00:00"


@of_forger(Rule.COMPLETE)
def ended_with_a_word(forger: Forger) -> None:
    forger.lines[-1]["ended"] = "conformant"


@of_forger(Rule.COMPLETE)
def ended_for_a_reason(forger: Forger) -> None:
    forger.lines[-1]["reason"] = "all was right"


# What


@of_forger(Rule.WHOLE)
def is_a_shard(forger: Forger) -> None:
    forger.header["selection"]["shard"] = {"number": 1, "of": 2, "whole": 2 * forger.header["planned"]}


@of_forger(Rule.WHOLE)
def is_a_rerun_of_what_had_failed(forger: Forger) -> None:
    forger.header["selection"]["rerun"] = "failed"


@of_forger(Rule.WHOLE)
def chose_its_cases(forger: Forger) -> None:
    forger.header["selection"]["cases"] = ["*"]


@of_forger(Rule.WHOLE)
def asked_for_outputs_alone(forger: Forger) -> None:
    forger.header["selection"]["expects"] = ["outputs"]


@of_forger(Rule.WHOLE)
def asked_for_a_smaller_set(forger: Forger) -> None:
    forger.header["selection"]["sets"] = ["default"]


@of_forger(Rule.WHOLE)
def asked_for_one_type_alone(forger: Forger) -> None:
    forger.header["selection"]["dtypes"] = ["float32"]


@of_forger(Rule.HEADER)
def names_other_files_of_an_operator(forger: Forger) -> None:
    forger.header["suite"]["digests"]["onnx.Split"] = "0" * 64


@of_forger(Rule.HEADER)
def claims_to_have_asked_about_more_operators(forger: Forger) -> None:
    forger.header["suite"]["operators"]["onnx.Conv-22"] = {"outputs": "The outputs are right."}


@of_forger(Rule.HEADER)
def leaves_out_how_a_page_can_be_read(forger: Forger) -> None:
    del forger.header["suite"]["disputes"]["onnx.Split-18/disputed"]


@of_forger(Rule.HEADER)
def invents_a_thread_that_settles_a_dispute(forger: Forger) -> None:
    forger.header["suite"]["disputes"]["onnx.Split-18/disputed"][1]["thread"] = "https://example.org/settled"


@of_forger(Rule.HEADER)
def measured_times_beside(forger: Forger) -> None:
    forger.header["timing"] = TypeAdapter(Effort).dump_python(EFFORTS[TimingMode.QUICK], mode="json")


@of_forger(Rule.HEADER)
def gave_a_check_no_time(forger: Forger) -> None:
    forger.header["timeout_s"] = 0.0


@of_forger(Rule.COUNTS)
def counts_a_target_that_ran_nothing(forger: Forger) -> None:
    forger.lines[-1]["verdicts"]["other@1.0"] = {"pass": 90}


@of_forger(Rule.COUNTS)
def counts_that_nothing_crashed(forger: Forger) -> None:
    forger.lines[-1]["verdicts"]["mixed@1.0"]["crashed"] = 0


# Who


@of_forger(Rule.TARGET)
def takes_the_name_of_another_target(forger: Forger) -> None:
    _renamed(forger, "gold@1.0")


@of_forger(Rule.TARGET)
def takes_the_adapter_of_another_target(forger: Forger) -> None:
    forger.target["adapter"] = "openvino"


@of_forger(Rule.TARGET)
def is_of_a_newer_version_than_its_name(forger: Forger) -> None:
    forger.target["version"] = "1.1"


@of_forger(Rule.TARGET)
def names_an_option_that_did_not_hold(forger: Forger) -> None:
    _renamed(forger, "mixed@1.0[device=GPU]")


@of_forger(Rule.TARGET)
def names_options_and_none_of_them(forger: Forger) -> None:
    _renamed(forger, "mixed@1.0[]")


@of_forger(Rule.TARGET)
def names_a_folder_as_its_adapter(forger: Forger) -> None:
    _renamed(forger, "./reports/mine@1.0", adapter="./reports/mine")


@of_forger(Rule.TARGET)
def names_no_adapter(forger: Forger) -> None:
    _renamed(forger, "@1.0", adapter="")


@of_forger(Rule.VERSION)
def is_of_a_version_of_5000_digits(forger: Forger) -> None:
    _renamed(forger, "mixed@" + "1" * 5000, version="1" * 5000)


@of_forger(Rule.VERSION)
def is_of_a_version_in_development(forger: Forger) -> None:
    _renamed(forger, "mixed@1.0.dev1", version="1.0.dev1")


@of_forger(Rule.VERSION)
def is_of_a_version_with_a_line_of_its_own(forger: Forger) -> None:
    _renamed(forger, "mixed@1.0\n", version="1.0\n")


@of_forger(Rule.VERSION)
def is_of_a_version_in_wide_digits(forger: Forger) -> None:
    _renamed(forger, "mixed@\uff11.0", version="\uff11.0")


@of_forger(Rule.HEADER)
def ran_on_an_instruction_set_that_there_is_not(forger: Forger) -> None:
    forger.target["instruction_set"] = "AVX1024"


@of_forger(Rule.ONE_TARGET)
def has_no_target(forger: Forger) -> None:
    forger.header["targets"] = []


def _declare_fewer_types(forger: Forger) -> None:
    forger.target["dtypes"] = ["float32", "float16", "bfloat16", "float64", "int64", "string"]


@of_forger(Rule.DESCRIBED)
def declares_fewer_types_afterwards(forger: Forger) -> None:
    _declare_fewer_types(forger)


@of_forger(Rule.DESCRIBED)
def declares_fewer_types_and_puts_down_why(forger: Forger) -> None:
    _declare_fewer_types(forger)
    for record in forger.records:
        if record["dtype"] == "uint16":
            record["message"] = "the adapter does not declare the type uint16"


@of_forger(Rule.DESCRIBED)
def says_that_a_failure_was_not_declared(forger: Forger) -> None:
    reason = "the adapter does not declare the form 'constant'"
    forger.records[0] |= {"outcome": "not declared", "message": reason, "explanation": reason}
    forger.records[0] |= dict.fromkeys(("verdict", "judged"), Verdict.NOT_DECLARED.value)


@of_forger(Rule.DESCRIBED)
def declares_fewer_forms_afterwards(forger: Forger) -> None:
    forger.target["forms"].remove("second-call")


@of_forger(Rule.DESCRIBED)
def declares_fewer_operators_afterwards(forger: Forger) -> None:
    forger.target["operators"] = ["onnx.*"]


@of_forger(Rule.DESCRIBED)
def declares_a_form_less_and_keeps_its_passes(forger: Forger) -> None:
    forger.target["forms"].remove("axis-from-end")
    for record in forger.records:
        if record["form"] == "axis-from-end":
            record["message"] = "the adapter does not declare the form 'axis-from-end'"


@of_forger(Rule.DECLARED, Rule.DESCRIBED)
def does_not_tell_its_forms(forger: Forger) -> None:
    forger.target["forms"] = None


@of_forger(Rule.DECLARED, Rule.DESCRIBED)
def does_not_tell_its_operators(forger: Forger) -> None:
    forger.target["operators"] = None


# What is recorded of it


@of_forger(Rule.DEVIATIONS)
def tells_a_deviation_twice(forger: Forger) -> None:
    forger.header["deviations"].append(deepcopy(forger.header["deviations"][0]))


@of_forger(Rule.DEVIATIONS)
def tells_of_no_deviation(forger: Forger) -> None:
    forger.header["deviations"] = []


@of_forger(Rule.DEVIATIONS)
def tells_that_a_deviation_is_arguable(forger: Forger) -> None:
    forger.header["deviations"][0]["kind"] = "arguable"


@of_forger(Rule.DEVIATIONS)
def tells_that_a_deviation_was_reported(forger: Forger) -> None:
    forger.header["deviations"][0]["upstream"] = "https://example.org/fixed"
