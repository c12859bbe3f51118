"""How a script calls a framework: the `recipe` in the `repro.py` of an adapter's folder.

Such a module imports from here. It defines `recipe(request, options)`, which takes a request and the target's options
and returns a `Recipe`. It runs in the engine's own process and imports no framework.
"""

from __future__ import annotations

import importlib.util
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from conformance.adapter import NotExpressible
from conformance.border.call import Call
from conformance.border.request import Request
from conformance.formats.adapter_file import NAME_PATTERN, Adapter, AdapterFile, read_adapter
from conformance.formats.suite import bundled_folder
from conformance.log.record import TargetEntry
from conformance.scripts.sources import ModelSource, dtype_expression, model_source

__all__ = [
    "Call",
    "ModelSource",
    "NotExpressible",
    "Recipe",
    "Request",
    "dtype_expression",
    "has_recipe",
    "model_source",
    "recipe_function",
    "recipe_of_recorded_target",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """The framework's part of a script.

    `run` are statements that set `actual` to a list with the outputs of each call: arrays of NumPy's or ml_dtypes'
    types, strings as arrays of objects. They read the inputs of each call, as arrays by name, from `RUNS`, the
    constants named in `constants` from `CONSTANTS`, and `files` from the folder `HERE`. `code` defines the functions
    that they call.

    `model` is code that stands before the inputs and makes an ONNX model (`model_source`).

    `rejections` is an expression for the exception types with which the framework rejects a call. Some of these errors
    are not a rejection: the framework has no implementation, or its interface cannot express the request. `no_answer`
    is an expression that is true for such an `error`.
    """

    imports: tuple[str, ...]
    code: str
    run: str
    rejections: str
    no_answer: str
    model: str = ""
    constants: tuple[str, ...] = ()
    files: Mapping[str, bytes] = field(default_factory=dict)


RecipeFunction = Callable[[Request, Mapping[str, str]], Recipe]

_PLAIN_OPTION = re.compile(r"[\w.:,-]{1,100}", re.ASCII)
"""Free-text option values from a log that may enter a script: a log is untrusted, and a script is code."""


def has_recipe(adapter: Adapter) -> bool:
    """Whether an adapter describes how a script calls its framework."""
    return _recipe_path(adapter).is_file()


def recipe_function(adapter: Adapter) -> RecipeFunction:
    """The recipe of an adapter that has one; the folder itself stays off the import path."""
    path = _recipe_path(adapter)
    name = f"opconform_recipe_{adapter.folder.name}"
    spec = importlib.util.spec_from_file_location(name, path, submodule_search_locations=[str(adapter.folder)])
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    function: RecipeFunction = module.recipe
    return function


def _recipe_path(adapter: Adapter) -> Path:
    return adapter.folder / "repro.py"


def recipe_of_recorded_target(target: TargetEntry) -> RecipeFunction | None:
    """The recipe of the bundled adapter that a log names; None if there is none, or it lacks the recorded options."""
    if not re.fullmatch(NAME_PATTERN, target.adapter):
        return None
    folder = bundled_folder("adapters") / target.adapter
    if not (folder / "adapter.yaml").is_file():
        return None
    adapter = read_adapter(folder)
    is_known = has_recipe(adapter) and _has_options(adapter.manifest, target.options)
    return recipe_function(adapter) if is_known else None


def _has_options(manifest: AdapterFile, options: Mapping[str, str]) -> bool:
    return options.keys() == manifest.options.keys() and all(
        options[name] in (*option.choices, option.default)
        if option.choices is not None
        else _PLAIN_OPTION.fullmatch(options[name])
        for name, option in manifest.options.items()
    )
