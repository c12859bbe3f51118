"""The schemas of the published data of all releases, `compat/data.json.xz` and `compat/engines.json`."""

from __future__ import annotations

from conformance.compat.data import CompatData
from conformance.compat.frameworks import CompatFrameworks
from conformance.report.json_document import JsonDocument

DATA = JsonDocument(CompatData, "The published data of all releases")
FRAMEWORKS = JsonDocument(CompatFrameworks, "The releases that the published data can name")
