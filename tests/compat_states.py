"""A small state of the published data, and copies of it that differ in one place."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from conformance.compat.data import (
    FORMAT,
    LETTERS,
    CompatClause,
    CompatConditions,
    CompatData,
    CompatDeviation,
    CompatEngine,
    CompatExample,
    CompatFeature,
    CompatFinding,
    CompatFramework,
    CompatFrameworks,
    CompatOperator,
    CompatRelease,
    Results,
)

SPLIT = "onnx.Split-13"
ENGINE = CompatEngine(
    adapter="toy", package="toy", releases=["1.0", "1.1", "1.2", "1.3"], conditions={"1.0": CompatConditions("Linux")}
)
BAD_ONCE = {"1.0": "y 0/2/3", "1.2": "w 1/2/3", "1.3": "y 0/2/3"}
GOOD = {"1.0": "y 0/1/2"}
DEVIATION = CompatDeviation(
    engine="toy",
    cause="wrong axis",
    severity="wrong results",
    recorded=False,
    operators=[SPLIT],
    checks={"1.0": 0, "1.2": 1, "1.3": 0},
    example=CompatExample(f"{SPLIT}/a", "constant"),
)
FINDING = CompatFinding(
    engine="toy",
    id="constant-lengths-rejected",
    what="Rejects constant lengths of int64.",
    letter="r",
    operators={SPLIT: {"1.1": True, "1.3": None}},
    types=["split=int64", "int8"],
    forms=["constant"],
)
FRAMEWORKS = CompatFrameworks(
    format=FORMAT,
    engines={
        "toy": CompatFramework(
            {
                version: CompatRelease(date="2026-01-02", python=["3.11"], wheels={"py3-none-any": "ab" * 32})
                for version in ENGINE.releases
            }
        )
    },
)


def split(**changes: Any) -> CompatOperator:
    """What the data says of Split: one type and one form deviate in release 1.2."""
    bad: Results = {"toy": {"1.0": "y 0/1/1", "1.2": "w 1/1/1", "1.3": "y 0/1/1"}}
    good: Results = {"toy": dict(GOOD)}
    whole = CompatOperator(
        spec_url="https://example.org/Split#split-13",
        suite="ab" * 32,
        listed={"input": ["float32", "int8", "int16"], "split": ["int64"]},
        evidence={"toy": {"1.0": "01" * 32, "1.2": "02" * 32, "1.3": "01" * 32}},
        results={"toy": dict(BAD_ONCE)},
        types={
            "float32": CompatFeature(good, {"runtime": CompatFeature(good)}),
            "int8": CompatFeature(bad, {"constant": CompatFeature(bad)}),
        },
        refused={"int4": {"toy": {"1.0": "x 0/0/1", "1.1": "y 0/1/1"}}},
        forms={"constant": CompatFeature(bad), "runtime": CompatFeature(good)},
        clauses={
            "axis.range": CompatClause("The axis is in range.", "Inputs", bad),
            "axis.default": CompatClause("It is 0."),
        },
    )
    return replace(whole, **changes)


def state(**changes: Any) -> CompatData:
    """The data of one engine and one operator version."""
    whole = CompatData(
        format=FORMAT,
        version="1.0",
        license="CC0-1.0",
        letters=dict(LETTERS),
        engines={"toy": ENGINE},
        operators={SPLIT: split()},
        deviations=[DEVIATION],
    )
    return replace(whole, **changes)


def with_split(**changes: Any) -> CompatData:
    """The data in which Split is other."""
    return state(operators={SPLIT: split(**changes)})
