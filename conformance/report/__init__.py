"""Renders a run log, a comparison or a coverage: terminal, HTML, Markdown, JSON, JUnit, and a script for a bug report.

Verdicts, counts, causes and changes come from `log`; no module of this package sets or changes one. `writers` alone
writes to a user's file. `script` owns the templates of scripts that need only the framework; the `repro.py` of an
adapter adds the code for its framework, with the help of `sources`. The package imports no adapter, and runs neither a
script nor a framework.
"""
