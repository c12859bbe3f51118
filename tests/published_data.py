"""Published data for the tests of its pages: two operator versions, one of which has hostile names everywhere."""

from __future__ import annotations

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

HOSTILE = "</script></style><img src=x onerror=alert(1)><script>alert(2)</script>\"'><svg onload=alert(3)>\u202etxt"
SLICE, EVIL = "onnx.Slice-13", "evil.Evil-1"
RELEASES = ["1.15.0", "1.16.0", "1.24.0", "1.24.1", "1.25.0"]
_WHOLE: dict[str, str | None] = {"1.15.0": "y 0/100/120", "1.24.0": "w 3/100/120", "1.25.0": "y 0/100/120"}


def published(**engines: CompatEngine) -> CompatData:
    """Data of an engine `ort` with five releases, of the one named `HOSTILE` with one, and of others."""
    of_hostile: Results = {HOSTILE: {"0 0": "m 1/1/1"}}
    evil = CompatOperator(
        spec_url="javascript:alert(4)",
        suite="b" * 64,
        listed={HOSTILE: [HOSTILE]},
        evidence={HOSTILE: {"0 0": HOSTILE}},
        results=of_hostile,
        types={HOSTILE: CompatFeature(of_hostile, {HOSTILE: CompatFeature(of_hostile)})},
        forms={HOSTILE: CompatFeature(of_hostile)},
        clauses={HOSTILE: CompatClause(HOSTILE, HOSTILE, of_hostile)},
    )
    return CompatData(
        format=FORMAT,
        version="0.1",
        license="CC0-1.0",
        letters=dict(LETTERS),
        engines={"ort": _engine("ort", RELEASES), HOSTILE: _engine(HOSTILE, ["0 0"]), **engines},
        operators={SLICE: _slice(), EVIL: evil},
        deviations=[
            _deviation("ort", SLICE, "the last row is missing", {"1.24.0": 3, "1.25.0": 0}, "https://example.org/7"),
            _deviation(HOSTILE, EVIL, HOSTILE, {"0 0": 1}, "javascript:alert(5)"),
        ],
        findings=[
            CompatFinding(
                "ort",
                "int32-axes",
                "Rejects constant axes.",
                "r",
                {SLICE: {"1.24.0": True, "1.25.0": None}},
                ["axes=int32"],
            ),
            CompatFinding(
                HOSTILE, HOSTILE, HOSTILE, "w", {EVIL: {"0 0": True}}, [HOSTILE], upstream="javascript:alert(6)"
            ),
        ],
    )


def frameworks() -> CompatFrameworks:
    """The day of one release."""
    releases = {"1.24.0": CompatRelease(date="2026-02-05", python=["3.11"], wheels={})}
    return CompatFrameworks(format=FORMAT, engines={"ort": CompatFramework(releases)})


def _slice() -> CompatOperator:
    int4: dict[str, str | None] = {"1.24.0": "n 0/0/2", "1.24.1": "y 0/2/2"}
    return CompatOperator(
        spec_url="https://onnx.ai/onnx/operators/onnx__Slice.html#slice-13",
        suite="a" * 64,
        listed={"data": ["int4", "uint4", "string"], "axes": ["int32"]},
        evidence={"ort": {"1.15.0": "1" * 64, "1.24.0": "2" * 64}},
        results={"ort": _WHOLE},
        types={
            "int4": CompatFeature(
                {"ort": int4}, {name: CompatFeature({"ort": int4}) for name in ("constant", "runtime")}
            ),
            "uint4": CompatFeature({"ort": int4}, {"runtime": CompatFeature({"ort": int4})}),
        },
        refused={"uint2": {"ort": {"1.15.0": "x 0/0/1", "1.24.0": "y 0/1/1", "1.25.0": "a 1/1/1"}}},
        forms={name: CompatFeature({"ort": _WHOLE}) for name in ("constant", "runtime", "runtime-dynamic")},
        clauses={
            "axes.negative": CompatClause("A negative axis counts from the last dim.", "Inputs", {"ort": _WHOLE}),
            "ends.open": CompatClause("The end is left out.", "Inputs"),
        },
    )


def _engine(name: str, releases: list[str]) -> CompatEngine:
    conditions: dict[str, CompatConditions | None] = {releases[0]: CompatConditions("Linux", "AVX2")}
    return CompatEngine(adapter=name, package=name, releases=releases, conditions=conditions)


def _deviation(engine: str, operator: str, cause: str, checks: dict[str, int | None], upstream: str) -> CompatDeviation:
    return CompatDeviation(
        engine=engine,
        cause=cause,
        severity="wrong results",
        recorded=False,
        operators=[operator],
        checks=checks,
        example=CompatExample(f"{operator}/made[dtype=int4,it's]", "runtime"),
        upstream=upstream,
    )
