"""The papers as data: settings, seeds and published numbers of each experiment; no logic."""
