"""The door to PyTorch: readies the environment and loads the rest, which imports the framework.

Read on in `runtime`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from conformance.adapter import Call, Description, Prepared
from conformance.values.instruction_set import levels_here, required_level

from .names import CAPABILITIES


class Adapter:
    """PyTorch on one device, with one of its functions that split."""

    def __init__(self, options: Mapping[str, str]) -> None:
        """Choose the instruction set before the framework is imported.

        Raises:
            ValueError: the processor has no such instruction set, or PyTorch cannot use the device here.
        """
        if options["isa"]:
            level = required_level(options["isa"], levels_here())
            os.environ["ATEN_CPU_CAPABILITY"] = CAPABILITIES[level.value].lower()
        from .runtime import Runtime

        self._runtime = Runtime(options)

    def describe(self) -> Description:
        """Say which PyTorch this is, and how it is asked."""
        return self._runtime.describe()

    def prepare(self, call: Call) -> Prepared:
        """Translate the arguments.

        Raises:
            Rejected, Unsupported, NotExpressible: as each says; also while running.
        """
        return self._runtime.prepare(call)
