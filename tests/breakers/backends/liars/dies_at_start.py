"""Dies while it is imported."""

from __future__ import annotations

import os
import sys

sys.stderr.write("no licence\n")
sys.stderr.flush()
os._exit(7)
