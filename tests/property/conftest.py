"""How laws are tested: without a limit on time, which a loaded machine would break; in CI by a few examples."""

import os

from hypothesis import HealthCheck, settings

IS_CI = "CI" in os.environ

settings.register_profile(
    "untimed",
    deadline=None,
    derandomize=IS_CI,
    max_examples=30 if IS_CI else 100,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("untimed")
