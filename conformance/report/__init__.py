"""Renders a run log for its readers: terminal, HTML, JUnit, CTRF, Markdown and a badge.

Verdicts, counts and causes come from `records`; no module of this package sets or changes one. The package imports no
adapter: the caller passes in the scripts that a page embeds.
"""
