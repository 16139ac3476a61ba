"""Agents and runs in files, without pickle."""
