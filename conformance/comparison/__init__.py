"""What changed between two runs: pure functions of their logs.

`targets` says who is compared with whom, `circumstance` what else is not the same, `change` what became of one check,
`pace` whether times differ beyond their noise, and `compare` puts it together.
"""
