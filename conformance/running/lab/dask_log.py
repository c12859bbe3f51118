"""What Dask writes to standard error: nothing. Its log is for its developers; the parts of a lab say what happens."""

from __future__ import annotations

import logging
import os

_LEVEL = "DASK_LOGGING__DISTRIBUTED"
"""Workers start with this variable; whoever looks for a fault of Dask sets it to `info`."""


def hide_log_of_dask() -> None:
    """Show only what would end the process, here and in the workers that this process starts."""
    level = os.environ.setdefault(_LEVEL, "critical").upper()
    for name in ("distributed", "distributed.client", "distributed.gc", "tornado.application", "asyncio"):
        logging.getLogger(name).setLevel(level)
