"""Signatures: made with one key, checked with its other half, over the very statement of the folder."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from index import Published, index_as_html, index_as_markdown
from small_suite import Scene, write_keys

from conformance.certificate.pages import html_page, markdown_page, verification_lines
from conformance.certificate.rules import Rule
from conformance.certificate.verify import Signature, Verification, verified, verify
from conformance.tensors.errors import UsageError

_ENVELOPE = "statement.dsse.json"


def _signature_problems(found: Verification) -> list[str]:
    return [problem.what for problem in found.broken if problem.broken is Rule.SIGNATURE]


@pytest.mark.slow
def test_another_key_did_not_sign(scene: Scene, tmp_path: Path) -> None:
    _, other = write_keys(tmp_path, "other")
    found = verify(scene.certificate, scene.installation, key=other)
    assert _signature_problems(found) == ["has no signature that verifies with the key in other.pub.pem"]


@pytest.mark.slow
def test_an_unsigned_certificate_is_refused_where_a_key_is_demanded(copy: Path, scene: Scene) -> None:
    (copy / _ENVELOPE).unlink()
    assert verify(copy, scene.installation).broken == ()
    assert _signature_problems(verify(copy, scene.installation, key=scene.public_key)) == ["is missing"]


def test_an_edited_payload_is_noticed_without_any_key(copy: Path, scene: Scene) -> None:
    envelope = json.loads((copy / _ENVELOPE).read_text())
    statement = base64.b64decode(envelope["payload"]).replace(b"WARNED", b"PASSED")
    envelope["payload"] = base64.b64encode(statement).decode()
    (copy / _ENVELOPE).write_text(json.dumps(envelope))
    assert _signature_problems(verify(copy, scene.installation)) == ["its payload is not the statement of this folder"]


@pytest.mark.slow
def test_a_signature_over_another_statement_does_not_hold(copy: Path, scene: Scene) -> None:
    envelope = json.loads((copy / _ENVELOPE).read_text())
    signature = bytearray(base64.b64decode(envelope["signatures"][0]["sig"]))
    signature[0] ^= 1
    envelope["signatures"][0]["sig"] = base64.b64encode(bytes(signature)).decode()
    (copy / _ENVELOPE).write_text(json.dumps(envelope))
    found = verify(copy, scene.installation, key=scene.public_key)
    assert _signature_problems(found) == ["has no signature that verifies with the key in vendor.pub.pem"]


def _edit_envelope(folder: Path, edit: Callable[[dict[str, Any]], object]) -> None:
    envelope = json.loads((folder / _ENVELOPE).read_text())
    edit(envelope)
    (folder / _ENVELOPE).write_text(json.dumps(envelope))


def _junk(envelope: dict[str, Any]) -> None:
    envelope["signatures"] = [{"keyid": "a key that everybody trusts", "sig": base64.b64encode(b"junk").decode()}]


def _everything_said(found: Verification, log: Path, folder: Path) -> str:
    """The terminal's lines, the pages, and the table of published certificates."""
    assert found.summary is not None
    index = [Published(folder="mine", summary=found.summary, deviations=(), signature=found.signature)]
    pages = () if found.broken else (*html_page(found, log, "mine"), markdown_page(found, "mine"))
    return "\n".join((*verification_lines(found, folder), *pages, *index_as_markdown(index), *index_as_html(index)))


@pytest.mark.slow
@pytest.mark.parametrize("edit", [_junk, len], ids=["junk", "honest"])
def test_without_a_key_nothing_says_signed(copy: Path, scene: Scene, edit: Callable[[dict[str, Any]], object]) -> None:
    _edit_envelope(copy, edit)
    with verified(copy, scene.installation) as (found, log):
        assert (found.broken, found.signature) == ((), Signature.NOT_CHECKED)
        said = _everything_said(found, log, copy)
    assert re.findall(r"\w*signed\b", said) == []
    assert "signature not checked" in said


def test_a_junk_signature_with_a_key_is_refused_and_nothing_says_signed(copy: Path, scene: Scene) -> None:
    _edit_envelope(copy, _junk)
    with verified(copy, scene.installation, key=scene.public_key) as (found, log):
        assert _signature_problems(found) == ["has no signature that verifies with the key in vendor.pub.pem"]
        assert re.findall(r"\w*signed\b", _everything_said(found, log, copy)) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    "edit",
    [
        lambda entry: [{"sig": entry["sig"]}],
        lambda entry: [{**entry, "keyid": ""}],
        lambda entry: [{**entry, "keyid": "SHA256:another hint"}],
        lambda entry: [{**entry, "sig": entry["sig"].translate(str.maketrans("+/", "-_"))}],
        lambda entry: [{"sig": base64.b64encode(bytes(64)).decode()}, {"sig": entry["sig"]}],
    ],
    ids=["without a keyid", "empty keyid", "another keyid", "URL-safe base64", "two without a keyid"],
)
def test_each_signature_is_tried_whatever_key_it_names(
    copy: Path, scene: Scene, edit: Callable[[dict[str, str]], list[dict[str, str]]]
) -> None:
    _edit_envelope(copy, lambda envelope: envelope.update(signatures=edit(envelope["signatures"][0])))
    found = verify(copy, scene.installation, key=scene.public_key)
    assert ([str(problem) for problem in found.broken], found.signature) == ([], Signature.CHECKED)


@pytest.mark.parametrize("text", ["", "[]", "{}", "[" * 100_000, '{"payload": 1, "payloadType": 2, "signatures": 3}'])
def test_what_is_no_envelope_is_reported(copy: Path, scene: Scene, text: str) -> None:
    (copy / _ENVELOPE).write_text(text)
    found = verify(copy, scene.installation, key=scene.public_key)
    assert "is not a DSSE envelope" in _signature_problems(found)


@pytest.mark.slow
def test_a_file_without_a_key_is_reported_with_how_to_make_one(scene: Scene) -> None:
    with pytest.raises(UsageError, match="openssl genpkey -algorithm ed25519"):
        verify(scene.certificate, scene.installation, key=scene.private_key)
