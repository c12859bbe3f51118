"""The JSON Schemas of the file formats, generated from the types that read them. Published in docs/schemas for
editors.
"""

from __future__ import annotations

from typing import Any

from conformance.adapter_file import AdapterFile
from conformance.case_entry import CaseFile
from conformance.certificate.summary import CertificateFile
from conformance.coverage.space_file import CoverageFile
from conformance.deviation_file import DeviationFile
from conformance.file_schema import FileModel
from conformance.operator_file import OperatorFile
from conformance.profile_file import ProfileFile
from conformance.release_file import ReleasesFile
from conformance.report.comparison.document import comparison_schema
from conformance.report.summary_document import summary_schema
from conformance.run_log import log_schema

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
_WRITTEN = {"log": log_schema, "summary": summary_schema, "comparison": comparison_schema}


def schema(of: str) -> dict[str, Any]:
    """The schema of `case`, `operator`, `coverage`, `adapter`, `deviations`, `profile` or `releases` files, or of what
    the commands write, a `certificate` among them.

    These are a line of a `log`, a `summary`, and a `comparison`.

    Raises:
        KeyError: there is no such format.
    """
    if of in _WRITTEN:
        return _WRITTEN[of]()
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **_MODELS[of].model_json_schema(by_alias=True)}
