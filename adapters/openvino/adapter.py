"""The door to OpenVINO: readies the environment and loads the rest, which imports the framework.

Read on in `runtime`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from conformance.adapter import Call, Description, Prepared


class Adapter:
    """OpenVINO on one device, with its own operators built by one route."""

    def __init__(self, options: Mapping[str, str]) -> None:
        # Without it, the import starts a telemetry process that looks for a network.
        os.environ["CI"] = "true"
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
