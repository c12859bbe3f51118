"""Scripts for the checks of a log, by the recipes of the bundled adapters; reports embed them."""

from __future__ import annotations

from functools import cache

from conformance.adapter import NotExpressible
from conformance.findings.summary import Summary
from conformance.log.record import CheckRecord
from conformance.scripts.recipe_file import recipe_of_recorded_target
from conformance.scripts.recorded import demonstration_of_record
from conformance.scripts.script import script_in_one_piece

_MAX_CHARACTERS = 20_000
_MAX_IN_ALL = 200


class LogScripts:
    """Builds the scripts of a log's checks, up to a number that a page has room for."""

    def __init__(self, summary: Summary) -> None:
        self._suite = summary.header.suite
        self._targets = {target.name: target for target in summary.targets}
        self._recipe_of = cache(lambda target: recipe_of_recorded_target(self._targets[target]))
        self._room = _MAX_IN_ALL

    def __call__(self, record: CheckRecord) -> str | None:
        """The script of a check in one piece; None if the check has none, or there is no room left."""
        if self._room <= 0 or record.case.partition("[")[0] in self._suite.disputes:
            return None
        recipe = self._recipe_of(record.target)
        target = self._targets[record.target]
        claim = demonstration_of_record(record, target, self._suite.operators.get(record.operator, {}))
        if recipe is None or claim is None:
            return None
        try:
            text = script_in_one_piece(claim, recipe(claim.request, target.options))
        except (NotExpressible, ValueError):
            return None  # a log that no run wrote may hold elements that have no text
        if len(text) > _MAX_CHARACTERS:
            return None
        self._room -= 1
        return text
