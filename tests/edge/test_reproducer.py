from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from bundled import cases_of_operators
from gallery import LIARS

from conformance.cli.main import main
from conformance.judge.deviation import Conditions, Deviation, DeviationKind, Happens, Witness
from conformance.protocol.form import Form
from conformance.run.process import Ended
from conformance.run.script_folder import Script, Showing, end_of, reproduced, run_alone, showing_of
from conformance.spec.verdict import Verdict
from conformance.suite.adapter_file import read_adapter

SUITE = cases_of_operators()
ADAPTER = """from conformance.adapter import Description

class Adapter:
    def __init__(self, options): ...
    def describe(self):
        return Description(framework="toy", version="2.5", operators=["*"])
"""
ENTRY = """deviations:
  - id: drops-it
    kind: plainly wrong
    operators: ["*"]
    when: "True"
    where: {{versions: "{versions}"}}
    verdict: wrong result
    values: [outputs reversed]
    what: the last part is dropped
    why: it was never written
    since: "2026-11-21"
    review: "2027-02-01"
    reproducer: drops.py
"""
SHOWS = "print('expected 1, actual 2')\nraise SystemExit(1)\n"


def adapter_in(folder: Path, *, versions: str = ">=2,<3", script: str = SHOWS, requires: str = "[]") -> Path:
    folder.mkdir()
    (folder / "adapter.yaml").write_text(f"name: toy\nsummary: a toy\nrequires: {requires}\n")
    (folder / "adapter.py").write_text(ADAPTER)
    (folder / "deviations.yaml").write_text(ENTRY.format(versions=versions))
    (folder / "drops.py").write_text(script)
    return folder


def told_of(folder: Path) -> list[str]:
    _, problems, _ = reproduced([read_adapter(folder)], SUITE)
    return [str(problem) for problem in problems]


@pytest.mark.slow
def test_a_fault_that_shows_is_no_problem(tmp_path: Path) -> None:
    assert reproduced([read_adapter(adapter_in(tmp_path / "toy"))], SUITE) == (1, [], [])


def test_a_fault_that_does_not_show_is_reported(tmp_path: Path) -> None:
    assert told_of(adapter_in(tmp_path / "toy", script="print('expected 1, actual 1')")) == [
        (
            "toy/deviations.yaml: drops-it: drops.py exits with 0: the fault does not show here\n"
            "  fix:  narrow `where`, or remove the entry and its script"
        )
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("script", "end"),
    [
        (
            "print('expected'); 1 / 0",
            "ended with exit status 1, and does not say whether the fault shows: ZeroDivisionEr",
        ),
        ("raise SystemExit(1)", "ended with exit status 1, and does not say whether the fault shows\n"),
        ("print('expected'); raise SystemExit(2)", "ended with exit status 2, and does not say whether the fault"),
        ("import os; os.abort()", "ended with SIGABRT, and does not say whether the fault shows"),
        ("import conformance", "ended with exit status 1, and does not say whether the fault shows: ModuleNotFoundErr"),
    ],
)
def test_a_script_that_says_nothing_is_reported(script: str, end: str, tmp_path: Path) -> None:
    (problem,) = told_of(adapter_in(tmp_path / "toy", script=script))
    assert problem.startswith(f"toy/deviations.yaml: drops-it: drops.py {end}")


def test_a_script_that_hangs_is_ended(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("conformance.run.script_folder.LIMIT_S", 0.5)
    (tmp_path / "hangs.py").write_text("import time; time.sleep(60)")
    assert run_alone(tmp_path / "hangs.py").code is None


def test_what_is_recorded_for_another_version_is_not_run(tmp_path: Path) -> None:
    adapter = read_adapter(adapter_in(tmp_path / "toy", versions=">=3", script="raise SystemExit(2)"))
    found = reproduced([adapter], SUITE)
    assert found == (0, [], ["toy@2.5: not run, since recorded for other conditions: drops-it"])


def test_a_framework_that_is_not_installed_is_reported_in_a_line(tmp_path: Path) -> None:
    adapter = read_adapter(adapter_in(tmp_path / "toy", requires="[opconform-no-such-package]"))
    line = "toy: reproducers were not run: opconform-no-such-package is missing"
    assert reproduced([adapter], SUITE) == (0, [], [line])


def test_an_adapter_that_cannot_start_is_reported_in_a_line(tmp_path: Path) -> None:
    folder = adapter_in(tmp_path / "toy")
    (folder / "adapter.py").write_text("raise OSError('no device')")
    _, _, (line,) = reproduced([read_adapter(folder)], SUITE)
    assert line.startswith("toy: reproducers were not run: toy: ")


@pytest.mark.slow
def test_check_takes_the_deviations_of_an_own_adapter(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    recorded = adapter_in(tmp_path / "toy") / "deviations.yaml"
    command = ["check", "--cases-folder", str(LIARS / "cases"), str(recorded)]
    assert main(command) == 0
    assert capsys.readouterr().out == "1 file of deviations: no problems\n"
    recorded.write_text(recorded.read_text().replace('operators: ["*"]', 'operators: ["no.Such-1"]'))
    assert main(command) == 2
    assert ": drops-it: no operator version is named 'no.Such-1'" in capsys.readouterr().err


@pytest.mark.slow
def test_reproduce_runs_the_scripts_of_an_own_adapter(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    recorded = adapter_in(tmp_path / "toy") / "deviations.yaml"
    assert main(["repro", "--recorded", "--run", "-t", str(recorded.parent)]) == 0
    assert capsys.readouterr().out == "scripts of recorded deviations that show their faults: 1\n"
    (recorded.parent / "drops.py").write_text("")
    assert main(["repro", "--recorded", "drops-it", "--run", "-t", str(recorded.parent)]) == 2
    assert ": drops-it: drops.py exits with 0: the fault does not show here" in capsys.readouterr().err


def test_what_happens_sometimes_is_tried_again(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    content = (
        f"from pathlib import Path\nmark = Path({str(mark)!r})\nprint('expected')\n"
        "if mark.exists(): raise SystemExit(1)\nmark.touch()\n"
    )
    script = Script(adapter="toy", entry=sometimes(), content=content.encode())
    assert script.showing_of(end_of(script)) is Showing.SHOWS


@pytest.mark.parametrize(("code", "showing"), [(-11, Showing.SHOWS), (1, Showing.SHOWS), (2, Showing.BROKEN)])
def test_a_crash_shows_a_fault_that_has_a_witness(code: int, showing: Showing) -> None:
    witness = Witness(case="onnx.Split-13/a", form=Form.CONSTANT)
    entry = sometimes().model_copy(update={"witness": witness, "reproducer": ""})
    script = Script(adapter="toy", entry=entry, content=b"")
    assert script.showing_of(Ended(code=code, stdout="expected", stderr="")) is showing
    assert script.showing_of(Ended(code=code, stdout="expected", stderr="Traceback")) is Showing.BROKEN


def test_a_script_has_to_say_what_is_expected() -> None:
    assert showing_of(Ended(code=1, stdout="actual 2", stderr="")) is Showing.BROKEN


@pytest.mark.slow
@pytest.mark.parametrize("code", [0, 1])
def test_a_reproducer_whose_process_fails_with_an_error_says_nothing(tmp_path: Path, code: int) -> None:
    child = 'subprocess.run([sys.executable, "-c", "import not_there"])'
    script = tmp_path / "starts.py"
    script.write_text(f"import subprocess, sys\n{child}\nprint('expected 1')\nsys.exit({code})\n")
    assert showing_of(run_alone(script)) is Showing.BROKEN


def sometimes() -> Deviation:
    return Deviation(
        id="garbled",
        kind=DeviationKind.PLAIN,
        where=Conditions(versions=">=1"),
        operators=("*",),
        when="True",
        verdict=(Verdict.WRONG_RESULT,),
        happens=Happens.SOMETIMES,
        what="",
        why="",
        upstream="",
        since=date(2026, 11, 21),
        review=date(2027, 2, 1),
        reproducer="second.py",
    )
