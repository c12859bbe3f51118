"""The published data of all releases, typed: what each release of each framework answers to each operator version.

It needs nothing but Python, since it is also the package opconform-compat, which holds the data. It knows nothing of
runs, cases and logs; `tools/compat_data.py` makes the data.
"""

from .data import CompatCell, CompatData, CompatError, CompatFrameworks, load, load_frameworks
from .statements import Statement, absence, refusal, sentence, statements

__all__ = [
    "CompatCell",
    "CompatData",
    "CompatError",
    "CompatFrameworks",
    "Statement",
    "absence",
    "load",
    "load_frameworks",
    "refusal",
    "sentence",
    "statements",
]
