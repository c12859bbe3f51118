"""Ways to tamper with the lines of a log: who ran what and when, what came, what was made of it, and who is blamed."""

from __future__ import annotations

import base64
from copy import deepcopy

from forgery import Forger, Line
from tampering import Edit, alter, answer, copy, drop, log, put, swap, table, update

from conformance.certificate.rules import Rule
from conformance.protocol.outcome import Cost, Crashed, Produced, RejectedOutcome, Stage, TimedOut, Unstable
from conformance.tensors.tensor import Tensor, pack_strings

_HUGE = 1 << 62
_NO_DIGEST = "0" * 64
_PROSE = "certified by the vendor"


def _more(count: int) -> Edit:
    return alter("/header/planned", lambda found: found + count)


def _renamed(name: str, **target: object) -> Edit:
    """Give the target another name, wherever the log has it."""

    def edit(forger: Forger) -> None:
        forger.target.update(target, name=name)
        for line in (*forger.records, *forger.header["deviations"]):
            line["target"] = name

    return edit


def _of_version(version: str) -> Edit:
    return _renamed(f"mixed@{version}", version=version)


# When


def _starts_at_the_review(forger: Forger) -> None:
    forger.header["started"] = forger.lines[-1]["ended"] = f"{forger.entries[0]['review']}T00:00:00+00:00"


_END_OF_TIME, _LONG_AGO = "9999-12-31T23:59:59+00:00", "2020-01-01T00:00:00+00:00"

table(
    log,
    Rule.HEADER,
    says_a_word_behind_the_day=alter("/header/started", lambda found: found[:10] + ", conformant"),
    names_a_week_for_a_time=put("/header/started", "2026-W01-1"),
    started_at_no_time=put("/header/started", ""),
    started_by_another_clock=alter("/header/started", lambda found: found.replace("+00:00", "+14:00")),
    starts_in_three_months=_starts_at_the_review,
)
table(
    log,
    Rule.HEADER,
    Rule.DEVIATIONS,
    starts_at_the_end_of_time=(put("/header/started", _END_OF_TIME), put("/closing/ended", _END_OF_TIME)),
)
table(
    log,
    Rule.DEVIATIONS,
    started_before_the_deviation_was_known=(put("/header/started", _LONG_AGO), put("/entry/review", "2020-06-01")),
)
table(
    log,
    Rule.COMPLETE,
    ended_before_it_started=put("/closing/ended", _LONG_AGO),
    ended_with_a_word=put("/closing/ended", "conformant"),
    ended_for_a_reason=put("/closing/reason", "all was right"),
    cuts_the_closing_line_off=drop("/lines/-1"),
    was_interrupted=update("/closing", complete=False, reason="interrupted by SIGINT"),
    goes_on_after_the_closing_line=copy("/lines/1", "/lines/-"),
)

# What was asked


def _asks_one_form(forger: Forger) -> None:
    forger.header["selection"]["forms"] = ["constant"]
    forger.lines[1:-1] = [line for line in forger.records if line["form"] == "constant"]
    forger.header["planned"] = len(forger.records)


def _is_a_shard(forger: Forger) -> None:
    forger.header["selection"]["shard"] = {"number": 1, "of": 2, "whole": 2 * forger.header["planned"]}


_DISPUTE = "/header/suite/disputes/onnx.Split-18~1disputed"
_QUICK = {
    "rounds": 1,
    "warm_up_ns": 50_000_000,
    "batch_ns": 500_000,
    "min_samples": 7,
    "max_samples": 200,
    "limit_ns": 100_000_000,
    "width_percent": 5.0,
    "confidence_percent": 95,
}

table(log, Rule.RELEASE, names_other_case_files=put("/header/suite/digest", _NO_DIGEST))
table(
    log,
    Rule.RELEASE,
    Rule.DERIVED,
    names_another_release=put("/header/suite/version", "9.9.9"),
    names_a_release_of_looser_rules=put("/header/suite/version", "0.1.0"),
)
table(
    log,
    Rule.WHOLE,
    asks_one_form_alone=_asks_one_form,
    plans_fewer_checks=_more(-1),
    is_a_shard=_is_a_shard,
    is_a_rerun_of_what_had_failed=put("/header/selection/rerun", "failed"),
    chose_its_cases=put("/header/selection/cases", ["*"]),
    asked_for_outputs_alone=put("/header/selection/expects", ["outputs"]),
    asked_for_a_smaller_set=put("/header/selection/sets", ["default"]),
    asked_for_one_type_alone=put("/header/selection/dtypes", ["float32"]),
)
table(log, Rule.CHALLENGE, used_a_seed_of_its_own=put("/header/selection/challenge", "mine"))
table(
    log,
    Rule.HEADER,
    softens_a_clause=put("/header/suite/operators/openvino.VariadicSplit-1/split_lengths.sum", "Anything goes."),
    names_other_files_of_an_operator=put("/header/suite/digests/onnx.Split", _NO_DIGEST),
    claims_to_have_asked_about_more_operators=put(
        "/header/suite/operators/onnx.Conv-22", {"outputs": "The outputs are right."}
    ),
    leaves_out_how_a_page_can_be_read=drop(_DISPUTE),
    invents_a_thread_that_settles_a_dispute=put(f"{_DISPUTE}/1/thread", "https://example.org/settled"),
    measured_times_beside=put("/header/timing", _QUICK),
    gave_a_check_no_time=put("/header/timeout_s", 0.0),
    ran_on_an_instruction_set_that_there_is_not=put("/target/instruction_set", "AVX1024"),
)

# Who was asked


def _mixes_two_targets(forger: Forger) -> None:
    forger.header["targets"].append({**forger.target, "name": "other@1.0"})


def _explains_missing(key: str, value: str, message: str) -> Edit:
    def edit(forger: Forger) -> None:
        for found in forger.records:
            if found[key] == value:
                found["message"] = message

    return edit


_FEWER_TYPES = put("/target/dtypes", ["float32", "float16", "bfloat16", "float64", "int64", "string"])
_NOT_DECLARED = "the adapter does not declare the form 'constant'"

table(
    log,
    Rule.TARGET,
    takes_the_name_of_another_target=_renamed("gold@1.0"),
    takes_the_adapter_of_another_target=put("/target/adapter", "openvino"),
    is_of_a_newer_version_than_its_name=put("/target/version", "1.1"),
    names_an_option_that_did_not_hold=_renamed("mixed@1.0[device=GPU]"),
    names_options_and_none_of_them=_renamed("mixed@1.0[]"),
    names_a_folder_as_its_adapter=_renamed("./reports/mine@1.0", adapter="./reports/mine"),
    names_no_adapter=_renamed("@1.0", adapter=""),
)
table(
    log,
    Rule.VERSION,
    is_of_a_branch=_of_version("main"),
    is_of_a_branch_behind_a_number=_of_version("1.0+master"),
    is_of_a_version_of_5000_digits=_of_version("1" * 5000),
    is_of_a_version_in_development=_of_version("1.0.dev1"),
    is_of_a_version_with_a_line_of_its_own=_of_version("1.0\n"),
    is_of_a_version_in_wide_digits=_of_version("\uff11.0"),
)
table(
    log,
    Rule.ONE_TARGET,
    has_no_target=put("/header/targets", []),
    mixes_two_targets=_mixes_two_targets,
    could_not_start=put("/target/problem", "no such device"),
)
table(log, Rule.DECLARED, was_not_asked_what_it_does_not_declare=put("/target/undeclared", None))
table(
    log,
    Rule.DESCRIBED,
    declares_fewer_types_afterwards=_FEWER_TYPES,
    declares_fewer_types_and_puts_down_why=(
        _FEWER_TYPES,
        _explains_missing("dtype", "uint16", "the adapter does not declare the type uint16"),
    ),
    says_that_a_failure_was_not_declared=update(
        "/lines/1",
        outcome="not declared",
        message=_NOT_DECLARED,
        explanation=_NOT_DECLARED,
        verdict="not declared by the adapter",
        judged="not declared by the adapter",
    ),
    declares_fewer_forms_afterwards=lambda forger: forger.target["forms"].remove("second-call"),
    declares_fewer_operators_afterwards=put("/target/operators", ["onnx.*"]),
    declares_a_form_less_and_keeps_its_passes=(
        lambda forger: forger.target["forms"].remove("axis-from-end"),
        _explains_missing("form", "axis-from-end", "the adapter does not declare the form 'axis-from-end'"),
    ),
)
table(
    log,
    Rule.DECLARED,
    Rule.DESCRIBED,
    does_not_tell_its_forms=put("/target/forms", None),
    does_not_tell_its_operators=put("/target/operators", None),
)
table(
    log,
    Rule.DEVIATIONS,
    tells_of_a_deviation_that_the_file_has_not=put("/header/deviations/0/what", "It is meant so."),
    tells_a_deviation_twice=copy("/header/deviations/0", "/header/deviations/-"),
    tells_of_no_deviation=put("/header/deviations", []),
    tells_that_a_deviation_is_arguable=put("/header/deviations/0/kind", "arguable"),
    tells_that_a_deviation_was_reported=put("/header/deviations/0/upstream", "https://example.org/fixed"),
)

# The records together

table(
    log,
    Rule.RECORDS,
    drops_a_record=lambda forger: forger.lines.remove(forger.record("last")),
    repeats_a_record=lambda forger: forger.lines.insert(2, deepcopy(forger.lines[1])),
    repeats_the_last_record=lambda forger: forger.lines.insert(-1, deepcopy(forger.lines[-2])),
    swaps_two_records=swap("/lines/1", "/lines/2"),
    names_another_target_in_a_record=put("/lines/1/target", "other@1.0"),
    replaces_a_check_by_an_easier_one=put("/bait/case", "openvino.VariadicSplit-1/bait-that-nobody-wrote"),
)
table(log, Rule.RECORDS, Rule.COUNTS, drops_the_last_record=drop("/lines/-2"))
table(
    log,
    Rule.COUNTS,
    counts_a_target_that_ran_nothing=put("/closing/verdicts/other@1.0", {"pass": 90}),
    counts_that_nothing_crashed=put("/closing/verdicts/mixed@1.0/crashed", 0),
    counts_more_records_than_there_are=alter("/closing/records", lambda found: found + 1),
    counts_other_verdicts_than_there_are=alter("/closing/verdicts/mixed@1.0/pass", lambda found: found + 1),
)
table(
    log,
    Rule.JUDGED,
    leaves_a_check_unasked=update("/first", outcome="not run", verdict="not run", judged="not run"),
    blames_the_harness=update("/first", outcome="failed", verdict="harness error", judged="harness error"),
)
table(log, Rule.ASKED, Rule.VERDICTS, takes_an_answer_over=put("/first/reused", "2026-01-02T03:04:05+00:00"))
table(
    log,
    Rule.READABLE,
    invents_an_outcome=put("/first/outcome", "excellent"),
    died_in_a_stage_that_there_is_not=answer("bait", Crashed(death="SIGSEGV"), stage="resting"),
    was_given_no_number_of_seconds=answer("bait", TimedOut(limit_s=float("nan"))),
)

# What a record says besides


def _zeros(data: str) -> str:
    return base64.b64encode(bytes(len(base64.b64decode(data)))).decode()


def _answered_too_often(forger: Forger) -> None:
    next(line for line in forger.records if line["outcome"] == "rejected")["answered"] = 99


table(
    log,
    Rule.VERDICTS,
    praises_a_pass_in_a_message=put("/first/message", _PROSE),
    praises_a_pass_on_stderr=put("/first/stderr", _PROSE),
    names_the_stage_of_a_pass=put("/first/stage", "running"),
    answered_more_calls_than_it_was_asked=put("/first/answered", 3),
    was_refused_after_more_calls_than_there_were=_answered_too_often,
    measured_the_cost_of_a_pass=update("/first", cpu_ns=1, peak_bytes=1),
    tells_shapes_that_a_pass_does_not_tell=put("/first/inferred", [[2], [4]]),
    takes_a_place_in_another_plan=put("/first/place", 7),
    names_another_line_of_the_cases=put("/bait/where", "cases/openvino/VariadicSplit/cases.yaml:1"),
    was_asked_with_other_data=alter("/bait/call/inputs/0/values/0/data", _zeros),
    refuses_at_greater_length_than_is_recorded=put("/too-much/message", "no" * 10_000),
    leaves_the_type_of_its_data_open=put("/half/dtype", ""),
    hides_the_type=put("/half/dtype", "uint16"),
    hides_the_clauses=put("/first/clauses", []),
    adds_a_clause_that_it_keeps=put("/first/clauses/-", "split_lengths.sum"),
    edits_a_digest=put("/first/outputs", _NO_DIGEST),
    swaps_the_answers_of_two_checks=swap("/first/outputs", "/last/outputs"),
    gives_the_answer_of_one_call_for_three=copy("/first/outputs", "/first@second-call/outputs"),
    gives_no_digest=drop("/first/outputs"),
    spells_a_digest_otherwise=alter("/first/outputs", str.upper),
    has_outputs_of_a_call_that_it_refused=copy("/first/outputs", "/too-much/outputs"),
    has_outputs_of_what_it_does_not_support=update("/brain", outputs=_NO_DIGEST, lowered="a cast", run_ns=[1]),
)

# What came


def _text(*items: bytes) -> Tensor:
    return Tensor("string", (len(items),), bytes(pack_strings(list(items), (len(items),)).data))


def _floats(*bits: int) -> Tensor:
    return Tensor("float32", (len(bits),), b"".join(item.to_bytes(4, "little") for item in bits))


def _produces(case: str, *outputs: Tensor, **then: object) -> Edit:
    return answer(case, Produced(runs=(outputs,)), **then)


_TRACES = ("cause", "explanation", "call", "where", "deviation", "differences", "interpretation")


def _without(case: str, *fields: str) -> Edit:
    def edit(forger: Forger) -> None:
        for field in fields:
            forger[case].pop(field, None)

    return edit


def _passes(case: str) -> tuple[Edit, ...]:
    """Call it a pass, and leave no trace of what came."""
    return update(f"/{case}", verdict="pass", judged="pass"), _without(case, *_TRACES)


def _infers_other_shapes(forger: Forger) -> None:
    forger.answer("first", Produced(runs=forger.right("first"), inferred=((1,), (5,))))


def _dies(*kept: str, **then: object) -> Edit:
    return answer("bait", Crashed(death="SIGSEGV", stage=Stage.RUNNING), *kept, **then)


def _is_unstable(**then: object) -> Edit:
    return answer("bait", Unstable(first="SIGSEGV", alone="a right answer"), **then)


_NAN = (_floats(0x7FC00000, 0x3F800000), _floats(0x40000000))

table(
    log,
    Rule.VERDICTS,
    calls_a_wrong_result_a_pass=update("/bait", verdict="pass", judged="pass"),
    calls_a_wrong_result_a_pass_and_leaves_no_trace=_passes("bait"),
    calls_a_pass_fixed=update("/first", verdict="fixed", deviation="cut-too-late"),
    calls_a_failure_known_without_a_deviation=update(
        "/last", verdict="known", judged="wrong result", deviation="cut-too-late"
    ),
    covers_a_failure_with_another_deviation=put("/bait/deviation", "some-other"),
    calls_a_refusal_of_a_valid_call_a_pass=(
        update("/first", outcome="rejected", stage="running", message="no"),
        drop("/first/outputs"),
    ),
    calls_an_answer_to_an_invalid_call_a_pass=update("/too-much", outcome="produced", outputs=_NO_DIGEST),
    calls_a_crash_a_pass=put("/too-much/outcome", "crashed"),
    calls_what_is_unsupported_a_pass=update("/brain", verdict="pass", judged="pass"),
    wrote_to_its_input_and_passes=put("/first/changed_inputs", ["data"]),
    told_other_shapes_than_came_and_passes=(_infers_other_shapes, *_passes("first")),
    refused_at_great_cost_and_passes=(
        answer("too-much", RejectedOutcome(stage=Stage.RUNNING, message="no", cost=Cost(peak_bytes=8 << 30))),
        *_passes("too-much"),
    ),
    calls_a_disputed_answer_a_pass=update("/disputed", verdict="pass", judged="pass"),
    took_hours_to_refuse_and_follows_a_reading=put("/disputed/cpu_ns", 3600 * 10**9),
    follows_a_reading_that_there_is_not=put("/disputed/interpretation", "as the vendor reads it"),
    follows_a_reading_whose_answer_it_did_not_give=put("/disputed/interpretation", "spread"),
    refuses_and_follows_a_reading_that_demands_an_answer=put("/disputed/interpretation", "spread"),
    follows_a_reading_of_nans_with_any_digest=_produces("nan", *_NAN, outputs=_NO_DIGEST, differences=[]),
    follows_a_reading_of_nans_with_another_number=(
        _produces("nan", _floats(0x7FC00000, 0), _floats(0x40000000)),
        update("/nan", verdict="spec ambiguous", judged="spec ambiguous", interpretation="free"),
        _without("nan", "cause", "explanation", "call", "where"),
    ),
    shows_a_stretch_of_the_nans_that_it_gave=(
        _produces("nan", *_NAN, outputs=_NO_DIGEST),
        update("/nan/differences/0/actual", count=1, data=base64.b64encode(bytes(4)).decode()),
    ),
    died_in_another_stage_than_its_cause_says=_dies(stage="releasing"),
    died_of_a_crash_that_is_recorded_as_a_wrong_result=_dies(verdict="known"),
    died_and_left_outputs=_dies("outputs"),
    was_given_more_time_than_the_header_says=answer("bait", TimedOut(limit_s=9999.0)),
    does_not_tell_how_long_it_was_given=answer("bait", TimedOut(limit_s=20.0), explanation="the machine was slow"),
    does_not_tell_what_came_alone=_is_unstable(explanation="SIGSEGV"),
    suspects_something_else_than_checks=_is_unstable(message="cosmic rays"),
    was_unstable_in_another_way_than_its_cause_says=_is_unstable(cause="only once: a warning"),
)

# What differs


def _answers_strangely(tensor: Tensor) -> Edit:
    """Answer with a strange tensor, and keep saying of it what was said of another."""
    return answer("bait", Produced(runs=((tensor,) * 3,)), "verdict", "cause", "deviation")


_LARGE = answer("bait", Produced(runs=((Tensor("uint16", (600,), bytes(range(200)) * 6),) * 3,)))
"""An answer of which no run records more than a stretch."""
_DIFFERENCE, _ACTUAL = "/bait/differences/0", "/bait/differences/0/actual"

table(
    log,
    Rule.VERDICTS,
    edits_what_differs=put(f"{_DIFFERENCE}/differing", 1),
    edits_the_recorded_values=alter(f"{_ACTUAL}/data", lambda found: "AAAA" + found[4:]),
    claims_a_tensor_of_terabytes=update(_ACTUAL, shape=[1 << 31, 1 << 31], count=1 << 62),
    differs_in_a_run_that_was_not_asked=put(f"{_DIFFERENCE}/run", 7),
    differs_in_an_output_far_away=put(f"{_DIFFERENCE}/output", _HUGE),
    leaves_a_gap_in_its_outputs=put(_ACTUAL, None),
    expects_what_came=copy(_ACTUAL, f"{_DIFFERENCE}/expected"),
    expects_nothing=put(f"{_DIFFERENCE}/expected", None),
    tells_a_difference_twice=copy(_DIFFERENCE, "/bait/differences/-"),
    tells_differences_backwards=alter("/bait/differences", lambda found: found[::-1]),
    calls_another_shape_other_bits=put(f"{_DIFFERENCE}/mismatch", "bits"),
    invents_a_type_of_elements=put(f"{_ACTUAL}/dtype", "uint61"),
    breaks_a_line_in_its_elements=alter(f"{_ACTUAL}/data", lambda found: found + "\n"),
    shows_a_stretch_of_a_small_output=(
        update(_ACTUAL, count=0, data=""),
        update("/bait", cause="cosmic rays", explanation="The cable was loose."),
    ),
    shows_elements_before_the_first=(put(f"{_ACTUAL}/start", -1), put("/bait/cause", "cosmic rays")),
    shows_elements_far_behind_the_last=(
        _LARGE,
        put(f"{_ACTUAL}/start", _HUGE),
        put(f"{_DIFFERENCE}/first", _HUGE),
    ),
    shows_another_stretch_than_that_around_the_first_difference=(_LARGE, put(f"{_ACTUAL}/start", 100)),
    expects_other_elements_of_a_large_output=(_LARGE, alter(f"{_DIFFERENCE}/expected/data", _zeros)),
    blames_a_reading_for_a_large_output=(_LARGE, put("/bait/interpretation", "as the vendor reads it")),
    praises_a_large_output_in_a_message=(_LARGE, put("/bait/message", "right within the tolerance of the vendor")),
    calls_a_large_output_a_pass=(_LARGE, *_passes("bait")),
    tells_no_difference_of_a_large_output=(_LARGE, put("/bait/differences", [])),
    gives_an_output_without_elements_and_without_end=_answers_strangely(Tensor("uint16", (0, _HUGE), b"")),
    gives_an_output_of_64_dimensions=_answers_strangely(Tensor("uint16", (1,) * 64, b"ab")),
    gives_strings_for_numbers=_answers_strangely(_text(b"a", b"\xff\xfe")),
    gives_strings_longer_than_their_bytes=(
        _produces("texts", _text(b"a"), _text(b"b", b"c")),
        put("/texts/differences/0/actual/data", base64.b64encode(b"\xff\xff\xff\xff").decode()),
    ),
    gives_a_long_text_and_blames_the_alphabet=(
        _produces("texts", _text(b"a" * 2000), _text(b"b", b"c")),
        *_passes("texts"),
    ),
    blames_another_cause=put("/bait/cause", "cosmic rays"),
)

# Who is blamed


def _control(case: str, **control: object) -> Edit:
    """Let another node alone have done the same, but for what is given."""

    def edit(forger: Forger) -> None:
        found: Line = forger[case]
        said = {name: found[name] for name in ("outcome", "judged", "outputs", "cause", "explanation")}
        found["control"] = said | control

    return edit


_ANOTHER_NODE = "caused by another node"
_BLAMED = (put("/bait/verdict", _ANOTHER_NODE), drop("/bait/deviation"))

table(
    log,
    Rule.VERDICTS,
    blames_a_neighbour_that_was_not_asked=_BLAMED,
    blames_a_neighbour_that_did_something_else=(_control("bait", outputs=_NO_DIGEST), *_BLAMED),
    blames_a_neighbour_and_records_it=_control("bait"),
    blames_a_neighbour_that_was_right=_control("bait", judged="pass", cause="", explanation=""),
    blames_a_neighbour_for_another_cause=(_control("bait", cause="cosmic rays"), *_BLAMED),
    asks_a_neighbour_about_a_pass=(
        put("/first/control", {"outcome": "produced", "judged": "pass"}),
        copy("/first/outputs", "/first/control/outputs"),
    ),
    blames_a_neighbour_for_an_accepted_call=(
        _produces("too-much", _floats(0, 0), _floats(0, 0, 0, 0)),
        _control("too-much"),
        put("/too-much/verdict", _ANOTHER_NODE),
    ),
)

# What a rejection rests on

table(
    log,
    Rule.VERDICTS,
    leaves_out_the_twin_of_a_rejection=drop("/too-much/twin"),
    compares_with_a_call_of_its_own=put("/too-much/twin/arguments", "split_lengths=int64[1] [6]"),
    passes_though_its_twin_is_rejected_alike=(
        update("/too-much/twin", outcome="rejected", stage="preparing"),
        copy("/too-much/message", "/too-much/twin/message"),
    ),
    passes_though_its_twin_has_no_answer=put("/too-much/twin/outcome", "crashed"),
    adds_a_twin_to_an_answer=put("/first/twin", {"arguments": "axis=0", "outcome": "produced"}),
    has_a_twin_that_answers_in_one_record_alone=update(
        "/far-too-much/twin", outcome="rejected", stage="preparing", message="something else"
    ),
)
