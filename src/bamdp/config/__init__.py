"""From names and settings to domains, priors and agents; the command line and studies build on it."""
