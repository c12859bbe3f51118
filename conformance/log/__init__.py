"""What was answered: in one run, in two, and in all releases of a framework.

`record` declares every field of the run log. `build_record` makes its lines and judges them again, `log_file` writes
and reads them and guards folders that are being written. `summary` counts a log once for all reports, and its causes.
`answers` reads what comparisons need, `compare` classifies how each check changed, joins the logs of shards, or reads a
log against a baseline. `history` keeps what releases answered, and `bisect` finds where an answer changed. The package
starts no process and renders nothing.
"""
