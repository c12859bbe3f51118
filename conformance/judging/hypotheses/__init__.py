"""Explanations of a wrong answer: the outputs of a backend with one particular fault.

`explain` tries them in turn. `cuts` are about where the data was cut, `bits` about changed elements, `other_steps`
about effects of one step on another. Each rebuilds the outputs, and fits only if they equal the actual ones bit for
bit. `step_evidence` holds the data that all of them read.
"""
