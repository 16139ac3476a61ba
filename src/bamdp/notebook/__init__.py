"""What notebooks show of plans, records and beliefs: HTML and SVG."""
