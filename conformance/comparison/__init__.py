"""What changed between two runs: pure functions of their logs.

`targets` says who is compared with whom, `circumstance` what else is not the same, `change` what became of one check,
`pace` whether times of checks differ beyond their noise, `timed` whether those of timed cases do, and `compare` puts it
together.
"""
