"""Runs: the loop of agent and domain, tasks, the one engine that turns tasks into rows, and the
store of rows.
"""
