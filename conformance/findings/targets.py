"""Pairs the targets of two runs: by name, or by adapter and options at another version."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from conformance.log.record import TargetEntry


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetPair:
    """A target in the old run and in the new one; None if a run has no unambiguous match."""

    old: TargetEntry | None
    new: TargetEntry | None

    @property
    def name(self) -> str:
        """The name of the pair: that in the new run, else that in the old one."""
        entry = self.new or self.old
        assert entry is not None
        return entry.name


def pair_targets(old: Sequence[TargetEntry], new: Sequence[TargetEntry]) -> tuple[TargetPair, ...]:
    """All targets of both runs: those of the new one in its order, then those only in the old one."""
    by_name = {target.name: target for target in old}
    names = {target.name for target in new}
    removed = [target for target in old if target.name not in names]
    added = [target for target in new if target.name not in by_name]
    pairs = [
        TargetPair(old=by_name.get(target.name) or _same_kind(target, removed, added), new=target) for target in new
    ]
    taken = {pair.old.name for pair in pairs if pair.old is not None}
    return (*pairs, *(TargetPair(old=target, new=None) for target in removed if target.name not in taken))


def old_names(pairs: Iterable[TargetPair]) -> dict[str, str]:
    """The name in the old run of each target that it has, by the name of the pair."""
    return {pair.name: pair.old.name for pair in pairs if pair.old is not None}


def _same_kind(target: TargetEntry, removed: Sequence[TargetEntry], added: Sequence[TargetEntry]) -> TargetEntry | None:
    """The unmatched old target with the same adapter and options, if it and this new target are the only such ones."""
    kind = _kind(target)
    candidates = [other for other in removed if _kind(other) == kind]
    rivals = [other for other in added if _kind(other) == kind]
    return candidates[0] if len(candidates) == len(rivals) == 1 else None


def _kind(target: TargetEntry) -> tuple[str, dict[str, str]]:
    return target.adapter, target.options
