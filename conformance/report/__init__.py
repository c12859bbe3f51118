"""Renders a run log, a comparison or a coverage: terminal, HTML, Markdown, JSON and JUnit.

Verdicts, counts, causes and changes come from `findings`; no module of this package sets or changes
one. `writers` alone writes to a user's file. The package imports no adapter: the caller passes in the scripts that a
page embeds.
"""
