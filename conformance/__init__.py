"""opconform: cross-framework conformance tests for tensor operators.

docs/architecture.md says where to start reading. Importing the package loads no framework and not NumPy.
"""

__version__ = "0.3.0"
