"""Which checks a run asks, in which order, and whether the cases are correct themselves.

`run_plan` has what a user asks for, and the checks of it or of a shard. `selection` chooses families and yields their
checks one at a time, and `best_first` orders them. `lint` and `disagreement` compare the cases with the oracles.
"""
