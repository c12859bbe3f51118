"""One tensor or one call as text and as a grid of cells, for scripts and reports alike.

It reads records alone, and does not know where the text is shown.
"""
