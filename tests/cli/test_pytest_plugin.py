"""The plugin as other people's pytest loads it: a process of its own, in a project with a test of its own."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from command import run_python
from gallery import write_liar
from lxml import etree

Pytest = Callable[..., subprocess.CompletedProcess[str]]

CASE = "onnx.Split-11/axis-above-range[data=vector]"
ONE = ("--conformance-cases", CASE)
CHECK = f"conformance::numpy::{CASE}[constant]"


@pytest.fixture
def run_pytest(tmp_path: Path) -> Pytest:
    """Starts pytest in a folder with one test, in which the liars are adapters."""
    (tmp_path / "test_own.py").write_text("def test_own(): pass\n")
    (tmp_path / "pytest.ini").write_text("[pytest]\n")

    def start(*arguments: str) -> subprocess.CompletedProcess[str]:
        return run_python(tmp_path, "-W", "error", "-m", "pytest", *arguments)

    return start


def outcomes(done: subprocess.CompletedProcess[str]) -> str:
    """The last line of pytest, but for how long it took."""
    return done.stdout.strip().splitlines()[-1].strip("= ").partition(" in ")[0]


@pytest.mark.slow
def test_without_a_target_nothing_is_collected_and_nothing_imported(run_pytest: Pytest, tmp_path: Path) -> None:
    (tmp_path / "test_own.py").write_text(
        "import sys\n"
        "def test_own():\n"
        "    ours = {'conformance', 'numpy', 'pydantic', 'yaml'}\n"
        "    loaded = {name for name in sys.modules if name.partition('.')[0] in ours}\n"
        "    assert loaded == {'conformance', 'conformance.pytest_plugin'}\n"
    )
    assert outcomes(run_pytest()) == "1 passed"


@pytest.mark.slow
def test_each_form_of_a_case_is_an_item_beside_the_tests_of_the_project(run_pytest: Pytest) -> None:
    done = run_pytest("--conformance-target", "numpy", *ONE, "--collect-only", "-q")
    assert done.stdout.splitlines()[:3] == [
        "test_own.py::test_own",
        CHECK,
        f"conformance::numpy::{CASE}[dynamic]",
    ]


def test_a_check_is_run_by_its_node_id_alone(run_pytest: Pytest) -> None:
    done = run_pytest("--conformance-target", "numpy", CHECK)
    assert outcomes(done) == "1 passed", done.stdout + done.stderr


@pytest.mark.slow
def test_a_node_id_without_a_form_is_all_forms_of_the_case(run_pytest: Pytest) -> None:
    done = run_pytest("--conformance-target", "numpy", f"conformance::numpy::{CASE}", "--collect-only", "-q")
    assert outcomes(done) == "3 tests collected", done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("onnx.Split-11/axis-above", "no case has such an id\n  fix:  did you mean 'onnx.Split-11/axis-above-range'?"),
        (f"{CASE}[none]", f"not found: conformance::numpy::{CASE}[none]"),
    ],
)
def test_an_unknown_node_id_is_a_usage_error(name: str, message: str, run_pytest: Pytest) -> None:
    done = run_pytest("--conformance-target", "numpy", f"conformance::numpy::{name}")
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert message in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--conformance-target", "nunpy"], "did you mean 'numpy'?"),
        (["--conformance-target", "numpy", "--conformance-operator", "onnx.Splitt"], "did you mean 'onnx.Split'?"),
        (["--conformance-target", "numpy", "--conformance-cases", "onnx.Split-11/none"], "no case has such an id"),
    ],
)
def test_what_is_mistyped_is_a_usage_error(arguments: list[str], message: str, run_pytest: Pytest) -> None:
    done = run_pytest(*arguments)
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert message in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("chosen", "count"), [(("-k", "constant and above"), 1), (("-m", "conformance"), 3), (("-k", "own"), 1)]
)
def test_keywords_and_the_marker_select_checks(chosen: tuple[str, ...], count: int, run_pytest: Pytest) -> None:
    done = run_pytest("--conformance-target", "numpy", *ONE, *chosen)
    assert outcomes(done).startswith(f"{count} passed, {4 - count} deselected"), done.stdout + done.stderr


@pytest.mark.slow
def test_two_processes_of_xdist_share_the_checks_of_two_targets(run_pytest: Pytest, tmp_path: Path) -> None:
    write_liar(tmp_path, "accepts_everything")
    targets = ("--conformance-target", "numpy", "--conformance-target", "./accepts_everything")
    done = run_pytest(*targets, *ONE, "-n", "2")
    assert outcomes(done) == "3 failed, 4 passed", done.stdout + done.stderr


def test_a_failing_check_says_what_is_wrong_and_no_traceback(run_pytest: Pytest, tmp_path: Path) -> None:
    folder = write_liar(tmp_path, "accepts_everything")
    done = run_pytest("--conformance-target", "./accepts_everything", *ONE, "-k", "constant")
    assert "accepted an invalid call: violates " in done.stdout
    assert f"conformance run --target '{folder}' --case '{CASE}' --form constant" in done.stdout
    assert "Traceback" not in done.stdout
    assert "pytest_items.py" not in done.stdout


@pytest.mark.slow
def test_a_crash_is_a_failure(run_pytest: Pytest, tmp_path: Path) -> None:
    write_liar(tmp_path, "dies_at_each_case")
    done = run_pytest("--conformance-target", "./dies_at_each_case", *ONE, "-m", "conformance", "-x")
    assert outcomes(done).startswith("1 failed"), done.stdout + done.stderr
    assert "crashed: " in done.stdout


@pytest.mark.slow
def test_an_adapter_that_cannot_start_fails_each_check(run_pytest: Pytest, tmp_path: Path) -> None:
    write_liar(tmp_path, "cannot_import")
    done = run_pytest("--conformance-target", "./cannot_import", *ONE, "-m", "conformance")
    assert outcomes(done).startswith("3 failed"), done.stdout + done.stderr
    assert "not run: " in done.stdout


@pytest.mark.slow
def test_what_cannot_be_expressed_is_skipped_with_the_reason(run_pytest: Pytest, tmp_path: Path) -> None:
    write_liar(tmp_path, "takes_no_onnx")
    done = run_pytest("--conformance-target", "./takes_no_onnx", *ONE, "-m", "conformance", "-rs")
    assert outcomes(done).startswith("3 skipped"), done.stdout + done.stderr
    assert "not declared by the adapter: the adapter does not declare onnx.Split-11" in done.stdout


def record_deviation(adapter: Path) -> None:
    (adapter / "deviations.yaml").write_text(
        "deviations:\n"
        "  - id: accepts-all\n"
        "    when: axis >= rank(data)\n"
        "    kind: plainly wrong\n"
        "    operators: [onnx.Split-11]\n"
        "    forms: [constant, dynamic, dynamic-rank]\n"
        "    clauses: [axis.range]\n"
        "    where: {versions: '>=0'}\n"
        "    verdict: accepted an invalid call\n"
        "    what: It refuses nothing.\n"
        "    why: It was never taught to.\n"
        "    since: '2026-01-01'\n"
        "    review: '2026-07-01'\n"
        "    reproducer: adapter.py\n"
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("more", "expected"),
    [((), "recorded deviation accepts-all: violates axis.range"), (("--runxfail",), "3 failed, 1 deselected")],
)
def test_a_recorded_deviation_is_an_expected_failure(
    more: tuple[str, ...], expected: str, run_pytest: Pytest, tmp_path: Path
) -> None:
    record_deviation(write_liar(tmp_path, "accepts_everything"))
    done = run_pytest("--conformance-target", "./accepts_everything", *ONE, "-m", "conformance", "-rx", *more)
    assert expected in done.stdout, done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(("more", "expected"), [((), "3 passed"), (("--conformance-strict-records",), "3 failed")])
def test_a_fixed_deviation_passes_loudly_and_fails_where_records_are_strict(
    more: tuple[str, ...], expected: str, run_pytest: Pytest, tmp_path: Path
) -> None:
    record_deviation(write_liar(tmp_path, "returns_a_generator"))
    done = run_pytest("--conformance-target", "./returns_a_generator", *ONE, "-m", "conformance", *more)
    assert outcomes(done).startswith(expected), done.stdout + done.stderr
    assert "accepts-all" in done.stdout


def test_deviations_that_cannot_be_read_are_a_usage_error(run_pytest: Pytest, tmp_path: Path) -> None:
    (write_liar(tmp_path, "returns_lists", alias="toy") / "deviations.yaml").write_text("deviations: 3\n")
    done = run_pytest("--conformance-target", "./toy", *ONE)
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert "deviations.yaml:1: deviations" in done.stderr


@pytest.mark.slow
def test_last_failed_runs_only_what_failed(run_pytest: Pytest, tmp_path: Path) -> None:
    write_liar(tmp_path, "accepts_everything")
    targets = ("--conformance-target", "numpy", "--conformance-target", "./accepts_everything")
    run_pytest(*targets, *ONE)
    done = run_pytest(*targets, *ONE, "--lf")
    assert outcomes(done).startswith("3 failed"), done.stdout + done.stderr
    assert "passed" not in outcomes(done)


@pytest.mark.slow
def test_junit_has_each_check_with_its_operator_clauses_and_form(run_pytest: Pytest, tmp_path: Path) -> None:
    run_pytest("--conformance-target", "numpy", *ONE, "-k", "constant", "--junitxml", "junit.xml")
    (case,) = etree.parse(tmp_path / "junit.xml").findall(".//testcase")
    properties = {item.get("name"): item.get("value") for item in case.findall("properties/property")}
    assert (case.get("classname"), case.get("name")) == ("conformance.numpy", f"{CASE}[constant]")
    assert (properties["operator"], properties["form"]) == ("onnx.Split-11", "constant")
    assert properties["clauses"]
