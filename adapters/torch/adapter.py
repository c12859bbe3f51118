"""The entry to PyTorch: sets the environment, then loads `runtime`, which imports the framework."""

from __future__ import annotations

import os
from collections.abc import Mapping

from conformance.adapter import Call, Description, Prepared
from conformance.tensors.machine import levels_here, required_level

from .operators.names import CAPABILITIES


class Adapter:
    """PyTorch on one device."""

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
        """Version of PyTorch, device and settings."""
        return self._runtime.describe()

    def prepare(self, call: Call) -> Prepared:
        """Translate the arguments.

        Raises:
            Rejected, Unsupported, NotExpressible: see these classes. A run may raise them, too.
        """
        return self._runtime.prepare(call)
