"""Signs and checks statements: DSSE envelopes with ed25519 keys, by securesystemslib. Refuses repeated keys in JSON."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import Field

from conformance.certificate.documents import ENVELOPE, PAYLOAD_TYPE
from conformance.certificate.rules import BrokenRuleError, Rule
from conformance.formats.file_schema import FileModel, validated
from conformance.formats.yaml_document import Document
from conformance.values.errors import UsageError
from conformance.values.regular_file import content_of

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey


from conformance.formats.yaml_document import Plain

_MAX_KEY_BYTES = 1 << 16


class SignatureEntry(FileModel):
    """One signature, in base64, and a hint at its key, which is not believed."""

    keyid: str = Field(default="", pattern="^[ -~]{0,256}$")
    sig: str = Field(min_length=1)


class EnvelopeFile(FileModel):
    """A DSSE envelope, with the names from its specification."""

    payload: str
    payloadType: str  # noqa: N815
    signatures: list[SignatureEntry] = Field(min_length=1)


def signed(statement: bytes, key: Path) -> bytes:
    """The envelope of a statement, signed with the private key in the PEM file `key`.

    Raises:
        UsageError: the file holds no ed25519 key, or the extra `sign` is not installed.
    """
    _require_library()
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key
    from securesystemslib.dsse import Envelope
    from securesystemslib.signer import CryptoSigner

    private = _key(key, "private", partial(load_pem_private_key, password=None))
    if not isinstance(private, Ed25519PrivateKey):
        raise _no_key(key, "private", type(private).__name__)
    envelope = Envelope(statement, PAYLOAD_TYPE, {})
    envelope.sign(CryptoSigner(private))
    return (json.dumps(envelope.to_dict(), indent=2) + "\n").encode()


def signatures_in(envelope: bytes, statement: bytes) -> list[bytes]:
    """The signatures of an envelope, none of them verified; it must hold the statement, and nothing else.

    Raises:
        BrokenRuleError: it holds something else, or is no envelope.
    """
    try:
        read = validated(EnvelopeFile, Document(ENVELOPE, json_value(envelope)))
        payload, *signatures = map(_decoded, (read.payload, *(entry.sig for entry in read.signatures)))
    except (ValueError, ExceptionGroup):
        raise BrokenRuleError(Rule.SIGNATURE, ENVELOPE, "is no DSSE envelope") from None
    if (read.payloadType, payload) != (PAYLOAD_TYPE, statement):
        raise BrokenRuleError(Rule.SIGNATURE, ENVELOPE, "its payload is not the statement of this folder")
    return signatures


def check_signatures(signatures: Sequence[bytes], statement: bytes, key: Path) -> None:
    """Check that one of the signatures of a statement verifies with the public key in the PEM file `key`.

    Raises:
        BrokenRuleError: none does, or there is none.
        UsageError: the file holds no ed25519 key, or the extra `sign` is not installed.
    """
    _require_library()
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.serialization import load_pem_public_key
    from securesystemslib.dsse import Envelope

    public = _key(key, "public", load_pem_public_key)
    if not isinstance(public, Ed25519PublicKey):
        raise _no_key(key, "public", type(public).__name__)
    if not signatures:
        raise BrokenRuleError(Rule.SIGNATURE, ENVELOPE, "is missing", fix="certify with --key")
    message = Envelope(statement, PAYLOAD_TYPE, {}).pae()
    if not any(_verifies(public, signature, message) for signature in signatures):
        raise BrokenRuleError(Rule.SIGNATURE, ENVELOPE, f"has no signature that verifies with the key in {key.name}")


def _verifies(public: Ed25519PublicKey, signature: bytes, message: bytes) -> bool:
    from cryptography.exceptions import InvalidSignature

    try:
        public.verify(signature, message)
    except InvalidSignature:
        return False
    return True


def _decoded(text: str) -> bytes:
    """The bytes of base64 in either alphabet: DSSE allows both.

    Raises:
        ValueError: it is no base64.
    """
    return base64.b64decode(text.replace("-", "+").replace("_", "/"), validate=True)


def _key(path: Path, half: str, load: Callable[[bytes], object]) -> object:
    from cryptography.exceptions import UnsupportedAlgorithm

    try:
        return load(content_of(path, str(path), _MAX_KEY_BYTES))
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        raise _no_key(path, half, str(error)) from None


def _no_key(key: Path, half: str, what: str) -> UsageError:
    fix = "openssl genpkey -algorithm ed25519 -out key.pem && openssl pkey -in key.pem -pubout -out key.pub.pem"
    return UsageError(str(key), f"holds no {half} ed25519 key in PEM, without a password: {what[:200]}", fix=fix)


def _require_library() -> None:
    from importlib.util import find_spec

    if find_spec("securesystemslib") is None or find_spec("cryptography") is None:
        raise UsageError("--key", "signatures need the extra `sign`", fix="in a checkout: pip install '.[sign]'")


def json_value(data: bytes) -> Plain:
    """The value of a JSON text.

    Raises:
        ValueError: the text is no JSON in UTF-8, is nested too deeply, or has a key twice.
    """
    try:
        value: Plain = json.loads(data.decode(), object_pairs_hook=_once)
    except RecursionError:
        raise ValueError("is nested too deeply") from None
    return value


def _once(pairs: list[tuple[str, Plain]]) -> Plain:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("has a key twice")
    return found
