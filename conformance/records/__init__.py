"""The run log: its lines, how they are made from outcomes, written, read and counted.

`record` declares every field. `build_header`, `build_record` and `build_timing` make lines, `log_file` writes and reads
them, `ownership` and `unfinished` guard folders that are being written. `attribution` and `confirmation` decide which
checks run again, `shard` divides a run, and `rerun` finds the checks that failed. `summary` counts a log once for all
reports, with `counts` and `causes`. The package starts no process and renders nothing.
"""
