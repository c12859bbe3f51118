"""Explanations of a wrong answer: what a backend with one particular fault would have returned.

`explain` tries them in turn. `cuts` are about the places where the data was cut, `bits` about changed elements, `calls`
about effects of one call on another. Each rebuilds the outputs, and fits only if they equal the actual ones bit for
bit. `evidence` holds what all of them read.
"""
