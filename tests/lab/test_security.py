"""Who can reach the parts of a lab: this machine, or peers with a certificate of the lab's authority."""

from __future__ import annotations

import socket
import ssl
import sys
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import pytest
import trustme
import yaml
from command import run_command, run_to
from machines import Part, lab_of

pytest.importorskip("distributed")
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="process groups")

CHOSEN = ("run", "-q", "--target", "numpy", "--operator", "onnx.Split-11", "--clause", "split.sum")


def write_certificates(folder: Path, expires: datetime | None = None) -> None:
    """A lab file whose certificates one authority signed."""
    authority = trustme.CA()
    machine = authority.issue_cert("localhost", "127.0.0.1", not_after=expires)
    authority.cert_pem.write_to_path(str(folder / "ca.pem"))
    machine.private_key_pem.write_to_path(str(folder / "machine.key"))
    machine.cert_chain_pems[0].write_to_path(str(folder / "machine.pem"))
    files = {"authority": "ca.pem", "certificate": "machine.pem", "key": "machine.key"}
    (folder / "lab.yaml").write_text(yaml.safe_dump({"certificates": files, "machine_limit_s": 3}))


def is_open_to_strangers(address: tuple[str, int]) -> bool:
    """Whether a peer without a certificate, on another machine, gets beyond the handshake."""
    host, port = address
    if ip_address(host).is_loopback:
        return False
    stranger = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    stranger.check_hostname, stranger.verify_mode = False, ssl.CERT_NONE
    with socket.create_connection(("127.0.0.1", port), timeout=60) as plain:
        try:
            with stranger.wrap_socket(plain) as secured:
                secured.recv(1)
        except OSError as error:
            return getattr(error, "reason", "") != "TLSV13_ALERT_CERTIFICATE_REQUIRED"
    return True


@pytest.mark.slow
def test_without_certificates_everything_in_a_lab_listens_on_the_loopback_alone() -> None:
    local = Part("local", "--port", "0", "--workers", "1")
    try:
        local.wait_for("worker")
        addresses = local.listening()
    finally:
        local.end()
    with lab_of(1) as lab:
        addresses += [*lab.scheduler.listening(), *lab.workers[0].listening()]
    assert [address for address in addresses if not ip_address(address[0]).is_loopback] == []
    assert len(addresses) >= 8


@pytest.mark.slow
def test_with_certificates_nothing_in_a_lab_is_open_to_strangers(tmp_path: Path) -> None:
    write_certificates(tmp_path)
    with lab_of(1, "--lab", str(tmp_path / "lab.yaml")) as lab:
        addresses = [*lab.scheduler.listening(), *lab.workers[0].listening()]
        assert [address for address in addresses if is_open_to_strangers(address)] == []
    assert any(not ip_address(host).is_loopback for host, _ in addresses)


@pytest.mark.slow
def test_a_port_without_mutual_tls_is_seen_as_open() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        assert is_open_to_strangers(("0.0.0.0", server.getsockname()[1]))


def test_machines_with_certificates_of_one_authority_work_together(tmp_path: Path) -> None:
    write_certificates(tmp_path)
    stranger = tmp_path / "stranger"
    stranger.mkdir()
    write_certificates(stranger)
    with lab_of(1, "--lab", str(tmp_path / "lab.yaml")) as lab:
        assert lab.scheduler.address.startswith("tls://")
        with_lab = (*CHOSEN, "--scheduler", lab.scheduler.address, "--lab")
        run_to(tmp_path, *with_lab, "lab.yaml")
        refused = run_command(stranger, *with_lab, "lab.yaml")
    assert refused.returncode == 3
    assert "cannot be reached" in refused.stderr


@pytest.mark.parametrize(
    "command",
    [
        ("lab", "scheduler", "--port", "0"),
        ("lab", "worker", "tls://127.0.0.1:8786"),
        (*CHOSEN, "--scheduler", "tls://127.0.0.1:8786"),
    ],
)
def test_an_expired_certificate_is_refused_in_one_message(tmp_path: Path, command: tuple[str, ...]) -> None:
    write_certificates(tmp_path, expires=datetime.now(UTC) - timedelta(days=1))
    done = run_command(tmp_path, *command, "--lab", "lab.yaml")
    assert done.returncode == 2
    assert done.stderr == (
        "machine.pem: no machine of the lab accepts this certificate: certificate has expired\n"
        "  fix:  issue it again, signed by ca.pem, with a key without a password\n"
    )
