"""Ways to record more than somebody looked at, so that what fails counts as known."""

from __future__ import annotations

from collections.abc import Iterable
from copy import deepcopy
from pathlib import Path

import yaml
from forgery import Forger, edit_text
from tampering import of_deviations, of_forger

from conformance.certificate.certificate_file import document_bytes
from conformance.certificate.rules import Rule
from conformance.protocol.outcome import Crashed, RejectedOutcome, Stage, TimedOut

_REFUSED = {
    "verdict": "rejected a valid call",
    "messages": ["no*kernel"],
    "clauses": ["outputs"],
    "forms": ["constant"],
}


def _another(forger: Forger, **said: object) -> None:
    """Record another deviation, of the case `half` unless it is said otherwise."""
    entry = {**deepcopy(forger.entries[0]), "id": "another", "when": "data_type == 'float16'", **said}
    if "values" not in said:
        entry.pop("values")
    forger.entries.append(entry)


def _cover_all(forger: Forger, when: str = "True") -> None:
    """Let an entry cover every check of its operator that is to be answered, whatever comes."""
    (entry,) = forger.entries
    del entry["values"]
    entry.update(when=when, memory="reads", happens="sometimes", depends_on="what lies there")
    for found in forger.records:
        if found["case"].startswith("openvino.") and not found["case"].endswith("too-much"):
            found["deviation"] = entry["id"]


# More than somebody looked at


@of_forger(Rule.EXACT)
def records_every_case(forger: Forger) -> None:
    _cover_all(forger)


@of_forger(Rule.EXACT)
def records_every_case_by_a_comparison_of_numbers(forger: Forger) -> None:
    _cover_all(forger, "1 < 2")


@of_forger(Rule.EXACT)
def records_every_case_and_names_all_forms(forger: Forger) -> None:
    _cover_all(forger)
    forger.entries[0]["forms"] = [form for form in forger.target["forms"] if form != "as-in-the-model"]


@of_forger(Rule.EXACT)
def records_every_case_and_names_all_clauses(forger: Forger) -> None:
    _cover_all(forger)
    forger.entries[0]["clauses"] = ["outputs", "split_lengths.sum"]


@of_forger(Rule.EXACT)
def records_every_operator(forger: Forger) -> None:
    forger.entries[0]["operators"] = ["*"]


@of_forger(Rule.EXACT)
def records_every_version_of_an_operator(forger: Forger) -> None:
    forger.entries[0]["operators"] = ["*-?"]


@of_forger(Rule.EXACT)
def records_an_operator_that_there_is_not(forger: Forger) -> None:
    forger.entries[0]["operators"].append("openvino.VariadicSplit-2")


@of_forger(Rule.EXACT)
def records_every_refusal(forger: Forger) -> None:
    _another(forger, **_REFUSED | {"messages": ["*"]})
    assert forger.answer("half", RejectedOutcome(stage=Stage.RUNNING, message="no kernel"))["verdict"] == "known"


@of_forger(Rule.EXACT)
def records_every_refusal_that_says_something(forger: Forger) -> None:
    _another(forger, **_REFUSED | {"messages": ["no*kernel", "??*"]})
    forger.answer("half", RejectedOutcome(stage=Stage.RUNNING, message="no kernel"))


# What does not hold


@of_forger(Rule.DEVIATIONS)
def speaks_of_another_device(forger: Forger) -> None:
    forger.entries[0]["where"]["device"] = "GPU"


@of_forger(Rule.DEVIATIONS)
def speaks_of_another_system(forger: Forger) -> None:
    forger.entries[0]["where"]["system"] = "Windows"


@of_forger(Rule.DEVIATIONS)
def speaks_of_other_options(forger: Forger) -> None:
    forger.entries[0]["where"]["options"] = {"threads": "1"}


@of_forger(Rule.DEVIATIONS)
def speaks_of_an_instruction_set_that_is_not_told(forger: Forger) -> None:
    forger.entries[0]["where"]["isa"] = "<AVX512_CORE"


@of_forger(Rule.DEVIATIONS)
def is_recorded_after_the_run(forger: Forger) -> None:
    forger.entries[0]["since"] = forger.entries[0]["review"]


@of_forger(Rule.DEVIATIONS)
def was_met_by_no_check(forger: Forger) -> None:
    _another(forger, verdict="timed out", when="data_type == 'uint16'")


@of_forger(Rule.VERDICTS)
def leaves_out_the_case_that_deviates(forger: Forger) -> None:
    forger.entries[0]["when"] = "not data_type == 'uint16'"


# What is recorded as something else


@of_forger(Rule.VERDICTS)
def records_a_hang_as_a_crash(forger: Forger) -> None:
    _another(forger, verdict="crashed", deaths=["SIGSEGV"], stages=["running"])
    forger.answer("half", Crashed(death="SIGSEGV", stage=Stage.RUNNING))
    forger.answer("last", TimedOut(limit_s=20.0)).update(verdict="known", deviation="another")


@of_forger(Rule.VERDICTS)
def records_a_crash_of_another_signal(forger: Forger) -> None:
    _another(forger, verdict="crashed", deaths=["SIGABRT"], stages=["running"])
    forger.answer("half", Crashed(death="SIGSEGV", stage=Stage.RUNNING)).update(verdict="known", deviation="another")


@of_forger(Rule.VERDICTS)
def records_a_refusal_with_other_words(forger: Forger) -> None:
    _another(forger, **_REFUSED)
    forger.answer("half", RejectedOutcome(stage=Stage.RUNNING, message="out of memory")).update(verdict="known")


@of_forger(Rule.VERDICTS)
def records_what_comes_of_another_fault(forger: Forger) -> None:
    forger.entries[0]["values"] = ["outputs reversed"]


@of_forger(Rule.VERDICTS)
def records_what_happens_in_another_form(forger: Forger) -> None:
    forger.entries[0]["forms"] = ["runtime"]


@of_forger(Rule.VERDICTS)
def credits_the_second_of_two_entries(forger: Forger) -> None:
    _another(forger, when="data_type == 'uint16'", values=["equal parts"])
    forger.record("bait")["deviation"] = "another"


# What is no entry


@of_deviations(Rule.READABLE)
def records_a_pass(path: Path) -> None:
    edit_text(path, "- wrong result", "- pass")


@of_deviations(Rule.READABLE)
def records_errors_of_the_harness(path: Path) -> None:
    edit_text(path, "- wrong result", "- harness error")


@of_deviations(Rule.READABLE)
def records_wrong_results_without_saying_which(path: Path) -> None:
    edit_text(path, "  values:\n  - equal parts\n", "")


@of_deviations(Rule.READABLE)
def records_crashes_without_saying_which(path: Path) -> None:
    edit_text(path, "- wrong result", "- crashed")


@of_deviations(Rule.READABLE)
def happens_sometimes_and_does_not_say_on_what_it_depends(path: Path) -> None:
    edit_text(path, "happens: always", "happens: sometimes")


@of_deviations(Rule.READABLE)
def records_two_entries_of_one_name(path: Path) -> None:
    text = path.read_text()
    path.write_text(text + text.partition("deviations:\n")[2])


@of_deviations(Rule.READABLE)
def names_an_instruction_set_that_there_is_not(path: Path) -> None:
    edit_text(path, "  where:\n", '  where:\n    isa: "<AVX1024"\n')


@of_deviations(Rule.READABLE)
def writes_a_second_document(path: Path) -> None:
    path.write_text(path.read_text() + "---\ndeviations: []\n")


@of_deviations(Rule.READABLE)
def says_twice_what_happens(path: Path) -> None:
    edit_text(path, "  happens: always\n", "  happens: always\n  happens: sometimes\n")


@of_deviations(Rule.READABLE)
def is_to_be_reviewed_at_leisure(path: Path) -> None:
    text = path.read_text()
    path.write_text(text[: text.index("review:")] + "review: some day\n  reproducer: adapter.py\n")


@of_deviations(Rule.READABLE)
def names_a_case(path: Path) -> None:
    edit_text(path, "  when:", "  cases: [openvino.VariadicSplit-1/bait]\n  when:")


@of_deviations(Rule.READABLE)
def names_a_function_20000_times(path: Path) -> None:
    edit_text(path, "  values:\n", "  values:\n" + "  - equal parts\n" * 20_000)


# What takes too long


def _longer(told: str, key: str, names: Iterable[str]) -> None:
    def lengthen(path: Path) -> None:
        said = yaml.safe_load(path.read_bytes())
        entry = said["deviations"][0]
        entry[key] = [*entry.get(key, ()), *names]
        path.write_bytes(document_bytes(said))

    lengthen.__name__ = told
    of_deviations(Rule.SIZE)(lengthen)


_longer("names_20000_clauses", "clauses", [f"clause-{number}" for number in range(20_000)])
_longer("names_20000_operators", "operators", [f"onnx.Split-{number}" for number in range(20_000)])
_longer("names_messages_by_many_stars", "messages", ["*a" * 60 + f"{number}" for number in range(2)])
_longer("names_20000_deaths", "deaths", [f"SIG{number}" for number in range(20_000)])
_longer("computes_a_function_20000_times_in_turn", "values", [" + ".join(["equal parts"] * 20_000)])
_longer("computes_many_functions", "values", [" + ".join(["equal parts"] * number) for number in range(2, 10)])


@of_deviations(Rule.SIZE)
def says_at_length_which_calls_deviate(path: Path) -> None:
    said = yaml.safe_load(path.read_bytes())
    (entry,) = said["deviations"]
    entry["when"] += f" or declared in [{'7, ' * 290}7]"
    said["deviations"] = [{**entry, "id": f"entry-{number}"} for number in range(10)]
    path.write_bytes(document_bytes(said))


@of_deviations(Rule.SIZE, Rule.DEVIATIONS)
def asks_of_each_call_what_takes_hours(path: Path) -> None:
    said = yaml.safe_load(path.read_bytes())
    (entry,) = said["deviations"]
    entry["when"] += (
        " or sum([product(range(65536)) for x in range(65536)]) > sum([max(range(65536)) for x in range(9)])"
    )
    said["deviations"] = [{**entry, "id": f"entry-{number}"} for number in range(30)]
    path.write_bytes(document_bytes(said))


@of_deviations(Rule.SIZE)
def has_more_entries_than_a_run_meets(path: Path) -> None:
    said = yaml.safe_load(path.read_bytes())
    said["deviations"] = [{**said["deviations"][0], "id": f"entry-{number}"} for number in range(1000)]
    path.write_bytes(document_bytes(said))


@of_deviations(Rule.SIZE)
def has_more_entries_of_an_operator_than_a_run_meets(path: Path) -> None:
    said = yaml.safe_load(path.read_bytes())
    said["deviations"] = [{**said["deviations"][0], "id": f"entry-{number}"} for number in range(101)]
    path.write_bytes(document_bytes(said))


@of_deviations(Rule.SIZE)
def is_longer_than_anybody_reads(path: Path) -> None:
    said = yaml.safe_load(path.read_bytes())
    said["deviations"][0]["why"] = "because " * 200_000
    path.write_bytes(document_bytes(said))


# What shows it


@of_forger(Rule.REPRODUCERS)
def shows_two_deviations_by_one_name(forger: Forger) -> None:
    exact = {"forms": ["constant"], "verdict": "crashed", "deaths": ["SIGSEGV"], "stages": ["running"]}
    _another(forger, **exact, reproducer="more/adapter.py")
    forger.answer("half", Crashed(death="SIGSEGV", stage=Stage.RUNNING))


@of_forger(Rule.REPRODUCERS)
def shows_a_deviation_by_a_script_that_is_elsewhere(forger: Forger) -> None:
    forger.entries[0]["reproducer"] = "../../../../etc/passwd"


@of_forger(Rule.REPRODUCERS)
def shows_a_deviation_by_the_folder_of_all(forger: Forger) -> None:
    forger.entries[0]["reproducer"] = "reproducers/.."
