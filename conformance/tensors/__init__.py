"""What a tensor is, bit for bit, and the texts and errors that a user reads: the bottom of the engine.

It owns the element types with their bits (`dtypes`), a tensor as raw bytes with its unused bits masked (`tensor`), the
fills that make its elements (`fill`), the levels of instruction sets, cleaned text, and the errors that name a place.
It does not know what an operator is.
"""
