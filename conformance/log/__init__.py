"""What was answered: in one run, in two, and in all releases of a framework.

`record` declares every field of the run log. `build_record` makes its lines, `log_file` writes and reads them and
guards folders that are being written, and `recompute` judges them again. `summary` counts a log once for all reports,
with `causes`. `answers` reads what comparisons need, `compare` classifies how each check changed, and `merge` joins the
logs of shards, or reads a log against a baseline. `history` keeps what releases answered, and `bisect` finds where an
answer changed. The package starts no process and renders nothing.
"""
