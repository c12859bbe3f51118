"""The child process that serves one adapter: it reads requests, asks the adapter, and answers.

`start` makes it run in any Python; `serve` is its loop. It never sees an expected output.
"""
