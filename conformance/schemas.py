"""The JSON Schemas of the file formats, generated from the types that read them. Published in docs/schemas for
editors.
"""

from __future__ import annotations

from typing import Any

from conformance.adapter_file import AdapterFile
from conformance.case_file import CaseFile
from conformance.deviation_file import DeviationFile
from conformance.file_schema import FileModel
from conformance.operator_file import OperatorFile
from conformance.run_log import log_schema

_MODELS: dict[str, type[FileModel]] = {
    "case": CaseFile,
    "operator": OperatorFile,
    "adapter": AdapterFile,
    "deviations": DeviationFile,
}


def schema(of: str) -> dict[str, Any]:
    """The schema of `case`, `operator`, `adapter` or `deviations` files, or of a line of a `log`.

    Raises:
        KeyError: there is no such format.
    """
    if of == "log":
        return log_schema()
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **_MODELS[of].model_json_schema(by_alias=True)}
