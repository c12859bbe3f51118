"""The run log: its lines, how they are made from outcomes, written and read.

`record` declares every field. `build_record` makes lines, `log_file` writes and reads them and guards folders that are
being written, and `recompute` judges them again. The package starts no process and renders nothing.
"""
