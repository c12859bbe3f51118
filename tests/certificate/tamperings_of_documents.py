"""Ways to tamper with what the files of a certificate say beside the log, and with what is signed."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import yaml
from forgery import edit_text, forging, restate
from tampering import TAMPERINGS, Tampering, of_document, of_folder, of_statement, of_summary

from conformance.certificate.certificate_file import (
    DEVIATIONS,
    ENVELOPE,
    ENVIRONMENT,
    STATEMENT,
    SUMMARY,
    document_bytes,
    statement_bytes,
)
from conformance.certificate.rules import Installation, Rule

Said = dict[str, Any]


# The summary


@of_summary(Rule.DERIVED)
def claims_an_operator_more(said: Said) -> None:
    said["claimed"].append("onnx.Conv-22")


@of_summary(Rule.DERIVED)
def does_not_claim_what_it_failed(said: Said) -> None:
    said["not_claimed"] = [said["claimed"].pop()]


@of_summary(Rule.DERIVED)
def has_an_operator_through_others(said: Said) -> None:
    said["through_others"] = [said["claimed"].pop()]


@of_summary(Rule.DERIVED)
def leaves_out_what_stands_first(said: Said) -> None:
    said["recorded"] = {}


@of_summary(Rule.DERIVED)
def calls_a_wrong_result_a_refusal(said: Said) -> None:
    said["recorded"] = {"valid calls rejected": said["recorded"].pop("wrong results")}


@of_summary(Rule.DERIVED)
def passes_too_little_of_nothing(said: Said) -> None:
    said["below"] = ["nothing"]


@of_summary(Rule.DERIVED)
def found_nothing_but_praise(said: Said) -> None:
    said["findings"] = ["it is faster than others"]


@of_summary(Rule.DERIVED)
def improves_an_included_profile(said: Said) -> None:
    said["includes"]["core"]["counts"].update(required=90, passed=90)


@of_summary(Rule.DERIVED)
def includes_a_profile_more(said: Said) -> None:
    said["includes"]["full"] = deepcopy(said["includes"]["core"])


@of_summary(Rule.DERIVED)
def counts_nothing_apart(said: Said) -> None:
    said["not_counted"] = {}


@of_summary(Rule.DERIVED)
def rules_a_type_out_ahead(said: Said) -> None:
    said["ruled_out"] = {"type uint16": 6}


@of_summary(Rule.DERIVED)
def hides_what_it_rests_on(said: Said) -> None:
    said["rests_on"]["adapter"] = []


@of_summary(Rule.DERIVED)
def rests_on_more_than_was_recorded(said: Said) -> None:
    said["rests_on"]["recorded"] += 1


@of_summary(Rule.DERIVED)
def lowered_an_answer(said: Said) -> None:
    said["lowered"] = 1


@of_summary(Rule.DERIVED)
def improves_the_result_of_an_operator(said: Said) -> None:
    said["operators"][1]["result"] = "conformant"


@of_summary(Rule.DERIVED)
def improves_a_type(said: Said) -> None:
    counts = said["operators"][1]["types"]["uint16"]
    counts.update(passed=counts["deviating"], deviating=0)


@of_summary(Rule.DERIVED)
def leaves_an_operator_out(said: Said) -> None:
    said["operators"].pop()


@of_summary(Rule.DERIVED)
def was_made_with_another_suite(said: Said) -> None:
    said["suite"]["digest"] = "0" * 64


@of_summary(Rule.DERIVED)
def was_challenged(said: Said) -> None:
    said["suite"]["challenge"] = "a seed of the reviewer"


@of_summary(Rule.DERIVED)
def ran_yesterday(said: Said) -> None:
    said["run"] = "2020-01-01T00:00:00+00:00"


@of_summary(Rule.DERIVED)
def rests_on_another_log(said: Said) -> None:
    said["log"] = "0" * 64


@of_summary(Rule.DERIVED)
def tested_another_device(said: Said) -> None:
    said["product"]["devices"] = ["GPU"]


@of_summary(Rule.DERIVED)
def met_a_deviation_less_often(said: Said) -> None:
    said["deviations"]["cut-too-late"] = 1


@of_summary(Rule.READABLE)
def invents_a_result(said: Said) -> None:
    said["result"] = "conformant (provisional)"


@of_summary(Rule.READABLE)
def leaves_out_what_is_not_claimed(said: Said) -> None:
    del said["not_claimed"]


@of_summary(Rule.READABLE)
def counts_with_a_point(said: Said) -> None:
    said["counts"]["passed"] = 75.0


@of_summary(Rule.WHOLE, Rule.HEADER)
def names_the_profile_that_it_would_pass(said: Said) -> None:
    said["suite"]["profile"] = "core"


@of_summary(Rule.RELEASE)
def is_of_a_release_that_nobody_made(said: Said) -> None:
    said["suite"]["version"] = "0.0.1"


@of_summary(Rule.CLAIMS)
def issues_itself_with_a_bell(said: Said) -> None:
    said["issuer"] = "Issuer\a"


@of_summary(Rule.CLAIMS)
def names_its_product_backwards(said: Said) -> None:
    said["product"]["name"] = "\u202etcudorP"


@of_summary(Rule.CLAIMS)
def has_a_vendor_of_many_words(said: Said) -> None:
    said["product"]["vendor"] = "Vendor " * 1000


@of_summary(Rule.CLAIMS)
def names_no_issuer(said: Said) -> None:
    said["issuer"] = " "


@of_document(Rule.READABLE)
def shares_a_value_of_the_summary(folder: Path) -> None:
    edit_text(folder / SUMMARY, "vendor: Vendor", "vendor: &me Vendor")


@of_document(Rule.READABLE)
def says_twice_what_the_result_is(folder: Path) -> None:
    edit_text(folder / SUMMARY, "claimed:\n", "result: conformant\nclaimed:\n")


@of_document(Rule.READABLE)
def starts_the_summary_twice(folder: Path) -> None:
    (folder / SUMMARY).write_text("result: conformant\n---\n" + (folder / SUMMARY).read_text())


# The same in other bytes


def _rewritten(name: str, change: Callable[[bytes], bytes], told: str) -> None:
    def tamper(folder: Path) -> None:
        before = (folder / name).read_bytes()
        after = change(before)
        assert after != before
        (folder / name).write_bytes(after)
        if name == STATEMENT:
            (folder / ENVELOPE).unlink()

    tamper.__name__ = f"{told}_in_{name}"
    (of_folder if name == STATEMENT else of_document)(Rule.READABLE)(tamper)


for name in (SUMMARY, DEVIATIONS, ENVIRONMENT):
    _rewritten(name, lambda data: data + b"# result: conformant\n", "comments_at_the_end")
    _rewritten(name, lambda data: b"# signed by a laboratory\n" + data, "comments_at_the_beginning")
    _rewritten(name, lambda data: data.replace(b"\n", b" # conformant\n", 1), "comments_on_a_line")
    _rewritten(name, lambda data: data + b"#" + b" conformant" * 81_000 + b"\n", "comments_at_length")
    _rewritten(name, lambda data: data + "# \u202etnamrofnoc\u202c\n".encode(), "comments_backwards")
    _rewritten(name, lambda data: b"\xef\xbb\xbf" + data, "puts_a_byte_order_mark")
    _rewritten(name, lambda data: data.decode().encode("utf-16"), "writes_utf_16")
    _rewritten(name, lambda data: data + b"...\n", "ends_the_document")
    _rewritten(name, lambda data: data + b"...\n# conformant\n", "goes_on_after_the_end")
    _rewritten(name, lambda data: b"---\n" + data, "starts_the_document")
    _rewritten(name, lambda data: b"%YAML 1.2\n---\n" + data, "names_a_version_of_YAML")
    _rewritten(name, lambda data: data + b"\n", "ends_with_an_empty_line")
    _rewritten(name, lambda data: data.removesuffix(b"\n"), "leaves_out_the_last_end_of_line")
    _rewritten(name, lambda data: data.replace(b"\n", b" \n", 1), "puts_a_space_before_an_end_of_line")
    _rewritten(name, lambda data: data.replace(b"\n", b"\r\n"), "ends_lines_as_windows_does")
    _rewritten(name, lambda data: json.dumps(yaml.safe_load(data)).encode(), "writes_JSON")
    _rewritten(name, lambda data: yaml.safe_dump(yaml.safe_load(data), sort_keys=False, indent=6).encode(), "indents")
for name in (SUMMARY, ENVIRONMENT):
    _rewritten(name, lambda data: document_bytes(dict(reversed(yaml.safe_load(data).items()))), "turns_the_order_round")
_rewritten(STATEMENT, lambda data: json.dumps(json.loads(data)).encode(), "leaves_out_spaces")
_rewritten(STATEMENT, lambda data: data + b"\n", "ends_with_an_empty_line")
_rewritten(STATEMENT, lambda data: data.replace(b"WARNED", b"\\u0057ARNED"), "escapes_a_letter")
_rewritten(STATEMENT, lambda data: statement_bytes(dict(reversed(json.loads(data).items()))), "turns_the_order_round")


def _turned(folder: Path, installation: Installation) -> None:
    with forging(folder, installation) as forger:
        forger.entries[0]["what"] = "\u202etnamrofnoc\u202c"
    edit_text(folder / DEVIATIONS, "\\u202E", "\u202e")
    restate(folder)


TAMPERINGS.append(Tampering("turns_a_text_without_escapes", frozenset({Rule.READABLE}), _turned))


# The environment


@of_document(Rule.DERIVED)
def tells_more_of_its_environment(folder: Path) -> None:
    path = folder / "environment.yaml"
    path.write_text(path.read_text() + "audited: true\n")


@of_document(Rule.DERIVED)
def tells_less_of_its_environment(folder: Path) -> None:
    path = folder / "environment.yaml"
    path.write_text(path.read_text().replace("timeout_s: 20.0\n", ""))


@of_folder(Rule.READABLE)
def tells_its_environment_without_end(folder: Path) -> None:
    (folder / "environment.yaml").write_text("[" * 100_000)


@of_summary(Rule.REPRODUCERS)
def states_another_digest_of_a_reproducer(said: Said) -> None:
    said["reproducers"]["adapter.py"] = "0" * 64


@of_summary(Rule.REPRODUCERS)
def states_no_digest_of_a_reproducer(said: Said) -> None:
    said["reproducers"] = {}


@of_summary(Rule.REPRODUCERS)
def states_the_digest_of_a_file_of_the_system(said: Said) -> None:
    said["reproducers"] = {"../../../../etc/passwd": "0" * 64, **said["reproducers"]}


# The statement


@of_statement(Rule.DERIVED)
def states_nothing_of_the_reproducers(said: Said) -> None:
    said["subject"] = [entry for entry in said["subject"] if "/" not in entry["name"]]


@of_statement(Rule.DERIVED)
def states_the_digest_of_a_product(said: Said) -> None:
    said["subject"].append({"name": "product-2.0.tar.gz", "digest": {"sha256": "0" * 64}})


@of_statement(Rule.DERIVED)
def states_another_digest_of_the_log(said: Said) -> None:
    next(entry for entry in said["subject"] if entry["name"] == "run.jsonl")["digest"]["sha256"] = "0" * 64


@of_statement(Rule.DERIVED)
def states_a_second_digest(said: Said) -> None:
    said["subject"][0]["digest"]["sha1"] = "0" * 40


@of_statement(Rule.DERIVED)
def states_that_an_operator_passed(said: Said) -> None:
    predicate = said["predicate"]
    predicate["passedTests"] += predicate["warnedTests"]
    predicate["warnedTests"] = []


@of_statement(Rule.DERIVED)
def states_another_profile(said: Said) -> None:
    said["predicate"]["configuration"][1]["name"] = "profile-full"


@of_statement(Rule.DERIVED)
def states_a_proof_of_another_kind(said: Said) -> None:
    said["predicateType"] = "https://slsa.dev/verification_summary/v1"


@of_statement(Rule.DERIVED)
def states_an_address_of_its_own(said: Said) -> None:
    said["predicate"]["url"] = "https://example.org/conformant"


@of_statement(Rule.DERIVED)
def states_something_of_another_version(said: Said) -> None:
    said["_type"] = "https://in-toto.io/Statement/v0.1"


@of_document(Rule.READABLE)
def states_a_list(folder: Path) -> None:
    (folder / SUMMARY).write_text("- conformant\n")


# The envelope


def _of_envelope(edit: Callable[[Said], object]) -> None:
    def tamper(folder: Path) -> None:
        said = json.loads((folder / ENVELOPE).read_bytes())
        edit(said)
        (folder / ENVELOPE).write_text(json.dumps(said))

    tamper.__name__ = edit.__name__
    of_folder(Rule.SIGNATURE)(tamper)


@_of_envelope
def signs_something_of_another_kind(said: Said) -> None:
    said["payloadType"] = "application/json"


@_of_envelope
def signs_another_statement(said: Said) -> None:
    passed = base64.b64decode(said["payload"]).replace(b"WARNED", b"PASSED")
    said["payload"] = base64.b64encode(passed).decode()


@_of_envelope
def calls_itself_signed_by_nobody(said: Said) -> None:
    said["signatures"] = []


@_of_envelope
def signs_with_nothing(said: Said) -> None:
    said["signatures"] = [{"keyid": "a key that everybody trusts", "sig": ""}]


@_of_envelope
def says_more_in_the_envelope(said: Said) -> None:
    said["result"] = "conformant"


@_of_envelope
def says_more_beside_a_signature(said: Said) -> None:
    said["signatures"][0]["signer"] = "a laboratory"


@_of_envelope
def names_a_key_backwards(said: Said) -> None:
    said["signatures"][0]["keyid"] = "\u202eyrotarobal a"


@_of_envelope
def names_a_key_of_many_words(said: Said) -> None:
    said["signatures"][0]["keyid"] = "signed by a laboratory " * 1000


@_of_envelope
def signs_with_what_is_no_base64(said: Said) -> None:
    said["signatures"][0]["sig"] = "signed, truly"


@of_folder(Rule.SIGNATURE)
def starts_the_envelope_with_a_byte_order_mark(folder: Path) -> None:
    (folder / ENVELOPE).write_bytes(b"\xef\xbb\xbf" + (folder / ENVELOPE).read_bytes())


@_of_envelope
def hides_something_in_the_payload(said: Said) -> None:
    said["payload"] += "\n"


@of_folder(Rule.SIGNATURE)
def holds_two_statements_in_one_envelope(folder: Path) -> None:
    payload = base64.b64encode((folder / STATEMENT).read_bytes().replace(b"WARNED", b"PASSED")).decode()
    text = (folder / ENVELOPE).read_text()
    (folder / ENVELOPE).write_text(text.replace("{", f'{{"payload": "{payload}",', 1))
