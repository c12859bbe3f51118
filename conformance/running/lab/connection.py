"""Addresses of a lab, and the security that they demand.

Peers of Dask unpickle all messages, so each peer that connects can run code. Beyond the loopback address, only mutual
TLS is accepted.
"""

from __future__ import annotations

import ssl
from collections.abc import Mapping
from contextlib import suppress
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

from distributed.security import Security

from conformance.running.lab.lab_file import LabFile
from conformance.values.errors import UsageError


def security_of(lab: LabFile, folder: Path) -> Security | None:
    """Mutual TLS with the certificates of the lab; None without any.

    Raises:
        UsageError: a file of the certificates does not exist, or the lab's own machines would refuse them.
    """
    if lab.certificates is None:
        return None
    paths = {name: folder / path for name, path in lab.certificates.model_dump().items()}
    for name, path in paths.items():
        if not path.is_file():
            raise UsageError(str(path), f"does not exist; it is the {name} of the lab", fix="correct `certificates`")
    _require_accepted(paths)
    roles = {
        f"tls_{role}_{kind}": str(paths[name])
        for role in ("client", "worker", "scheduler")
        for kind, name in (("cert", "certificate"), ("key", "key"))
    }
    return Security(tls_ca_file=str(paths["authority"]), require_encryption=True, **roles)


def _require_accepted(paths: Mapping[str, Path]) -> None:
    """Refuse certificates with which this machine would not accept itself: expired, of another authority, unreadable.

    Raises:
        UsageError: a handshake with itself fails, in memory.
    """
    to_scheduler, to_worker = ssl.MemoryBIO(), ssl.MemoryBIO()
    try:
        worker = _context(ssl.PROTOCOL_TLS_CLIENT, paths).wrap_bio(to_worker, to_scheduler)
        scheduler = _context(ssl.PROTOCOL_TLS_SERVER, paths).wrap_bio(to_scheduler, to_worker, server_side=True)
        for side in (worker, scheduler, worker, scheduler):
            with suppress(ssl.SSLWantReadError):
                side.do_handshake()
    except OSError as error:
        what = f"no machine of the lab accepts this certificate: {_reason(error)}"
        fix = f"issue it again, signed by {paths['authority']}, with a key without a password"
        raise UsageError(str(paths["certificate"]), what, fix=fix) from None


def _context(protocol: int, paths: Mapping[str, Path]) -> ssl.SSLContext:
    context = ssl.SSLContext(protocol)
    context.check_hostname = False  # as Dask does
    context.verify_mode = ssl.CERT_REQUIRED
    context.load_verify_locations(paths["authority"])
    context.load_cert_chain(paths["certificate"], paths["key"], password=lambda: "")  # never ask on a terminal
    return context


def _reason(error: OSError) -> str:
    match error:
        case ssl.SSLCertVerificationError():
            return error.verify_message
        case ssl.SSLError():
            return error.reason or "a file is not in PEM format"
        case _:
            return error.strerror or str(error)


def require_secure(address: str, security: Security | None, where: str) -> None:
    """Refuse an address beyond the loopback without mutual TLS.

    Raises:
        UsageError: it is such an address, or not an address.
    """
    parts = urlsplit(address if "://" in address else f"://{address}")
    if parts.scheme not in ("tcp", "tls") or not parts.hostname or not has_port(parts):
        raise UsageError(where, f"{address!r} is not the address of a scheduler", fix="write it as tls://host:8786")
    if parts.scheme == "tls":
        if security is None:
            raise UsageError(where, "tls:// needs certificates", fix="name a lab file with `certificates`: --lab FILE")
    elif not is_loopback(parts.hostname):
        what = f"{address!r} would let anyone who can connect run code: peers unpickle what they get"
        raise UsageError(where, what, fix="use tls:// and `certificates` in the lab file; tcp:// is for 127.0.0.1 only")


def has_port(address: SplitResult) -> bool:
    """Whether an address has a port that exists."""
    with suppress(ValueError):
        return address.port is not None
    return False


def is_loopback(host: str) -> bool:
    """Whether a host name or address is this machine's loopback."""
    with suppress(ValueError):
        return ip_address(host).is_loopback
    return host == "localhost"
