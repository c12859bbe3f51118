"""What a run log becomes for its readers: terminal, HTML, JUnit and Markdown.

Pure functions of the log: no verdict is given here, and neither suite, adapters nor frameworks are consulted. Read
`summary` first; `html`, `console` and `markdown` show a summary, `junit` streams the log.
"""
