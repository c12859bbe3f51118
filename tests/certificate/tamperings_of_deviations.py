"""Ways to record more deviations than somebody looked at, so that what fails counts as known."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy
from pathlib import Path
from typing import Any

import yaml
from forgery import Forger, forging, remake, restate
from tampering import (
    Edit,
    alter,
    answer,
    copy,
    evidence,
    log,
    put,
    rewrite,
    table,
    text,
    update,
    write,
)

from conformance.certificate.certificate_file import DEVIATIONS, document_bytes
from conformance.certificate.rules import Installation, Rule
from conformance.protocol.outcome import Crashed, RejectedOutcome, Stage, TimedOut

_CRASH = Crashed(death="SIGSEGV", stage=Stage.RUNNING)
_REFUSED = {"verdict": "rejected a valid call", "clauses": ["outputs"], "forms": ["constant"]}


def _another(**said: object) -> Edit:
    """Record another deviation, of the case `half` unless it is said otherwise."""

    def edit(forger: Forger) -> None:
        entry = {**deepcopy(forger.entries[0]), "id": "another", "when": "data_type == 'float16'", **said}
        if "values" not in said:
            entry.pop("values")
        forger.entries.append(entry)

    return edit


def _cover_all(when: str = "True", **said: object) -> Edit:
    """Let an entry cover every check of its operator that is to be answered, whatever comes."""

    def edit(forger: Forger) -> None:
        (entry,) = forger.entries
        del entry["values"]
        entry.update(when=when, memory="reads", happens="sometimes", depends_on="what lies there", **said)
        for found in forger.records:
            if found["case"].startswith("openvino.") and not found["case"].endswith("too-much"):
                found["deviation"] = entry["id"]

    return edit


def _names_all_forms(forger: Forger) -> None:
    forger.entries[0]["forms"] = [form for form in forger.target["forms"] if form != "as-in-the-model"]


def _refuses(message: str, **then: object) -> Edit:
    return answer("half", RejectedOutcome(stage=Stage.RUNNING, message=message), **then)


# More than somebody looked at

table(
    log,
    Rule.EXACT,
    records_every_case=_cover_all(),
    records_every_case_by_a_comparison_of_numbers=_cover_all("1 < 2"),
    records_every_case_and_names_all_forms=(_cover_all(), _names_all_forms),
    records_every_case_and_names_all_clauses=_cover_all(clauses=["outputs", "split_lengths.sum"]),
    records_every_operator=put("/entry/operators", ["*"]),
    records_every_version_of_an_operator=put("/entry/operators", ["*-?"]),
    records_an_operator_that_there_is_not=put("/entry/operators/-", "openvino.VariadicSplit-2"),
    records_every_refusal=(_another(**_REFUSED, messages=["*"]), _refuses("no kernel")),
    records_every_refusal_that_says_something=(
        _another(**_REFUSED, messages=["no*kernel", "??*"]),
        _refuses("no kernel"),
    ),
)

# What does not hold

table(
    log,
    Rule.DEVIATIONS,
    speaks_of_another_device=put("/entry/where/device", "GPU"),
    speaks_of_another_system=put("/entry/where/system", "Windows"),
    speaks_of_other_options=put("/entry/where/options", {"threads": "1"}),
    speaks_of_an_instruction_set_that_is_not_told=put("/entry/where/isa", "<AVX512_CORE"),
    is_recorded_after_the_run=copy("/entry/review", "/entry/since"),
    was_met_by_no_check=_another(verdict="timed out", when="data_type == 'uint16'"),
)
table(
    log,
    Rule.VERDICTS,
    leaves_out_the_case_that_deviates=put("/entry/when", "not data_type == 'uint16'"),
    records_a_hang_as_a_crash=(
        _another(verdict="crashed", deaths=["SIGSEGV"], stages=["running"]),
        answer("half", _CRASH),
        answer("last", TimedOut(limit_s=20.0), verdict="known", deviation="another"),
    ),
    records_a_crash_of_another_signal=(
        _another(verdict="crashed", deaths=["SIGABRT"], stages=["running"]),
        answer("half", _CRASH, verdict="known", deviation="another"),
    ),
    records_a_refusal_with_other_words=(
        _another(**_REFUSED, messages=["no*kernel"]),
        _refuses("out of memory", verdict="known"),
    ),
    records_what_comes_of_another_fault=put("/entry/values", ["outputs reversed"]),
    records_what_happens_in_another_form=put("/entry/forms", ["runtime"]),
    credits_the_second_of_two_entries=(
        _another(when="data_type == 'uint16'", values=["equal parts"]),
        put("/bait/deviation", "another"),
    ),
)

# The text of the file


def _reviewed(when: str) -> Edit:
    lines = f"review: {when}\n  reproducer: adapter.py\n".encode()
    return rewrite(DEVIATIONS, lambda data: data.partition(b"review:")[0] + lines)


def _entry_again(data: bytes) -> bytes:
    return data.partition(b"deviations:\n")[2]


def _never_met(data: bytes) -> bytes:
    return data + _entry_again(data).replace(b"cut-too-late", b"never-met").replace(b"uint16", b"uint8")


table(
    evidence,
    Rule.DEVIATIONS,
    is_overdue_for_review=_reviewed('"2020-01-01"'),
    is_never_reviewed=_reviewed('"2999-01-01"'),
    speaks_of_another_version=text(DEVIATIONS, '">=1,<2"', '">=7"'),
    records_what_never_happens=rewrite(DEVIATIONS, _never_met),
)
table(evidence, Rule.VERDICTS, covers_another_verdict=text(DEVIATIONS, "- wrong result", "- timed out"))
table(
    evidence,
    Rule.DEVIATIONS,
    Rule.VERDICTS,
    Rule.REPRODUCERS,
    removes_a_deviation=write(DEVIATIONS, "deviations: []\n"),
)
table(
    evidence,
    Rule.READABLE,
    records_a_pass=text(DEVIATIONS, "- wrong result", "- pass"),
    records_errors_of_the_harness=text(DEVIATIONS, "- wrong result", "- harness error"),
    records_wrong_results_without_saying_which=text(DEVIATIONS, "  values:\n  - equal parts\n", ""),
    records_crashes_without_saying_which=text(DEVIATIONS, "- wrong result", "- crashed"),
    happens_sometimes_and_does_not_say_on_what_it_depends=text(DEVIATIONS, "happens: always", "happens: sometimes"),
    records_two_entries_of_one_name=rewrite(DEVIATIONS, lambda data: data + _entry_again(data)),
    names_an_instruction_set_that_there_is_not=text(DEVIATIONS, "  where:\n", '  where:\n    isa: "<AVX1024"\n'),
    writes_a_second_document=rewrite(DEVIATIONS, lambda data: data + b"---\ndeviations: []\n"),
    says_twice_what_happens=text(DEVIATIONS, "  happens: always\n", "  happens: always\n  happens: sometimes\n"),
    is_to_be_reviewed_at_leisure=_reviewed("some day"),
    names_a_case=text(DEVIATIONS, "  when:", "  cases: [openvino.VariadicSplit-1/bait]\n  when:"),
    names_a_function_20000_times=text(DEVIATIONS, "  values:\n", "  values:\n" + "  - equal parts\n" * 20_000),
)


@contextmanager
def _in_raw_letters(folder: Path, installation: Installation) -> Iterator[Forger]:
    """The log; the deviations then have the letters that are not shown as they are, in place of escapes."""
    with forging(folder, installation) as forger:
        yield forger
    text(DEVIATIONS, "\\u202E", "\u202e")(folder)
    restate(folder)


table(_in_raw_letters, Rule.READABLE, turns_a_text_without_escapes=put("/entry/what", "\u202etnamrofnoc\u202c"))

# What takes too long


@contextmanager
def _entries(folder: Path, installation: Installation) -> Iterator[dict[str, Any]]:
    """What the file says; the log does not know of it."""
    said = yaml.safe_load((folder / DEVIATIONS).read_bytes())
    yield said
    (folder / DEVIATIONS).write_bytes(document_bytes(said))
    remake(folder, installation)


def _repeated(count: int) -> Edit:
    return alter("/deviations", lambda found: [{**found[0], "id": f"entry-{number}"} for number in range(count)])


def _or(condition: str) -> Edit:
    return alter("/deviations/0/when", lambda found: f"{found} or {condition}")


def _more(key: str, *names: str) -> Edit:
    return alter(f"/deviations/0/{key}", lambda found: [*found, *names])


_HOURS = "sum([product(range(65536)) for x in range(65536)]) > sum([max(range(65536)) for x in range(9)])"

table(
    _entries,
    Rule.SIZE,
    names_20000_clauses=update("/deviations/0", clauses=[f"clause-{number}" for number in range(20_000)]),
    names_20000_operators=_more("operators", *(f"onnx.Split-{number}" for number in range(20_000))),
    names_messages_by_many_stars=update("/deviations/0", messages=["*a" * 60 + f"{number}" for number in range(2)]),
    names_20000_deaths=update("/deviations/0", deaths=[f"SIG{number}" for number in range(20_000)]),
    computes_a_function_20000_times_in_turn=_more("values", " + ".join(["equal parts"] * 20_000)),
    computes_many_functions=_more("values", *(" + ".join(["equal parts"] * number) for number in range(2, 10))),
    says_at_length_which_calls_deviate=(_or(f"declared in [{'7, ' * 290}7]"), _repeated(10)),
    has_more_entries_than_a_run_meets=_repeated(1000),
    has_more_entries_of_an_operator_than_a_run_meets=_repeated(101),
    is_longer_than_anybody_reads=put("/deviations/0/why", "because " * 200_000),
)
table(_entries, Rule.SIZE, Rule.DEVIATIONS, asks_of_each_call_what_takes_hours=(_or(_HOURS), _repeated(30)))

# What shows it

table(
    log,
    Rule.REPRODUCERS,
    shows_two_deviations_by_one_name=(
        _another(
            forms=["constant"],
            verdict="crashed",
            deaths=["SIGSEGV"],
            stages=["running"],
            reproducer="more/adapter.py",
        ),
        answer("half", _CRASH),
    ),
    shows_a_deviation_by_a_script_that_is_elsewhere=put("/entry/reproducer", "../../../../etc/passwd"),
    shows_a_deviation_by_the_folder_of_all=put("/entry/reproducer", "reproducers/.."),
)
