"""The mutants as one adapter: its option names the fault."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from conformance.adapter import Call, Description, Prepared
from conformance.protocol.form import Form

sys.path.append(str(Path(__file__).parents[1]))  # the faulty backends share `fault`

from fault import faults_named

from .faults import THEMES
from .split import Split


class Adapter:
    """Computes with a correct Split, or with one of which a single step is faulty."""

    def __init__(self, options: Mapping[str, str]) -> None:
        name = options["mutant"]
        self._faults = () if name == "none" else faults_named(THEMES, name)
        self._process: dict[str, Any] = {}

    def describe(self) -> Description:
        return Description(framework="faulty Split", version="1", operators=["*"], forms=[form.value for form in Form])

    def prepare(self, call: Call) -> Prepared:
        split = Split(call, self._process)
        for fault in self._faults:
            fault.break_step(split)
        with np.errstate(all="ignore"):
            split.build()

        def run(inputs: Mapping[str, np.ndarray[Any, Any]]) -> list[np.ndarray[Any, Any]]:
            with np.errstate(all="ignore"):
                return split.run(inputs)

        return Prepared(run=run)
