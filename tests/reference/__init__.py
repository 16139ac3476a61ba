"""Slow, plain and independent: what the tests of the core compare with. Nothing
here imports bamdp.
"""
