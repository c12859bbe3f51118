"""Which checks a run asks, and whether the cases deserve to be asked.

`selection` chooses families and makes their checks one at a time, `lint` compares the cases with the reference,
`covering_array` and `coverage_measure` make and measure combinations of parameters, and `control` is a check without
its operator. It knows no target.
"""
