"""The trend over many runs on the terminal, as Markdown, as a page, and as JSON."""
