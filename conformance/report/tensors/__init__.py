"""Shows one tensor or one call as text or as a grid of cells, for scripts and reports.

It reads only records, and does not know where the text is shown.
"""
