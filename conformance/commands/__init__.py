"""The command line, with one module for each command.

It owns arguments, printing and exit codes, and decides nothing about checks.
"""
