"""The JSON Schemas of the file formats, generated from the types that read them and published in docs/schemas for
editors.
"""

from __future__ import annotations

from typing import Any

from conformance.certificate.certificate_file import CertificateFile
from conformance.certificate.profile_file import ProfileFile
from conformance.formats.adapter_file import AdapterFile
from conformance.formats.case_entry import CaseFile
from conformance.formats.coverage_space_file import CoverageFile
from conformance.formats.deviation_file import DeviationFile
from conformance.formats.file_schema import FileModel
from conformance.formats.operator_file import OperatorFile
from conformance.formats.release_file import ReleasesFile
from conformance.records.log_file import log_schema
from conformance.report import summary_document
from conformance.report.comparison import document as comparison_document
from conformance.report.trend import document as trend_document

_MODELS: dict[str, type[FileModel]] = {
    "case": CaseFile,
    "operator": OperatorFile,
    "coverage": CoverageFile,
    "adapter": AdapterFile,
    "deviations": DeviationFile,
    "profile": ProfileFile,
    "releases": ReleasesFile,
    "certificate": CertificateFile,
}
_WRITTEN = {
    "log": log_schema,
    "summary": summary_document.DOCUMENT.schema,
    "comparison": comparison_document.DOCUMENT.schema,
    "trend": trend_document.DOCUMENT.schema,
}


def schema(of: str) -> dict[str, Any]:
    """The schema of a file format or of a command's output.

    Formats are `case`, `operator`, `coverage`, `adapter`, `deviations`, `profile` and `releases`; outputs are a line of
    a `log`, a `summary`, a `comparison`, a `trend` and a `certificate`.

    Raises:
        KeyError: there is no such format.
    """
    if of in _WRITTEN:
        return _WRITTEN[of]()
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **_MODELS[of].model_json_schema(by_alias=True)}
