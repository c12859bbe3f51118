"""Writes a check as a folder with a script that needs only the framework and nothing of this project.

It owns the templates of such scripts (`script`); the `repro.py` of an adapter adds the code for its framework, with the
help of `sources`. `folder` writes the script of a check, of a record in a log, and of a recorded deviation. The package
runs no script and no framework.
"""
