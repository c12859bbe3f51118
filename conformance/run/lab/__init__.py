"""Runs the checks of one run on the machines of a lab, with Dask distributed. Owns the scheduler, the workers, and who
gets which chunk; knows no framework, no verdict and no format of a log.
"""
