"""The published data is made of a history, and says of each release what its answers say."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from compat_data import (
    FOLDER,
    checked,
    data_of,
    frameworks_of,
    main,
    named_types,
    package_of,
    pythons_of,
    releases_of,
    spec_url,
    version_in,
    with_kept,
)
from compat_states import ENGINE, state, with_split
from report_records import header, lines, record, target

from conformance.compat.data import CompatData, CompatExample, load, load_frameworks, text_of
from conformance.compat.lint import problems
from conformance.judge.deviation import read_deviations
from conformance.log.history import opened_store
from conformance.log.record import CheckRecord, Line
from conformance.protocol.form import Form
from conformance.report.releases import evidence_commands
from conformance.spec.verdict import Verdict
from conformance.suite.suite import Suite, bundled_folder, load_suite

pytestmark = pytest.mark.slow

SPLIT = "onnx.Split-13"
TYPES = f"{SPLIT}/graphs-of-each-type"
VERSIONS = ("1.15.0", "1.15.1", "1.16.0")
OPERATORS = (("1.15.0", ("Slice-11", "Slice-13")), ("1.15.1", ("Split-13",)))


@pytest.fixture(scope="module")
def suite() -> Suite:
    return load_suite(bundled_folder("cases"), ["onnx.Split"])


def release_log(version: str, *records: CheckRecord, digest: str = "a" * 64, isa: str = "") -> list[Line]:
    name = f"onnxruntime@{version}"
    head = header(target(name, adapter="onnxruntime", version=version, instruction_set=isa))
    head = replace(head, suite=replace(head.suite, digests={"onnx.Split": digest}))
    return lines(*(replace(one, target=name) for one in records), head=head)


def check(verdict: Verdict = Verdict.PASS, **fields: Any) -> CheckRecord:
    return record(verdict, **{"case": f"{TYPES}[dtype=float32]", "dtype": "float32", **fields})


def wrong(**fields: Any) -> CheckRecord:
    return check(Verdict.WRONG_RESULT, cause="wrong axis", **fields)


def made(folder: Path, suite: Suite, *logs: list[Line]) -> tuple[CompatData, list[str]]:
    said: list[str] = []
    with opened_store(folder / "history.sqlite") as store:
        for log in logs:
            store.add(log)
        return data_of(store, suite, "1.0", {"onnxruntime": "core"}, said.append), said


def texts(data: CompatData, **part: str) -> list[str]:
    """The cells without what scripts show."""
    return [str(cell) for cell in replace(data, findings=[]).cells(SPLIT, "onnxruntime", **part).values()]


def good_bad_good(folder: Path, suite: Suite) -> CompatData:
    """Three releases, of which the middle one fails a check with uint16 at run time."""
    good, bad = (make(dtype="uint16", case=f"{TYPES}[dtype=uint16]", form=Form.RUNTIME) for make in (check, wrong))
    logs = (release_log(version, check(), one) for version, one in zip(VERSIONS, (good, bad, good), strict=True))
    return made(folder, suite, *logs)[0]


def test_each_part_counts_its_own_checks(tmp_path: Path, suite: Suite) -> None:
    data = good_bad_good(tmp_path, suite)
    assert texts(data) == ["y 0/2/2", "w 1/2/2", "y 0/2/2"]
    assert texts(data, dtype="float32") == ["y 0/1/1"] * 3
    assert texts(data, dtype="uint16") == ["y 0/1/1", "w 1/1/1", "y 0/1/1"]
    assert texts(data, dtype="uint16", form="runtime") == ["y 0/1/1", "w 1/1/1", "y 0/1/1"]
    assert texts(data, form="constant") == ["y 0/1/1"] * 3
    assert texts(data, clause="types.T") == texts(data, clause="outputs.values") == texts(data)
    assert texts(data, clause="split.sum") == ["None"] * 3


def test_a_wrong_call_belongs_to_the_clause_that_it_breaks(tmp_path: Path, suite: Suite) -> None:
    (family,) = (one for one in suite.families if one.has_wrong_calls and one.operator.id == SPLIT)
    case = next(iter(family.cases()))
    data, _ = made(tmp_path, suite, release_log("1.15.0", check(case=case.id, dtype="")))
    assert texts(data, clause=case.clauses[0]) == ["y 0/1/1"]


def test_types_have_valid_calls_alone_and_a_type_that_is_not_listed_is_refused(tmp_path: Path, suite: Suite) -> None:
    (family,) = (one for one in suite.families if one.has_wrong_calls and one.operator.id == SPLIT)
    cases = [case for case in family.ids() if "input=type-int4" in case or "split=type-int32" in case]
    wrong_calls = [check(Verdict.ACCEPTED_INVALID, case=case, dtype="float32") for case in cases]
    data, _ = made(tmp_path, suite, release_log("1.15.0", check(), *wrong_calls))
    assert texts(data) == [f"a {len(cases)}/{len(cases) + 1}/{len(cases) + 1}"]
    assert texts(data, dtype="float32") == ["y 0/1/1"]
    for dtype in ("int4", "split=int32"):
        assert str(data.refusals(SPLIT, "onnxruntime", dtype)["1.15.0"]).startswith("a 1/1/1")
    assert data.operators[SPLIT].listed["split"] == ["int64"]


def test_a_call_counts_for_the_type_of_each_argument(tmp_path: Path, suite: Suite) -> None:
    (family,) = (
        one for one in suite.families if one.operator.id == SPLIT and one.entry.made and not one.has_wrong_calls
    )
    case = next(one for one in family.cases() if one.value("split") is not None)
    assert case.data is not None
    data, _ = made(tmp_path, suite, release_log("1.15.0", wrong(case=case.id)))
    assert texts(data, dtype="split=int64") == texts(data, dtype=case.data.dtype) == ["w 1/1/1"]


def test_a_finding_has_the_releases_in_which_its_script_is_bad(tmp_path: Path, suite: Suite) -> None:
    record, versions = "split18-num-outputs-zero-of-empty-axis-dies", ("1.30.0", "1.31.1", "1.32.0")
    entries = read_deviations(bundled_folder("adapters") / "onnxruntime")
    (entry,) = (one for one in entries if one.id == record)
    known, good = (check(verdict, case="onnx.Split-18/a") for verdict in (Verdict.ACCEPTED_INVALID, Verdict.PASS))
    known = replace(known, verdict=Verdict.KNOWN, deviation=entry.id)
    for number, (answers, shown) in enumerate(
        (
            ((good, good, good), {"1.30.0": True, "1.32.0": None}),
            ((good, known, good), {"1.31.1": True, "1.32.0": None}),
            ((check(Verdict.UNSUPPORTED, case="onnx.Split-18/a"), good, good), {"1.31.1": True, "1.32.0": None}),
        )
    ):
        logs = (release_log(version, one) for version, one in zip(versions, answers, strict=True))
        data, _ = made(tmp_path / str(number), suite, *logs)
        (finding,) = (one for one in data.findings if one.id == entry.id)
        assert finding.operators == {"onnx.Split-18": shown}


@pytest.mark.parametrize("unmet", [{"system": "Windows"}, {"instruction_set": "<AVX2"}, {"options": {"route": "ir"}}])
def test_a_finding_is_of_releases_that_were_asked_under_its_conditions(unmet: dict[str, object]) -> None:
    entry = read_deviations(bundled_folder("adapters") / "onnxruntime")[0]
    assert list(releases_of(entry, ENGINE)) == ENGINE.releases
    other = entry.model_copy(update={"conditions": entry.conditions.model_copy(update=unmet)})
    assert list(releases_of(other, ENGINE)) == []


def test_a_finding_names_the_types_of_arguments_that_its_record_names(suite: Suite) -> None:
    entries = {one.id: one for one in read_deviations(bundled_folder("adapters") / "onnxruntime")}
    pad = {one.version: one for one in suite.operators if one.family == "onnx.Pad"}
    assert list(named_types(entries["int32-axes-of-pad-rejected"], pad[18])) == ["axes=int32"]
    assert list(named_types(entries["int32-axes-of-pad-rejected"], pad[13])) == []
    condition = "not data_type == 'int8' and data_type == 'float64'"
    other = entries["int32-axes-of-pad-rejected"].model_copy(update={"when": condition})
    assert list(named_types(other, pad[18])) == ["float64"]


def test_what_is_made_keeps_the_rules_and_is_the_same_again(tmp_path: Path, suite: Suite) -> None:
    data = good_bad_good(tmp_path / "1", suite)
    assert list(problems(data, frameworks_of(["onnxruntime"]))) == []
    (tmp_path / "data.json").write_text(text_of(data))
    assert load(tmp_path / "data.json") == data
    assert text_of(good_bad_good(tmp_path / "2", suite)) == text_of(data)


def test_the_data_says_which_profile_was_asked_and_by_which_command(tmp_path: Path, suite: Suite) -> None:
    engine = good_bad_good(tmp_path, suite).engines["onnxruntime"]
    assert engine.profile == "core"
    run, _ = evidence_commands("onnxruntime", "1.15.0", SPLIT, engine.profile)
    assert run == f"conformance run -t onnxruntime@1.15.0 --operator {SPLIT} --profile core --output evidence"


def test_a_cause_has_the_releases_in_which_checks_had_it(tmp_path: Path, suite: Suite) -> None:
    (found,) = good_bad_good(tmp_path, suite).deviations
    assert (found.cause, found.severity, found.recorded) == ("wrong axis", "wrong results", False)
    assert found.checks == {"1.15.0": 0, "1.15.1": 1, "1.16.0": 0}
    assert found.example == CompatExample(f"{TYPES}[dtype=uint16]", "runtime")


def test_one_cause_of_two_operators_is_told_of_each(tmp_path: Path, suite: Suite) -> None:
    logs = [release_log(version, *(wrong(case=f"onnx.{name}/a") for name in names)) for version, names in OPERATORS]
    found = made(tmp_path, suite, *logs)[0].deviations
    assert [(one.operators, one.checks) for one in found] == [
        (["onnx.Slice-11", "onnx.Slice-13"], {"1.15.0": 2, "1.15.1": None}),
        (["onnx.Split-13"], {"1.15.1": 1}),
    ]


def test_a_release_that_does_not_support_the_check_is_neither_good_nor_bad(tmp_path: Path, suite: Suite) -> None:
    answers = (check(Verdict.UNSUPPORTED), wrong(), check(Verdict.UNSUPPORTED))
    logs = (release_log(version, one) for version, one in zip(VERSIONS, answers, strict=True))
    data, _ = made(tmp_path, suite, *logs)
    assert data.deviations[0].checks == {"1.15.1": 1, "1.16.0": None}
    assert texts(data) == ["n 0/0/1", "w 1/1/1", "n 0/0/1"]


def test_a_recorded_deviation_is_told_with_its_sentence(tmp_path: Path, suite: Suite) -> None:
    entry = read_deviations(bundled_folder("adapters") / "onnxruntime")[0]
    known = check(Verdict.KNOWN, deviation=entry.id)
    (found,) = made(tmp_path, suite, release_log("1.15.0", known))[0].deviations
    assert (found.cause, found.recorded, found.what, found.upstream) == (entry.id, True, entry.what, entry.upstream)


def test_a_recorded_deviation_began_before_the_versions_for_which_it_is_recorded(tmp_path: Path, suite: Suite) -> None:
    entry = read_deviations(bundled_folder("adapters") / "onnxruntime")[0]
    answers = (check(), wrong(), check(Verdict.KNOWN, deviation=entry.id))
    logs = (release_log(version, one) for version, one in zip(VERSIONS, answers, strict=True))
    found = {one.cause: one for one in made(tmp_path, suite, *logs)[0].deviations}[entry.id]
    assert found.checks == {"1.15.0": 0, "1.15.1": 1}


@pytest.mark.parametrize("verdict", [Verdict.ACCEPTED_INVALID, Verdict.REJECTED_VALID])
def test_milder_causes_are_not_told(tmp_path: Path, suite: Suite, verdict: Verdict) -> None:
    assert made(tmp_path, suite, release_log("1.15.0", check(verdict)))[0].deviations == []


def test_answers_to_other_cases_than_most_are_left_out_and_said(tmp_path: Path, suite: Suite) -> None:
    logs = [release_log(version, check()) for version in VERSIONS[:2]]
    data, said = made(tmp_path, suite, *logs, release_log("1.16.0", wrong(), digest="b" * 64))
    assert texts(data) == ["y 0/1/1", "y 0/1/1", "None"]
    assert data.operators[SPLIT].suite == "a" * 64
    assert said == [f"{SPLIT}: onnxruntime 1.16.0: 1 answers to other cases are left out"]


def test_an_operator_that_is_never_asked_has_no_cells(tmp_path: Path, suite: Suite) -> None:
    asked = check(Verdict.NOT_DECLARED)
    assert made(tmp_path, suite, release_log("1.15.0", asked))[0].operators == {}


def test_one_release_under_two_conditions_is_refused(tmp_path: Path, suite: Suite) -> None:
    logs = (release_log("1.15.0", check(), isa=isa) for isa in ("AVX2", "AVX512_CORE"))
    with pytest.raises(ValueError, match=r"onnxruntime 1\.15\.0 has answers of Linux AVX2 and Linux AVX512_CORE"):
        made(tmp_path, suite, *logs)


def test_each_operator_version_has_its_page(suite: Suite) -> None:
    openvino = load_suite(bundled_folder("cases"), ["openvino.Gather"]).operators
    urls = {operator.id: spec_url(operator) for operator in (*suite.operators, *openvino)}
    assert urls[SPLIT] == "https://onnx.ai/onnx/operators/onnx__Split.html#split-13"
    assert urls["openvino.Gather-7"].endswith("/gather-7.html")


def test_an_adapter_without_listed_releases_is_named() -> None:
    assert package_of("onnx-reference") == "onnx"
    with pytest.raises(ValueError, match="the adapter numpy has no list of releases"):
        package_of("numpy")


def test_pythons_follow_from_the_tags_of_wheels() -> None:
    tags = ["cp312-abi3-win_amd64", "cp311-cp311-win_amd64", "cp310-cp310-win_amd64", "py3-none-any"]
    assert pythons_of(tags) == ["3", "3.10", "3.11", "3.12+"]


def test_the_newest_version_of_the_changelog_is_that_of_the_data() -> None:
    assert version_in("# Changelog\n\n## 1.2.0\n\n## 1.1\n") == "1.2.0"
    with pytest.raises(ValueError, match="names no version"):
        version_in("# Changelog\n")


def test_data_that_says_something_else_needs_a_new_version() -> None:
    assert checked(state(), state()) == state()
    other = with_split(clauses={})
    assert checked(replace(other, version="1.1"), state()).version == "1.1"
    with pytest.raises(ValueError, match=r"version 1\.0 is published, and says something else; .*\n.*axis\.range"):
        checked(other, state())


def test_what_is_published_of_an_engine_without_new_answers_stays(tmp_path: Path, suite: Suite) -> None:
    logs = [release_log(version, check(), digest=suite.digests["onnx.Split"]) for version in VERSIONS]
    new, _ = made(tmp_path, suite, *logs)
    published = with_split(suite=suite.digests["onnx.Split"])
    both = with_kept(new, published, suite)
    assert list(both.engines) == ["onnxruntime", "toy"]
    for engine, alone in (("onnxruntime", new), ("toy", published)):
        assert both.evidence(SPLIT, engine) == alone.evidence(SPLIT, engine)
        for part in ({}, {"form": "constant"}, {"dtype": "float32"}):
            assert both.cells(SPLIT, engine, **part) == alone.cells(SPLIT, engine, **part)
    old: list[dict[str, str]] = [{"clause": "axis.range"}, {"dtype": "float32", "form": "runtime"}]
    assert all(both.cells(SPLIT, "toy", **part) == published.cells(SPLIT, "toy", **part) for part in old)
    assert both.deviations == published.deviations
    assert with_kept(new, both, suite) == with_kept(both, new, suite) == both


def test_an_engine_whose_published_answers_are_to_other_cases_is_measured_again(tmp_path: Path, suite: Suite) -> None:
    new, _ = made(tmp_path, suite, release_log("1.15.0", check(), digest=suite.digests["onnx.Split"]))
    with pytest.raises(ValueError, match=rf"toy answered to other cases of {SPLIT}, and must be measured again"):
        with_kept(new, state(), suite)
    assert with_kept(new, replace(new, engines={}, operators={}), suite) == new


def test_the_command_writes_both_files_once_for_a_version(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "CHANGELOG.md").write_text("## 1.0\n")
    arguments = [str(tmp_path / "history.sqlite"), "--output", str(tmp_path)]
    for answer in (check(), wrong()):
        with opened_store(tmp_path / "history.sqlite") as store:
            store.add(release_log("1.15.0", answer))
        if answer.verdict is Verdict.PASS:
            main(arguments)
            assert list(problems(load(tmp_path / "data.json.xz"), load_frameworks(tmp_path / "engines.json"))) == []
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 1
    assert f"{SPLIT} float32: onnxruntime 1.15.0: y 0/1/1 -> w 1/1/1" in capsys.readouterr().err


def published() -> Iterator[str]:
    data = load(FOLDER / "data.json.xz")
    if data.version != version_in((FOLDER / "CHANGELOG.md").read_text()):
        yield "the changelog has a newer version than the data"
    yield from problems(data, load_frameworks(FOLDER / "engines.json"))


def test_the_published_data_keeps_its_rules_and_is_small() -> None:
    assert list(published()) == []
    assert (FOLDER / "data.json.xz").stat().st_size < 1_000_000


def test_the_published_facts_of_releases_are_those_of_engines() -> None:
    facts = load_frameworks(FOLDER / "engines.json")
    assert facts == frameworks_of(facts.engines)
