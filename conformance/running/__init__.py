"""A run: the engine of a target, and the execution on this machine or on those of a lab (`lab`).

`run` goes from the plan to the log, wherever its `execution` is. `target_engine` runs the checks of one `target` from
the request to the record, and decides which run again (`confirmation`, `attribution`, `twins`). `local_execution` gives
chunks to processes (`engine_process`), and `target_chunks` writes their lines in order. `timing_passes` times cases
after the checks, and `reproducer` runs the script of a recorded deviation.
"""
