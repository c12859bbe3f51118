"""The entry to OpenVINO: sets the environment, then loads `runtime`, which imports the framework."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from types import ModuleType
from typing import cast

from conformance.adapter import Call, Description, Prepared
from conformance.tensors.machine import levels_here, required_level


class Adapter:
    """OpenVINO on one device, with its own operators built by one route."""

    is_forkable = True

    def __init__(self, options: Mapping[str, str]) -> None:
        """Limit the instruction set before the framework is imported.

        Raises:
            ValueError: the processor has no such instruction set.
        """
        if options.get("isa"):
            # oneDNN reads it when it chooses the first kernel.
            os.environ["ONEDNN_MAX_CPU_ISA"] = required_level(options["isa"], levels_here()).value
        # The converter of other formats is left out: it takes half of the import's time, and starts a telemetry process
        # that looks for a network.
        sys.modules.setdefault("openvino.tools.ovc", cast("ModuleType", None))
        from .runtime import Route, Runtime

        threads = int(options.get("threads", "1"))
        self._runtime = Runtime(options.get("device", "CPU"), Route(options.get("route", "opset")), threads)

    def describe(self) -> Description:
        """Version of OpenVINO, devices and settings.

        Raises:
            ValueError: OpenVINO has no such device.
        """
        return self._runtime.describe()

    def prepare(self, call: Call) -> Prepared:
        """Build and compile the call.

        Raises:
            Rejected, Unsupported, NotExpressible: see these classes. A run may raise them, too.
        """
        return self._runtime.prepare(call)
