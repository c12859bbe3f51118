"""Runs of liars, each in a worker process of its own."""

from __future__ import annotations

import gc
import os
import re
import shutil
import signal
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path

import pytest
from gallery import LIARS, Log, MadeOnce, read_log, write_liar

from conformance.__main__ import GC_THRESHOLDS
from conformance.protocol.form import Form
from conformance.run.run import run
from conformance.run.run_plan import RunRequest
from conformance.run.selection import Selection
from conformance.suite.adapter_file import TargetRequest, read_adapter
from conformance.suite.suite import Suite, load_suite

gc.set_threshold(*GC_THRESHOLDS)

_TESTS = Path(__file__).parent
_LONGEST = ("test_kinds", "test_valid_models", "test_guides", "test_lab", "test_security", "test_run_faults")
"""Modules whose tests take or wait longest, and share nothing."""
_SLOW_MODULE = re.compile(r"^pytestmark = (\[\s*)?pytest\.mark\.slow\b", re.MULTILINE)
_OPTIONAL = frozenset(
    {
        "axe_playwright_python",
        "distributed",
        "filelock",
        "hypothesis",
        "jsonschema",
        "lxml",
        "onnx",
        "onnxruntime",
        "openvino",
        "playwright",
        "trustme",
    }
)
"""Packages that test modules import at their top, and that an installation may lack."""
_left_out: dict[str, list[str]] = {}


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out a module, or a folder with its conftest.py, that imports an optional package which is not installed.

    `-m "not slow"` leaves out slow modules too: each process of the tests would import them.
    """
    path = collection_path / "conftest.py" if collection_path.is_dir() else collection_path
    if path.suffix != ".py" or not path.is_file() or path == Path(__file__):
        return None
    if config.option.markexpr == "not slow" and _SLOW_MODULE.search(path.read_text(encoding="utf-8")):
        return True
    if missing := sorted(name for name in _imports(path) & _OPTIONAL if find_spec(name) is None):
        _left_out[collection_path.relative_to(_TESTS).as_posix()] = missing
    return True if missing else None


@cache
def _imports(path: Path) -> frozenset[str]:
    """The top-level packages that a module imports at its top, itself or through modules beside it."""
    found = frozenset(re.findall(r"^(?:import|from) (\w+)", path.read_text(encoding="utf-8"), re.MULTILINE))
    beside = [path.with_name(f"{name}.py") for name in found if name != path.stem]
    return found.union(*(_imports(module) for module in beside if module.is_file()))


def pytest_report_collectionfinish() -> list[str]:
    """Say what was left out, and what it needs."""
    return [f"left out: tests/{path}, which needs {', '.join(needs)}" for path, needs in sorted(_left_out.items())]


def pytest_configure() -> None:
    """Ctrl-C ends what the tests start, though a shell that runs them in the background lets them ignore it."""
    for name in ("SIGINT", "SIGQUIT"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, signal.default_int_handler if name == "SIGINT" else signal.SIG_DFL)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip what this machine lacks.

    Each process starts with one stretch of the tests: the longest are dealt to all, so that none ends with them alone.
    """
    longest = sorted(
        (item for item in items if item.path.stem in _LONGEST), key=lambda item: _LONGEST.index(item.path.stem)
    )
    others = [item for item in items if item.path.stem not in _LONGEST]
    count = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    ends = [len(others) * place // count for place in range(count + 1)]
    items[:] = [
        item for place in range(count) for item in (*longest[place::count], *others[ends[place] : ends[place + 1]])
    ]
    lacking = [name for name in ("openvino", "onnxruntime", "torch") if find_spec(name) is None]
    lacks = {"frameworks": ", ".join(lacking), "node": "" if shutil.which("npm") else "npm"}
    for item in items:
        for marker, missing in lacks.items():
            if missing and item.get_closest_marker(marker):
                item.add_marker(pytest.mark.skip(reason=f"needs {missing}"))


@pytest.fixture(scope="session")
def made_once(tmp_path_factory: pytest.TempPathFactory) -> MadeOnce:
    """Folders that one test process fills and all of them read: `made_once(name, fill)`."""
    filelock = pytest.importorskip("filelock")
    root = tmp_path_factory.getbasetemp()
    root = root.parent if "PYTEST_XDIST_WORKER" in os.environ else root

    def made(name: str, fill: Callable[[Path], object]) -> Path:
        folder, unfinished = root / name, root / f"{name}.unfinished"
        with filelock.FileLock(root / f"{name}.lock"):
            if not folder.is_dir():
                shutil.rmtree(unfinished, ignore_errors=True)
                unfinished.mkdir()
                fill(unfinished)
                unfinished.rename(folder)
        return folder

    return made


@pytest.fixture(scope="session")
def liars_suite() -> Suite:
    """The cases that the liars lie about."""
    return load_suite(LIARS / "cases")


@pytest.fixture(scope="session")
def run_liars(liars_suite: Suite, made_once: MadeOnce) -> Callable[..., Log]:
    """Runs liars as targets of one run, each in a worker process, and reads the log; equal runs happen once."""

    def run_them(
        names: Iterable[str],
        cases: Sequence[str],
        *,
        forms: Sequence[Form] = (Form.CONSTANT,),
        limit_s: float = 20.0,
        deviations: str = "",
    ) -> Log:
        liars = tuple(names)

        def run_in(folder: Path) -> None:
            folders = [write_liar(folder, name) for name in liars]
            for path in folders if deviations else ():
                (path / "deviations.yaml").write_text(deviations)
            request = RunRequest(
                suite=liars_suite,
                selection=Selection(cases=tuple(f"*/{case}" for case in cases), forms=tuple(forms)),
                targets=tuple(TargetRequest(adapter=read_adapter(path), options={}) for path in folders),
                log=folder / "run.jsonl",
                timeout_s=limit_s,
                jobs=4,
            )
            run(request, lambda _: None, lambda _, __: None)

        said = repr((liars, cases, forms, limit_s, deviations))
        return read_log(made_once(f"liars-{sha256(said.encode()).hexdigest()[:12]}", run_in) / "run.jsonl")

    return run_them
