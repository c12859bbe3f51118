"""opconform: cross-framework conformance tests for tensor operators.

Read in this order: `case`, `outcome`, `judge`, `run`. Importing the package loads no framework and not NumPy.
"""

__version__ = "0.1.0"
