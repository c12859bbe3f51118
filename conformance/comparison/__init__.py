"""Compares two runs or many: pure functions of their logs.

`targets` pairs the targets, `circumstance` lists differing circumstances, `change` classifies one check, `timed`
decides whether the times of a timed case differ beyond noise, and `compare` joins all of it. `trend` follows each
target over many runs, `baseline` reads one log against another, and `merge` joins the logs of shards. Nothing here
renders.
"""
