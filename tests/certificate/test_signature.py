"""Signatures: made with one key, checked with its other half, over the very statement of the folder."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest
from small_suite import Scene, write_keys

from conformance.certificate.rules import Rule
from conformance.certificate.verify import Verification, verify
from conformance.values.errors import UsageError

_ENVELOPE = "statement.dsse.json"


def _signature_problems(found: Verification) -> list[str]:
    return [problem.what for problem in found.broken if problem.broken is Rule.SIGNATURE]


def test_another_key_did_not_sign(scene: Scene, tmp_path: Path) -> None:
    _, other = write_keys(tmp_path, "other")
    found = verify(scene.certificate, scene.installation, key=other)
    assert _signature_problems(found) == ["is not signed with the key in other.pub.pem"]


def test_an_unsigned_certificate_is_refused_where_a_key_is_demanded(copy: Path, scene: Scene) -> None:
    (copy / _ENVELOPE).unlink()
    assert verify(copy, scene.installation).broken == ()
    assert _signature_problems(verify(copy, scene.installation, key=scene.public_key)) == ["is missing"]


def test_an_edited_payload_is_noticed_without_any_key(copy: Path, scene: Scene) -> None:
    envelope = json.loads((copy / _ENVELOPE).read_text())
    statement = base64.b64decode(envelope["payload"]).replace(b"WARNED", b"PASSED")
    envelope["payload"] = base64.b64encode(statement).decode()
    (copy / _ENVELOPE).write_text(json.dumps(envelope))
    assert _signature_problems(verify(copy, scene.installation)) == [
        "what is signed is not the statement of this folder"
    ]


def test_a_signature_over_another_statement_does_not_hold(copy: Path, scene: Scene) -> None:
    envelope = json.loads((copy / _ENVELOPE).read_text())
    signature = bytearray(base64.b64decode(envelope["signatures"][0]["sig"]))
    signature[0] ^= 1
    envelope["signatures"][0]["sig"] = base64.b64encode(bytes(signature)).decode()
    (copy / _ENVELOPE).write_text(json.dumps(envelope))
    found = verify(copy, scene.installation, key=scene.public_key)
    assert _signature_problems(found) == ["is not signed with the key in vendor.pub.pem"]


@pytest.mark.parametrize("text", ["", "[]", "{}", "[" * 100_000, '{"payload": 1, "payloadType": 2, "signatures": 3}'])
def test_what_is_no_envelope_is_reported(copy: Path, scene: Scene, text: str) -> None:
    (copy / _ENVELOPE).write_text(text)
    found = verify(copy, scene.installation, key=scene.public_key)
    assert "is no DSSE envelope" in _signature_problems(found)


def test_a_file_without_a_key_is_reported_with_how_to_make_one(scene: Scene) -> None:
    with pytest.raises(UsageError, match="openssl genpkey -algorithm ed25519"):
        verify(scene.certificate, scene.installation, key=scene.private_key)
