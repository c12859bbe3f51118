from __future__ import annotations

import json
import lzma
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from gallery import HOSTILE

from conformance.cli.listing import schema
from conformance.cli.main import main
from conformance.suite.adapter_file import engine_names
from conformance.suite.suite import bundled_folder
from conformance.suite.yaml_file import read_document

PUBLISHED = Path(__file__).parents[2] / "docs" / "schemas"
COMPAT = Path(__file__).parents[2] / "compat"
FORMATS = [
    *("case", "operator", "adapter", "engine", "packages", "deviations", "profile"),
    *("releases", "lab", "certificate", "log", "summary", "comparison", "compat", "compat-engines"),
]
CASES = [path for path in bundled_folder("cases").glob("*/*/*.yaml") if path.name != "operator.yaml"]
FILES = [
    *(("case", path) for path in CASES),
    *(("operator", path) for path in bundled_folder("cases").glob("*/*/operator.yaml")),
    *(("adapter", path) for path in bundled_folder("adapters").glob("*/adapter.yaml")),
    *(("deviations", path) for path in bundled_folder("adapters").glob("*/deviations.yaml")),
    *(("profile", bundled_folder("profiles") / f"{name}.yaml") for name in ("core", "full")),
    ("releases", bundled_folder("profiles") / "releases.yaml"),
    *(("engine", bundled_folder("engines") / f"{name}.yaml") for name in engine_names()),
    ("packages", bundled_folder("engines") / "packages.yaml"),
]
OUT_OF_SHAPE = ["wrong-types", "unknown-keys", "missing-keys", "no-cases", "ids", "list-at-the-top", "empty"]


@pytest.mark.parametrize("of", FORMATS)
def test_published_schema_is_the_one_that_the_command_prints(of: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema", of]) == 0
    assert capsys.readouterr().out == (PUBLISHED / f"{of}.schema.json").read_text(encoding="utf-8")


def test_nothing_else_is_published() -> None:
    assert {path.name for path in PUBLISHED.iterdir()} == {f"{of}.schema.json" for of in FORMATS}


@pytest.mark.parametrize("of", FORMATS)
def test_schema_is_one_of_its_draft(of: str) -> None:
    made: dict[str, Any] = schema(of)
    assert made["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    jsonschema.Draft202012Validator.check_schema(made)


@pytest.mark.parametrize(("of", "path"), FILES, ids=[f"{of}-{path.parent.name}-{path.stem}" for of, path in FILES])
def test_bundled_file_keeps_its_schema(of: str, path: Path) -> None:
    value: Any = read_document(path, path.name).value
    jsonschema.Draft202012Validator(schema(of)).validate(value)


def test_published_data_keeps_its_schema() -> None:
    data = json.loads(lzma.decompress((COMPAT / "data.json.xz").read_bytes()))
    jsonschema.Draft202012Validator(schema("compat")).validate(data)
    engines = json.loads((COMPAT / "engines.json").read_bytes())
    jsonschema.Draft202012Validator(schema("compat-engines")).validate(engines)


@pytest.mark.parametrize("name", OUT_OF_SHAPE)
def test_file_out_of_shape_does_not_keep_its_schema(name: str) -> None:
    value: Any = read_document(HOSTILE / "cases" / f"{name}.yaml", name).value
    assert not jsonschema.Draft202012Validator(schema("case")).is_valid(value)


def test_names_of_a_matrix_may_stand_for_values() -> None:
    value = {
        "operator": "onnx.Split",
        "cases": [
            {
                "id": "a",
                "clauses": ["split.lengths"],
                "arguments": {"input": {"dtype": "$dtype", "shape": ["$n", 2], "bits": "$bits"}, "split": "$split"},
                "matrix": {"dtype": "all", "n": [1, 2], "bits": {"one": [1]}, "split": {"a": [1]}},
                "declared_outputs": "$n",
                "outputs": "$outputs",
            }
        ],
    }
    jsonschema.Draft202012Validator(schema("case")).validate(value)


def test_schemas_describe_their_fields_for_editors() -> None:
    case = schema("case")["$defs"]["CaseEntry"]["properties"]
    assert case["id"]["description"] == "stable name; never reused"
    assert case["id"]["pattern"] == "^[a-z0-9][a-z0-9_-]{0,79}$"


def test_format_that_does_not_exist_has_no_schema() -> None:
    with pytest.raises(KeyError):
        schema("cases")
