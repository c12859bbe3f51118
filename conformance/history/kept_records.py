"""The records of logs, packed by release and operator version, so that a later run can take them over.

A release has one state of records for each operator version: those with the same operator's files, adapter, loaded
packages and libraries, environment and recorded deviations, of the same version of this suite, under the same time
limit. Another state replaces them.
"""

from __future__ import annotations

import hashlib
import sqlite3
import zlib
from collections.abc import Iterable
from dataclasses import replace

from conformance.border.form import Form
from conformance.log.log_file import LINES, record_line, records_of
from conformance.log.record import CheckRecord, SuiteEntry, TargetEntry
from conformance.values.text import one_line

RecordKey = tuple[str, Form]
"""The id of a case, and the form."""
_MOST_BYTES = 1 << 28


def state_of(suite: SuiteEntry, target: TargetEntry, operator: str, timeout_s: float) -> str:
    """The digest of all that a record follows from, other than the release itself; empty if not all of it is known.

    `operator` is without its version.
    """
    of_target = target.adapter_digest, target.loaded_digest, target.deviations_digest
    digests = suite.digests.get(operator, ""), *of_target
    if not all(digests):
        return ""
    facts = (suite.version, *digests, target.environment, target.python, target.numpy, f"{timeout_s:g}")
    return hashlib.sha256("\0".join(facts).encode()).hexdigest()


class KeptRecords:
    """The records in a history. The numbers of releases are those of the history."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database

    def records(self, release: int, operator: str, state: str) -> dict[RecordKey, CheckRecord]:
        """The records of a release for an operator version; none if they are of another state."""
        query = "SELECT packed FROM records WHERE release = ? AND operator = ? AND state = ?"
        found = self._database.execute(query, (release, operator, state)).fetchone()
        if found is None or not state:
            return {}
        try:
            unpacker = zlib.decompressobj()
            lines = unpacker.decompress(found[0], _MOST_BYTES).splitlines()
            if not unpacker.eof:
                raise sqlite3.DataError(f"the records of {operator} are cut off, or larger than {_MOST_BYTES:,} bytes")
            return {(record.case, record.form): record for record in records_of(map(LINES.validate_json, lines))}
        except (zlib.error, TypeError, ValueError) as error:
            raise sqlite3.DataError(f"the records of {operator} cannot be read: {one_line(str(error))}") from None

    def keep(self, release: int, operator: str, state: str, records: Iterable[CheckRecord]) -> None:
        """Keep further records, which take the places of older ones."""
        kept = self.records(release, operator, state) | {(record.case, record.form): record for record in records}
        lines = b"\n".join(record_line(replace(record, place=None)) for record in kept.values())
        packed = release, operator, state, zlib.compress(lines, 9)
        self._database.execute("INSERT OR REPLACE INTO records VALUES (?, ?, ?, ?)", packed)
