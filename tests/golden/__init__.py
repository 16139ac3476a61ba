"""Golden files: what fixed seeds give."""
