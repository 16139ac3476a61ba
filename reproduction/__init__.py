"""The rerun of Guez, Silver, Dayan, 2012, with `bamdp`: experiments as data, the engine that runs
and stores them, and a report that compares what came out with every number and claim of the paper.

    python -m reproduction table1 --scale quick
    python -m reproduction report
"""
