from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path

import pytest

from conformance.run import environments
from conformance.run.environments import (
    failure,
    install_command,
    settings_in,
    uv_options,
    variables_for_installers,
)
from conformance.tensors.errors import MachineError


@pytest.mark.parametrize("uv", ["/usr/bin/uv", None])
def test_only_listed_wheels_are_installed_and_nothing_is_built(uv: str | None) -> None:
    if uv is None and find_spec("pip") is None:
        pytest.skip("needs pip")
    command = install_command(Path("env/bin/python"), Path("requirements.txt"), uv)
    assert {"--no-deps", "--require-hashes", ":all:", "env/bin/python", "requirements.txt"} <= set(command)
    assert command[command.index("--only-binary") + 1] == ":all:"


def test_without_uv_and_pip_nothing_can_be_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(environments, "find_spec", lambda _: None)
    with pytest.raises(MachineError, match=r"there is neither uv nor a pip for .*\n.*install uv"):
        install_command(Path("python"), Path("requirements.txt"), None)


def test_uv_asks_the_index_of_pip() -> None:
    settings = (
        ":env:.timeout='180'\n"
        "global.index-url='https://mirror.example/simple'\n"
        "global.extra-index-url='file:///one file:///two'\n"
        "install.find-links='/wheels'\n"
    )
    assert uv_options(settings_in(settings)) == [
        *("--index-url", "https://mirror.example/simple"),
        *("--extra-index-url", "file:///one", "--extra-index-url", "file:///two", "--find-links", "/wheels"),
        *("--index-strategy", "unsafe-best-match"),
    ]
    assert uv_options(settings_in("global.timeout='180'\n")) == []


def test_installers_learn_from_the_user_where_wheels_are_and_not_where_they_go() -> None:
    given = {
        "PATH": "/bin",
        "HTTPS_PROXY": "http://proxy",
        "PYTHONPATH": "/mine",
        "PYTHONHOME": "/mine",
        "PIP_TARGET": "/mine",
        "UV_TARGET": "/mine",
        "UV_DEFAULT_INDEX": "https://uv",
        "UV_INDEX_OWN_PASSWORD": "secret",
    }
    settings = (
        ":env:.find-links='/wheels'\n"
        ":env:.target='/mine'\n"
        "global.cert='/cert.pem'\n"
        "global.find-links='/others'\n"
        "global.extra-index-url='file:///one\\nfile:///two'\n"
        "download.index-url='https://another'\n"
        "install.dry-run='true'\n"
    )
    assert variables_for_installers(given, settings_in(settings)) == {
        "PATH": "/bin",
        "HTTPS_PROXY": "http://proxy",
        "UV_DEFAULT_INDEX": "https://uv",
        "UV_INDEX_OWN_PASSWORD": "secret",
        "SSL_CERT_FILE": "/cert.pem",
        "PIP_CERT": "/cert.pem",
        "PIP_FIND_LINKS": "/wheels",
        "PIP_EXTRA_INDEX_URL": "file:///one file:///two",
        "PIP_CONFIG_FILE": os.devnull,
    }


@pytest.mark.parametrize(
    ("said", "what"),
    [
        ("OSError: [Errno 28] No space left on device", "the disk is full"),
        (
            "ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM",
            "the index has another wheel than the one that engines/",
        ),
        ("  cause: Hash mismatch for `onnx==1.20.0`", "the index has another wheel than the one that engines/ lists"),
        (
            "Retrying after connection broken by X\nERROR: No matching distribution found",
            "the package index cannot be reached",
        ),
        ("error: client error (Connect)", "the package index cannot be reached"),
        ("ERROR: No matching distribution found for onnx", "the index does not have its wheels"),
    ],
)
def test_why_an_installer_failed_is_said_in_one_line(said: str, what: str) -> None:
    assert failure(said, is_late=False).what.startswith(what)


def test_any_other_failure_shows_the_last_lines() -> None:
    assert failure("first\n\nlast\n", is_late=False).fix == "it wrote: first | last"
    assert failure("", is_late=True).what == "the installer took too long"
