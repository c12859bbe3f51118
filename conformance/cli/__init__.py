"""The command line: `commands` has all arguments, and one module for each group of commands runs them.

It owns arguments, printing and exit codes, and decides nothing about checks.
"""
