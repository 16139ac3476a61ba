"""The paper as data: settings, grids, seeds and published numbers of each table and figure; no
logic.

Every `Experiment` at the top level of a module of this package is found by
`reproduction.experiments`.
"""
