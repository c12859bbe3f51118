"""The door to OpenVINO: readies the environment and loads the rest, which imports the framework.

Read on in `runtime`.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from types import ModuleType
from typing import cast

from conformance.adapter import Call, Description, Prepared


class Adapter:
    """OpenVINO on one device, with its own operators built by one route."""

    def __init__(self, options: Mapping[str, str]) -> None:
        # The converter of other formats is left out: it takes half of the import's time, and starts a telemetry process
        # that looks for a network.
        sys.modules.setdefault("openvino.tools.ovc", cast("ModuleType", None))
        from .runtime import Route, Runtime

        self._runtime = Runtime(options.get("device", "CPU"), Route(options.get("route", "opset")))

    def describe(self) -> Description:
        """Say which OpenVINO this is, on which devices, with which settings."""
        return self._runtime.describe()

    def prepare(self, call: Call) -> Prepared:
        """Build and compile the call.

        Raises:
            Rejected, Unsupported, NotExpressible: as each says; also while running.
        """
        return self._runtime.prepare(call)
