"""How the results of a kind of task are shown in tables: a module of the kind's name with a function `table_rows`.

A kind without a module here is shown with a column for each number of its results.
"""
