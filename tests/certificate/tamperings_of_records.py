"""Ways to tamper with single records: what came, what was made of it, and who is blamed."""

from __future__ import annotations

import base64
from copy import deepcopy
from typing import Any

from forgery import Forger, Line
from tampering import of_forger

from conformance.certificate.rules import Rule
from conformance.protocol.outcome import Cost, Crashed, Produced, RejectedOutcome, Stage, TimedOut, Unstable
from conformance.tensors.tensor import Tensor, pack_strings

Run = tuple[Tensor, ...]
_HUGE = 1 << 62


def _text(*items: bytes) -> Tensor:
    return Tensor("string", (len(items),), bytes(pack_strings(list(items), (len(items),)).data))


def _floats(*bits: int) -> Tensor:
    return Tensor("float32", (len(bits),), b"".join(item.to_bytes(4, "little") for item in bits))


def _large(forger: Forger) -> Line:
    """The record of an answer of which no run records more than a stretch."""
    return forger.answer("bait", Produced(runs=((Tensor("uint16", (600,), bytes(range(200)) * 6),) * 3,)))


def _pass(found: Line) -> None:
    found.update(verdict="pass", judged="pass")
    for name in ("cause", "explanation", "call", "where", "deviation", "differences", "interpretation"):
        found.pop(name, None)


# What a record says besides


@of_forger(Rule.VERDICTS)
def praises_a_pass_in_a_message(forger: Forger) -> None:
    forger.record("first")["message"] = "certified by the vendor"


@of_forger(Rule.VERDICTS)
def praises_a_pass_on_stderr(forger: Forger) -> None:
    forger.record("first")["stderr"] = "certified by the vendor"


@of_forger(Rule.VERDICTS)
def names_the_stage_of_a_pass(forger: Forger) -> None:
    forger.record("first")["stage"] = "running"


@of_forger(Rule.VERDICTS)
def answered_more_calls_than_it_was_asked(forger: Forger) -> None:
    forger.record("first")["answered"] = 3


@of_forger(Rule.VERDICTS)
def measured_the_cost_of_a_pass(forger: Forger) -> None:
    forger.record("first").update(cpu_ns=1, peak_bytes=1)


@of_forger(Rule.VERDICTS)
def tells_shapes_that_a_pass_does_not_tell(forger: Forger) -> None:
    forger.record("first")["inferred"] = [[2], [4]]


@of_forger(Rule.VERDICTS)
def takes_a_place_in_another_plan(forger: Forger) -> None:
    forger.record("first")["place"] = 7


@of_forger(Rule.VERDICTS)
def names_another_line_of_the_cases(forger: Forger) -> None:
    forger.record("bait")["where"] = "cases/openvino/VariadicSplit/cases.yaml:1"


@of_forger(Rule.VERDICTS)
def was_asked_with_other_data(forger: Forger) -> None:
    values = forger.record("bait")["call"]["inputs"][0]["values"][0]
    values["data"] = base64.b64encode(bytes(len(base64.b64decode(values["data"])))).decode()


@of_forger(Rule.VERDICTS)
def refuses_at_greater_length_than_is_recorded(forger: Forger) -> None:
    forger.record("too-much")["message"] = "no" * 10_000


@of_forger(Rule.VERDICTS)
def leaves_the_type_of_its_data_open(forger: Forger) -> None:
    forger.record("half")["dtype"] = ""


@of_forger(Rule.VERDICTS)
def adds_a_clause_that_it_keeps(forger: Forger) -> None:
    forger.record("first")["clauses"].append("split_lengths.sum")


@of_forger(Rule.VERDICTS)
def calls_a_pass_fixed(forger: Forger) -> None:
    forger.record("first").update(verdict="fixed", deviation="cut-too-late")


@of_forger(Rule.VERDICTS)
def gives_the_answer_of_one_call_for_three(forger: Forger) -> None:
    forger.record("first", "second-call")["outputs"] = forger.record("first")["outputs"]


@of_forger(Rule.VERDICTS)
def gives_no_digest(forger: Forger) -> None:
    del forger.record("first")["outputs"]


@of_forger(Rule.VERDICTS)
def spells_a_digest_otherwise(forger: Forger) -> None:
    found = forger.record("first")
    found["outputs"] = found["outputs"].upper()


@of_forger(Rule.VERDICTS)
def has_outputs_of_a_call_that_it_refused(forger: Forger) -> None:
    forger.record("too-much")["outputs"] = forger.record("first")["outputs"]


@of_forger(Rule.VERDICTS)
def has_outputs_of_what_it_does_not_support(forger: Forger) -> None:
    forger.record("brain").update(outputs="0" * 64, lowered="a cast", run_ns=[1])


# What came


@of_forger(Rule.VERDICTS)
def wrote_to_its_input_and_passes(forger: Forger) -> None:
    forger.record("first")["changed_inputs"] = ["data"]


@of_forger(Rule.VERDICTS)
def told_other_shapes_than_came_and_passes(forger: Forger) -> None:
    _pass(forger.answer("first", Produced(runs=forger.right("first"), inferred=((1,), (5,)))))


@of_forger(Rule.VERDICTS)
def refused_at_great_cost_and_passes(forger: Forger) -> None:
    _pass(forger.answer("too-much", RejectedOutcome(stage=Stage.RUNNING, message="no", cost=Cost(peak_bytes=8 << 30))))


@of_forger(Rule.VERDICTS)
def took_hours_to_refuse_and_follows_a_reading(forger: Forger) -> None:
    forger.record("disputed")["cpu_ns"] = 3600 * 10**9


@of_forger(Rule.VERDICTS)
def follows_a_reading_that_there_is_not(forger: Forger) -> None:
    forger.record("disputed")["interpretation"] = "as the vendor reads it"


@of_forger(Rule.VERDICTS)
def refuses_and_follows_a_reading_that_demands_an_answer(forger: Forger) -> None:
    forger.record("disputed")["interpretation"] = "spread"


@of_forger(Rule.VERDICTS)
def follows_a_reading_of_nans_with_any_digest(forger: Forger) -> None:
    found = forger.answer("nan", Produced(runs=((_floats(0x7FC00000, 0x3F800000), _floats(0x40000000)),)))
    assert found["interpretation"] == "free"
    found.update(outputs="0" * 64, differences=[])


@of_forger(Rule.VERDICTS)
def follows_a_reading_of_nans_with_another_number(forger: Forger) -> None:
    found = forger.answer("nan", Produced(runs=((_floats(0x7FC00000, 0), _floats(0x40000000)),)))
    found.update(verdict="spec ambiguous", judged="spec ambiguous", interpretation="free")
    for name in ("cause", "explanation", "call", "where"):
        del found[name]


@of_forger(Rule.VERDICTS)
def shows_a_stretch_of_the_nans_that_it_gave(forger: Forger) -> None:
    found = forger.answer("nan", Produced(runs=((_floats(0x7FC00000, 0x3F800000), _floats(0x40000000)),)))
    found["differences"][0]["actual"].update(count=1, data=base64.b64encode(bytes(4)).decode())
    found["outputs"] = "0" * 64


@of_forger(Rule.READABLE)
def died_in_a_stage_that_there_is_not(forger: Forger) -> None:
    forger.answer("bait", Crashed(death="SIGSEGV"))["stage"] = "resting"


@of_forger(Rule.VERDICTS)
def died_in_another_stage_than_its_cause_says(forger: Forger) -> None:
    forger.answer("bait", Crashed(death="SIGSEGV", stage=Stage.RUNNING))["stage"] = "releasing"


@of_forger(Rule.VERDICTS)
def died_of_a_crash_that_is_recorded_as_a_wrong_result(forger: Forger) -> None:
    forger.answer("bait", Crashed(death="SIGSEGV", stage=Stage.RUNNING)).update(verdict="known")


@of_forger(Rule.VERDICTS)
def died_and_left_outputs(forger: Forger) -> None:
    outputs = forger.record("bait")["outputs"]
    forger.answer("bait", Crashed(death="SIGSEGV", stage=Stage.RUNNING))["outputs"] = outputs


@of_forger(Rule.VERDICTS)
def was_given_more_time_than_the_header_says(forger: Forger) -> None:
    forger.answer("bait", TimedOut(limit_s=9999.0))


@of_forger(Rule.READABLE)
def was_given_no_number_of_seconds(forger: Forger) -> None:
    forger.answer("bait", TimedOut(limit_s=float("nan")))


@of_forger(Rule.VERDICTS)
def does_not_tell_how_long_it_was_given(forger: Forger) -> None:
    forger.answer("bait", TimedOut(limit_s=20.0))["explanation"] = "the machine was slow"


@of_forger(Rule.VERDICTS)
def does_not_tell_what_came_alone(forger: Forger) -> None:
    found = forger.answer("bait", Unstable(first="SIGSEGV", alone="a right answer"))
    found["explanation"] = "SIGSEGV"


@of_forger(Rule.VERDICTS)
def suspects_something_else_than_checks(forger: Forger) -> None:
    forger.answer("bait", Unstable(first="SIGSEGV", alone="a right answer"))["message"] = "cosmic rays"


@of_forger(Rule.VERDICTS)
def was_unstable_in_another_way_than_its_cause_says(forger: Forger) -> None:
    forger.answer("bait", Unstable(first="SIGSEGV", alone="a right answer"))["cause"] = "only once: a warning"


# What differs


@of_forger(Rule.VERDICTS)
def differs_in_a_run_that_was_not_asked(forger: Forger) -> None:
    forger.record("bait")["differences"][0]["run"] = 7


@of_forger(Rule.VERDICTS)
def differs_in_an_output_far_away(forger: Forger) -> None:
    forger.record("bait")["differences"][0]["output"] = _HUGE


@of_forger(Rule.VERDICTS)
def leaves_a_gap_in_its_outputs(forger: Forger) -> None:
    forger.record("bait")["differences"][0]["actual"] = None


@of_forger(Rule.VERDICTS)
def expects_what_came(forger: Forger) -> None:
    difference = forger.record("bait")["differences"][0]
    difference["expected"] = deepcopy(difference["actual"])


@of_forger(Rule.VERDICTS)
def expects_nothing(forger: Forger) -> None:
    forger.record("bait")["differences"][0]["expected"] = None


@of_forger(Rule.VERDICTS)
def tells_a_difference_twice(forger: Forger) -> None:
    differences = forger.record("bait")["differences"]
    differences.append(deepcopy(differences[0]))


@of_forger(Rule.VERDICTS)
def tells_differences_backwards(forger: Forger) -> None:
    forger.record("bait")["differences"].reverse()


@of_forger(Rule.VERDICTS)
def calls_another_shape_other_bits(forger: Forger) -> None:
    forger.record("bait")["differences"][0]["mismatch"] = "bits"


@of_forger(Rule.VERDICTS)
def invents_a_type_of_elements(forger: Forger) -> None:
    forger.record("bait")["differences"][0]["actual"]["dtype"] = "uint61"


@of_forger(Rule.VERDICTS)
def breaks_a_line_in_its_elements(forger: Forger) -> None:
    forger.record("bait")["differences"][0]["actual"]["data"] += "\n"


@of_forger(Rule.VERDICTS)
def shows_a_stretch_of_a_small_output(forger: Forger) -> None:
    found = forger.record("bait")
    found["differences"][0]["actual"].update(count=0, data="")
    found.update(cause="cosmic rays", explanation="The cable was loose.")


@of_forger(Rule.VERDICTS)
def shows_elements_before_the_first(forger: Forger) -> None:
    found = forger.record("bait")
    found["differences"][0]["actual"]["start"] = -1
    found["cause"] = "cosmic rays"


@of_forger(Rule.VERDICTS)
def shows_elements_far_behind_the_last(forger: Forger) -> None:
    found = _large(forger)
    found["differences"][0]["actual"]["start"] = found["differences"][0]["first"] = _HUGE


@of_forger(Rule.VERDICTS)
def shows_another_stretch_than_that_around_the_first_difference(forger: Forger) -> None:
    _large(forger)["differences"][0]["actual"]["start"] = 100


@of_forger(Rule.VERDICTS)
def expects_other_elements_of_a_large_output(forger: Forger) -> None:
    expected = _large(forger)["differences"][0]["expected"]
    expected["data"] = base64.b64encode(bytes(len(base64.b64decode(expected["data"])))).decode()


@of_forger(Rule.VERDICTS)
def blames_a_reading_for_a_large_output(forger: Forger) -> None:
    _large(forger)["interpretation"] = "as the vendor reads it"


@of_forger(Rule.VERDICTS)
def praises_a_large_output_in_a_message(forger: Forger) -> None:
    _large(forger)["message"] = "right within the tolerance of the vendor"


@of_forger(Rule.VERDICTS)
def calls_a_large_output_a_pass(forger: Forger) -> None:
    _pass(_large(forger))


@of_forger(Rule.VERDICTS)
def tells_no_difference_of_a_large_output(forger: Forger) -> None:
    _large(forger)["differences"] = []


@of_forger(Rule.VERDICTS)
def gives_an_output_without_elements_and_without_end(forger: Forger) -> None:
    _answer_as_recorded(forger, Tensor("uint16", (0, _HUGE), b""))


@of_forger(Rule.VERDICTS)
def gives_an_output_of_64_dimensions(forger: Forger) -> None:
    _answer_as_recorded(forger, Tensor("uint16", (1,) * 64, b"ab"))


@of_forger(Rule.VERDICTS)
def gives_strings_for_numbers(forger: Forger) -> None:
    _answer_as_recorded(forger, _text(b"a", b"\xff\xfe"))


@of_forger(Rule.VERDICTS)
def gives_strings_longer_than_their_bytes(forger: Forger) -> None:
    forger.answer("texts", Produced(runs=((_text(b"a"), _text(b"b", b"c")),)))["differences"][0]["actual"]["data"] = (
        base64.b64encode(b"\xff\xff\xff\xff").decode()
    )


@of_forger(Rule.VERDICTS)
def gives_a_long_text_and_blames_the_alphabet(forger: Forger) -> None:
    found = forger.answer("texts", Produced(runs=((_text(b"a" * 2000), _text(b"b", b"c")),)))
    _pass(found)


def _answer_as_recorded(forger: Forger, tensor: Tensor) -> None:
    """Answer with a strange tensor, and keep saying of it what was said of another."""
    kept: dict[str, Any] = {name: forger.record("bait")[name] for name in ("verdict", "cause", "deviation")}
    forger.answer("bait", Produced(runs=((tensor,) * 3,))).update(kept)


# Who is blamed


def _blames(found: Line, **control: object) -> None:
    said = {name: found[name] for name in ("outcome", "judged", "outputs", "cause", "explanation")}
    found["control"] = said | control


@of_forger(Rule.VERDICTS)
def blames_a_neighbour_that_was_not_asked(forger: Forger) -> None:
    found = forger.record("bait")
    found["verdict"] = "caused by another node"
    del found["deviation"]


@of_forger(Rule.VERDICTS)
def blames_a_neighbour_that_did_something_else(forger: Forger) -> None:
    found = forger.record("bait")
    _blames(found, outputs="0" * 64)
    found["verdict"] = "caused by another node"
    del found["deviation"]


@of_forger(Rule.VERDICTS)
def blames_a_neighbour_and_records_it(forger: Forger) -> None:
    _blames(forger.record("bait"))


@of_forger(Rule.VERDICTS)
def blames_a_neighbour_that_was_right(forger: Forger) -> None:
    found = forger.record("bait")
    _blames(found, judged="pass", cause="", explanation="")


@of_forger(Rule.VERDICTS)
def blames_a_neighbour_for_another_cause(forger: Forger) -> None:
    found = forger.record("bait")
    _blames(found, cause="cosmic rays")
    found["verdict"] = "caused by another node"
    del found["deviation"]


@of_forger(Rule.VERDICTS)
def asks_a_neighbour_about_a_pass(forger: Forger) -> None:
    found = forger.record("first")
    found["control"] = {"outcome": "produced", "judged": "pass", "outputs": found["outputs"]}


@of_forger(Rule.VERDICTS)
def blames_a_neighbour_for_an_accepted_call(forger: Forger) -> None:
    found = forger.answer("too-much", Produced(runs=((_floats(0, 0), _floats(0, 0, 0, 0)),)))
    _blames(found)
    found["verdict"] = "caused by another node"


# What a rejection rests on


@of_forger(Rule.VERDICTS)
def leaves_out_the_twin_of_a_rejection(forger: Forger) -> None:
    forger.record("too-much").pop("twin")


@of_forger(Rule.VERDICTS)
def compares_with_a_call_of_its_own(forger: Forger) -> None:
    forger.record("too-much")["twin"]["arguments"] = "split_lengths=int64[1] [6]"


@of_forger(Rule.VERDICTS)
def passes_though_its_twin_is_rejected_alike(forger: Forger) -> None:
    found = forger.record("too-much")
    found["twin"] |= {"outcome": "rejected", "stage": "preparing", "message": found["message"]}


@of_forger(Rule.VERDICTS)
def passes_though_its_twin_has_no_answer(forger: Forger) -> None:
    forger.record("too-much")["twin"]["outcome"] = "crashed"


@of_forger(Rule.VERDICTS)
def adds_a_twin_to_an_answer(forger: Forger) -> None:
    forger.record("first")["twin"] = {"arguments": "axis=0", "outcome": "produced"}


@of_forger(Rule.VERDICTS)
def has_a_twin_that_answers_in_one_record_alone(forger: Forger) -> None:
    forger.record("far-too-much")["twin"] |= {"outcome": "rejected", "stage": "preparing", "message": "something else"}
