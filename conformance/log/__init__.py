"""The run log: its lines, how they are made from outcomes, written and read.

`record` declares every field. `build_record` and `build_timing` make lines, `log_file` writes and reads them,
`ownership` and `unfinished` guard folders that are being written. The package starts no process and renders nothing.
"""
