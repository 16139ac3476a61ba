"""Agents in the same worlds: `compare`, `tune`, and the engine of runs that both use.

`bamdp.compare` is the function; its room has another name, so that importing it doesn't hide that.
"""
