"""Folders and processes that tests need: liars as adapters, their suite, and runs of both."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from conformance.adapter_file import TargetRequest, read_adapter
from conformance.form import Form
from conformance.plan import Selection
from conformance.record import CheckRecord, Footer, Header
from conformance.run import RunRequest, run
from conformance.run_log import read_lines
from conformance.suite import Suite, load_suite

LIARS = Path(__file__).parent / "liars"
SPEAKERS = LIARS / "speakers"


@dataclass(frozen=True, slots=True, kw_only=True)
class Log:
    """What a run wrote."""

    path: Path
    header: Header
    records: tuple[CheckRecord, ...]
    footer: Footer | None

    def of(self, liar: str) -> list[CheckRecord]:
        """The records of one liar, in the order of the log."""
        return [record for record in self.records if record.target.partition("@")[0] == liar]

    def problem(self, liar: str) -> str:
        """Why a liar could not start."""
        return next(target.problem for target in self.header.targets if target.adapter == liar)


def read_log(path: Path) -> Log:
    """All lines of a log."""
    lines = list(read_lines(path))
    header, last = lines[0], lines[-1]
    assert isinstance(header, Header)
    records = tuple(line for line in lines if isinstance(line, CheckRecord))
    return Log(path=path, header=header, records=records, footer=last if isinstance(last, Footer) else None)


def write_liar(root: Path, name: str, alias: str = "") -> Path:
    """The folder of an adapter whose code is the liar of that name."""
    folder = root / (alias or name)
    folder.mkdir(parents=True)
    manifest: dict[str, object] = {"name": alias or name, "summary": "a liar"}
    if (SPEAKERS / f"{name}.py").exists():
        manifest["command"] = [sys.executable, f"{name}.py"]
        shutil.copy(SPEAKERS / f"{name}.py", folder)
        shutil.copy(SPEAKERS / "wire.py", folder)
    else:
        shutil.copy(LIARS / f"{name}.py", folder / "adapter.py")
        shutil.copy(LIARS / "honest.py", folder)
    (folder / "adapter.yaml").write_text(yaml.safe_dump(manifest))
    return folder


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
