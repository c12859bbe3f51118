"""The command line: one module for each command, between its arguments and its exit code.

It owns arguments, printing and exit codes, and decides nothing about checks.
"""
