"""Ways to tamper with the folder of a certificate, with its log and its deviations: the plain ones."""

from __future__ import annotations

import lzma
import os
import shutil
from copy import deepcopy
from pathlib import Path

from forgery import Line, edit_text, record, write_log
from tampering import of_deviations, of_document, of_folder, of_log

from conformance.certificate.certificate_file import LOG, STATEMENT, SUMMARY
from conformance.certificate.rules import Rule

# The folder


@of_folder(Rule.FILES)
def leaves_out_the_environment(folder: Path) -> None:
    (folder / "environment.yaml").unlink()


@of_folder(Rule.FILES)
def adds_a_page_of_its_own(folder: Path) -> None:
    (folder / "report.html").write_text("<h1>conformant</h1>")


@of_folder(Rule.FILES)
def praises_itself_in_a_readme(folder: Path) -> None:
    (folder / "README.md").write_text("# conformant")


@of_folder(Rule.FILES)
def adds_a_script(folder: Path) -> None:
    (folder / "setup.py").write_text("raise SystemExit('executed')")


@of_folder(Rule.FILES)
def adds_a_folder(folder: Path) -> None:
    (folder / "more").mkdir()


@of_folder(Rule.FILES)
def names_a_file_like_a_path_out_of_the_folder(folder: Path) -> None:
    (folder / "..\\..\\run.jsonl").write_text("")


@of_folder(Rule.FILES)
def fills_the_folder_with_files(folder: Path) -> None:
    for number in range(200):
        (folder / f"{number}.txt").write_text("")


@of_folder(Rule.REGULAR)
def links_the_log_to_another_place(folder: Path) -> None:
    shutil.move(folder / LOG, folder.parent / "elsewhere.gz")
    (folder / LOG).symlink_to(folder.parent / "elsewhere.gz")


@of_folder(Rule.REGULAR)
def links_the_summary_to_a_file_of_the_system(folder: Path) -> None:
    (folder / SUMMARY).unlink()
    (folder / SUMMARY).symlink_to("/etc/passwd")


@of_folder(Rule.REGULAR)
def puts_a_pipe_in_place_of_the_statement(folder: Path) -> None:
    (folder / STATEMENT).unlink()
    os.mkfifo(folder / STATEMENT)


@of_folder(Rule.REGULAR)
def puts_a_folder_in_place_of_the_environment(folder: Path) -> None:
    (folder / "environment.yaml").unlink()
    (folder / "environment.yaml").mkdir()


@of_folder(Rule.REGULAR)
def puts_a_file_in_place_of_the_reproducers(folder: Path) -> None:
    shutil.rmtree(folder / "reproducers")
    (folder / "reproducers").write_text("")


@of_folder(Rule.REGULAR)
def links_the_reproducers_to_another_folder(folder: Path) -> None:
    shutil.move(folder / "reproducers", folder.parent / "elsewhere")
    (folder / "reproducers").symlink_to(folder.parent / "elsewhere")


@of_folder(Rule.REGULAR)
def links_a_reproducer_to_a_file_of_the_system(folder: Path) -> None:
    (folder / "reproducers" / "adapter.py").unlink()
    (folder / "reproducers" / "adapter.py").symlink_to("/etc/passwd")


@of_document(Rule.REPRODUCERS)
def leaves_out_a_reproducer(folder: Path) -> None:
    (folder / "reproducers" / "adapter.py").unlink()


@of_document(Rule.REPRODUCERS)
def leaves_out_all_reproducers(folder: Path) -> None:
    shutil.rmtree(folder / "reproducers")


@of_document(Rule.REPRODUCERS)
def adds_a_script_that_shows_nothing(folder: Path) -> None:
    (folder / "reproducers" / "more.py").write_text("print('hello')")


@of_folder(Rule.REPRODUCERS)
def hides_the_script_of_a_reproducer(folder: Path) -> None:
    (folder / "reproducers" / ".adapter.py").write_text("print('hello')")


@of_document(Rule.REPRODUCERS)
def empties_a_reproducer(folder: Path) -> None:
    (folder / "reproducers" / "adapter.py").write_text("\n")


@of_document(Rule.REPRODUCERS)
def gives_a_program_for_a_reproducer(folder: Path) -> None:
    (folder / "reproducers" / "adapter.py").write_bytes(b"\x7fELF\x02\x01\x01" + bytes(64) + b"\xff")


@of_document(Rule.REPRODUCERS)
def turns_the_text_of_a_reproducer_around(folder: Path) -> None:
    (folder / "reproducers" / "adapter.py").write_text("access = 'user\u202e'  # not shown as it is")


@of_folder(Rule.SIZE)
def blows_up_a_reproducer(folder: Path) -> None:
    (folder / "reproducers" / "adapter.py").write_bytes(b"#" * (2 << 20))


@of_folder(Rule.SIZE)
def blows_up_the_summary(folder: Path) -> None:
    (folder / SUMMARY).write_bytes(b"#" * (2 << 20))


@of_folder(Rule.SIZE)
def packs_a_bomb(folder: Path) -> None:
    write_log(folder, bytes(64 << 20))


@of_folder(Rule.READABLE)
def cuts_the_packed_log_off(folder: Path) -> None:
    packed = (folder / LOG).read_bytes()
    (folder / LOG).write_bytes(packed[: len(packed) // 2])


@of_folder(Rule.READABLE)
def hides_something_after_the_packed_log(folder: Path) -> None:
    with (folder / LOG).open("ab") as out:
        out.write(b"more")


@of_folder(Rule.READABLE)
def says_twice_what_a_verdict_is(folder: Path) -> None:
    log = lzma.decompress((folder / LOG).read_bytes())
    write_log(folder, log.replace(b'{"type":"check",', b'{"type":"check","verdict":"crashed",', 1))


@of_folder(Rule.READABLE)
def says_what_no_record_has(folder: Path) -> None:
    log = lzma.decompress((folder / LOG).read_bytes())
    write_log(folder, log.replace(b'{"type":"check",', b'{"type":"check","note":"trust me",', 1))


@of_folder(Rule.READABLE)
def hides_a_cut_line_after_the_closing_one(folder: Path) -> None:
    write_log(folder, lzma.decompress((folder / LOG).read_bytes()) + b'{"type":"check"')


@of_folder(Rule.READABLE)
def took_longer_than_the_universe(folder: Path) -> None:
    log = lzma.decompress((folder / LOG).read_bytes())
    write_log(folder, log.replace(b'"run_ns":[', b'"run_ns":[1' + b"0" * 400 + b",", 1))


@of_folder(Rule.READABLE)
def packs_the_log_with_nothing(folder: Path) -> None:
    (folder / LOG).write_bytes(lzma.decompress((folder / LOG).read_bytes()))


@of_folder(Rule.READABLE)
def explodes_aliases_in_the_summary(folder: Path) -> None:
    (folder / SUMMARY).write_text("a: &a [x, x]\nb: &b [*a, *a]\nresult: [*b, *b]\n")


@of_folder(Rule.READABLE)
def calls_a_constructor_in_the_summary(folder: Path) -> None:
    edit_text(folder / SUMMARY, "vendor: Vendor", "vendor: !!python/object/apply:os.system ['touch executed']")


@of_folder(Rule.READABLE)
def nests_the_deviations_deeply(folder: Path) -> None:
    (folder / "deviations.yaml").write_text("deviations: " + "[" * 1000 + "]" * 1000)


@of_folder(Rule.READABLE)
def invents_a_key_of_the_summary(folder: Path) -> None:
    edit_text(folder / SUMMARY, "result: ", "awarded: gold\nresult: ")


@of_folder(Rule.READABLE)
def writes_the_summary_in_latin_1(folder: Path) -> None:
    (folder / SUMMARY).write_bytes("result: é".encode("latin-1"))


@of_folder(Rule.READABLE)
def writes_no_json_in_the_log(folder: Path) -> None:
    write_log(folder, b"not json\n")


@of_folder(Rule.READABLE)
def nests_a_line_of_the_log_deeply(folder: Path) -> None:
    lines = lzma.decompress((folder / LOG).read_bytes()).splitlines(keepends=True)
    write_log(folder, lines[0] + b'{"type":"check","call":' + b"[" * 200_000 + b"]" * 200_000 + b"}\n")


@of_folder(Rule.READABLE)
def starts_the_log_without_a_header(folder: Path) -> None:
    write_log(folder, lzma.decompress((folder / LOG).read_bytes()).partition(b"\n")[2])


@of_folder(Rule.READABLE)
def empties_the_log(folder: Path) -> None:
    write_log(folder, b"")


@of_folder(Rule.PROFILE)
def names_a_profile_that_there_is_not(folder: Path) -> None:
    edit_text(folder / SUMMARY, "profile: small", 'profile: "../../small"')


@of_folder(Rule.CLAIMS)
def moves_the_cursor_in_the_name_of_the_vendor(folder: Path) -> None:
    edit_text(folder / SUMMARY, "vendor: Vendor", 'vendor: "\\e[2Jconformant"')


# What follows from the log


@of_document(Rule.DERIVED)
def forges_the_result(folder: Path) -> None:
    edit_text(folder / SUMMARY, "result: partial\n", "result: conformant\n")


@of_document(Rule.DERIVED)
def forges_a_count(folder: Path) -> None:
    passed = next(line for line in (folder / SUMMARY).read_text().splitlines() if line.startswith("  passed: "))
    edit_text(folder / SUMMARY, f"{passed}\n", f"{passed}1\n")


@of_folder(Rule.DERIVED, Rule.REPRODUCERS)
def exchanges_a_reproducer(folder: Path) -> None:
    (folder / "reproducers" / "adapter.py").write_text("print('another')\n")


@of_folder(Rule.DERIVED, Rule.SIGNATURE)
def says_twice_what_the_statement_is(folder: Path) -> None:
    edit_text(folder / STATEMENT, '"predicateType"', '"predicateType": "a pass",\n  "predicateType"')


@of_folder(Rule.DERIVED, Rule.SIGNATURE)
def writes_a_statement_that_is_no_json(folder: Path) -> None:
    (folder / STATEMENT).write_text("passed")


@of_document(Rule.DERIVED)
def names_another_machine(folder: Path) -> None:
    edit_text(folder / "environment.yaml", "system: ", 'system: "Other" # ')


@of_folder(Rule.DERIVED, Rule.SIGNATURE)
def states_a_pass(folder: Path) -> None:
    edit_text(folder / STATEMENT, '"result": "WARNED"', '"result": "PASSED"')


@of_document(Rule.DERIVED)
def claims_another_version_of_the_product(folder: Path) -> None:
    edit_text(folder / SUMMARY, 'version: "1.0"', 'version: "2.0"')


# The header


@of_log(Rule.RELEASE)
def names_other_case_files(lines: list[Line]) -> None:
    lines[0]["suite"]["digest"] = "0" * 64


@of_log(Rule.RELEASE, Rule.DERIVED)
def names_another_release(lines: list[Line]) -> None:
    lines[0]["suite"]["version"] = "9.9.9"


@of_log(Rule.RELEASE, Rule.DERIVED)
def names_a_release_of_looser_rules(lines: list[Line]) -> None:
    lines[0]["suite"]["version"] = "0.1.0"


@of_log(Rule.HEADER)
def softens_a_clause(lines: list[Line]) -> None:
    lines[0]["suite"]["operators"]["openvino.VariadicSplit-1"]["split_lengths.sum"] = "Anything goes."


@of_log(Rule.WHOLE)
def asks_one_form_alone(lines: list[Line]) -> None:
    lines[0]["selection"]["forms"] = ["constant"]
    lines[1:-1] = [line for line in lines[1:-1] if line["form"] == "constant"]
    lines[0]["planned"] = len(lines) - 2


@of_log(Rule.WHOLE)
def plans_fewer_checks(lines: list[Line]) -> None:
    lines[0]["planned"] -= 1


@of_log(Rule.CHALLENGE)
def used_a_seed_of_its_own(lines: list[Line]) -> None:
    lines[0]["selection"]["challenge"] = "mine"


def renames_target(lines: list[Line], version: str) -> None:
    target = lines[0]["targets"][0]
    target.update(version=version, name=f"mixed@{version}")
    for line in (*lines[1:-1], *lines[0]["deviations"]):
        line["target"] = target["name"]


@of_log(Rule.ONE_TARGET)
def mixes_two_targets(lines: list[Line]) -> None:
    lines[0]["targets"].append({**lines[0]["targets"][0], "name": "other@1.0"})


@of_log(Rule.ONE_TARGET)
def could_not_start(lines: list[Line]) -> None:
    lines[0]["targets"][0]["problem"] = "no such device"


@of_log(Rule.VERSION)
def is_of_a_branch(lines: list[Line]) -> None:
    renames_target(lines, "main")


@of_log(Rule.VERSION)
def is_of_a_branch_behind_a_number(lines: list[Line]) -> None:
    renames_target(lines, "1.0+master")


@of_log(Rule.DECLARED)
def was_not_asked_what_it_does_not_declare(lines: list[Line]) -> None:
    lines[0]["targets"][0]["undeclared"] = None


# The records


@of_log(Rule.RECORDS)
def drops_a_record(lines: list[Line]) -> None:
    lines.remove(record(lines, "last"))


@of_log(Rule.RECORDS, Rule.COUNTS)
def drops_the_last_record(lines: list[Line]) -> None:
    del lines[-2]


@of_log(Rule.RECORDS)
def repeats_a_record(lines: list[Line]) -> None:
    lines.insert(2, deepcopy(lines[1]))


@of_log(Rule.RECORDS)
def repeats_the_last_record(lines: list[Line]) -> None:
    lines.insert(-1, deepcopy(lines[-2]))


@of_log(Rule.RECORDS)
def swaps_two_records(lines: list[Line]) -> None:
    lines[1], lines[2] = lines[2], lines[1]


@of_log(Rule.RECORDS)
def names_another_target_in_a_record(lines: list[Line]) -> None:
    lines[1]["target"] = "other@1.0"


@of_log(Rule.RECORDS)
def replaces_a_check_by_an_easier_one(lines: list[Line]) -> None:
    record(lines, "bait")["case"] = "openvino.VariadicSplit-1/bait-that-nobody-wrote"


@of_log(Rule.VERDICTS)
def calls_a_wrong_result_a_pass(lines: list[Line]) -> None:
    record(lines, "bait").update(verdict="pass", judged="pass")


@of_log(Rule.VERDICTS)
def calls_a_wrong_result_a_pass_and_leaves_no_trace(lines: list[Line]) -> None:
    bait = record(lines, "bait")
    bait.update(verdict="pass", judged="pass", cause="", explanation="", differences=[], call=None, where="")
    bait.pop("deviation")


@of_log(Rule.VERDICTS)
def calls_a_failure_known_without_a_deviation(lines: list[Line]) -> None:
    record(lines, "last").update(verdict="known", judged="wrong result", deviation="cut-too-late")


@of_log(Rule.VERDICTS)
def covers_a_failure_with_another_deviation(lines: list[Line]) -> None:
    record(lines, "bait")["deviation"] = "some-other"


@of_log(Rule.VERDICTS)
def edits_a_digest(lines: list[Line]) -> None:
    record(lines, "first")["outputs"] = "0" * 64


@of_log(Rule.VERDICTS)
def swaps_the_answers_of_two_checks(lines: list[Line]) -> None:
    one, other = record(lines, "first"), record(lines, "last")
    one["outputs"], other["outputs"] = other["outputs"], one["outputs"]


@of_log(Rule.VERDICTS)
def calls_a_refusal_of_a_valid_call_a_pass(lines: list[Line]) -> None:
    first = record(lines, "first")
    first.update(outcome="rejected", stage="running", message="no")
    first.pop("outputs")


@of_log(Rule.VERDICTS)
def was_refused_after_more_calls_than_there_were(lines: list[Line]) -> None:
    next(line for line in lines if line.get("outcome") == "rejected")["answered"] = 99


@of_log(Rule.VERDICTS)
def calls_an_answer_to_an_invalid_call_a_pass(lines: list[Line]) -> None:
    record(lines, "too-much").update(outcome="produced", outputs="0" * 64)


@of_log(Rule.VERDICTS)
def calls_a_crash_a_pass(lines: list[Line]) -> None:
    record(lines, "too-much")["outcome"] = "crashed"


@of_log(Rule.VERDICTS)
def calls_what_is_unsupported_a_pass(lines: list[Line]) -> None:
    record(lines, "brain").update(verdict="pass", judged="pass")


@of_log(Rule.READABLE)
def invents_an_outcome(lines: list[Line]) -> None:
    record(lines, "first")["outcome"] = "excellent"


@of_log(Rule.VERDICTS)
def follows_a_reading_whose_answer_it_did_not_give(lines: list[Line]) -> None:
    record(lines, "disputed")["interpretation"] = "spread"


@of_log(Rule.VERDICTS)
def calls_a_disputed_answer_a_pass(lines: list[Line]) -> None:
    record(lines, "disputed").update(verdict="pass", judged="pass")


@of_log(Rule.VERDICTS)
def edits_what_differs(lines: list[Line]) -> None:
    record(lines, "bait")["differences"][0]["differing"] = 1


@of_log(Rule.VERDICTS)
def edits_the_recorded_values(lines: list[Line]) -> None:
    actual = record(lines, "bait")["differences"][0]["actual"]
    actual["data"] = "AAAA" + actual["data"][4:]


@of_log(Rule.VERDICTS)
def claims_a_tensor_of_terabytes(lines: list[Line]) -> None:
    record(lines, "bait")["differences"][0]["actual"].update(shape=[1 << 31, 1 << 31], count=1 << 62)


@of_log(Rule.VERDICTS)
def blames_another_cause(lines: list[Line]) -> None:
    record(lines, "bait")["cause"] = "cosmic rays"


@of_log(Rule.VERDICTS)
def hides_the_clauses(lines: list[Line]) -> None:
    record(lines, "first")["clauses"] = []


@of_log(Rule.VERDICTS)
def hides_the_type(lines: list[Line]) -> None:
    record(lines, "half")["dtype"] = "uint16"


@of_log(Rule.JUDGED)
def leaves_a_check_unasked(lines: list[Line]) -> None:
    record(lines, "first").update(outcome="not run", verdict="not run", judged="not run")


@of_log(Rule.JUDGED)
def blames_the_harness(lines: list[Line]) -> None:
    record(lines, "first").update(outcome="failed", verdict="harness error", judged="harness error")


@of_log(Rule.ASKED, Rule.VERDICTS)
def takes_an_answer_over(lines: list[Line]) -> None:
    record(lines, "first")["reused"] = "2026-01-02T03:04:05+00:00"


@of_log(Rule.COMPLETE)
def cuts_the_closing_line_off(lines: list[Line]) -> None:
    del lines[-1]


@of_log(Rule.COMPLETE)
def was_interrupted(lines: list[Line]) -> None:
    lines[-1].update(complete=False, reason="interrupted by SIGINT")


@of_log(Rule.COMPLETE)
def goes_on_after_the_closing_line(lines: list[Line]) -> None:
    lines.append(deepcopy(lines[1]))


@of_log(Rule.COUNTS)
def counts_more_records_than_there_are(lines: list[Line]) -> None:
    lines[-1]["records"] += 1


@of_log(Rule.COUNTS)
def counts_other_verdicts_than_there_are(lines: list[Line]) -> None:
    lines[-1]["verdicts"]["mixed@1.0"]["pass"] += 1


# The deviations


@of_log(Rule.DEVIATIONS)
def tells_of_a_deviation_that_the_file_has_not(lines: list[Line]) -> None:
    lines[0]["deviations"][0]["what"] = "It is meant so."


@of_deviations(Rule.DEVIATIONS, Rule.VERDICTS, Rule.REPRODUCERS)
def removes_a_deviation(path: Path) -> None:
    path.write_text("deviations: []\n")


@of_deviations(Rule.DEVIATIONS)
def is_overdue_for_review(path: Path) -> None:
    text = path.read_text()
    path.write_text(text[: text.index("review:")] + 'review: "2020-01-01"\n  reproducer: adapter.py\n')


@of_deviations(Rule.DEVIATIONS)
def is_never_reviewed(path: Path) -> None:
    text = path.read_text()
    path.write_text(text[: text.index("review:")] + 'review: "2999-01-01"\n  reproducer: adapter.py\n')


@of_deviations(Rule.DEVIATIONS)
def speaks_of_another_version(path: Path) -> None:
    edit_text(path, '">=1,<2"', '">=7"')


@of_deviations(Rule.VERDICTS)
def covers_another_verdict(path: Path) -> None:
    edit_text(path, "- wrong result", "- timed out")


@of_deviations(Rule.DEVIATIONS)
def records_what_never_happens(path: Path) -> None:
    text = path.read_text()
    entry = text.partition("deviations:\n")[2]
    path.write_text(text + entry.replace("cut-too-late", "never-met").replace("uint16", "uint8"))
