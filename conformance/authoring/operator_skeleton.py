"""Writes the page of a new operator and a case of it, from the templates next to this file."""

from __future__ import annotations

import re
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined

from conformance.formats.suite import OPERATOR_FILE, bundled_folder
from conformance.language.kinds import ArgumentKind
from conformance.language.operator import Source
from conformance.values.errors import UsageError
from conformance.values.regular_file import written
from conformance.values.text import one_line

_SHOWN = 100
_SPECIFICATIONS = {
    "onnx": Source("ONNX", "https://onnx.ai/onnx/operators/"),
    "openvino": Source(
        "OpenVINO",
        "https://docs.openvino.ai/2024/documentation/openvino-ir-format/operation-sets/operation-specs.html",
    ),
}
"""Where each dialect lists the pages of its operators."""
_OPERATOR = re.compile(rf"({'|'.join(_SPECIFICATIONS)})\.([A-Z][A-Za-z0-9]{{0,79}})-([1-9][0-9]{{0,3}})")


def write_operator(operator: str, root: Path) -> tuple[Path, Path]:
    """Write `operator.yaml` and a case file of an operator version, such as `onnx.Identity-13`, and return both paths.

    The page is that of an operator that copies its data. `root` is a folder laid out as `cases/`.

    Raises:
        UsageError: the text names no operator version, the suite has the operator, or its folder exists.
    """
    match = _OPERATOR.fullmatch(operator)
    if match is None:
        fix = f"write dialect, name and version, as onnx.Identity-13; the dialects are {' and '.join(_SPECIFICATIONS)}"
        raise UsageError(f"name {one_line(repr(operator), _SHOWN)}", "is not an operator version", fix=fix)
    dialect, name, version = match.groups()
    bundled = bundled_folder("cases") / dialect / name / OPERATOR_FILE
    if bundled.is_file():
        fix = f"add a version to {bundled}, and cases with `conformance new case`"
        raise UsageError(operator, f"the suite has {dialect}.{name} already", fix=fix)
    folder = root / dialect / name
    try:
        folder.mkdir(parents=True)
    except FileExistsError as error:
        fix = "remove it, or name another operator or --cases-folder"
        raise UsageError(str(error.filename), "is there already, and stays as it is", fix=fix) from None
    environment = Environment(
        loader=PackageLoader("conformance.authoring"),
        undefined=StrictUndefined,
        keep_trailing_newline=True,
        autoescape=False,  # noqa: S701  (writes YAML; the name is of letters and digits)
    )
    page, cases = folder / OPERATOR_FILE, folder / "copied.yaml"
    source = _SPECIFICATIONS[dialect]
    for path in (page, cases):
        text = environment.get_template(f"{path.name}.j2").render(
            dialect=dialect,
            name=name,
            version=version,
            source=Source(f"{source.title} {name}-{version}", source.url),
            kinds=", ".join(kind.value for kind in ArgumentKind),
        )
        written(path, text.encode())
    return page, cases
