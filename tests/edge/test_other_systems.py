"""A run where the system is not Linux, as far as this one can pretend: no /proc, no file without a name.

macOS is simulated by what Python says there. What Windows does is not tried anywhere.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from command import run_python, run_to
from gallery import read_log

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform != "linux", reason="pretends on Linux")]

PRETEND = """
import importlib.util, os, pathlib, psutil, sys, sysconfig

sysconfig.get_config_vars()  # it and psutil read files of their own for each system
sys.platform = "darwin"
for name in ("pidfd_open", "memfd_create", "sched_getaffinity", "sched_setaffinity"):
    delattr(os, name)


class ProcIsNotThere:
    def find_spec(self, name, path=None, target=None):
        if name != "conformance.tensors.machine":
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        execute = spec.loader.exec_module

        def execute_elsewhere(module):
            execute(module)
            module.ROOT = pathlib.Path("/no/such/folder")

        spec.loader.exec_module = execute_elsewhere
        return spec


sys.meta_path.insert(0, ProcIsNotThere())
"""
RUN = ("run", "--quiet", "-t", "numpy", "--operator", "onnx.Split-13", "--form", "constant", "--jobs", "2")


def test_a_run_on_a_mac_gives_the_same_verdicts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run_to(tmp_path, *RUN, "--output", "here")
    (tmp_path / "mac").mkdir()
    (tmp_path / "mac" / "sitecustomize.py").write_text(PRETEND)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "mac"))
    done = run_python(tmp_path, "-m", "conformance", *RUN, "--output", "there")
    assert done.returncode == 0, done.stdout + done.stderr
    here, there = (read_log(tmp_path / folder / "run.jsonl") for folder in ("here", "there"))
    verdicts = [{(record.case, record.form): record.verdict for record in log.records} for log in (here, there)]
    assert verdicts[0] == verdicts[1]
    assert len(verdicts[0]) > 100
    assert there.header.targets[0].problem == ""
    assert not any(record.peak_bytes for record in there.records)  # the system does not report it
    assert any(record.peak_bytes is not None for record in here.records)


def test_only_one_module_reads_what_linux_alone_has() -> None:
    modules = (Path(__file__).parents[2] / "conformance").rglob("*.py")
    naming = {path.name for path in modules if '"/proc' in path.read_text()}
    assert naming == {"machine.py"}
