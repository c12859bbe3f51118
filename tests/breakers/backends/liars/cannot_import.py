"""Needs a framework that is not installed."""

from __future__ import annotations

import a_framework_that_is_not_installed  # noqa: F401
