"""Compares two runs: pure functions of their logs.

`targets` pairs the targets, `circumstance` lists differing circumstances, `change` classifies one check, `timed`
decides whether the times of a timed case differ beyond noise, and `compare` joins all of it.
`baseline` reads one log against another, and `merge` joins the logs of shards. Nothing here renders.
"""
