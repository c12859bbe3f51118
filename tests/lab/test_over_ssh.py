"""A target on another machine without an engine there: the command of its adapter is ssh."""

from __future__ import annotations

import getpass
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from time import monotonic, sleep

import pytest
import yaml
from command import run_to
from gallery import read_log

SSHD = shutil.which("sshd", path=os.pathsep.join([os.environ["PATH"], "/usr/sbin"]))
START_LIMIT_S = 30

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(SSHD is None or shutil.which("ssh") is None, reason="sshd and ssh are not installed"),
]


@pytest.fixture
def remote(tmp_path: Path) -> Iterator[list[str]]:
    """The command that runs another one over a real sshd on the loopback."""
    keys = tmp_path / "keys"
    keys.mkdir(mode=0o700)
    for name in ("host", "user"):
        command = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(keys / name)]
        subprocess.run(command, check=True)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    if os.geteuid() == 0:
        Path("/run/sshd").mkdir(exist_ok=True)
    settings = {"Port": port, "ListenAddress": "127.0.0.1", "HostKey": keys / "host", "PidFile": "none"}
    settings |= {"AuthorizedKeysFile": keys / "user.pub", "StrictModes": "no", "PasswordAuthentication": "no"}
    (keys / "config").write_text("".join(f"{name} {value}\n" for name, value in settings.items()))
    assert SSHD is not None
    server = subprocess.Popen([SSHD, "-D", "-f", str(keys / "config")], stderr=subprocess.DEVNULL)
    try:
        _wait_until_open(port)
        options = ["StrictHostKeyChecking=no", "UserKnownHostsFile=/dev/null", "LogLevel=ERROR", "BatchMode=yes"]
        given = [word for option in options for word in ("-o", option)]
        yield ["ssh", "-T", "-p", str(port), "-i", str(keys / "user"), *given, f"{getpass.getuser()}@127.0.0.1"]
    finally:
        server.kill()
        server.wait()


def _wait_until_open(port: int) -> None:
    limit = monotonic() + START_LIMIT_S
    while monotonic() < limit:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        sleep(0.05)
    raise AssertionError(port)


def test_an_adapter_over_ssh_answers_as_one_beside_the_engine(remote: list[str], tmp_path: Path) -> None:
    run_to(tmp_path, "adapter", "new", "there", "--language", "protocol")
    manifest = tmp_path / "there" / "adapter.yaml"
    chosen = ("--target", "./there", "--operator", "openvino.VariadicSplit-1", "--clause", "split_lengths.sum", "-q")
    run_to(tmp_path, "run", *chosen, "--output", "here")
    entry = yaml.safe_load(manifest.read_text())
    program = str(tmp_path / "there" / "serve.py")
    manifest.write_text(yaml.safe_dump({**entry, "command": [*remote, sys.executable, program]}))
    run_to(tmp_path, "run", *chosen, "--output", "away")
    here, away = (read_log(tmp_path / name / "run.jsonl").records for name in ("here", "away"))
    assert [(r.case, r.form, r.verdict, r.outputs) for r in away] == [
        (r.case, r.form, r.verdict, r.outputs) for r in here
    ]
    assert here
