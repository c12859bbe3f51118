"""A run: the runner of a target, and the execution on this machine or on those of a lab (`lab`).

`run` goes from the plan to the log, wherever its `execution` is; at its end it times cases. `local_execution` gives
chunks of checks to child processes. In each, a `target_runner` runs the checks of one `target` from the request to the
record, and `confirmation` decides which run again. `reuse` takes over what an earlier run answered, and `reproducer`
runs the script of a recorded deviation.
"""
