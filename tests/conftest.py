"""Runs of liars, each in a worker process of its own."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterable, Sequence

import pytest
from gallery import LIARS, Log, read_log, write_liar

from conformance.formats.adapter_file import TargetRequest, read_adapter
from conformance.formats.suite import Suite, load_suite
from conformance.running.run import RunRequest, run
from conformance.selection.selection import Selection
from conformance.spec.form import Form


def pytest_configure() -> None:
    """Ctrl-C ends what the tests start, though a shell that runs them in the background lets them ignore it."""
    for name in ("SIGINT", "SIGQUIT"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, signal.default_int_handler if name == "SIGINT" else signal.SIG_DFL)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The guides first: one of them takes a minute, and as the last test it would be waited for."""
    items.sort(key=lambda item: item.path.parent.name != "docs")


@pytest.fixture(scope="session")
def liars_suite() -> Suite:
    """The cases that the liars lie about."""
    return load_suite(LIARS / "cases")


@pytest.fixture(scope="session")
def run_liars(liars_suite: Suite, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Log]:
    """Runs liars as targets of one run, each in a worker process, and reads the log."""

    def run_them(
        names: Iterable[str],
        cases: Sequence[str],
        *,
        forms: Sequence[Form] = (Form.CONSTANT,),
        limit_s: float = 20.0,
        deviations: str = "",
    ) -> Log:
        folder = tmp_path_factory.mktemp("liars")
        folders = [write_liar(folder, name) for name in names]
        for path in folders if deviations else ():
            (path / "deviations.yaml").write_text(deviations)
        targets = [TargetRequest(adapter=read_adapter(path), options={}) for path in folders]
        request = RunRequest(
            suite=liars_suite,
            selection=Selection(cases=tuple(f"*/{case}" for case in cases), forms=tuple(forms)),
            targets=tuple(targets),
            log=folder / "run.jsonl",
            timeout_s=limit_s,
            jobs=4,
        )
        run(request, lambda _: None, lambda _, __: None)
        return read_log(request.log)

    return run_them
