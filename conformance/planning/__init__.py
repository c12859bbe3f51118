"""Which checks a run asks, in which order, and whether the cases are correct themselves.

`run_request` is what a user asks for, `run_plan` the checks of it. `selection` chooses families and yields their checks
one at a time, `shard` divides a run, and `rerun` finds the checks that failed. `lint` and `disagreement` compare the
cases with the reference.
"""
