"""Tests of fits."""
