"""Environments of releases, made of real wheels from pip's configured index; of a small package where any would do."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from subprocess import CompletedProcess, Popen
from time import monotonic, sleep

import pytest
from command import run_command
from gallery import MadeOnce, read_log
from releases import AFTER, BEFORE, MADE, cache_with_releases

from conformance.run import environments
from conformance.run.environments import UNFINISHED, Lock, Wheel, environment_of, target_as_recorded
from conformance.spec.verdict import Verdict
from conformance.suite.adapter_file import bundled_packages, recorded_target
from conformance.tensors.errors import MachineError

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform == "win32", reason="folders of virtual environments")]

INSTALLED = version("onnxruntime") if find_spec("onnxruntime") else ""
RUN = ("run", "--quiet", "--operator", "onnx.Split-13", "--expects", "outputs", "--checks", "6")
(SMALL,) = (entry for entry in bundled_packages() if entry.name == "typing_extensions")
LOCK = Lock("cp311", (Wheel(SMALL.name, SMALL.version, SMALL.wheels["py3-none-any"]),))
MAKE = f"""
from conformance.run.environments import Lock, Wheel
from conformance.run.environments import environment_of

environment_of({LOCK!r}, is_offline=False, say=lambda text: print(text.split()[0], flush=True))
print("made", flush=True)
"""


@dataclass(frozen=True)
class Cache:
    """The user's cache of a test."""

    folder: Path

    @property
    def root(self) -> Path:
        return self.folder / "opconform" / "environments"

    def names(self) -> list[str]:
        """What is in it, without locks."""
        return sorted(path.name for path in self.root.glob("*") if path.suffix != ".lock")

    def make(self) -> Popen[str]:
        """A process that makes the environment of the small package."""
        return Popen([sys.executable, "-c", MAKE], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cache:
    """An empty cache."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    environments.pip_settings.cache_clear()
    return Cache(tmp_path / "cache")


@pytest.fixture
def filled(made_once: MadeOnce, monkeypatch: pytest.MonkeyPatch) -> Cache:
    """A cache with releases of ONNX Runtime."""
    return Cache(cache_with_releases(made_once, monkeypatch))


def wait_until(holds: Callable[[], object]) -> None:
    end = monotonic() + 60
    while not holds():
        assert monotonic() < end
        sleep(0.02)


def small_environment() -> str:
    return environment_of(LOCK, is_offline=False, say=print).name


@pytest.mark.frameworks
def test_one_run_has_releases_side_by_side_and_installs_nothing_that_is_there(filled: Cache, tmp_path: Path) -> None:
    names = [f"onnxruntime@{release}" for release in MADE]
    asked = ["onnxruntime", f"{names[0]}..{MADE[0]}", *names[1:]]
    done = run_command(tmp_path, *RUN, "--offline", *(word for name in asked for word in ("-t", name)))
    assert "making" not in done.stderr
    log = read_log(tmp_path / "conformance-results" / "run.jsonl")
    assert [target.name for target in log.header.targets] == [f"onnxruntime@{INSTALLED}", *names]
    assert {target.problem for target in log.header.targets} == {""}
    assert {target.environment for target in log.header.targets} == {"", *filled.names()}
    assert {record.target for record in log.records if record.verdict is Verdict.PASS} >= set(names)


def test_a_target_of_a_log_is_asked_again_in_its_environment(filled: Cache) -> None:
    for release in MADE:
        asked = target_as_recorded(recorded_target("onnxruntime", {}), release)
        assert asked.adapter.environment is not None
        assert str(asked.adapter.environment.python).startswith(str(filled.root / f"onnxruntime-{release}-"))
    assert target_as_recorded(recorded_target("onnxruntime", {}), "1.15.0").adapter.environment is None
    assert target_as_recorded(recorded_target("numpy", {}), "1.0.0").adapter.environment is None


def test_environments_are_listed_warmed_and_removed(
    filled: Cache, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed = run_command(tmp_path, "env", "list").stdout.splitlines()
    assert [line.partition(":")[0] for line in listed[: len(MADE)]] == [f"onnxruntime {release}" for release in MADE]
    assert listed[len(MADE) - 1].endswith(" MB, used today; with ml_dtypes 0.6.0, numpy 2.4.6")
    assert listed[len(MADE)].startswith(f"{len(MADE)} environments, ")
    warmed = run_command(tmp_path, "env", "warm", f"onnxruntime@{AFTER}..{AFTER}")
    assert (warmed.returncode, warmed.stdout.count(" s\n")) == (0, 1)
    copied = shutil.copytree(filled.folder, tmp_path / "cache", symlinks=True)
    monkeypatch.setenv("XDG_CACHE_HOME", str(copied))
    assert run_command(tmp_path, "env", "remove", "--unused", "30d").stdout == ""
    removed = run_command(tmp_path, "env", "remove", f"onnxruntime@..{BEFORE}").stdout.splitlines()
    assert [line.partition(", ")[0] for line in removed] == [f"onnxruntime {release}: removed" for release in MADE[:-1]]
    assert [name.startswith(f"onnxruntime-{AFTER}-") for name in Cache(copied).names()] == [True]
    assert run_command(tmp_path, "env", "remove").returncode == 2


def test_a_release_without_an_environment_is_an_error_offline(cache: Cache, tmp_path: Path) -> None:
    done = run_command(tmp_path, *RUN, "--offline", "-t", f"onnxruntime@{AFTER}")
    said = f"onnxruntime@{AFTER}: has no environment yet, and --offline fetches none\n"
    assert (done.returncode, done.stderr) == (3, f"{said}  fix:  conformance env add onnxruntime@{AFTER}\n")
    assert cache.names() == []


@pytest.mark.parametrize(
    ("target", "what"),
    [
        ("onnxruntime@1.0..1.2", "no listed release is within 1.0..1.2"),
        ("onnxruntime@1.99.0", "there is no release '1.99.0' in the list, and it is not installed"),
        ("numpy@1..", "no releases of its framework are listed"),
        ("onnx-backend@1.13.0[module=onnx.reference]", "the adapter needs onnx>=1.16"),
    ],
)
def test_a_release_that_cannot_be_had_is_named_before_anything_is_installed(
    target: str, what: str, cache: Cache, tmp_path: Path
) -> None:
    done = run_command(tmp_path, *RUN, "-t", target)
    assert done.returncode == 2
    assert done.stderr.startswith(f"target {target!r}: {what}\n  fix:  ")
    assert cache.names() == []


def test_another_wheel_than_the_listed_one_is_refused(cache: Cache) -> None:
    other = Lock("cp311", (Wheel(SMALL.name, SMALL.version, "0" * 64),))
    with pytest.raises(MachineError, match="the index has another wheel than the one that engines/ lists"):
        environment_of(other, is_offline=False, say=print)
    assert cache.names() == []


def test_without_a_network_nothing_is_left(cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith(("PIP_", "UV_"))]:
        monkeypatch.delenv(name)
    settings = {
        "CONFIG_FILE": os.devnull,
        "INDEX_URL": "http://127.0.0.1:9/simple",
        "NO_CACHE_DIR": "1",
        "RETRIES": "1",
    }
    for name, value in settings.items():
        monkeypatch.setenv(f"PIP_{name}", value)
    monkeypatch.setenv("UV_NO_CACHE", "1")
    with pytest.raises(MachineError, match="the package index cannot be reached"):
        small_environment()
    assert cache.names() == []


@pytest.mark.parametrize("name", ["TARGET", "PREFIX", "ROOT", "DRY_RUN", "USER", "CONFIG_FILE"])
def test_settings_of_the_user_do_not_lead_wheels_elsewhere(
    name: str, cache: Cache, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pip.conf").write_text(f"[install]\ntarget = {tmp_path / 'elsewhere'}\n")
    places = {"DRY_RUN": "1", "USER": "1", "CONFIG_FILE": str(tmp_path / "pip.conf")}
    place = places.get(name, str(tmp_path / "elsewhere"))
    monkeypatch.setenv(f"PIP_{name}", place)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    (tmp_path / "pip.py").write_text("raise SystemExit('not this one')")
    assert small_environment() == cache.names()[0] == LOCK.name
    assert [*cache.root.rglob("typing_extensions.py")] != []


def test_a_broken_environment_is_made_anew(cache: Cache) -> None:
    small_environment()
    (module,) = cache.root.rglob("typing_extensions.py")
    module.chmod(0o644)
    module.write_text("")
    with pytest.raises(MachineError, match="has no whole environment, and --offline fetches none"):
        environment_of(LOCK, is_offline=True, say=print)
    small_environment()
    assert module.stat().st_size > 9000
    assert cache.names() == [LOCK.name]


def test_an_installer_that_puts_nothing_there_is_an_error(cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(environments, "install_command", lambda *_: [sys.executable, "-c", ""])
    monkeypatch.setattr(environments, "uv_options", lambda _: [])
    with pytest.raises(MachineError, match="the installer ended well, and packages are missing"):
        small_environment()
    assert cache.names() == []


@pytest.mark.frameworks
def test_the_environment_of_a_log_is_the_one_that_answered(
    filled: Cache, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shadow = tmp_path / "shadow" / "onnxruntime"
    shadow.mkdir(parents=True)
    (shadow / "__init__.py").write_text(f"__version__ = {AFTER!r}\n")
    monkeypatch.setenv("PYTHONPATH", str(shadow.parent))
    done = run_command(tmp_path, *RUN, "--offline", "-t", f"onnxruntime@{AFTER}")
    assert done.returncode in (0, 1), done.stdout + done.stderr
    (target,) = read_log(tmp_path / "conformance-results" / "run.jsonl").header.targets
    (name,) = (name for name in filled.names() if name.startswith(f"onnxruntime-{AFTER}-"))
    packages = f"lib/python{sys.version_info[0]}.{sys.version_info[1]}/site-packages"
    assert (target.environment, target.module) == (name, f"{name}/{packages}/onnxruntime")


MINE = """
import sys
sys.path.insert(0, {folder!r})
import onnxruntime
from conformance.adapter import Description


class Adapter:
    def __init__(self, options):
        pass

    def describe(self):
        return Description(framework="Mine", version=onnxruntime.__version__, operators=["onnx.*"])
"""


@pytest.mark.frameworks
@pytest.mark.usefixtures("filled")
def test_a_framework_from_elsewhere_is_an_error(tmp_path: Path) -> None:
    folder, other = tmp_path / "mine", tmp_path / "other" / "onnxruntime"
    for path, text in {
        folder / "adapter.yaml": "name: mine\nsummary: mine\nrequires: [onnxruntime]\n",
        folder / "adapter.py": MINE.format(folder=str(other.parent)),
        other / "__init__.py": f"__version__ = {AFTER!r}\n",
    }.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    done = run_command(tmp_path, *RUN, "--offline", "-t", f"{folder}@{AFTER}")
    assert done.returncode == 3
    said = f"its module onnxruntime was loaded from {other}, and not from the environment of onnxruntime@{AFTER}"
    assert said in done.stderr, done.stderr


def test_two_at_once_make_one(cache: Cache) -> None:
    both = [cache.make() for _ in range(2)]
    said = [process.communicate()[0] for process in both]
    assert sorted(said) in (["making\nmade\n", "waiting\nmade\n"], ["made\n", "making\nmade\n"])
    assert cache.names() == [LOCK.name]


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_a_process_that_ends_meanwhile_leaves_nothing_that_looks_whole(number: int, cache: Cache) -> None:
    for _ in range(5):  # on a busy machine, it can be done before the signal comes
        process = cache.make()
        wait_until(lambda: [*cache.root.glob(f"*{UNFINISHED}*/pyvenv.cfg")])
        process.send_signal(number)
        process.communicate()
        if LOCK.name not in cache.names():
            break
        shutil.rmtree(cache.root / LOCK.name)
    assert all(UNFINISHED in name for name in cache.names())
    if number == signal.SIGINT:
        assert cache.names() == []
    assert small_environment() == LOCK.name
    assert cache.names() == [LOCK.name]


@pytest.fixture
def small_disk(cache: Cache) -> Iterator[None]:
    """A disk of 100 KB, on which the cache is."""
    cache.folder.mkdir()
    mount = shutil.which("mount")
    if mount is None or os.geteuid() != 0:
        pytest.skip("needs the right to mount")
    done: CompletedProcess[bytes] = subprocess.run(
        [mount, "-t", "tmpfs", "-o", "size=100k", "tmpfs", str(cache.folder)], check=False, capture_output=True
    )
    if done.returncode != 0:
        pytest.skip("needs the right to mount")
    yield
    subprocess.run(["umount", str(cache.folder)], check=True)


@pytest.mark.usefixtures("small_disk")
def test_a_full_disk_leaves_nothing(cache: Cache) -> None:
    with pytest.raises(MachineError, match="the disk is full"):
        small_environment()
    assert cache.names() == []
