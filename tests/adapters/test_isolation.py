"""Each adapter in a fresh process: what it imports, and what it says before it is asked anything."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from packaging.version import Version

from conformance.suite.adapter_file import Adapter, bundled_adapters

FRAMEWORKS = {"openvino", "onnxruntime", "torch"}
PROGRAM = """
import json, sys
from pathlib import Path
from conformance.protocol.serve import load_adapter
adapter = load_adapter(Path(sys.argv[1]), json.loads(sys.argv[2]))
described = adapter.describe()
print(json.dumps([sorted(sys.modules), described.version]))
"""

pytestmark = [pytest.mark.slow, pytest.mark.frameworks]
IN_PYTHON = [
    adapter
    for adapter in bundled_adapters()
    if adapter.manifest.command is None and not adapter.manifest.needed_options
]
each_adapter = pytest.mark.parametrize("adapter", IN_PYTHON, ids=lambda adapter: adapter.name)


def loaded(adapter: Adapter) -> tuple[set[str], str]:
    options = {name: option.default for name, option in adapter.manifest.options.items()}
    return loaded_with(adapter.folder, json.dumps(options))


@cache
def loaded_with(folder: Path, options: str) -> tuple[set[str], str]:
    arguments = [sys.executable, "-P", "-c", PROGRAM, str(folder), options]
    done = subprocess.run(arguments, capture_output=True, text=True, check=True, timeout=120)
    modules, version = json.loads(done.stdout.splitlines()[-1])
    return set(modules), version


@each_adapter
def test_an_adapter_imports_no_framework_but_its_own(adapter: Adapter) -> None:
    modules, version = loaded(adapter)
    assert modules & FRAMEWORKS == FRAMEWORKS & {adapter.name}
    assert str(Version(version)) == version
    assert "openvino_telemetry" not in modules  # it would start a process that looks for a network


@each_adapter
def test_a_worker_gets_by_without_what_only_the_engine_needs(adapter: Adapter) -> None:
    modules, _ = loaded(adapter)
    assert not modules & {"pydantic", "yaml", "rich", "jinja2", "junitparser"}
