"""A run: its plan, the engine of a target, and the execution on this machine.

`run` goes from the request (`run_request`) and the plan (`run_plan`) to the log, wherever its `execution` is.
`target_engine` runs the checks of one `target` from the request to the record. `local_execution` gives chunks to
processes (`engine_process`), and `target_chunks` writes their lines in order. `timing_passes` times cases after the
checks, and `reproducer` runs the script of a recorded deviation. Verdicts come from `judging`, pages from `report`.
"""
