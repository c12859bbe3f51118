"""The data of the page for its script: blocks of deflated base64, which can be neither markup nor code.

The details of checks are spread over several blocks, so that opening a check inflates only a small part. Their total
size is bounded; details without room are only in the log, and the page says so.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
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


def check_details(
    summary: Summary, columns: Columns, script_of: ScriptOf
) -> tuple[list[Markup], list[tuple[int, int, int]]]:
    """The blocks, and row, target and block of each check in them.

    A block is a list of row, target, call, result, recorded deviation and script.
    """
    adapters = {target.name: target.adapter for target in summary.targets}
    blocks: list[Markup] = []
    places: list[tuple[int, int, int]] = []
    texts: list[str] = []
    for record, may_have_script in _by_place_in_cause(summary):
        place = columns.place(record)
        recorded = summary.recorded(record.target, record.deviation)
        deviation = None if recorded is None else deviation_view(recorded, adapters[record.target])
        script = script_of(record) if may_have_script else None
        views = (*place, call_view(record), result_view(record), deviation, script)
        texts.append(json.dumps(views, separators=(",", ":")))
        places.append((*place, len(blocks)))
        if sum(map(len, texts)) >= _BLOCK_CHARACTERS:
            blocks.append(_details(len(blocks), texts))
            texts = []
            if sum(map(len, blocks)) >= _MAX_DETAILS_BYTES:
                break
    return [*blocks, _details(len(blocks), texts)] if texts else blocks, places


def _by_place_in_cause(summary: Summary) -> Iterator[tuple[CheckRecord, bool]]:
    """The first check of each cause before the second of any, so that a big cause cannot take all the room; and whether
    it is among the first, which may have scripts.
    """
    for place, records in enumerate(zip_longest(*(cause.records for cause in summary.causes))):
        yield from ((record, place < _SCRIPTS_PER_CAUSE) for record in records if record is not None)


def _details(number: int, texts: Sequence[str]) -> Markup:
    return _block(f"details-{number}", f"[{','.join(texts)}]".encode("ascii"))


def columns_block(columns: Columns, facts: Mapping[str, object]) -> Markup:
    """The block with the columns of all checks."""
    return _block("columns", columns.packed(facts))


def _block(name: str, data: bytes) -> Markup:
    text = base64.b64encode(zlib.compress(data, 9)).decode("ascii")
    return Markup(f'<script type="application/octet-stream" id="data-{name}">{text}</script>\n')  # noqa: S704
