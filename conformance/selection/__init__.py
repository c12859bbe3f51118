"""Which checks a run sends, and whether the cases are correct themselves.

`selection` chooses families and yields their checks one at a time, `lint` compares the cases with the reference,
`covering_array` and `coverage_measure` build and measure combinations of parameters, `control` is a check without its
operator, `case_draft` is a case that is being written, and `proposed_outputs` writes what the reference computes for
it. The package knows no target.
"""
