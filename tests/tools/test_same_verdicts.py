from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
import same_verdicts

pytestmark = pytest.mark.slow


def log(path: Path, **verdicts: str) -> str:
    lines = [{"type": "header", "format": "any"}]
    lines += [
        {"type": "check", "target": "toy", "case": case, "form": "constant", "verdict": verdict, "judged": verdict}
        for case, verdict in verdicts.items()
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return str(path)


@pytest.mark.parametrize(
    ("after", "shown"),
    [
        ({"a": "pass", "b": "known"}, "2 checks before, 2 after; 0 verdicts differ"),
        ({"a": "pass", "b": "crashed"}, "toy b constant ('known', 'known') -> ('crashed', 'crashed')"),
        ({"a": "pass"}, "toy b constant ('known', 'known') -> not there"),
    ],
)
def test_each_check_with_another_verdict_is_named(after: dict[str, str], shown: str, tmp_path: Path) -> None:
    logs = log(tmp_path / "before", a="pass", b="known"), log(tmp_path / "after", **after)
    done = subprocess.run([sys.executable, same_verdicts.__file__, *logs], capture_output=True, text=True, check=False)
    assert shown in done.stdout
    assert done.returncode == (0 if "0 verdicts differ" in shown else 1)
