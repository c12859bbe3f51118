from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from report_records import footer, header, record
from split_cases import split_case

from conformance.border.form import Form
from conformance.language.case import Value
from conformance.language.check import Check
from conformance.language.verdict import Verdict
from conformance.log.log_file import RunLogWriter
from conformance.planning.shard import Costs, Shard, places_in_shard, recorded_costs
from conformance.values.errors import RunLogError, UsageError

FORMS = (Form.CONSTANT, Form.RUNTIME, Form.DYNAMIC)
EVEN = Costs()


def plan(*sizes: int) -> list[Check]:
    """A case for each size, in as many forms."""
    case = split_case(Value(dtype="int8", shape=(2,)), [1, 1])
    cases = [replace(case, id=f"toy/{number}") for number in range(len(sizes))]
    return [Check(case, form) for case, size in zip(cases, sizes, strict=True) for form in FORMS[:size]]


def dealt(checks: list[Check], of: int, costs: Costs = EVEN) -> list[list[int]]:
    return [list(places_in_shard(Shard(number=number, of=of), checks, costs)) for number in range(1, of + 1)]


def of_cases(milliseconds: Mapping[str, int]) -> Costs:
    return Costs(of_case={case: ms * 1_000_000 for case, ms in milliseconds.items()}, of_another_check=1_000_000)


@pytest.mark.parametrize("of", [1, 2, 3, 5])
def test_each_check_is_in_exactly_one_shard(of: int) -> None:
    checks = plan(3, 1, 2, 3, 1, 1, 2)
    assert sorted(place for places in dealt(checks, of) for place in places) == list(range(len(checks)))


@pytest.mark.parametrize("of", [2, 3])
def test_a_shard_runs_in_the_order_of_the_plan(of: int) -> None:
    for places in dealt(plan(3, 1, 2, 3, 1), of):
        assert places == sorted(places)


def test_all_forms_of_a_case_are_in_one_shard() -> None:
    checks = plan(3, 3, 2, 3)
    owners = [{checks[place].case.id for place in places} for places in dealt(checks, 2)]
    assert owners[0].isdisjoint(owners[1])


def test_without_times_each_check_weighs_the_same() -> None:
    assert sorted(map(len, dealt(plan(*[1] * 11), 3))) == [3, 4, 4]


def test_a_case_that_took_long_has_a_shard_for_itself() -> None:
    costs = of_cases({"toy/0": 1, "toy/1": 1, "toy/2": 90, "toy/3": 1})
    assert dealt(plan(1, 1, 1, 1), 2, costs) == [[2], [0, 1, 3]]


def test_a_case_without_times_weighs_as_its_checks_do_on_average() -> None:
    costs = of_cases({"toy/0": 3})
    assert dealt(plan(1, 3, 1, 1), 2, costs) == [[0, 4], [1, 2, 3, 5]]


def test_more_shards_than_cases_are_refused() -> None:
    with pytest.raises(UsageError) as printed:
        places_in_shard(Shard(number=1, of=3), plan(3, 3), EVEN)
    assert str(printed.value) == "--shard 1/3: there are only 2 cases\n  fix:  use 2 shards or fewer"


def log_of_times(path: Path) -> Path:
    quick = record(case="toy/0", prepare_ns=1_000_000, run_ns=[2_000_000])
    hanging = record(Verdict.TIMED_OUT, case="toy/1")
    with path.open("wb") as stream:
        writer = RunLogWriter(stream, {})
        writer.header(header(planned=2))
        for line in (quick, replace(quick, form=Form.RUNTIME), hanging):
            writer.check(line)
        writer.footer("", footer(3).ended)
    return path


def test_costs_are_the_times_of_all_forms_and_of_waiting(tmp_path: Path) -> None:
    costs = recorded_costs(log_of_times(tmp_path / "run.jsonl"), {"toy"})
    assert costs.of_case["toy/0"] == pytest.approx(6_000_000, rel=0.2)
    assert costs.of_case["toy/1"] == pytest.approx(60e9, rel=0.001)


def test_a_log_of_other_adapters_has_no_times_for_these(tmp_path: Path) -> None:
    log = log_of_times(tmp_path / "run.jsonl")
    with pytest.raises(RunLogError, match="has no times of numpy\n  fix:  name a log of these adapters"):
        recorded_costs(log, {"numpy"})
