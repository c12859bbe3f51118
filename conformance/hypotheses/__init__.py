"""What a backend with one particular fault would have answered: `explain` tries these in turn.

`cuts` are about where the data was cut, `bits` about what became of elements, `calls` about what one call keeps of
another or does to it. Each rebuilds an answer and fits only if that is, bit for bit, what came. `evidence` is what all
of them look at.
"""
