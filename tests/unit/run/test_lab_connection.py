from __future__ import annotations

from pathlib import Path

import pytest
import trustme

pytest.importorskip("distributed")

from distributed.security import Security

from conformance.run.lab import require_secure, security_of
from conformance.run.lab_remote import Certificates, LabFile, read_lab
from conformance.suite.adapter_file import target_from_text
from conformance.tensors.errors import UsageError

TLS = Security()


@pytest.mark.parametrize(
    ("address", "security"),
    [
        ("tcp://127.0.0.1:8786", None),
        ("tcp://127.9.0.1:8786", None),
        ("tcp://[::1]:8786", None),
        ("tcp://localhost:8786", None),
        ("tls://lab.example:8786", TLS),
    ],
)
def test_loopback_needs_no_certificates_and_tls_does(address: str, security: Security | None) -> None:
    require_secure(address, security, "--scheduler")


@pytest.mark.parametrize(
    ("address", "security", "what"),
    [
        ("tcp://lab.example:8786", None, "would let anyone who can connect run code"),
        ("tcp://10.0.0.1:8786", TLS, "would let anyone who can connect run code"),
        ("tcp://0.0.0.0:8786", None, "would let anyone who can connect run code"),
        ("tcp://localhost.example:8786", None, "would let anyone who can connect run code"),
        ("tls://lab.example:8786", None, "needs certificates"),
        ("ucx://127.0.0.1:8786", None, "is not the address of a scheduler"),
        ("127.0.0.1:8786", None, "is not the address of a scheduler"),
        ("tcp://", None, "is not the address of a scheduler"),
        ("tcp://127.0.0.1", None, "is not the address of a scheduler"),
        ("tcp://127.0.0.1:70000", None, "is not the address of a scheduler"),
    ],
)
def test_other_addresses_are_refused(address: str, security: Security | None, what: str) -> None:
    with pytest.raises(UsageError, match=what):
        require_secure(address, security, "--scheduler")


def test_a_file_of_the_certificates_that_is_missing_is_named(tmp_path: Path) -> None:
    lab = LabFile(certificates=Certificates(authority="ca.pem", certificate="me.pem", key="me.key"))
    with pytest.raises(UsageError, match=r"ca\.pem: does not exist; it is the authority of the lab"):
        security_of(lab, tmp_path)


def test_a_target_takes_up_what_its_options_or_else_its_adapter_need() -> None:
    lab = LabFile(needs={"torch": {"torch": 1}, "torch[device=cuda:0]": {"cuda": 1}})
    needs = [lab.needed_by(target_from_text(text)) for text in ("torch", "torch[device=cuda:0]", "numpy")]
    assert needs == [{"torch": 1}, {"cuda": 1}, {}]


def test_a_mistake_in_a_lab_file_is_named_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "lab.yaml").write_text("chunk_checks: 64\nneeds: {numpy: {cuda: one}}\n")
    with pytest.raises(ExceptionGroup) as group:
        read_lab(tmp_path / "lab.yaml")
    assert "lab.yaml:2" in str(group.value.exceptions[0])


def lab_with(folder: Path, authority: trustme.CA, signer: trustme.CA, key: bytes = b"") -> LabFile:
    """A lab of one authority, with a certificate that this or another one signed."""
    machine = signer.issue_cert("localhost")
    authority.cert_pem.write_to_path(str(folder / "ca.pem"))
    machine.cert_chain_pems[0].write_to_path(str(folder / "me.pem"))
    (folder / "me.key").write_bytes(key or machine.private_key_pem.bytes())
    return LabFile(certificates=Certificates(authority="ca.pem", certificate="me.pem", key="me.key"))


def test_a_certificate_of_the_labs_authority_is_accepted(tmp_path: Path) -> None:
    authority = trustme.CA()
    assert security_of(lab_with(tmp_path, authority, authority), tmp_path) is not None


def test_a_certificate_of_another_authority_is_refused(tmp_path: Path) -> None:
    lab = lab_with(tmp_path, trustme.CA(), trustme.CA())
    with pytest.raises(UsageError, match="accepts this certificate: unable to get local issuer certificate"):
        security_of(lab, tmp_path)


def test_a_key_of_another_certificate_is_refused(tmp_path: Path) -> None:
    authority = trustme.CA()
    lab = lab_with(tmp_path, authority, authority, authority.issue_cert("x").private_key_pem.bytes())
    with pytest.raises(UsageError, match="accepts this certificate: KEY_VALUES_MISMATCH"):
        security_of(lab, tmp_path)


def test_a_key_that_is_no_pem_is_refused(tmp_path: Path) -> None:
    authority = trustme.CA()
    lab = lab_with(tmp_path, authority, authority, b"junk")
    with pytest.raises(UsageError, match="accepts this certificate: a file is not in PEM format"):
        security_of(lab, tmp_path)
