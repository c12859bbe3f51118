"""What a run log becomes for its readers: terminal, HTML, JUnit, CTRF, Markdown and a badge.

Everything here renders: verdicts, counts and causes come from `records`, and no module of this package gives or changes
one. It imports no adapter: a caller passes in the scripts that a page embeds.
"""
