"""The report: stored results compared with the published ones, a pure function of the rows of a
store.
"""
