"""Experiments as data, and what runs and stores them."""
