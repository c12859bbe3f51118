"""Ways to tamper with what the summary, the statement and the signed envelope of a certificate say."""

from __future__ import annotations

import base64
from typing import Any

from tampering import alter, copy, drop, envelope, move, put, statement, summary, swap, table, update

from conformance.certificate.rules import Rule

NO_DIGEST = "0" * 64

# The summary


def _claims_all_but_the_last(key: str) -> tuple[Any, ...]:
    return put(f"/{key}", []), move("/claimed/-1", f"/{key}/-")


table(
    summary,
    Rule.DERIVED,
    claims_an_operator_more=put("/claimed/-", "onnx.Conv-22"),
    does_not_claim_what_it_failed=_claims_all_but_the_last("not_claimed"),
    has_an_operator_through_others=_claims_all_but_the_last("through_others"),
    leaves_out_what_stands_first=put("/recorded", {}),
    calls_a_wrong_result_a_refusal=alter("/recorded", lambda found: {"valid calls rejected": found["wrong results"]}),
    passes_too_little_of_nothing=put("/below", ["nothing"]),
    found_nothing_but_praise=put("/findings", ["it is faster than others"]),
    improves_an_included_profile=update("/includes/core/counts", required=90, passed=90),
    includes_a_profile_more=copy("/includes/core", "/includes/full"),
    counts_nothing_apart=put("/not_counted", {}),
    rules_a_type_out_ahead=put("/ruled_out", {"type uint16": 6}),
    hides_what_it_rests_on=put("/rests_on/adapter", []),
    rests_on_more_than_was_recorded=alter("/rests_on/recorded", lambda found: found + 1),
    lowered_an_answer=put("/lowered", 1),
    improves_the_result_of_an_operator=put("/operators/1/result", "conformant"),
    improves_a_type=swap("/operators/1/types/uint16/deviating", "/operators/1/types/uint16/passed"),
    leaves_an_operator_out=drop("/operators/-1"),
    was_made_with_another_suite=put("/suite/digest", NO_DIGEST),
    was_challenged=put("/suite/challenge", "a seed of the reviewer"),
    ran_yesterday=put("/run", "2020-01-01T00:00:00+00:00"),
    rests_on_another_log=put("/log", NO_DIGEST),
    tested_another_device=put("/product/devices", ["GPU"]),
    met_a_deviation_less_often=put("/deviations/cut-too-late", 1),
)
table(
    summary,
    Rule.READABLE,
    invents_a_result=put("/result", "conformant (provisional)"),
    leaves_out_what_is_not_claimed=drop("/not_claimed"),
    counts_with_a_point=put("/counts/passed", 75.0),
)
table(
    summary,
    Rule.CLAIMS,
    issues_itself_with_a_bell=put("/issuer", "Issuer\a"),
    names_its_product_backwards=put("/product/name", "\u202etcudorP"),
    has_a_vendor_of_many_words=put("/product/vendor", "Vendor " * 1000),
    names_no_issuer=put("/issuer", " "),
)
table(
    summary,
    Rule.REPRODUCERS,
    states_another_digest_of_a_reproducer=put("/reproducers/adapter.py", NO_DIGEST),
    states_no_digest_of_a_reproducer=put("/reproducers", {}),
    states_the_digest_of_a_file_of_the_system=alter(
        "/reproducers", lambda found: {"../../../../etc/passwd": NO_DIGEST, **found}
    ),
)
table(summary, Rule.WHOLE, Rule.HEADER, names_the_profile_that_it_would_pass=put("/suite/profile", "core"))
table(summary, Rule.RELEASE, is_of_a_release_that_nobody_made=put("/suite/version", "0.0.1"))

# The statement


def _states_another_log(said: Any) -> None:
    next(entry for entry in said["subject"] if entry["name"] == "run.jsonl")["digest"]["sha256"] = NO_DIGEST


table(
    statement,
    Rule.DERIVED,
    states_nothing_of_the_reproducers=alter(
        "/subject", lambda found: [entry for entry in found if "/" not in entry["name"]]
    ),
    states_the_digest_of_a_product=put("/subject/-", {"name": "product-2.0.tar.gz", "digest": {"sha256": NO_DIGEST}}),
    states_another_digest_of_the_log=_states_another_log,
    states_a_second_digest=put("/subject/0/digest/sha1", "0" * 40),
    states_that_an_operator_passed=move("/predicate/warnedTests/0", "/predicate/passedTests/-"),
    states_another_profile=put("/predicate/configuration/1/name", "profile-full"),
    states_a_proof_of_another_kind=put("/predicateType", "https://slsa.dev/verification_summary/v1"),
    states_an_address_of_its_own=put("/predicate/url", "https://example.org/conformant"),
    states_something_of_another_version=put("/_type", "https://in-toto.io/Statement/v0.1"),
)

# The envelope


def _signs_a_pass(payload: str) -> str:
    return base64.b64encode(base64.b64decode(payload).replace(b"WARNED", b"PASSED")).decode()


table(
    envelope,
    Rule.SIGNATURE,
    signs_something_of_another_kind=put("/payloadType", "application/json"),
    signs_another_statement=alter("/payload", _signs_a_pass),
    calls_itself_signed_by_nobody=put("/signatures", []),
    signs_with_nothing=put("/signatures", [{"keyid": "a key that everybody trusts", "sig": ""}]),
    says_more_in_the_envelope=put("/result", "conformant"),
    says_more_beside_a_signature=put("/signatures/0/signer", "a laboratory"),
    names_a_key_backwards=put("/signatures/0/keyid", "\u202eyrotarobal a"),
    names_a_key_of_many_words=put("/signatures/0/keyid", "signed by a laboratory " * 1000),
    signs_with_what_is_no_base64=put("/signatures/0/sig", "signed, truly"),
    hides_something_in_the_payload=alter("/payload", lambda found: found + "\n"),
)
