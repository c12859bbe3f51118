from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from command import Conformance, run_command
from gallery import write_liar


@pytest.mark.slow
def test_a_conforming_target_ends_with_0_and_names_its_report(conformance: Conformance, tmp_path: Path) -> None:
    done = conformance("run", "--target", "numpy", "--operator", "openvino.Split-1", "--form", "constant")
    report = Path("conformance-results") / "report.html"
    assert done.returncode == 0, done.stdout + done.stderr
    assert str(report) in done.stdout
    assert (tmp_path / report).read_text().startswith("<!doctype html>")


@pytest.mark.slow
def test_the_log_holds_a_header_each_check_once_and_a_footer(conformance: Conformance, tmp_path: Path) -> None:
    conformance("run", "--target", "numpy", "--operator", "onnx.Split-2", "--quiet", "--output", "out")
    header, *records, footer = [json.loads(line) for line in (tmp_path / "out" / "run.jsonl").read_text().splitlines()]
    assert (header["type"], footer["type"], footer["complete"]) == ("header", "footer", True)
    assert len(records) == header["planned"] == footer["records"]
    assert len({(record["case"], record["form"]) for record in records}) == len(records)


@pytest.mark.slow
def test_an_earlier_log_is_kept(conformance: Conformance, tmp_path: Path) -> None:
    run = ("run", "--target", "numpy", "--case", "onnx.Split-13/axis-above-range*", "--quiet", "--output", "out")
    conformance(*run)
    first = (tmp_path / "out" / "run.jsonl").read_bytes()
    conformance(*run)
    assert (tmp_path / "out" / "previous.jsonl").read_bytes() == first


@pytest.mark.slow
def test_a_target_of_which_nothing_was_compared_does_not_pass(conformance: Conformance) -> None:
    done = conformance("run", "-t", "numpy", "--case", "onnx.Split-18/special-values-with-nans*")
    assert done.returncode == 0
    done = conformance("run", "-t", "torch", "--case", "onnx.Split-18/written-strings")
    assert done.returncode == 3
    assert "its adapter declares none of 1 check" in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["junit", "markdown", "html", "json"])
def test_reports_are_made_from_the_log_alone(conformance: Conformance, tmp_path: Path, kind: str) -> None:
    conformance("run", "--target", "numpy", "--case", "onnx.Split-11/axis*", "--quiet", "--output", "out")
    (tmp_path / "log.jsonl").write_bytes((tmp_path / "out" / "run.jsonl").read_bytes())
    done = conformance("report", "log.jsonl", f"--{kind}", "report.out")
    assert done.returncode == 0, done.stderr
    assert "onnx.Split-11" in (tmp_path / "report.out").read_text()


@pytest.mark.slow
def test_the_same_log_makes_the_same_report(conformance: Conformance, tmp_path: Path) -> None:
    conformance("run", "--target", "numpy", "--case", "onnx.Split-11/axis*", "--quiet", "--output", "out")
    conformance("report", "out/run.jsonl", "--html", "again.html")
    assert (tmp_path / "again.html").read_bytes() == (tmp_path / "out" / "report.html").read_bytes()


@pytest.mark.slow
def test_an_unknown_target_is_a_usage_error_with_the_nearest_name(conformance: Conformance) -> None:
    done = conformance("run", "--target", "onnxruntme")
    assert done.returncode == 2
    assert "did you mean 'onnxruntime'?" in done.stderr


@pytest.mark.slow
def test_another_version_than_the_installed_one_is_a_harness_error(conformance: Conformance) -> None:
    done = conformance("run", "--target", "numpy@0.1", "--operator", "openvino.Split-1", "--quiet")
    assert done.returncode == 3
    assert "version 0.1 was requested" in done.stdout


@pytest.mark.slow
@pytest.mark.frameworks
def test_onnx_runtime_in_two_settings_gives_two_targets(conformance: Conformance) -> None:
    targets = ("-t", "onnxruntime", "-t", "onnxruntime[optimization=disabled]")
    done = conformance("run", *targets, "--case", "onnx.Split-13/written*")
    assert done.returncode == 0, done.stdout
    assert "[optimization=disabled]" in done.stdout


@pytest.mark.slow
def test_a_mistyped_operator_leaves_the_log_alone(conformance: Conformance, tmp_path: Path) -> None:
    conformance("run", "-t", "numpy", "--case", "onnx.Split-13/axis-above-range*", "--quiet", "--output", "out")
    before = (tmp_path / "out" / "run.jsonl").read_bytes()
    done = conformance("run", "-t", "numpy", "--operator", "onnx.Splitt", "--quiet", "--output", "out")
    assert done.returncode == 2
    assert (tmp_path / "out" / "run.jsonl").read_bytes() == before


def test_a_form_that_no_selected_case_has_is_a_usage_error(conformance: Conformance) -> None:
    done = conformance("run", "-t", "numpy", "--case", "onnx.Split-1/*", "--form", "axis-from-end", "--quiet")
    assert done.returncode == 2
    assert "no case has any of these forms" in done.stderr


def test_a_folder_that_cannot_be_made_is_a_usage_error(conformance: Conformance, tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file")
    done = conformance("run", "-t", "numpy", "--quiet", "--output", "taken")
    assert (done.returncode, done.stderr) == (2, "taken: File exists\n")


@pytest.mark.slow
def test_a_target_that_cannot_start_is_one_line_before_anything_runs(conformance: Conformance, tmp_path: Path) -> None:
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "adapter.yaml").write_text("name: broken\nsummary: no module\n")
    (tmp_path / "broken" / "adapter.py").write_text("import no_such_framework\n")
    done = conformance(
        "run", "-t", "numpy", "-t", "broken", "--case", "onnx.Split-18/written-vector", "--output", "out"
    )
    first, *bars = done.stderr.splitlines()
    assert done.returncode == 3
    assert first.startswith("broken@unknown could not start, so none of its checks run: broken: it cannot start: ")
    assert "No module named 'no_such_framework'" in first
    assert not any("broken" in bar for bar in bars)
    assert "[2] broken@unknown could not start" in done.stdout
    assert "not run" not in done.stdout
    assert "[1] numpy" in done.stdout


OWN = """operator: onnx.Split
about: A case of one's own.
cases:
  - id: NAME
    versions: ">=18"
    clauses: [num_outputs.uneven]
    arguments: {input: {dtype: float32, shape: [7]}, axis: 0, num_outputs: 3}
    outputs: ["0:3", "3:6", "6:7"]
"""


@pytest.mark.slow
def test_several_folders_of_cases_add_up_and_a_printed_command_names_them(
    conformance: Conformance, tmp_path: Path
) -> None:
    for name in ("mine", "its"):
        file = tmp_path / name / "onnx" / "Split" / "cases.yaml"
        file.parent.mkdir(parents=True)
        file.write_text(OWN.replace("NAME", name), encoding="utf-8")
    write_liar(tmp_path, "spreads_remainder")
    folders = ("--cases-folder", "mine", "--cases-folder", "its")
    done = conformance("run", "-t", "./spreads_remainder", *folders)
    assert done.returncode == 1, done.stdout + done.stderr
    lines = (tmp_path / "conformance-results" / "run.jsonl").read_text(encoding="utf-8").splitlines()
    assert {json.loads(line)["case"] for line in lines[1:-1]} == {"onnx.Split-18/mine", "onnx.Split-18/its"}
    assert all(len(line) > 200 or "--case" not in line or "--form" in line for line in done.stdout.splitlines())
    assert done.stdout.splitlines()[-1].startswith("next: conformance r")
    reported = conformance("report", "conformance-results", "--junit", "junit.xml")
    assert (reported.returncode, reported.stdout) == (1, "report: junit.xml\n")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    printed_commands = set(re.findall(r"^conformance run --target .*$", junit_text(tmp_path), re.MULTILINE))
    assert printed_commands
    for printed in printed_commands:
        again = run_command(elsewhere, *shlex.split(printed)[1:], "-q")
        assert again.returncode == 1, f"{printed}\n{again.stdout}{again.stderr}"


def junit_text(folder: Path) -> str:
    """What the system-out elements of a run's JUnit file say."""
    tree = ET.parse(folder / "junit.xml")
    return "\n".join(element.text or "" for element in tree.iter("system-out"))
