"""What is published of engines that a history has no answers of: it stays, if their cases are the same."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from compat_operator import in_order

from conformance.compat.data import CompatData, CompatFeature, CompatOperator, Results
from conformance.formats.suite import Suite

_NOTHING = CompatFeature()


def with_kept(data: CompatData, published: CompatData, suite: Suite) -> CompatData:
    """The data with the published engines that it lacks.

    Raises:
        ValueError: an engine would be kept that answered to other cases.
    """
    kept = [engine for engine in published.engines if engine not in data.engines]
    now = {operator.id: suite.digests[operator.family] for operator in in_order(suite.operators)}
    now |= {name: operator.suite for name, operator in data.operators.items()}
    for name, operator in published.operators.items():
        stale = [engine for engine in kept if engine in operator.results]
        if stale and now.get(name) != operator.suite:
            raise ValueError(f"{' and '.join(stale)} answered to other cases of {name}, and must be measured again")
    join, old, new = _Join(kept), published.operators, data.operators
    joined = {name: join.operator(old.get(name), new.get(name)) for name in now if name in old or name in new}
    causes = [cause for cause in published.deviations if cause.engine in kept]
    findings = [finding for finding in published.findings if finding.engine in kept]
    return replace(
        data,
        engines=dict(sorted({**{engine: published.engines[engine] for engine in kept}, **data.engines}.items())),
        operators={name: operator for name, operator in joined.items() if operator.results},
        deviations=sorted([*causes, *data.deviations], key=lambda cause: cause.engine),
        findings=sorted([*findings, *data.findings], key=lambda finding: finding.engine),
    )


@dataclass(frozen=True)
class _Join:
    """Joins what is published of the engines that are `kept` with new data of others."""

    kept: Collection[str]

    def operator(self, old: CompatOperator | None, new: CompatOperator | None) -> CompatOperator:
        base = new or old
        assert base is not None
        nothing = CompatOperator(base.spec_url, base.suite)
        old, new = old or nothing, new or nothing
        return replace(
            base,
            evidence=self.results(old.evidence, new.evidence),
            results=self.results(old.results, new.results),
            types=self.features(old.types, new.types),
            refused={
                name: joined
                for name in sorted({*old.refused, *new.refused})
                if (joined := self.results(old.refused.get(name, {}), new.refused.get(name, {})))
            },
            forms=self.features(old.forms, new.forms),
            clauses={
                name: replace(clause, results=self.results(_results(old, name), _results(new, name)))
                for name, clause in base.clauses.items()
            },
        )

    def features(self, old: Mapping[str, CompatFeature], new: Mapping[str, CompatFeature]) -> dict[str, CompatFeature]:
        pairs = {name: (old.get(name, _NOTHING), new.get(name, _NOTHING)) for name in sorted({*old, *new})}
        found = {
            name: CompatFeature(self.results(one.results, other.results), self.features(one.forms, other.forms))
            for name, (one, other) in pairs.items()
        }
        return {name: feature for name, feature in found.items() if feature.results}

    def results(self, old: Results, new: Results) -> Results:
        return dict(sorted({**{engine: found for engine, found in old.items() if engine in self.kept}, **new}.items()))


def _results(operator: CompatOperator, clause: str) -> Results:
    return operator.clauses[clause].results if clause in operator.clauses else {}
