"""Executors: processes of this machine, or a Ray cluster."""
