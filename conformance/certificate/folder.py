"""Reads the folder of a certificate as untrusted input, and gives its log to commands that take any log.

It opens only regular files with known names, reads them up to a size limit, and follows no links.
"""

from __future__ import annotations

import base64
import json
import lzma
import os
import re
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import Field

from conformance.certificate.certificate_file import (
    ENVELOPE,
    FILES,
    LOG,
    PAYLOAD_TYPE,
    REPRODUCERS,
    SUMMARY,
    digest_of,
    reproducer_name,
)
from conformance.certificate.rules import BrokenRuleError, Rule
from conformance.judge.deviation import Deviation, read_deviations
from conformance.log.answers import NamedLog
from conformance.log.log_file import MAX_LINE_BYTES
from conformance.run.process import Scratch
from conformance.suite.adapter_file import bundled_adapters
from conformance.suite.yaml_file import Document, FileModel, Plain, validated
from conformance.tensors.errors import UsageError
from conformance.tensors.files import content_of
from conformance.tensors.text import visible

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey


PAGES = "pages"
"""The folder of the pages, beside the folders of the certificates."""
_MIB = 1 << 20
MAX_UNPACKED_BYTES = 512 * _MIB
MAX_PACKED_BYTES = 64 * _MIB
_MAX_OTHER_BYTES = _MIB
_MAX_ENTRIES = 256
_SCRIPT = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}")
_CHUNK = _MIB
_MEMORY = 128 * _MIB
"""What unpacking may take: `xz -9` needs half of it."""


def read_folder(folder: Path) -> dict[str, bytes]:
    """The files of a certificate by name; the names of reproducers include their folder.

    Raises:
        ExceptionGroup: of `BrokenRuleError`: a file is missing, unknown, not a regular file, or too large.
    """
    names = _names_in(folder)
    broken = [BrokenRuleError(Rule.FILES, ascii(name), "is not a file of a certificate") for name in names
              if name not in (*FILES, ENVELOPE, REPRODUCERS)]  # fmt: skip
    broken += [BrokenRuleError(Rule.FILES, name, "is missing") for name in FILES if name not in names]
    scripts = folder / REPRODUCERS
    if REPRODUCERS in names and not stat.S_ISDIR(scripts.lstat().st_mode):
        broken.append(BrokenRuleError(Rule.REGULAR, REPRODUCERS, "is not a folder"))
    if broken:
        raise ExceptionGroup(f"{folder} is not a certificate", broken)
    paths = [name for name in names if name != REPRODUCERS]
    for name in _names_in(scripts) if REPRODUCERS in names else ():
        if _SCRIPT.fullmatch(name):
            paths.append(f"{REPRODUCERS}/{name}")
        else:
            where = f"{REPRODUCERS}/{name[:100]!a}"
            broken.append(BrokenRuleError(Rule.REPRODUCERS, where, "is not the name of a script"))
    files: dict[str, bytes] = {}
    for path in paths:
        try:
            files[path] = _read(folder / path, path)
        except BrokenRuleError as problem:
            broken.append(problem)
    if broken:
        raise ExceptionGroup(f"{folder} is not a certificate", broken)
    return files


def reproducers_in(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """The reproducers among the files of a certificate, by name without folder."""
    return {name.removeprefix(f"{REPRODUCERS}/"): data for name, data in files.items() if name.startswith(REPRODUCERS)}


def _names_in(folder: Path) -> list[str]:
    with os.scandir(folder) as entries:
        return sorted(entry.name for entry in islice(entries, _MAX_ENTRIES))


def _read(path: Path, name: str) -> bytes:
    limit = MAX_PACKED_BYTES if name == LOG else _MAX_OTHER_BYTES
    if not stat.S_ISREG(path.lstat().st_mode):
        raise BrokenRuleError(Rule.REGULAR, name, "is not a regular file")
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    with os.fdopen(os.open(path, flags), "rb") as stream:
        if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
            raise BrokenRuleError(Rule.REGULAR, name, "is not a regular file")
        data = stream.read(limit + 1)
    if len(data) > limit:
        raise BrokenRuleError(Rule.SIZE, name, f"is larger than {limit} bytes")
    return data


def unpack_log(data: bytes, target: Path) -> None:
    """Write the uncompressed log to a file.

    Raises:
        BrokenRuleError: it is not xz, is cut off, has trailing data, is too large, or has a line that is too long.
    """
    unpacker = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_MEMORY)
    size = line = 0
    try:
        with target.open("wb") as out:
            while not unpacker.eof:
                chunk = unpacker.decompress(data, _CHUNK)
                data = b""
                if not chunk and unpacker.needs_input and not unpacker.eof:
                    raise BrokenRuleError(Rule.READABLE, LOG, "ends before the end of the log")
                size += len(chunk)
                line = _longest_open_line(chunk, line)
                if size > MAX_UNPACKED_BYTES or line > MAX_LINE_BYTES:
                    is_large = size > MAX_UNPACKED_BYTES
                    what = f"unpacks to more than {MAX_UNPACKED_BYTES} bytes" if is_large else _LONG_LINE
                    raise BrokenRuleError(Rule.SIZE, LOG, what)
                out.write(chunk)
    except lzma.LZMAError as error:
        raise BrokenRuleError(Rule.READABLE, LOG, f"is not compressed by xz: {error}") from None
    if unpacker.unused_data:
        raise BrokenRuleError(Rule.READABLE, LOG, "goes on after the end of the log")


_LONG_LINE = f"has a line of more than {MAX_LINE_BYTES} bytes"


def _longest_open_line(chunk: bytes, before: int) -> int:
    """Length of the unfinished line after this chunk; lines within a chunk are short, as chunks are below the limit."""
    end = chunk.rfind(b"\n")
    return before + len(chunk) if end < 0 else len(chunk) - end - 1


def is_published(path: Path) -> bool:
    """Whether a path is the folder of a certificate."""
    return (path / LOG).is_file()


@contextmanager
def unpacked_log(folder: Path) -> Iterator[Path]:
    """The log of a certificate, as a file that exists while the context is open.

    Raises:
        BrokenRuleError: it is not a regular file, cannot be unpacked, or is too large.
    """
    with Scratch() as scratch:
        log = Path(scratch) / "run.jsonl"
        unpack_log(_read(folder / LOG, LOG), log)
        yield log


@contextmanager
def named_log_of(folder: Path) -> Iterator[NamedLog]:
    """The log of a certificate under the name of its folder, with the page that was published of it.

    Raises:
        BrokenRuleError: it is not a regular file, cannot be unpacked, or is too large.
    """
    page = folder.resolve().parent / PAGES / f"{folder.resolve().name}.html"
    with unpacked_log(folder) as log:
        yield NamedLog(path=log, name=str(folder), report=str(page) if page.is_file() else "")


# The written scripts of recorded deviations, by path and digest; copied only where no bundled adapter has them.
#
# A deviation with a witness needs none: its script is made of a case. Nothing is run here.

_MAX_BYTES = 1 << 20


def reproducers_of(deviations: Sequence[Deviation], folder: Path) -> dict[str, bytes]:
    """The reproducers of deviations by their paths in the folder of their adapter."""
    paths = sorted({entry.reproducer for entry in deviations} - {""})
    return {path: content_of(folder / path, path, _MAX_BYTES) for path in paths}


def bundled_digests(adapter: str) -> dict[str, str]:
    """SHA-256 of the reproducers of a bundled adapter by path; empty if no bundled adapter has this name.

    The paths are those that the bundled adapter records, so that no path of a stranger is opened.
    """
    named = (bundled for bundled in bundled_adapters() if bundled.name == adapter)
    scripts = (reproducers_of(read_deviations(one.folder), one.folder) for one in named)
    return {path: digest_of(data) for found in scripts for path, data in found.items()}


def reproducer_problems(
    deviations: Sequence[Deviation],
    digests: Mapping[str, str],
    copies: Mapping[str, bytes],
    uncompared: Sequence[str],
    *,
    version_is_here: bool,
) -> Iterator[BrokenRuleError]:
    """Digests and copies that belong to no deviation, and scripts that are neither copied nor bundled.

    Args:
        deviations: that were met.
        digests: that the certificate states of their reproducers, by path.
        copies: in the folder of the certificate, by name.
        uncompared: the reproducers that are not, with this digest, in the bundled adapter (see `uncompared_of`).
        version_is_here: whether the certificate is of this version, whose bundled adapters have all that is not copied.
    """
    entries = {entry.reproducer: entry for entry in deviations if entry.reproducer}
    for path in sorted(entries.keys() ^ digests.keys()):
        what = f"belongs to no deviation: {path[:100]!r}" if path in digests else f"has no digest of {path[:100]!r}"
        yield BrokenRuleError(Rule.REPRODUCERS, f"{SUMMARY}: reproducers", what)
    paths: dict[str, str] = {}
    for path, entry in entries.items():
        name, where = reproducer_name(entry), f"deviations.yaml: {entry.id}"
        if path in uncompared and name not in copies and version_is_here:
            what = f"its reproducer {path[:100]!r}, with its digest, is neither in {REPRODUCERS}/ nor bundled"
            yield BrokenRuleError(Rule.REPRODUCERS, where, what)
        elif name in copies and paths.setdefault(name, path) != path:
            what = f"two reproducers have the name {name!r}"
            yield BrokenRuleError(Rule.REPRODUCERS, where, what, fix="give one of them another name")
    for name, data in copies.items():
        if what := _wrong_with(data, digests.get(paths[name]) if name in paths else None):
            yield BrokenRuleError(Rule.REPRODUCERS, f"{REPRODUCERS}/{name}", what)


def uncompared_of(digests: Mapping[str, str], adapter: str) -> list[str]:
    """The paths of reproducers that the bundled adapter of this name does not have with their digest."""
    bundled = bundled_digests(adapter)
    return [path for path, digest in digests.items() if bundled.get(path) != digest]


def witnessed_of(adapter: str) -> list[str]:
    """The deviations of the bundled adapter of this name whose scripts are made of cases."""
    named = (read_deviations(bundled.folder) for bundled in bundled_adapters() if bundled.name == adapter)
    return [entry.id for entries in named for entry in entries if entry.witness is not None]


def _wrong_with(data: bytes, digest: str | None) -> str:
    """What is wrong with a copy, whose digest is stated if it belongs to a deviation."""
    if digest is None:
        return "belongs to no deviation"
    if not _is_text(data):
        return "is not UTF-8 text, or contains characters that are not visible"
    return "" if digest_of(data) == digest else "has another digest than the certificate states"


def _is_text(data: bytes) -> bool:
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return False
    return bool(text.strip()) and text == visible(text, len(text))


# Signs and checks statements: DSSE envelopes with ed25519 keys, by securesystemslib. Refuses repeated keys in JSON.

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
        BrokenRuleError: it holds something else, or is not an envelope.
    """
    try:
        read = validated(EnvelopeFile, Document(ENVELOPE, json_value(envelope)))
        payload, *signatures = map(_decoded, (read.payload, *(entry.sig for entry in read.signatures)))
    except (ValueError, ExceptionGroup):
        raise BrokenRuleError(Rule.SIGNATURE, ENVELOPE, "is not a DSSE envelope") from None
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
        ValueError: it is not base64.
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
        ValueError: the text is not JSON in UTF-8, is nested too deeply, or has a key twice.
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
