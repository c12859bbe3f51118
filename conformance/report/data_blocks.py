"""The data of the page for its script: blocks of deflated base64, which can be neither markup nor code.

The details of checks are spread over several blocks, so that opening a check inflates only a small part. Their total
size is bounded; details without room are only in the log, and the page says so.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Callable, Iterator, Mapping
from itertools import zip_longest

from markupsafe import Markup

from conformance.findings.summary import Summary
from conformance.log.record import CheckRecord
from conformance.report.case_view import call_view, deviation_view, result_view
from conformance.report.columns import Columns

ScriptOf = Callable[[CheckRecord], str | None]
"""The script that demonstrates a check; None if there is none."""

_SCRIPTS_PER_CAUSE = 2
_BLOCK_CHARACTERS = 200_000
_MAX_DETAILS_BYTES = 3_000_000


class CheckDetails:
    """Writes the details of the checks in a summary; `places` has row, target and block of each check."""

    def __init__(self, summary: Summary, columns: Columns, script_of: ScriptOf) -> None:
        self._summary = summary
        self._columns = columns
        self._adapters = {target.name: target.adapter for target in summary.targets}
        self._script_of = script_of
        self.places: list[tuple[int, int, int]] = []

    def blocks(self) -> Iterator[Markup]:
        """The blocks, each a list of row, target, call, result, recorded deviation and script."""
        written = 0
        for number, texts in enumerate(self._batches()):
            block = _block(f"details-{number}", f"[{','.join(texts)}]".encode("ascii"))
            written += len(block)
            yield block
            if written >= _MAX_DETAILS_BYTES:
                return

    def _batches(self) -> Iterator[list[str]]:
        texts: list[str] = []
        number = size = 0
        # the first check of each cause goes before the second of any, so that a big cause cannot take all the room
        for place_in_cause, records in enumerate(zip_longest(*(cause.records for cause in self._summary.causes))):
            for record in filter(None, records):
                place = self._columns.place(record)
                if place is None:
                    continue
                recorded = self._summary.recorded(record.target, record.deviation)
                deviation = None if recorded is None else deviation_view(recorded, self._adapters[record.target])
                script = self._script_of(record) if place_in_cause < _SCRIPTS_PER_CAUSE else None
                views = (*place, call_view(record), result_view(record), deviation, script)
                texts.append(json.dumps(views, separators=(",", ":")))
                size += len(texts[-1])
                self.places.append((*place, number))
                if size >= _BLOCK_CHARACTERS:
                    yield texts
                    texts, size, number = [], 0, number + 1
        if texts:
            yield texts


def columns_block(columns: Columns, facts: Mapping[str, object]) -> Markup:
    """The block with the columns of all checks."""
    return _block("columns", columns.packed(facts))


def _block(name: str, data: bytes) -> Markup:
    text = base64.b64encode(zlib.compress(data, 9)).decode("ascii")
    return Markup(f'<script type="application/octet-stream" id="data-{name}">{text}</script>\n')  # noqa: S704
