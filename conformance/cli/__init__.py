"""The command line, with one module for each group of commands.

It owns arguments, printing and exit codes, and decides nothing about checks.
"""
