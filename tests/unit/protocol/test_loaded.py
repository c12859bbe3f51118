from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from conformance.protocol.serve import loaded_digest, loaded_modules

SAID = """
import sys
from pathlib import Path

sys.path.insert(0, sys.argv[1])
import single
import spread.part
from conformance.protocol.serve import loaded_digest, loaded_modules

print(loaded_modules()["single"], loaded_modules()["spread"], loaded_digest(Path("none")))
"""


def said(folder: Path) -> list[str]:
    """Where a process that has loaded modules of a folder says that they lie, and its digest of what it has loaded."""
    done = subprocess.run([sys.executable, "-c", SAID, folder], capture_output=True, text=True, check=True)
    return done.stdout.split()


def test_modules_of_python_and_of_the_engine_are_left_out() -> None:
    found = loaded_modules()
    assert found["numpy"] == str(Path(str(np.__file__)).parent)
    assert not {"sys", "json", "conformance", "__main__"} & set(found)


@pytest.mark.parametrize("changed", ["single.py", "spread/part/__init__.py", "spread/part/data.bin", "spread/other.py"])
def test_a_digest_has_modules_and_packages_with_their_data(tmp_path: Path, changed: str) -> None:
    (tmp_path / "spread" / "part").mkdir(parents=True)
    for name in ("single.py", "spread/part/__init__.py", "spread/part/data.bin"):
        (tmp_path / name).touch()
    before = said(tmp_path)
    (tmp_path / changed).write_text("# rebuilt\n")
    after = said(tmp_path)
    assert before[:2] == after[:2] == [str(tmp_path / "single.py"), str(tmp_path / "spread")]
    assert before[2] != after[2]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux says what is mapped")
def test_a_library_that_is_gone_leaves_no_digest(tmp_path: Path) -> None:
    script = """
import ctypes, os, shutil, sys
import _ctypes
from pathlib import Path
from conformance.protocol.serve import loaded_digest

path = shutil.copy(_ctypes.__file__, sys.argv[1])
ctypes.CDLL(path)
print(bool(loaded_digest(Path("none"))))
os.unlink(path)
print(bool(loaded_digest(Path("none"))))
"""
    command = [sys.executable, "-c", script, str(tmp_path / "library.so")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "False"]


def test_the_adapters_own_folder_is_left_out() -> None:
    folder = Path(str(np.__file__)).parent
    assert loaded_digest(folder) not in ("", loaded_digest(Path("none")))
