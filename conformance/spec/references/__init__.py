"""The references, one module for each family of operators.

A reference is written from the page alone. It moves data as opaque bytes, so that no bit of any type can change.
"""
