"""The letters that say what a release answered."""

from __future__ import annotations

from collections.abc import Mapping

LETTERS: Mapping[str, str] = {
    "y": "conforms",
    "i": "follows an interpretation of what the page leaves open",
    "p": "supports a part, and what it supports conforms",
    "m": "damages memory",
    "c": "crashes or hangs",
    "w": "gives wrong results",
    "a": "accepts invalid calls",
    "r": "rejects valid calls, or invalid ones at a great cost",
    "n": "does not support it",
    "x": "cannot be asked",
    "u": "nothing was judged",
}
"""What each letter says of a release."""
FAULTS = "mcwar"
"""The letters of deviations, the worst first."""
UNSUPPORTED = "nx"
"""The letters of a release that does not have the operator, or no way to ask for it."""
